// How often each of the 256 values of a digit occurs: `before` gets the number of each in the tiles
// of the piece that come before a tile, `totals` that in the whole piece. An item counts in 64
// words of its own, four counts of a byte each: nothing is shared, so no atomics are needed.
#ifndef XR_ASSEMBLED
#include "keys.h"
#include "sort_tile.h"
#endif
typedef struct { XR_FIELDS } xr_arguments;

#define XR_COUNTERS (XR_GROUP < 64 ? XR_GROUP : 64)
#define XR_SHARE (64 / XR_COUNTERS)

#define XR_PARAMETERS(parameter)                                                            \
    parameter(GLOBAL const XR_UNIT *RESTRICT, source)                                       \
    parameter(GLOBAL XR_PLACE *RESTRICT, before)                                            \
    parameter(GLOBAL XR_PLACE *RESTRICT, totals)

GROUP_KERNEL(xr_sort_count, XR_PARAMETERS)
{
    LOCAL u32 counters[64 * XR_COUNTERS];
#if XR_FIRST
    source += a.source_offset * XR_UNITS;
#endif
    const int lane = (int)LOCAL_ID(0);
    const xr_index item = a.first_item + (xr_index)GROUP_ID(0);
    const xr_index row = item / a.pieces;
    const xr_index piece = item % a.pieces;
    const xr_index first_tile = piece * a.piece_tiles;
    const xr_index tiles_left = a.tiles - first_tile;
    const xr_index last_tile =
        first_tile + (tiles_left < a.piece_tiles ? tiles_left : a.piece_tiles);
    XR_PLACE running[4 * XR_SHARE];
    for (int k = 0; k < 4 * XR_SHARE; ++k) {
        running[k] = 0;
    }
    for (xr_index tile = first_tile; tile < last_tile; ++tile) {
        const xr_index left = a.length - tile * XR_TILE;
        const int count = (int)(left < XR_TILE ? left : XR_TILE);
        const xr_index start = row * a.length + tile * XR_TILE;
        for (int word = 0; word < 64; ++word) {
            counters[word * XR_COUNTERS + lane] = 0;
        }
        for (int part = 0; part < XR_TILE; part += XR_EACH * XR_COUNTERS) {
            XR_KEY first[XR_EACH];
#if XR_UNITS == 2
            XR_KEY second[XR_EACH];
#endif
            XR_ALL {
                const int p = part + k * XR_COUNTERS + lane;
                first[k] = p < count ? source[(start + p) * XR_UNITS] : 0;
#if XR_UNITS == 2
                second[k] = p < count ? source[(start + p) * XR_UNITS + 1] : 0;
#endif
            }
            XR_ALL {
                const u32 digit = XR_DIGITS(k, (int)a.shift) & 255u;
                if (part + k * XR_COUNTERS + lane < count) {
                    counters[(digit >> 2) * XR_COUNTERS + lane] += 1u << (8 * (digit & 3u));
                }
            }
        }
        BARRIER();
        GLOBAL XR_PLACE *const counts = before + (row * a.tiles + tile) * 256;
        for (int share = 0; share < XR_SHARE; ++share) {
            const int word = share * XR_COUNTERS + lane;
            u32 even = 0;
            u32 odd = 0;
            for (int k = 0; k < XR_COUNTERS; ++k) {
                // Each item begins elsewhere, so that no two meet in a bank.
                const u32 four = counters[word * XR_COUNTERS + (k + lane) % XR_COUNTERS];
                even += four & 0x00ff00ffu;
                odd += (four >> 8) & 0x00ff00ffu;
            }
            for (int k = 0; k < 4; ++k) {
                const u32 pair = (k & 1) != 0 ? odd : even;
                counts[word * 4 + k] = running[share * 4 + k];
                running[share * 4 + k] += (k & 2) != 0 ? pair >> 16 : pair & 0xffffu;
            }
        }
        BARRIER();
    }
    for (int k = 0; k < 4 * XR_SHARE; ++k) {
        const int digit = ((k >> 2) * XR_COUNTERS + lane) * 4 + (k & 3);
        totals[item * 256 + digit] = running[k];
    }
}
