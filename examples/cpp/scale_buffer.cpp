// An array in the host's memory by Python's buffer protocol, with pybind11.
#include <pybind11/pybind11.h>

namespace py = pybind11;

static void scale(const py::buffer &x, float factor) {
    const auto info = x.request();
    if (info.readonly) throw py::type_error("x is read-only");
    if (info.ndim != 2 || !info.item_type_is_equivalent_to<float>())
        throw py::type_error("x is not a matrix of float32");
    for (py::ssize_t i = 0; i < info.shape[0]; ++i) {
        auto *row = static_cast<char *>(info.ptr) + i * info.strides[0];
        for (py::ssize_t j = 0; j < info.shape[1]; ++j)
            *reinterpret_cast<float *>(row + j * info.strides[1]) *= factor;
    }
}

PYBIND11_MODULE(scale_buffer, module) {
    module.def("scale", scale, py::arg("x"), py::arg("factor"));
}
