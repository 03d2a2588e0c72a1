// A stable pass of a radix sort. A tile is sorted in local memory by four bits at a time; each item
// counts the digits of its own elements, and the counts of all items, summed up digit by digit and
// then item by item, say where each element goes.
// XR_WHOLE: a tile holds a row, and all bits are sorted before it is written. Otherwise: the tile is
// sorted by eight bits, and each run of equal digits is written to where the counts of the digits
// (sort_count.c, sort_scan.c) put it; runs make the writes coalesce.
// XR_INDEXED: each element's place in its row goes with it, and after the last pass only the places
// are of use. In the first pass, from bit 0 on, the place is where the element lies.
// XR_FIRST: the pass reads the operand, which may begin anywhere in its memory.
#ifndef XR_ASSEMBLED
#include "keys.h"
#include "sort_tile.h"
#endif
typedef struct { XR_FIELDS } xr_arguments;

// Items are summed up by sixteen, whose counts a byte can hold; of each sixteen in local memory one
// word is left free, so that the items that walk them meet in no bank.
#define XR_SEGMENTS (XR_GROUP / 16)
#define XR_PADDED(item) ((item) / 16 * 17 + (item) % 16)

// Bring the elements of all items to their places in the tile, 32 bits at a time, and take up those
// that lie at `from`, `from + step`, ...
#define XR_MOVE_32(held)                                                                    \
    XR_ALL { shelf[place[k]] = (u32)held[k]; }                                              \
    BARRIER();                                                                              \
    XR_ALL { held[k] = shelf[from + k * step]; }                                            \
    BARRIER();
#define XR_MOVE_64(held)                                                                    \
    XR_ALL { shelf[place[k]] = (u32)held[k]; }                                              \
    BARRIER();                                                                              \
    XR_ALL { held[k] = (held[k] >> 32 << 32) | shelf[from + k * step]; }                    \
    BARRIER();                                                                              \
    XR_ALL { shelf[place[k]] = (u32)(held[k] >> 32); }                                      \
    BARRIER();                                                                              \
    XR_ALL { held[k] = (held[k] & 0xffffffffu) | (u64)shelf[from + k * step] << 32; }       \
    BARRIER();

#if XR_BITS == 64
#define XR_MOVE_UNIT XR_MOVE_64
#else
#define XR_MOVE_UNIT XR_MOVE_32
#endif
#if XR_UNITS == 2
#define XR_MOVE_ELEMENTS XR_MOVE_UNIT(first) XR_MOVE_UNIT(second)
#else
#define XR_MOVE_ELEMENTS XR_MOVE_UNIT(first)
#endif
#if !XR_INDEXED
#define XR_MOVE_INDICES
#elif XR_LONG
#define XR_MOVE_INDICES XR_MOVE_64(index)
#else
#define XR_MOVE_INDICES XR_MOVE_32(index)
#endif

#if XR_WHOLE
#define XR_COUNTS(parameter)
#else
#define XR_COUNTS(parameter)                                                                \
    parameter(GLOBAL const XR_PLACE *RESTRICT, before)                                      \
    parameter(GLOBAL const XR_PLACE *RESTRICT, totals)                                      \
    parameter(GLOBAL const XR_PLACE *RESTRICT, digits)
#endif
#if XR_INDEXED && !XR_WHOLE
#define XR_SOURCE_INDEX(parameter) parameter(GLOBAL const XR_PLACE *RESTRICT, source_index)
#else
#define XR_SOURCE_INDEX(parameter)
#endif
#if XR_INDEXED
#define XR_RESULT_INDEX(parameter) parameter(GLOBAL XR_PLACE *RESTRICT, result_index)
#else
#define XR_RESULT_INDEX(parameter)
#endif
#if XR_INDEXED && XR_WHOLE
#define XR_RESULT_UNITS(parameter)
#else
#define XR_RESULT_UNITS(parameter) parameter(GLOBAL XR_UNIT *RESTRICT, result)
#endif
#define XR_PARAMETERS(parameter)                                                            \
    parameter(GLOBAL const XR_UNIT *RESTRICT, source) XR_COUNTS(parameter)                  \
    XR_SOURCE_INDEX(parameter) XR_RESULT_INDEX(parameter) XR_RESULT_UNITS(parameter)

