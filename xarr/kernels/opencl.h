// The OpenCL dialect: what OpenCL C calls the words that the kernels use.
#pragma OPENCL FP_CONTRACT OFF
#define KERNEL kernel
#define DEVICE static inline
#define GLOBAL global
#define LOCAL local
#define RESTRICT restrict
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define GLOBAL_ID(d) get_global_id(d)
#define GLOBAL_SIZE(d) get_global_size(d)
#define GROUP_ID(d) get_group_id(d)
#define GROUPS(d) get_num_groups(d)
#define LOCAL_ID(d) get_local_id(d)
#define LOCAL_SIZE(d) get_local_size(d)
#define ATOMIC_MAX_I32(p, x) atomic_max(p, x)

typedef uchar b8;
typedef char i8;
typedef uchar u8;
typedef short i16;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
typedef ushort f16;
typedef float f32;
typedef struct { f32 re, im; } c64;
#ifdef XR_FLOAT64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;
typedef struct { f64 re, im; } c128;
#define xr_bits_f64(x) as_ulong((f64)(x))
#define xr_from_bits_f64(x) as_double((u64)(x))
#define xr_infinity_f64 as_double((u64)0x7ff0000000000000UL)
#define xr_nan_f64 as_double((u64)0x7ff8000000000000UL)
#endif

#define xr_bits_f32(x) as_uint((f32)(x))
#define xr_from_bits_f32(x) as_float((u32)(x))
#define xr_infinity_f32 as_float(0x7f800000u)
#define xr_nan_f32 as_float(0x7fc00000u)
#define xr_mulhi_u32(a, b) mul_hi((u32)(a), (u32)(b))
#define xr_mulhi_u64(a, b) mul_hi((u64)(a), (u64)(b))
