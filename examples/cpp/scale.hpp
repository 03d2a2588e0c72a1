#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

// Multiply the elements of a matrix in a GPU's memory, in the order of a stream. Strides count
// elements. Throws std::runtime_error where CUDA refuses.
void scale(float *x, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
           std::int64_t column_stride, float factor, cudaStream_t stream);
