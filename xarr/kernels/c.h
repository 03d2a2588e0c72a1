// The C dialect: what C11, as gcc and clang have it, calls the words that the kernels use. A kernel
// becomes a function `xr_run_NAME`, which runs the groups from `begin` to `end` of a grid.
typedef signed char i8;
typedef unsigned char b8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef unsigned short f16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
#define XR_WIDE(number) number##LL
#define XR_WIDE_U(number) number##ULL
typedef float f32;
typedef double f64;
typedef struct { f32 re, im; } c64;
typedef struct { f64 re, im; } c128;

// Groups, and the items of one, along three dimensions.
typedef struct { i64 groups[3], items[3]; } XR_grid;

#ifdef __clang__
#define XR_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define XR_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define XR_INLINED __attribute__((always_inline))
#define DEVICE static inline XR_INLINED __attribute__((unused))
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
#pragma GCC diagnostic error "-Wreturn-type" // else a program's own function gives what it finds
#define XR_BOOL _Bool
// C11 has no overloading, but expressions that choose by a type. An operand is evaluated once, and
// stands in the text once.
#define OVERLOADED(name, type) name##_of_##type
#define XR_CHOSEN
#define XR_REAL(name, x) _Generic(x, f32: name##_f32, default: name##_f64)
#define XR_INTEGERS(name)                                                                   \
    i32: name##_i32, u32: name##_u32, i64: name##_i64, u64: name##_u64, long: name##_i64,   \
    unsigned long: name##_u64
