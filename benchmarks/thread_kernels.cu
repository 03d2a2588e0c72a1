// The kernels of thread_kernels.py in CUDA C, as one writes them: indices are int.
#define TILE 16
#define GROUP 256

extern "C" __global__ void doubled(float *data, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] *= 2.0f;
    }
}

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

extern "C" __global__ void increments(int *x, int rows, int columns)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < columns) {
        x[i * columns + j] += 1;
    }
}

extern "C" __global__ void naive_product(const float *a, const float *b, float *c, int rows, int inner, int columns)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < columns) {
        float total = 0.0f;
        for (int k = 0; k < inner; ++k) {
            total += a[i * inner + k] * b[k * columns + j];
        }
        c[i * columns + j] = total;
    }
}

extern "C" __global__ void tiled_product(const float *a, const float *b, float *c, int rows, int inner, int columns)
{
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = blockIdx.x * TILE + tx;
    const int y = blockIdx.y * TILE + ty;
    float total = 0.0f;
    for (int begin = 0; begin < inner; begin += TILE) {
        a_tile[ty][tx] = y < rows && begin + tx < inner ? a[y * inner + begin + tx] : 0.0f;
        b_tile[ty][tx] = x < columns && begin + ty < inner ? b[(begin + ty) * columns + x] : 0.0f;
        __syncthreads();
        for (int j = 0; j < TILE; ++j) {
            total += a_tile[ty][j] * b_tile[j][tx];
        }
        __syncthreads();
    }
    if (y < rows && x < columns) {
        c[y * columns + x] = total;
    }
}

extern "C" __global__ void group_sums(const int *data, int *sums, int n)
{
    __shared__ int kept[GROUP];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + tid;
    kept[tid] = i < n ? data[i] : 0;
    __syncthreads();
    for (int s = 1; s < (int)blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) {
            kept[tid] += kept[tid + s];
        }
        __syncthreads();
    }
    if (tid == 0) {
        sums[blockIdx.x] = kept[0];
    }
}

extern "C" __global__ void histogram(const float *x, int n, float low, float high, int *counts, int bins)
{
    const float width = (high - low) / bins;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int place = (int)floorf((x[i] - low) / width);
        if (0 <= place && place < bins) {
            atomicAdd(&counts[place], 1);
        }
    }
}

extern "C" __global__ void laplace(const float *u, float *next, int rows, int columns)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (0 < i && i < rows - 1 && 0 < j && j < columns - 1) {
        const int at = i * columns + j;
        next[at] = 0.25f * (u[at - columns] + u[at + columns] + u[at - 1] + u[at + 1]);
    }
}

extern "C" __global__ void monte_carlo(const float *x, const float *y, long long *counts, int n)
{
    const int start = blockIdx.x * blockDim.x + threadIdx.x;
    int inside = 0;
    for (int i = start; i < n; i += gridDim.x * blockDim.x) {
        if (x[i] * x[i] + y[i] * y[i] <= 1.0f) {
            ++inside;
        }
    }
    counts[start] = inside;
}

extern "C" __global__ void life(const unsigned char *world, unsigned char *next, int rows, int columns)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < columns) {
        int count = 0;
        for (int di = -1; di < 2; ++di) {
            for (int dj = -1; dj < 2; ++dj) {
                if (di != 0 || dj != 0) {
                    count += world[(i + di + rows) % rows * columns + (j + dj + columns) % columns];
                }
            }
        }
        next[i * columns + j] = count == 3 || (count == 2 && world[i * columns + j]);
    }
}

extern "C" __global__ void prefix_sums(const long long *x, long long *out)
{
    __shared__ long long sums[2][GROUP];
    const int i = threadIdx.x;
    const int n = blockDim.x;
    sums[0][i] = x[blockIdx.x * n + i];
    int now = 1;
    for (int step = 1; step < n; step <<= 1) {
        __syncthreads();
        sums[now][i] = sums[1 - now][i] + (i >= step ? sums[1 - now][i - step] : 0);
        now = 1 - now;
    }
    out[blockIdx.x * n + i] = sums[1 - now][i];
}

extern "C" __global__ void transposition(const float *x, float *out, int rows, int columns)
{
    __shared__ float tile[TILE][TILE + 1];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int bx = blockIdx.x * TILE;
    const int by = blockIdx.y * TILE;
    if (bx + tx < columns && by + ty < rows) {
        tile[ty][tx] = x[(by + ty) * columns + bx + tx];
    }
    __syncthreads();
    if (by + tx < rows && bx + ty < columns) {
        out[(bx + ty) * rows + by + tx] = tile[tx][ty];
    }
}

