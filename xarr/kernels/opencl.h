// The OpenCL dialect: what OpenCL C calls the words that the kernels use.
#pragma OPENCL FP_CONTRACT OFF
#ifdef __clang__
#pragma clang diagnostic ignored "-Wtautological-compare" // x != x asks for NaN, of integers too
#pragma clang diagnostic ignored "-Wpass-failed" // a loop that it makes no vectors of
#pragma clang diagnostic error "-Wincompatible-pointer-types"
#pragma clang diagnostic error "-Wreturn-type" // else a program's own function gives what it finds
#endif
#ifdef XR_DECLARES
// PoCL would read 17,000 lines of declarations for every kernel, which takes it 80 ms. It is told
// that it has (`-D_OPENCL_H_`), and this is what the kernels need of them.
size_t __attribute__((overloadable, const)) get_global_id(uint dimension);
size_t __attribute__((overloadable, const)) get_global_size(uint dimension);
size_t __attribute__((overloadable, const)) get_group_id(uint dimension);
size_t __attribute__((overloadable, const)) get_num_groups(uint dimension);
size_t __attribute__((overloadable, const)) get_local_id(uint dimension);
size_t __attribute__((overloadable, const)) get_local_size(uint dimension);
void __attribute__((overloadable, convergent)) barrier(uint flags);
int __attribute__((overloadable)) atomic_max(volatile global int *p, int x);
uint __attribute__((overloadable)) atomic_add(volatile global uint *p, uint x);
uint __attribute__((overloadable)) atomic_add(volatile local uint *p, uint x);
#define XR_DECLARED(space)                                                                  \
    uint __attribute__((overloadable)) atomic_xchg(volatile space uint *p, uint x);         \
    uint __attribute__((overloadable)) atomic_cmpxchg(volatile space uint *p, uint x, uint y); \
    ulong __attribute__((overloadable)) atom_add(volatile space ulong *p, ulong x);         \
    ulong __attribute__((overloadable)) atom_xchg(volatile space ulong *p, ulong x);        \
    ulong __attribute__((overloadable)) atom_cmpxchg(volatile space ulong *p, ulong x, ulong y);
XR_DECLARED(global)
XR_DECLARED(local)
uint __attribute__((overloadable, const)) mul_hi(uint a, uint b);
ulong __attribute__((overloadable, const)) mul_hi(ulong a, ulong b);
#ifndef CLK_LOCAL_MEM_FENCE
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#endif
#ifndef as_uint
#define as_uint(x) __builtin_astype((x), uint)
#define as_ulong(x) __builtin_astype((x), ulong)
#define as_float(x) __builtin_astype((x), float)
#define as_double(x) __builtin_astype((x), double)
#endif
#endif
#define KERNEL kernel
#define PARAMETER(type, name) type name,
#define GROUP_KERNEL(name, list) KERNEL void name(list(PARAMETER) const xr_arguments a)
#if XR_CHUNKED
// PoCL makes three copies of a kernel and optimises each, so that a kernel's work is compiled three
// times, unless it stands in a function. That is handed the item's numbers, because PoCL inlines
// whatever asks for them.
#define ITEM_KERNEL(name, list)                                                             \
    static void name##_item(list(PARAMETER) const xr_arguments a, size_t xr_id0, size_t xr_id1) \
        __attribute__((noinline));                                                          \
    kernel void name(list(PARAMETER) const xr_arguments a)                                  \
    {                                                                                       \
        name##_item(list(XR_NAME) a, get_global_id(0), get_global_id(1));                   \
    }                                                                                       \
    static void name##_item(                                                                \
        list(PARAMETER) const xr_arguments a, const size_t xr_id0, const size_t xr_id1)
#define XR_NAME(type, name) name,
#define GLOBAL_ID(d) xr_id##d
#else
#define ITEM_KERNEL GROUP_KERNEL
#define GLOBAL_ID(d) get_global_id(d)
#endif
#ifdef __INTEL_LLVM_COMPILER
// Intel's OpenCL for CPUs (2026.22) makes of the conditions at a kernel's beginning the bounds of its
// loop over items, and computes wrong ones of `i < n && d - i < n`, so that other items run. Nothing
// passes over this statement, which is no instruction. Of what else it does not look through, it is
// the fastest: a sum of vectors takes 1.31 ms with it, 1.32 without, 1.94 with a bit cleared in i.
#define XR_ENTRY __asm__("");
#else
#define XR_ENTRY
#endif
#ifndef XR_INLINED // Oclgrind says that it is nothing: see tools/oclgrind.py
#define XR_INLINED __attribute__((always_inline))
#endif
// A loop with a call in it is not vectorised (complex exp on PoCL 3.0: 37 instead of 15 ns), and
// where Intel's OpenCL (2026.22) does not inline, it takes a constant 0 times any number for 0.
#if defined(__clang__) && defined(__x86_64__)
#define DEVICE static inline XR_INLINED __attribute__((regcall))
#else
#define DEVICE static inline XR_INLINED
#endif
#define OVERLOADED(name, type) __attribute__((overloadable)) name
#define ROUNDED(x) (x)
#ifdef __clang__
#define XR_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define XR_INDEPENDENT
#endif
#define GLOBAL global
#define XR_CONSTANT constant
#define LOCAL local
#define XR_POINTER_TO_LOCAL local
#define XR_BOOL bool
#define RESTRICT restrict
#define ALIGNED(n) __attribute__((aligned(n)))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define BARRIER_OF_ALL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define GLOBAL_SIZE(d) get_global_size(d)
#define GROUP_ID(d) get_group_id(d)
#define GROUPS(d) get_num_groups(d)
#define LOCAL_ID(d) get_local_id(d)
#define LOCAL_SIZE(d) get_local_size(d)
#define ATOMIC_MAX_I32(p, x) atomic_max(p, x)
#define ATOMIC_ADD_U32(p, x) atomic_add(p, x)
#define XR_SPACES
#define XR_ADD_u32 atomic_add
#define XR_EXCHANGE_u32 atomic_xchg
#define XR_CAS_u32 atomic_cmpxchg
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define XR_ADD_u64 atom_add
#define XR_EXCHANGE_u64 atom_xchg
#define XR_CAS_u64 atom_cmpxchg
#else
#define XR_NO_WIDE_ATOMICS
#define XR_LACKS_ATOMICS __attribute__((unavailable("the device has no atomic operations on 64 bits; use 32")))
#endif