GROUP_KERNEL(xr_sort, XR_PARAMETERS)
{
    LOCAL u32 shelf[XR_TILE];
    LOCAL u32 counters[4 * 17 * XR_SEGMENTS];
    LOCAL u32 starts[16 * (XR_SEGMENTS + 1)];
    LOCAL u32 sums[16];
#if !XR_WHOLE
    LOCAL XR_PLACE goals[256];
    LOCAL XR_PLACE digit_sums[16];
#endif
#if XR_FIRST
    source += a.source_offset * XR_UNITS;
#endif
    const int lane = (int)LOCAL_ID(0);
    const xr_index item = a.first_item + (xr_index)GROUP_ID(0);
    const xr_index row = item / a.tiles;
    const xr_index tile = item % a.tiles;
    const xr_index left = a.length - tile * XR_TILE;
    const int count = (int)(left < XR_TILE ? left : XR_TILE);
    const xr_index start = row * a.length + tile * XR_TILE;
    int place[XR_EACH];
    int from = lane * XR_EACH;
    int step = 1;
    XR_KEY first[XR_EACH];
#if XR_UNITS == 2
    XR_KEY second[XR_EACH];
#endif
#if XR_INDEXED
    XR_PLACE index[XR_EACH];
#endif
    XR_ALL {
        const int p = k * XR_GROUP + lane;
        place[k] = p;
        first[k] = p < count ? source[(start + p) * XR_UNITS] : 0;
#if XR_UNITS == 2
        second[k] = p < count ? source[(start + p) * XR_UNITS + 1] : 0;
#endif
#if XR_INDEXED
        index[k] = (XR_PLACE)(tile * XR_TILE + p);
#if !XR_WHOLE
        if (a.shift > 0 && p < count) {
            index[k] = source_index[start + p];
        }
#endif
#endif
    }
    for (int shift = (int)a.shift;; shift += 4) {
        if (shift >= (int)a.stop) {
            from = lane;
            step = XR_GROUP;
        }
        XR_MOVE_ELEMENTS
        XR_MOVE_INDICES
        if (shift >= (int)a.stop) {
            break;
        }
        u64 counts = 0;
        u64 ranks = 0;
        u64 own = 0;
        XR_ALL {
            // What lies beyond the row's end stays there: it has the highest digit in each pass.
            const u32 digit = from + k < count ? XR_DIGITS(k, shift) & 15u : 15u;
            ranks |= (counts >> (4 * digit) & 15u) << (4 * k);
            own |= (u64)digit << (4 * k);
            counts += (u64)1 << (4 * digit);
        }
        // Four words of four bytes: digits 0, 2, 4, 6, then 8 to 14, then 1, 3, 5, 7, then 9 to 15.
        const int at = XR_PADDED(lane);
        counters[at] = (u32)counts & 0x0f0f0f0fu;
        counters[17 * XR_SEGMENTS + at] = (u32)(counts >> 32) & 0x0f0f0f0fu;
        counters[34 * XR_SEGMENTS + at] = (u32)(counts >> 4) & 0x0f0f0f0fu;
        counters[51 * XR_SEGMENTS + at] = (u32)(counts >> 36) & 0x0f0f0f0fu;
        BARRIER();
        if (lane < 4 * XR_SEGMENTS) {
            const int word = lane / XR_SEGMENTS;
            u32 running = 0;
            for (int k = 0; k < 16; ++k) {
                const u32 four = counters[lane * 17 + k];
                counters[lane * 17 + k] = running;
                running += four;
            }
            for (int k = 0; k < 4; ++k) {
                const int digit = (word & 1) * 8 + (word >> 1) + 2 * k;
                starts[digit * (XR_SEGMENTS + 1) + lane % XR_SEGMENTS] =
                    running >> (8 * k) & 255u;
            }
        }
        BARRIER();
        if (lane < 16) {
            u32 sum = 0;
            for (int k = 0; k < XR_SEGMENTS; ++k) {
                sum += starts[lane * (XR_SEGMENTS + 1) + k];
            }
            sums[lane] = sum;
        }
        BARRIER();
        if (lane < 16) {
            u32 running = 0;
            for (int k = 0; k < 16; ++k) {
                running += k < lane ? sums[k] : 0;
            }
            for (int k = 0; k < XR_SEGMENTS; ++k) {
                const u32 size = starts[lane * (XR_SEGMENTS + 1) + k];
                starts[lane * (XR_SEGMENTS + 1) + k] = running;
                running += size;
            }
        }
        BARRIER();
        XR_ALL {
            const int digit = (int)(own >> (4 * k) & 15u);
            const int word = (digit >> 3) + (digit & 1) * 2;
            const u32 four = counters[word * 17 * XR_SEGMENTS + at];
            place[k] = (int)(starts[digit * (XR_SEGMENTS + 1) + lane / 16] +
                (four >> (8 * (digit >> 1 & 3)) & 255u) + (u32)(ranks >> (4 * k) & 15u));
        }
    }

#if !XR_WHOLE
    // Where each digit of the tile begins in the row: after all lower digits, and after its own
    // in the pieces and tiles before.
    for (int digit = lane; digit < 256; digit += XR_GROUP) {
        goals[digit] = digits[row * 256 + digit];
    }
    BARRIER();
    if (lane < 16) {
        XR_PLACE sum = 0;
        for (int k = 0; k < 16; ++k) {
            sum += goals[lane * 16 + k];
        }
        digit_sums[lane] = sum;
    }
    BARRIER();
    if (lane < 16) {
        XR_PLACE running = 0;
        for (int k = 0; k < 16; ++k) {
            running += k < lane ? digit_sums[k] : 0;
        }
        for (int k = 0; k < 16; ++k) {
            const XR_PLACE size = goals[lane * 16 + k];
            goals[lane * 16 + k] = running;
            running += size;
        }
    }
    XR_ALL {
        place[k] = (int)(XR_DIGITS(k, (int)a.shift) & 255u);
        shelf[k * XR_GROUP + lane] = (u32)place[k];
    }
    BARRIER();
    for (int digit = lane; digit < 256; digit += XR_GROUP) {
        goals[digit] += before[(row * a.tiles + tile) * 256 + digit];
        if (a.pieces > 1) {
            goals[digit] += totals[(row * a.pieces + tile / a.piece_tiles) * 256 + digit];
        }
    }
    BARRIER();
    XR_ALL {
        const int p = k * XR_GROUP + lane;
        if (p < count && (p == 0 || (int)shelf[p - 1] != place[k])) {
            goals[place[k]] -= (XR_PLACE)p;
        }
    }
    BARRIER();
#endif
    XR_ALL {
        const int p = k * XR_GROUP + lane;
        if (p < count) {
#if XR_WHOLE
            const xr_index at = start + p;
#else
            const xr_index at = row * a.length + (xr_index)(XR_PLACE)(goals[place[k]] + p);
#endif
#if XR_INDEXED
            result_index[at] = index[k];
#endif
#if !XR_INDEXED || !XR_WHOLE
            if (!XR_INDEXED || a.last == 0) {
                result[at * XR_UNITS] = (XR_UNIT)first[k];
#if XR_UNITS == 2
                result[at * XR_UNITS + 1] = (XR_UNIT)second[k];
#endif
            }
#endif
        }
    }
}