extern "C" __global__ void bilinear(const float *image, const float *ys, const float *xs, float *out, int columns, int n)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) {
        const int i = (int)floorf(ys[k]);
        const int j = (int)floorf(xs[k]);
        const float dy = ys[k] - i;
        const float dx = xs[k] - j;
        const int at = i * columns + j;
        const float above = image[at] * (1.0f - dx) + image[at + 1] * dx;
        const float below = image[at + columns] * (1.0f - dx) + image[at + columns + 1] * dx;
        out[k] = above * (1.0f - dy) + below * dy;
    }
}

extern "C" __global__ void n_body(const float *position, const float *mass, float softening, float *force, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float x = position[3 * i], y = position[3 * i + 1], z = position[3 * i + 2];
        float fx = 0.0f, fy = 0.0f, fz = 0.0f;
        for (int j = 0; j < n; ++j) {
            const float dx = position[3 * j] - x;
            const float dy = position[3 * j + 1] - y;
            const float dz = position[3 * j + 2] - z;
            const float square = softening + dx * dx + dy * dy + dz * dz;
            const float weight = mass[j] / (square * sqrtf(square));
            fx += weight * dx;
            fy += weight * dy;
            fz += weight * dz;
        }
        force[3 * i] = fx;
        force[3 * i + 1] = fy;
        force[3 * i + 2] = fz;
    }
}

extern "C" __global__ void nearest(const float *points, const float *queries, float *best, int *places, int count, int wanted, int axes, int k)
{
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q < wanted) {
        for (int n = 0; n < k; ++n) {
            best[q * k + n] = __int_as_float(0x7f800000); // infinity, for which NVRTC has no word
            places[q * k + n] = -1;
        }
        for (int p = 0; p < count; ++p) {
            float apart = 0.0f;
            for (int axis = 0; axis < axes; ++axis) {
                const float difference = points[p * axes + axis] - queries[q * axes + axis];
                apart += difference * difference;
            }
            int n = k;
            while (n > 0 && apart < best[q * k + n - 1]) {
                if (n < k) {
                    best[q * k + n] = best[q * k + n - 1];
                    places[q * k + n] = places[q * k + n - 1];
                }
                --n;
            }
            if (n < k) {
                best[q * k + n] = apart;
                places[q * k + n] = p;
            }
        }
    }
}

extern "C" __global__ void sparse_product(const int *indptr, const int *indices, const float *data, const float *x, float *y, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float total = 0.0f;
        for (int k = indptr[row]; k < indptr[row + 1]; ++k) {
            total += data[k] * x[indices[k]];
        }
        y[row] = total;
    }
}

extern "C" __global__ void mandelbrot(const float *x, const float *y, unsigned char *image, int rows, int columns, int limit)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < columns) {
        const float cx = x[j];
        const float cy = y[i];
        float a = 0.0f, b = 0.0f;
        int n = 0;
        for (; n < limit; ++n) {
            const float next = a * a - b * b + cx;
            b = 2.0f * a * b + cy;
            a = next;
            if (a * a + b * b >= 4.0f) {
                break;
            }
        }
        image[i * columns + j] = (unsigned char)n;
    }
}

extern "C" __global__ void bitonic_sort(float *x)
{
    __shared__ float kept[GROUP];
    const int i = threadIdx.x;
    kept[i] = x[blockIdx.x * GROUP + i];
    for (int k = 2; k <= GROUP; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            const int other = i ^ j;
            if (other > i && (kept[i] > kept[other]) == ((i & k) == 0)) {
                const float mine = kept[i];
                kept[i] = kept[other];
                kept[other] = mine;
            }
        }
    }
    __syncthreads();
    x[blockIdx.x * GROUP + i] = kept[i];
}

extern "C" __global__ void floyd_warshall(int *distances, int n, int k)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        const int way = distances[i * n + k] + distances[k * n + j];
        distances[i * n + j] = min(distances[i * n + j], way);
    }
}

extern "C" __global__ void smith_waterman(const unsigned char *a, const unsigned char *b, int diagonal, int *scores, int rows, int columns)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int j = diagonal - i;
    if (i < rows && 1 <= j && j < columns) {
        const int score = a[i - 1] == b[j - 1] ? 3 : -3;
        const int gap = max(scores[(i - 1) * columns + j], scores[i * columns + j - 1]) - 2;
        scores[i * columns + j] = max(max(0, scores[(i - 1) * columns + j - 1] + score), gap);
    }
}

extern "C" __global__ void delay(float *out, int turns)
{
    float value = 1.0f;
    for (int turn = 0; turn < turns; ++turn) {
        value = value * 0.5f + 1.0f;
    }
    out[0] = value;
}