typedef uchar b8;
typedef char i8;
typedef uchar u8;
typedef short i16;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
#define XR_WIDE(number) number##L
#define XR_WIDE_U(number) number##UL
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

// Fill up a structure of an i64 and a number. rusticl 22.3 copies a part only of one that ends in
// padding, so that `{ i64 index; f32 value; }` loses its index on the way to local memory.
#ifdef XR_UNFILLED // Oclgrind reports copies of what fills up, as nothing is ever written there
#define XR_FILL(type)
#else
#define XR_FILL(type) XR_FILL_##type
#endif
#define XR_FILL_1 char filling[7];
#define XR_FILL_2 char filling[6];
#define XR_FILL_4 char filling[4];
#define XR_FILL_b8 XR_FILL_1
#define XR_FILL_i8 XR_FILL_1
#define XR_FILL_u8 XR_FILL_1
#define XR_FILL_i16 XR_FILL_2
#define XR_FILL_u16 XR_FILL_2
#define XR_FILL_i32 XR_FILL_4
#define XR_FILL_u32 XR_FILL_4
#define XR_FILL_f32 XR_FILL_4
#define XR_FILL_i64
#define XR_FILL_u64
#define XR_FILL_f64

#define xr_bits_f32(x) as_uint((f32)(x))
#define xr_from_bits_f32(x) as_float((u32)(x))
#define xr_infinity_f32 as_float(0x7f800000u)
#define xr_nan_f32 as_float(0x7fc00000u)
#define xr_mulhi_u64(a, b) mul_hi((u64)(a), (u64)(b))

// The built-in tests and roundings are calls on some CPU drivers, which keep a loop from being
// vectorised (PoCL 3.0: 550 instead of 4,000 million a second); what clang knows itself is not.
#undef isnan
#undef isinf
#undef isfinite
#define isnan(x) ((x) != (x))
#define isfinite(x) ((x) - (x) == 0)
#define isinf(x) (((x) == (x)) & ((x) - (x) != 0))
#if defined(__clang__) && defined(__x86_64__)
#define XR_BUILTIN(name)                                                                    \
    static inline f32 __attribute__((overloadable, unused)) xr_##name(f32 x) { return __builtin_##name##f(x); }
XR_BUILTIN(sqrt) XR_BUILTIN(floor) XR_BUILTIN(ceil) XR_BUILTIN(trunc) XR_BUILTIN(rint) XR_BUILTIN(fabs)
static inline f32 __attribute__((overloadable, unused)) xr_copysign(f32 x, f32 y) { return __builtin_copysignf(x, y); }
#ifdef XR_FLOAT64
static inline f64 __attribute__((overloadable, unused)) xr_copysign(f64 x, f64 y) { return __builtin_copysign(x, y); }
#undef XR_BUILTIN
#define XR_BUILTIN(name)                                                                    \
    static inline f64 __attribute__((overloadable, unused)) xr_##name(f64 x) { return __builtin_##name(x); }
XR_BUILTIN(sqrt) XR_BUILTIN(floor) XR_BUILTIN(ceil) XR_BUILTIN(trunc) XR_BUILTIN(rint) XR_BUILTIN(fabs)
#endif
#undef sqrt
#undef floor
#undef ceil
#undef trunc
#undef rint
#undef fabs
#undef copysign
#define sqrt xr_sqrt
#define floor xr_floor
#define ceil xr_ceil
#define trunc xr_trunc
#define rint xr_rint
#define fabs xr_fabs
#define copysign xr_copysign
#ifdef __FMA__ // else the compiler would call a library
static inline f32 __attribute__((overloadable, unused)) xr_fma(f32 x, f32 y, f32 z) { return __builtin_fmaf(x, y, z); }
#ifdef XR_FLOAT64
static inline f64 __attribute__((overloadable, unused)) xr_fma(f64 x, f64 y, f64 z) { return __builtin_fma(x, y, z); }
#endif
#undef fma
#define fma xr_fma
#endif
#endif
