// The CUDA dialect: what CUDA C calls the words that the kernels use (HIP C++ takes it as well).
#define KERNEL extern "C" __global__
#define PARAMETER(type, name) type name,
#define GROUP_KERNEL(name, list) KERNEL XR_BOUNDED void name(list(PARAMETER) const xr_arguments a)
#ifdef __HIP__
// The most items of a group. Else HIP leaves each the registers that it has in a group of 1,024, and
// products and sorts spill up to 4,000 of theirs.
#define XR_BOUNDED __launch_bounds__(256)
#else
#define XR_BOUNDED
#endif
#define ITEM_KERNEL GROUP_KERNEL
#define DEVICE static __device__ __forceinline__
#define OVERLOADED(name, type) name
#define XR_INDEPENDENT
#define ROUNDED(x) (x)
#define GLOBAL
#define XR_CONSTANT static __constant__
#define XR_FILL(type)
#define LOCAL __shared__
#define XR_POINTER_TO_LOCAL
#define XR_LOCAL_ARGUMENT(type, name)                                                       \
    extern __shared__ __align__(16) char XR_local_memory[];                                 \
    type name = (type)(XR_local_memory + xr_local_##name);
#define XR_BOOL bool
// A function that ends without the value that it promises is an error, as on other devices.
#ifdef __CUDACC_RTC__
#pragma nv_diag_error 940
#pragma nv_diag_suppress 177 // a function that nobody calls: kinds of it for other types
#else
#pragma clang diagnostic error "-Wreturn-type"
#endif
#define RESTRICT __restrict__
#define ALIGNED(n) __align__(n)
#define BARRIER() __syncthreads()
#define BARRIER_OF_ALL() __syncthreads()
#define GLOBAL_ID(d) XR_GLOBAL_ID_##d
#define XR_GLOBAL_ID_0 (blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x)
#define XR_GLOBAL_ID_1 (blockIdx.y * (unsigned long long)blockDim.y + threadIdx.y)
#define XR_GLOBAL_ID_2 (blockIdx.z * (unsigned long long)blockDim.z + threadIdx.z)
#define GLOBAL_SIZE(d) XR_GLOBAL_SIZE_##d
#define XR_GLOBAL_SIZE_0 (gridDim.x * (unsigned long long)blockDim.x)
#define XR_GLOBAL_SIZE_1 (gridDim.y * (unsigned long long)blockDim.y)
#define XR_GLOBAL_SIZE_2 (gridDim.z * (unsigned long long)blockDim.z)
#define GROUP_ID(d) XR_GROUP_ID_##d
#define XR_GROUP_ID_0 blockIdx.x
#define XR_GROUP_ID_1 blockIdx.y
#define XR_GROUP_ID_2 blockIdx.z
#define GROUPS(d) XR_GROUPS_##d
#define XR_GROUPS_0 gridDim.x
#define XR_GROUPS_1 gridDim.y
#define XR_GROUPS_2 gridDim.z
#define LOCAL_ID(d) XR_LOCAL_ID_##d
#define XR_LOCAL_ID_0 threadIdx.x
#define XR_LOCAL_ID_1 threadIdx.y
#define XR_LOCAL_ID_2 threadIdx.z
#define LOCAL_SIZE(d) XR_LOCAL_SIZE_##d
#define XR_LOCAL_SIZE_0 blockDim.x
#define XR_LOCAL_SIZE_1 blockDim.y
#define XR_LOCAL_SIZE_2 blockDim.z
#define ATOMIC_MAX_I32(p, x) atomicMax(p, x)
#define ATOMIC_ADD_U32(p, x) atomicAdd(p, x)

typedef unsigned char b8;
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
#define XR_WIDE(number) number##LL
#define XR_WIDE_U(number) number##ULL
typedef unsigned short f16;
typedef float f32;
typedef double f64;
typedef struct { f32 re, im; } c64;
typedef struct { f64 re, im; } c128;

#define XR_ADD_u32(p, x) atomicAdd((u32 *)(p), x)
#define XR_ADD_u64(p, x) atomicAdd((u64 *)(p), x)
#define XR_EXCHANGE_u32(p, x) atomicExch((u32 *)(p), x)
#define XR_EXCHANGE_u64(p, x) atomicExch((u64 *)(p), x)
#define XR_CAS_u32(p, seen, next) atomicCAS((u32 *)(p), seen, next)
#define XR_CAS_u64(p, seen, next) atomicCAS((u64 *)(p), seen, next)
// In global memory this takes float32 below 1.2e-38 for 0, and is many times as fast as a loop.
#define XR_ADDS_f32(p, x) atomicAdd((f32 *)(p), x)
#define XR_ADDS_f64(p, x) atomicAdd((f64 *)(p), x)

#define xr_bits_f32(x) __float_as_uint(x)
#define xr_from_bits_f32(x) __uint_as_float(x)
#define xr_infinity_f32 __uint_as_float(0x7f800000u)
#define xr_nan_f32 __uint_as_float(0x7fc00000u)
#define xr_bits_f64(x) ((u64)__double_as_longlong(x))
#define xr_from_bits_f64(x) __longlong_as_double((i64)(x))
#define xr_infinity_f64 __longlong_as_double((i64)0x7ff0000000000000ULL)
#define xr_nan_f64 __longlong_as_double((i64)0x7ff8000000000000ULL)
#define xr_mulhi_u64(a, b) __umul64hi(a, b)

#ifdef __CUDACC_RTC__ // not HIP
#define XR_ROUNDS_TO_HALF
DEVICE u16 XR_rounded_f32(const f32 x)
{
    u16 result;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(x));
    return result;
}
DEVICE u16 XR_rounded_f64(const f64 x)
{
    u16 result;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(result) : "d"(x));
    return result;
}
#endif

#ifdef __HIP__
// The compiler of ROCm 5.2 makes a float32's root v_sqrt_f32 alone, which is off by an ulp. A float64
// has more than twice the digits, so its root rounds to the float32 that is nearest.
DEVICE f32 XR_root(const f32 x) { return (f32)sqrt((f64)x); }
DEVICE f64 XR_root(const f64 x) { return sqrt(x); }
#define sqrt XR_root
#endif
