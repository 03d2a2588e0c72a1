// The few functions of OpenCL that scale_opencl.cpp calls, for machines without OpenCL's headers.
// They are looked up in the library that PyOpenCL has loaded.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

using cl_command_queue = struct _cl_command_queue *;
using cl_context = struct _cl_context *;
using cl_device_id = struct _cl_device_id *;
using cl_kernel = struct _cl_kernel *;
using cl_mem = struct _cl_mem *;
using cl_program = struct _cl_program *;

struct OpenCL {
    using Ask = std::int32_t(cl_command_queue, std::uint32_t, std::size_t, void *, std::size_t *);
    using Create = cl_program(cl_context, std::uint32_t, const char **, const std::size_t *,
                              std::int32_t *);
    using Build = std::int32_t(cl_program, std::uint32_t, const cl_device_id *, const char *,
                               void (*)(cl_program, void *), void *);
    using Kernel = cl_kernel(cl_program, const char *, std::int32_t *);
    using Set = std::int32_t(cl_kernel, std::uint32_t, std::size_t, const void *);
    using Launch = std::int32_t(cl_command_queue, cl_kernel, std::uint32_t, const std::size_t *,
                                const std::size_t *, const std::size_t *, std::uint32_t,
                                const void *, void *);

    Ask *get_queue_info;
    Create *create_program;
    Build *build_program;
    Kernel *create_kernel;
    Set *set_argument;
    Launch *enqueue;

    explicit OpenCL(const std::string &module)  // the file of pyopencl._cl
        : library(dlopen(module.c_str(), RTLD_LAZY)) {
        if (!library) throw std::runtime_error(dlerror());
        find(get_queue_info, "clGetCommandQueueInfo");
        find(create_program, "clCreateProgramWithSource");
        find(build_program, "clBuildProgram");
        find(create_kernel, "clCreateKernel");
        find(set_argument, "clSetKernelArg");
        find(enqueue, "clEnqueueNDRangeKernel");
    }

  private:
    void *library;

    // The libraries that the module needs are searched as well.
    template <class Function> void find(Function *&function, const char *name) {
        function = reinterpret_cast<Function *>(dlsym(library, name));
        if (!function) throw std::runtime_error(std::string(name) + " was not found");
    }
};

constexpr std::uint32_t CL_QUEUE_CONTEXT = 0x1090, CL_QUEUE_DEVICE = 0x1091;
