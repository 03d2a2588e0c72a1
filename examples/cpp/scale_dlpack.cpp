// An array by DLPack, with nanobind: in the host's memory, or in that of a CUDA device.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

#ifdef WITH_CUDA
#include "scale.hpp"
#endif

namespace nb = nanobind;

using Matrix = nb::ndarray<float, nb::ndim<2>>;

static void scale_matrix(Matrix x, float factor, std::uintptr_t stream) {
    const auto rows = std::int64_t(x.shape(0)), columns = std::int64_t(x.shape(1));
    if (x.device_type() == nb::device::cpu::value) {
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j)
                x.data()[i * x.stride(0) + j * x.stride(1)] *= factor;
        return;
    }
#ifdef WITH_CUDA
    if (x.device_type() == nb::device::cuda::value) {
        scale(x.data(), rows, columns, x.stride(0), x.stride(1), factor,
              reinterpret_cast<cudaStream_t>(stream));
        return;
    }
#endif
    (void)stream;
    throw nb::value_error("x is on a device that this module was not built for");
}

NB_MODULE(scale_dlpack, module) {
    // Without noconvert() NumPy's arrays of other data types would be copied, and the copy scaled.
    module.def("scale", scale_matrix, nb::arg("x").noconvert(), nb::arg("factor"),
               nb::arg("stream") = 0);
}
