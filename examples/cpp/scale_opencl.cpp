// An OpenCL kernel on a cl_mem and a cl_command_queue, with pybind11: by themselves, and from a
// view of xarr.hpp.
#include <pybind11/pybind11.h>

#include <map>
#include <xarr.hpp>

#include "opencl.hpp"

namespace py = pybind11;

static const char *source = R"(
kernel void scale(global float *x, long begin, long row_stride, long column_stride, float factor)
{
    x[begin + get_global_id(0) * row_stride + get_global_id(1) * column_stride] *= factor;
})";

static void check(std::int32_t status, const char *function) {
    if (status) throw std::runtime_error(std::string(function) + ": " + std::to_string(status));
}

static const OpenCL &opencl() {
    static const OpenCL found = [] {
        const auto module = py::module_::import("pyopencl._cl");
        return OpenCL(module.attr("__file__").cast<std::string>());
    }();
    return found;
}

// The kernel for a queue; each context's is built once.
static cl_kernel kernel_for(cl_command_queue queue) {
    static std::map<cl_context, cl_kernel> kernels;
    const auto &cl = opencl();
    cl_context context;
    cl_device_id device;
    check(cl.get_queue_info(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr), "queue");
    check(cl.get_queue_info(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr), "queue");
    auto &kernel = kernels[context];
    if (!kernel) {
        std::int32_t status;
        const auto program = cl.create_program(context, 1, &source, nullptr, &status);
        check(status, "clCreateProgramWithSource");
        check(cl.build_program(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
        kernel = cl.create_kernel(program, "scale", &status);
        check(status, "clCreateKernel");
    }
    return kernel;
}

static void scale(cl_mem memory, cl_command_queue queue, std::int64_t begin,
                  const std::size_t *shape, std::int64_t row_stride, std::int64_t column_stride,
                  float factor) {
    if (shape[0] * shape[1] == 0) return;
    const auto &cl = opencl();
    const auto kernel = kernel_for(queue);
    std::uint32_t place = 0;
    const auto set = [&](const auto &value) {
        check(cl.set_argument(kernel, place++, sizeof value, &value), "clSetKernelArg");
    };
    set(memory), set(begin), set(row_stride), set(column_stride), set(factor);
    check(cl.enqueue(queue, kernel, 2, nullptr, shape, nullptr, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
}

static void scale_memory(std::uintptr_t memory, std::uintptr_t queue, std::size_t offset,
                         std::size_t size, float factor) {
    const std::size_t shape[] = {1, size};
    scale(reinterpret_cast<cl_mem>(memory), reinterpret_cast<cl_command_queue>(queue),
          std::int64_t(offset / sizeof(float)), shape, 0, 1, factor);
}

static void scale_array(const py::object &array, float factor) {
    const auto x = xarr::from_python<py::error_already_set>(array.ptr(), true);
    x.as<float>(xarr::device_type::opencl);
    if (x.shape.size() != 2) throw py::value_error("x is not a matrix");
    const std::size_t shape[] = {std::size_t(x.shape[0]), std::size_t(x.shape[1])};
    scale(static_cast<cl_mem>(x.data), static_cast<cl_command_queue>(x.stream),
          std::int64_t(x.byte_offset / sizeof(float)), shape, x.strides[0], x.strides[1], factor);
}

PYBIND11_MODULE(scale_opencl, module) {
    module.def("scale", scale_memory, py::arg("memory"), py::arg("queue"), py::arg("offset"),
               py::arg("size"), py::arg("factor"));
    module.def("scale", scale_array, py::arg("x"), py::arg("factor"));
}
