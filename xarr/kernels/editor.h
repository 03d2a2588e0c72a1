// For editors and `g++ -fsyntax-only` only: plain C's stand-ins for the dialects' words and one
// specialisation of each define, so that a skeleton reads as valid C. Never part of a kernel.
#include <math.h>
#define KERNEL static
#define PARAMETER(type, name) type name,
#define GROUP_KERNEL(name, list) KERNEL void name(list(PARAMETER) const xr_arguments a)
#define ITEM_KERNEL GROUP_KERNEL
#define DEVICE static inline
#define ROUNDED(x) (x)
#define XR_FILL(type)
#define GLOBAL
#define LOCAL
#define RESTRICT
#define BARRIER()
#define GLOBAL_ID(d) 0
#define GLOBAL_SIZE(d) 1
#define GROUP_ID(d) 0
#define GROUPS(d) 1
#define LOCAL_ID(d) 0
typedef unsigned char b8;
typedef int i32;
typedef long long i64;
typedef float f32;
typedef float T;
typedef struct { T re, im; } C;
#define xr_index i32
#define XR_CHUNKED 1
#define XR_ROWS 0
#define XR_POINTERS(parameter) parameter(f32 *, p0)
#define XR_FIELDS xr_index i_chunk; xr_index i_extent; xr_index items; xr_index item_chunk;
#define XR_AT_I
#define XR_COMPUTE const f32 v0 = p0[i];
#define XR_STORE p0[i] = v0;
