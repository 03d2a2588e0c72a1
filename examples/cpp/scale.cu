#include "scale.hpp"

#include <algorithm>
#include <stdexcept>

namespace {

__global__ void scale_elements(float *x, std::int64_t rows, std::int64_t columns,
                               std::int64_t row_stride, std::int64_t column_stride, float factor)
{
    const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * columns;
         i += step)
        x[i / columns * row_stride + i % columns * column_stride] *= factor;
}

void check(cudaError_t status)
{
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

}  // namespace

void scale(float *x, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
           std::int64_t column_stride, float factor, cudaStream_t stream)
{
    if (rows * columns == 0) return;
    int before;
    cudaPointerAttributes place;
    check(cudaGetDevice(&before));
    check(cudaPointerGetAttributes(&place, x));
    check(cudaSetDevice(place.device));  // of several GPUs, the one where x is
    const int threads = 256;
    const auto blocks = std::min<std::int64_t>((rows * columns + threads - 1) / threads, 4096);
    scale_elements<<<unsigned(blocks), threads, 0, stream>>>(x, rows, columns, row_stride,
                                                             column_stride, factor);
    const auto status = cudaGetLastError();
    cudaSetDevice(before);
    check(status);
}
