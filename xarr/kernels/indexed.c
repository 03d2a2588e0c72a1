// A program's own kernel that indexes its arrays; an item calls it for a chunk of elements.
#ifndef XR_ASSEMBLED
#include "editor.h"
#endif
typedef struct { XR_FIELDS } xr_arguments;

ITEM_KERNEL(xr_indexed, XR_POINTERS)
{
    const i64 begin = (i64)GLOBAL_ID(0) * a.chunk;
    const i64 left = a.count - begin;
    const i64 end = begin + (left < a.chunk ? left : a.chunk);
    for (i64 i = begin; i < end; ++i) {
        XR_CALL;
    }
}
