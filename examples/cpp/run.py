"""Multiply an array by 2 in C++, in each of the ways that a device has."""

import importlib.util

import scale_buffer
import scale_dlpack
import scale_opencl

import xarr as np

HOST, CUDA = 1, 2  # DLPack's numbers

for device in np.devices():
    with np.device(device):
        x = np.ones((2, 3), dtype="float32")
        x[0] = 3
        stream = np.current_stream()
        place, _ = x.__dlpack_device__()
        if place in (HOST, CUDA):
            scale_dlpack.scale(x, 2, stream.pointer)
        if place == HOST:
            scale_buffer.scale(x, 2)
        if device.backend == "opencl":
            scale_opencl.scale(x, 2)
            queue = stream.cl_queue
            scale_opencl.scale(x.cl_base.int_ptr, queue.int_ptr, x.cl_offset, x.size, 2)
        if place == CUDA and importlib.util.find_spec("scale_cuda"):
            import scale_cuda

            scale_cuda.scale(x, 2)
            scale_cuda.scale(int(np.Pointer(x)), stream.pointer, x.size, 2)
        print(device, x.tolist())
