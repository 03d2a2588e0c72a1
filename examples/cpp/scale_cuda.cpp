// A CUDA kernel on a pointer and a stream: by themselves, and from a view of xarr.hpp.
#include <nanobind/nanobind.h>

#include <xarr.hpp>

#include "scale.hpp"

namespace nb = nanobind;

static void scale_pointer(std::uintptr_t pointer, std::uintptr_t stream, std::int64_t size,
                          float factor) {
    scale(reinterpret_cast<float *>(pointer), 1, size, size, 1, factor,
          reinterpret_cast<cudaStream_t>(stream));
}

static void scale_array(nb::handle array, float factor) {
    const auto x = xarr::from_python<nb::python_error>(array.ptr());
    auto *pointer = x.as<float>(xarr::device_type::cuda);
    if (x.shape.size() != 2) throw nb::value_error("x is not a matrix");
    scale(pointer, x.shape[0], x.shape[1], x.strides[0], x.strides[1], factor,
          static_cast<cudaStream_t>(x.stream));
}

NB_MODULE(scale_cuda, module) {
    module.def("scale", scale_pointer, nb::arg("pointer"), nb::arg("stream"), nb::arg("size"),
               nb::arg("factor"));
    module.def("scale", scale_array, nb::arg("x"), nb::arg("factor"));
}