#define XR_INTEGER(name, x) _Generic(x, XR_INTEGERS(name))
#define XR_NUMBER(name, x) _Generic(x, XR_INTEGERS(name), f32: name##_f32, f64: name##_f64)
#define XR_CHOICE_1(choice, name, x, ...)                                                   \
    ({ __auto_type XR_1 = (x); choice(name, +XR_1)(XR_1, ##__VA_ARGS__); })
#define XR_CHOICE_2(choice, name, x, y)                                                     \
    ({ __auto_type XR_1 = (x); __auto_type XR_2 = (y); choice(name, XR_1 + XR_2)(XR_1, XR_2); })
#define XR_CHOICE_3(choice, name, x, y, z)                                                  \
    ({                                                                                      \
        __auto_type XR_1 = (x); __auto_type XR_2 = (y); __auto_type XR_3 = (z);             \
        choice(name, XR_1 + XR_2 + XR_3)(XR_1, XR_2, XR_3);                                 \
    })
#define GLOBAL
#define XR_CONSTANT static
#define XR_FILL(type)
#define RESTRICT __restrict__
// gcc 12 contracts sums and differences in turn of products, of which it makes vectors, in spite of
// -ffp-contract=off: (1e300 + i) * (-inf + 1e300i) had no NaN.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define ROUNDED(x) __builtin_assoc_barrier(x)
#else
#define ROUNDED(x) (x)
#endif
#define ALIGNED(n) __attribute__((aligned(n)))
#define ATOMIC_ADD_U32(p, x) __atomic_fetch_add(p, x, __ATOMIC_RELAXED)
#define ATOMIC_MAX_I32(p, x) XR_atomic_max(p, x)
#define XR_ADD_u32(p, x) __atomic_fetch_add(p, x, __ATOMIC_RELAXED)
#define XR_ADD_u64 XR_ADD_u32
#define XR_EXCHANGE_u32(p, x) __atomic_exchange_n(p, x, __ATOMIC_RELAXED)
#define XR_EXCHANGE_u64 XR_EXCHANGE_u32
DEVICE u32 XR_CAS_u32(volatile u32 *p, u32 seen, const u32 next)
{
    __atomic_compare_exchange_n(p, &seen, next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return seen;
}
DEVICE u64 XR_CAS_u64(volatile u64 *p, u64 seen, const u64 next)
{
    __atomic_compare_exchange_n(p, &seen, next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return seen;
}
DEVICE void XR_atomic_max(i32 *p, i32 x)
{
    i32 seen = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (seen < x && !__atomic_compare_exchange_n(p, &seen, x, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

#if !XR_CHUNKED
// Where an item is. A program's own kernel has it as a parameter of this name, so that a loop over
// items may become vectors; what a kernel calls finds it in the thread's variable (XR_ASKS).
typedef struct { i64 xr_groups[3], xr_items[3], xr_group_at[3], xr_item_at[3], xr_global_at[3]; } XR_place;
static _Thread_local XR_place xr_at;

DEVICE XR_place XR_placed(const XR_grid *grid)
{
    XR_place at;
    for (int d = 0; d < 3; ++d) {
        at.xr_groups[d] = grid->groups[d];
        at.xr_items[d] = grid->items[d];
    }
    return at;
}

DEVICE void XR_find(const XR_grid *grid, i64 group, i64 item)
{
    xr_at = XR_placed(grid);
    xr_at.xr_group_at[0] = group % grid->groups[0];
    xr_at.xr_group_at[1] = group / grid->groups[0] % grid->groups[1];
    xr_at.xr_group_at[2] = group / grid->groups[0] / grid->groups[1];
    xr_at.xr_item_at[0] = item % grid->items[0];
    xr_at.xr_item_at[1] = item / grid->items[0] % grid->items[1];
    xr_at.xr_item_at[2] = item / grid->items[0] / grid->items[1];
    for (int d = 0; d < 3; ++d) {
        xr_at.xr_global_at[d] = xr_at.xr_group_at[d] * grid->items[d] + xr_at.xr_item_at[d];
    }
}

// The items of a group run one after the other, in vectors where the compiler makes such; where they
// wait for each other (XR_BARRIERS), each on a stack of its own, and they take turns at barriers.
typedef void XR_item_function(void *const *values, const void *arguments);

#if XR_BARRIERS
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

// What an item's stack holds at most; the system gives pages as they are used.
#define XR_STACK_NBYTES (256 << 10)

typedef struct {
    XR_item_function *run;
    void *const *values;
    const void *arguments;
    jmp_buf *items, back;
    i64 item;
} XR_group;
static _Thread_local XR_group *XR_now;

// Only the first entry goes through a context, which takes system calls.
static void XR_enter(void)
{
    XR_group *const now = XR_now;
    if (!_setjmp(now->items[now->item])) {
        _longjmp(now->back, 1);
    }
    now->run(now->values, now->arguments);
    _longjmp(XR_now->back, 2);
}

static __attribute__((noinline)) void XR_barrier(void)
{
    XR_group *const now = XR_now;
    if (!_setjmp(now->items[now->item])) {
        _longjmp(now->back, 1);
    }
}
#define BARRIER() XR_barrier()
#define BARRIER_OF_ALL() XR_barrier()

static void XR_run_groups(XR_item_function *run, void *const *values, const void *arguments,
                          const XR_grid *grid, i64 begin, i64 end)
{
    const i64 items = grid->items[0] * grid->items[1] * grid->items[2];
    XR_group now = { run, values, arguments, malloc(items * sizeof(jmp_buf)) };
    char *const ended = malloc(items);
    char *const stacks = mmap(0, items * XR_STACK_NBYTES, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!now.items || !ended || stacks == MAP_FAILED) {
        abort();
    }
    XR_now = &now;
    for (; begin < end; ++begin) {
        for (volatile i64 item = 0; item < items; ++item) {
            static _Thread_local ucontext_t context;
            now.item = item;
            ended[item] = 0;
            if (!_setjmp(now.back)) {
                getcontext(&context);
                context.uc_stack.ss_sp = stacks + item * XR_STACK_NBYTES;
                context.uc_stack.ss_size = XR_STACK_NBYTES;
                context.uc_link = 0;
                makecontext(&context, XR_enter, 0);
                setcontext(&context);
            }
        }
        for (volatile i64 left = items; left > 0;) {
            left = 0;
            for (volatile i64 item = 0; item < items; ++item) {
                if (ended[item]) { // it returned before the others came to a barrier
                    continue;
                }
                now.item = item;
                XR_find(grid, begin, item);
                const int came_back = _setjmp(now.back);
                if (!came_back) {
                    _longjmp(now.items[item], 1);
                }
                ended[item] = came_back == 2;
                left += came_back == 1;
            }
        }
    }
    munmap(stacks, items * XR_STACK_NBYTES);
    free(now.items);
    free(ended);
}
#else
static void XR_run_groups(XR_item_function *run, void *const *values, const void *arguments,
                          const XR_grid *grid, i64 begin, i64 end)
{
    const i64 items = grid->items[0] * grid->items[1] * grid->items[2];
    for (; begin < end; ++begin) {
        for (i64 item = 0; item < items; ++item) {
            XR_find(grid, begin, item);
            run(values, arguments);
        }
    }
}
#endif
#endif

// `list` is a list of pointers, which stand in `xr_values` one after the other.
#define PARAMETER(type, name) type name,
#define XR_NAME(type, name) name,
#define XR_TAKEN(type, name) type name = (type)*xr_values++;
#define XR_RUN(name)                                                                        \
    void xr_run_##name(void *const *xr_values, const void *xr_given, const XR_grid *xr_grid, i64 xr_begin, i64 xr_end)
#if XR_CHUNKED
#define ITEM_KERNEL(name, list)                                                             \
    static void name(list(PARAMETER) const xr_arguments a, u64 xr_id0, u64 xr_id1);         \
    XR_RUN(name)                                                                            \
    {                                                                                       \
        list(XR_TAKEN)                                                                      \
        for (; xr_begin < xr_end; ++xr_begin) {                                             \
            name(list(XR_NAME) *(const xr_arguments *)xr_given,                             \
                 xr_begin % xr_grid->groups[0], xr_begin / xr_grid->groups[0]);             \
        }                                                                                   \
    }                                                                                       \
    static __attribute__((noinline)) void name(                                             \
        list(PARAMETER) const xr_arguments a, const u64 xr_id0, const u64 xr_id1)
#define GLOBAL_ID(d) xr_id##d
#else
// An item of a group knows where it is, and what waits for the others.
#define ITEM_KERNEL GROUP_KERNEL
#define GROUP_KERNEL(name, list)                                                            \
    static void name(list(PARAMETER) const xr_arguments a);                                 \
    static void name##_item(void *const *xr_values, const void *xr_given)                   \
    {                                                                                       \
        list(XR_TAKEN)                                                                      \
        name(list(XR_NAME) *(const xr_arguments *)xr_given);                                \
    }                                                                                       \
    XR_RUN(name)                                                                            \
    {                                                                                       \
        XR_run_groups(name##_item, xr_values, xr_given, xr_grid, xr_begin, xr_end);         \
    }                                                                                       \
    static void name(list(PARAMETER) const xr_arguments a)
// The end of a program's own kernel. `way` says how its items run: XR_BY_ITEMS, XR_BY_GROUPS or
// XR_BY_STACKS. `taken` declares its arguments as they are found in `xr_values`; behind them is how
// many bytes its pointers to local memory have. A thread runs one group at a time.
#define XR_OWN_KERNEL(way, name, count, taken, ...)                                         \
    static void name##_item(void *const *xr_values, const void *xr_given)                   \
    {                                                                                       \
        taken                                                                               \
        name(xr_at, ##__VA_ARGS__);                                                         \
    }                                                                                       \
    XR_RUN(name)                                                                            \
    {                                                                                       \
        const u64 xr_nbytes = *(const u64 *)xr_values[count];                               \
        char *const xr_memory = xr_nbytes ? __builtin_malloc(xr_nbytes) : 0;                \
        if (xr_nbytes && !xr_memory) {                                                      \
            __builtin_abort();                                                              \
        }                                                                                   \
        XR_local_memory = xr_memory;                                                        \
        taken                                                                               \
        way(name, name(xr_here, ##__VA_ARGS__))                                             \
        __builtin_free(xr_memory);                                                          \
    }
#define XR_BY_STACKS(name, call)                                                            \
    XR_run_groups(name##_item, xr_values, xr_given, xr_grid, xr_begin, xr_end);
// The items along one dimension, XR_INNER, are a loop around the kernel's text: of all groups that
// follow each other, or of one (XR_GROUPED) where the text asks for an item's place in its group. Items
// from XR_LIMIT on along a dimension are left out.
#define XR_UNLIMITED XR_WIDE(0x7fffffffffffffff)
#define XR_LEAST(a, b) ((a) < (b) ? (a) : (b))
#define XR_BY_ITEMS(name, call)                                                             \
    enum { XR_I = XR_INNER, XR_J = XR_INNER == 0, XR_K = 2 - (XR_INNER == 2) };             \
    XR_place xr_here = XR_placed(xr_grid);                                                  \
    const i64 xr_along = xr_here.xr_groups[XR_I], xr_each = xr_here.xr_items[XR_I];         \
    while (xr_begin < xr_end) {                                                             \
        const i64 xr_first = xr_begin % xr_along, xr_left = xr_end - xr_begin;              \
        const i64 xr_count = XR_GROUPED ? 1 : xr_left < xr_along - xr_first ? xr_left : xr_along - xr_first; \
        const i64 xr_from = xr_first * xr_each, xr_to = XR_LEAST((xr_first + xr_count) * xr_each, XR_LIMIT(XR_I)); \
        xr_here.xr_group_at[XR_I] = xr_first;                                               \
        xr_here.xr_group_at[XR_J] = xr_begin / xr_along % xr_here.xr_groups[XR_J];          \
        xr_here.xr_group_at[XR_K] = xr_begin / xr_along / xr_here.xr_groups[XR_J];          \
        const i64 xr_j = xr_here.xr_group_at[XR_J] * xr_here.xr_items[XR_J], xr_k = xr_here.xr_group_at[XR_K] * xr_here.xr_items[XR_K]; \
        const i64 xr_ends_j = XR_LEAST(xr_here.xr_items[XR_J], XR_LIMIT(XR_J) - xr_j);      \
        const i64 xr_ends_k = XR_LEAST(xr_here.xr_items[XR_K], XR_LIMIT(XR_K) - xr_k);      \
        for (xr_here.xr_item_at[XR_K] = 0; xr_here.xr_item_at[XR_K] < xr_ends_k; ++xr_here.xr_item_at[XR_K]) { \
            xr_here.xr_global_at[XR_K] = xr_k + xr_here.xr_item_at[XR_K];                   \
            for (xr_here.xr_item_at[XR_J] = 0; xr_here.xr_item_at[XR_J] < xr_ends_j; ++xr_here.xr_item_at[XR_J]) { \
                xr_here.xr_global_at[XR_J] = xr_j + xr_here.xr_item_at[XR_J];               \
                XR_FREE_ITEMS                                                               \
                for (i64 xr_id = xr_from; xr_id < xr_to; ++xr_id) {                         \
                    xr_here.xr_global_at[XR_I] = xr_id;                                     \
                    xr_here.xr_item_at[XR_I] = xr_id - xr_from;                             \
                    XR_SHARE(xr_here)                                                       \
                    call;                                                                   \
                }                                                                           \
            }                                                                               \
        }                                                                                   \
        xr_begin += xr_count;                                                               \
    }
// The kernel's text has the loops over items itself, between its barriers: `XR_REGION { ... }`.
#define XR_BY_GROUPS(name, call)                                                            \
    XR_place xr_here = XR_placed(xr_grid);                                                  \
    for (; xr_begin < xr_end; ++xr_begin) {                                                 \
        xr_here.xr_group_at[0] = xr_begin % xr_here.xr_groups[0];                           \
        xr_here.xr_group_at[1] = xr_begin / xr_here.xr_groups[0] % xr_here.xr_groups[1];    \
        xr_here.xr_group_at[2] = xr_begin / xr_here.xr_groups[0] / xr_here.xr_groups[1];    \
        call;                                                                               \
    }
#define XR_REGION XR_ITEMS_OF()
#define XR_FREE_REGION XR_ITEMS_OF(XR_INDEPENDENT)
#define XR_ITEMS_OF(free)                                                                   \
    for (xr_at.xr_item_at[2] = 0; xr_at.xr_item_at[2] < xr_at.xr_items[2]; ++xr_at.xr_item_at[2]) \
    for (xr_at.xr_item_at[1] = 0; xr_at.xr_item_at[1] < xr_at.xr_items[1]; ++xr_at.xr_item_at[1]) \
    free                                                                                    \
    for (i64 xr_id = 0; xr_id < xr_at.xr_items[0]; ++xr_id)
#define XR_END_ITEM goto xr_next // the end of a region's text
#define XR_REGION_BEGIN                                                                     \
    xr_at.xr_item_at[0] = xr_id;                                                            \
    xr_at.xr_global_at[0] = xr_at.xr_group_at[0] * xr_at.xr_items[0] + xr_id;               \
    xr_at.xr_global_at[1] = xr_at.xr_group_at[1] * xr_at.xr_items[1] + xr_at.xr_item_at[1]; \
    xr_at.xr_global_at[2] = xr_at.xr_group_at[2] * xr_at.xr_items[2] + xr_at.xr_item_at[2]; \
    const i64 xr_item __attribute__((unused)) =                                             \
        (xr_at.xr_item_at[2] * xr_at.xr_items[1] + xr_at.xr_item_at[1]) * xr_at.xr_items[0] + xr_id;

static _Thread_local char *XR_local_memory;
#define XR_LOCAL_ARGUMENT(type, name) type name = (type)(XR_local_memory + xr_local_##name);
#define GLOBAL_ID(d) ((u64)xr_at.xr_global_at[d])
#endif
#define KERNEL static inline XR_INLINED
#define LOCAL static _Thread_local
#define XR_POINTER_TO_LOCAL
#define GLOBAL_SIZE(d) ((u64)(xr_at.xr_groups[d] * xr_at.xr_items[d]))
#define GROUP_ID(d) ((u64)xr_at.xr_group_at[d])
#define GROUPS(d) ((u64)xr_at.xr_groups[d])
#define LOCAL_ID(d) ((u64)xr_at.xr_item_at[d])
#define LOCAL_SIZE(d) ((u64)xr_at.xr_items[d])

DEVICE u32 xr_bits_f32(f32 x)
{
    const union { f32 number; u32 bits; } both = { .number = x };
    return both.bits;
}
DEVICE u64 xr_bits_f64(f64 x)
{
    const union { f64 number; u64 bits; } both = { .number = x };
    return both.bits;
}
DEVICE f32 xr_from_bits_f32(u32 x)
{
    const union { u32 bits; f32 number; } both = { .bits = x };
    return both.number;
}
DEVICE f64 xr_from_bits_f64(u64 x)
{
    const union { u64 bits; f64 number; } both = { .bits = x };
    return both.number;
}
#define xr_infinity_f32 __builtin_inff()
#define xr_nan_f32 __builtin_nanf("")
#define xr_infinity_f64 __builtin_inf()
#define xr_nan_f64 __builtin_nan("")
#define xr_mulhi_u64(a, b) ((u64)(((unsigned __int128)(u64)(a) * (u64)(b)) >> 64))

#define isnan(x) ((x) != (x))
#define isfinite(x) ((x) - (x) == 0)
#define isinf(x) (((x) == (x)) & ((x) - (x) != 0))
#define XR_OF_TYPE(name, x) _Generic((x), f32: __builtin_##name##f, default: __builtin_##name)
#define sqrt(x) XR_OF_TYPE(sqrt, x)(x)
#define floor(x) XR_OF_TYPE(floor, x)(x)
#define ceil(x) XR_OF_TYPE(ceil, x)(x)
#define trunc(x) XR_OF_TYPE(trunc, x)(x)
#define rint(x) XR_OF_TYPE(rint, x)(x)
#define fabs(x) XR_OF_TYPE(fabs, x)(x)
#define copysign(x, y) XR_OF_TYPE(copysign, x)(x, y)
#define fma(x, y, z) XR_OF_TYPE(fma, x)(x, y, z)
