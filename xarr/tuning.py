"""The numbers that trade time, each with its unit and with what shows that it is right.

Behind ``Row`` stand rows of ``python -m benchmarks`` that read it, behind ``Program`` some of
``python -m benchmarks --programs``, behind ``Test`` what holds it. ``Measured`` has times on PoCL,
with half of it, with it and with twice as much, the least of several; ``Not felt`` says between
which values these were the same, within what two runs differ by. ``Not reached`` is a bound that
nothing that was run came to, ``Not measured`` a gap. GPUs were not measured anew for this table.

What decides bits is no tuning, and stays with the numerics, in `lowering/`: how a sum is cut
(`cuts.py`, `PIECE` of `matmul.py`), how a transform is (`fft.py`); which random number an element
has (`kernel_spec.STRIP`). Nor are the limits of drivers and formats. Compiled modules have these
numbers as variables of C.
"""

from __future__ import annotations

from typing import Final, NamedTuple

# -- the tape, and what is remembered --------------------------------------------------------------

STEPS: Final = 64
"""Instructions that a tape may have before it is cut, unless a loop's body has more.
Test: tests/scheduler/test_counts.py"""

BODY: Final = 512
"""Instructions that the body of a loop may have for a tape to hold all of it. With 64 a lattice
Boltzmann step of 179 instructions was 14 kernels in place of 3.
Test: tests/scheduler/test_counts.py"""

BOUND: Final = 8
"""Sets of offsets for which the launches of a recording are bound; with more, as of a window that
moves, its instructions are recorded again.
Test: tests/transforms/test_jit.py"""

REMEMBERED: Final = 1 << 13
"""Entries of a dictionary of what is known, which is emptied when it is full: a list takes 12 KB.
Measured: six thousand turns whose slices grow (NPBench's durbin, M) take 700 and 148 ms with half
and twice as much; 20,000 turns of new shapes leave 97,000 objects, and 201,000 with twice as much.
Test: tests/scheduler/test_counts.py"""

KERNELS: Final = 1 << 11
"""Kernels of a device that are kept loaded; with one more all are dropped, with what plans them.
Test: tests/engine/test_memory.py"""

NEW: Final = 64
"""Structures and opcodes that are kept though they were not met again. Measured: of a loop with new
shapes the garbage collector takes 30 percent without a bound, and nothing with this one.
Test: tests/engine/test_tiers.py"""

STRUCTURES: Final = 1 << 12
"""Structures of views, and patterns, that are known of a generation: without one, lists are planned
again.
Test: tests/engine/test_tiers.py"""

OPCODES: Final = 1 << 11
"""Opcodes that are known of a generation.
Test: tests/engine/test_tiers.py"""

PROGRAMS: Final = 16
"""Programs that are kept of one list of instructions, by which storages are held.
Not felt between 8 and 32."""

KEPT_NBYTES: Final = 1 << 16
"""Bytes up to which the host's results stay in NumPy's memory until a kernel wants them.
Measured: a + b on the host takes 35, 17 and 17 us for 12,000 float32, 41, 40 and 22 for 24,000."""

AT_ONCE_NBYTES: Final = 8192
"""Bytes of each operand and result up to which an instruction runs as it is recorded.
Measured: a + b of 1,000 float64 that is waited for takes 6.1 us recorded and 2.7 so; a loop of new
shapes takes 180 thousand machine instructions recorded, 154 so.
Test: tests/engine/test_tiers.py"""

FEW_NBYTES: Final = 512
"""Bytes of each operand and result up to which an instruction always runs as it is recorded, and an
element is read whatever waits.
Measured: batch updates of seven values (Sutton and Barto's random walk), of which elements are read
all the time, take 12 s recorded, 3.8 at once. Where none is read, as in ten turns of `x * a + b`,
a turn takes 0.8 us as part of a program, 1.3 at once.
Test: tests/engine/test_tiers.py"""

AT_ONCE: Final = 32
"""How many small instructions run as they are recorded while no value is asked for.
Not measured: more than stand between two values of the small programs that were tried.
Test: tests/engine/test_tiers.py"""

RECORDINGS: Final = 128
"""Recordings of calls that a jitted function keeps.
Not measured: each has the arguments of its launches, and its kernels.
Test: tests/transforms/test_jit.py"""

LONG_WORK: Final = 4
"""Small instructions before a value from which on work that came often is recorded as a program; a
reduction counts as three.
Measured: us with 3, 4 and 8, of 1,000 float32: two operations 7.9, 4.7 and 4.8, four and a sum 9.0,
7.9 and 21. FDTD of 20 x 20 with 14 and conjugate gradients of 12 x 12 with 11 take 1.0 and 1.4 ms
as programs, 1.6 and 2.3 at once.
Test: tests/engine/test_tiers.py"""

HELD_PART: Final = 64
"""The part of a device's memory that a program may free between launches where a driver is asked
for all of them at once, and holds it until then; and that a replayed call may hold.
Measured: with 4 MiB and a 64th on an H100 conjugate gradients of 2048 x 2048 take 5.6 and 4.9 ms,
an image pyramid 10.7 and 4.9, logistic regression 3.9 and 3.4."""

GRAPHS: Final = 4
"""Graphs of a replayed call, by the memory of its arguments and results; with more of them, nodes
get new parameters.
Measured: a step of lattice Boltzmann whose nine results are the next one's arguments takes the host
of an H200 47 us where nodes get new parameters at each call, and 19 where a graph is found.
Test: tests/transforms/test_call_graph.py"""

KEPT_LAUNCHES: Final = 64
"""Launches of an own kernel that are kept to be repeated, by sizes, structures and types.
Not measured: each has a few hundred bytes.
Test: tests/functions/test_repeats.py"""

RESULTS: Final = 3
"""Buffers of each result of a replayed call that are kept for the calls after it.
Measured: a step of Lorenz takes the host of an H200 41 us with three allocations, and 12 without.
Test: tests/transforms/test_call_graph.py"""

PEER_NBYTES: Final = 1 << 21
"""Bytes of a chunk from which it goes from card to card, and not through the host.
Measured: between two H100s 1 MiB takes 2.0 ms and 8 MiB 2.2; to the host and back from it, without
what the network takes, 0.6 and 4.7."""

UNROLLED_ROW: Final = 1 << 13
"""Elements of a row of a kernel of rows up to which the loads of a GPU's item are all unrolled.
Measured: on an H200 softmax of 2^27 float32 in rows of 8,192 takes 0.36 ms unrolled, 0.41 with four
loads at a time, 0.44 with eight, 0.60 with 16; layer norm 0.34, 0.40, 0.40 and 0.51.
Test: tests/scheduler/test_rows.py"""

SHORT_ROW: Final = 1 << 11
"""Elements of a row up to which a GPU's group takes several.
Measured: on an H100 softmax of 2^27 float32 in rows of 1,024 takes 0.85 ms one by one and 0.52
by four; layer norm 0.74 and 0.76. In rows of 64, 6.2 without a kernel of rows and 0.99 with it, 5.1
and 1.16.
Test: tests/scheduler/test_rows.py"""

SPREAD: Final = 8
"""Elements of a row of up to 256 that an item of a GPU's group has, so many of them apart.
Measured: on an H100 softmax of 2^24 float32 in rows of 64 takes 89, 79 and 167 us with 4, 8 and 16.
Test: tests/scheduler/test_rows.py"""

ROWS_TOGETHER: Final = 1 << 12
"""Elements of the rows that a GPU's group takes at a time, where one row is shorter.
Measured: on an H100 softmax of 2^27 float32 in rows of 1,024 takes 0.62, 0.52 and 0.52 ms with half
as many, with these and with twice as many.
Test: tests/scheduler/test_rows.py"""

ROW_NBYTES: Final = 1 << 15
"""Bytes of a row that a kernel keeps instead of storing them, or of loading them again.
Measured: on an H100 softmax of 2^27 float32 in rows of 8,192 takes 0.97 ms with 0, 0.71 with
what is computed, 0.46 with what is loaded as well.
Test: tests/scheduler/test_rows.py"""

ROW_PARTS: Final = 5
"""Groups of a kernel of rows that walk the elements. A softmax has three, a correlation five.
Test: tests/scheduler/test_rows.py"""

CHAINED: Final = 3
"""The same where the last one goes on with what others have made of one array, and loads nothing.
Measured: on an H100 131,072 rows of 128 float32 are made standard ten times in 0.99, 1.36 and 1.55
ms with three, four and five; four layers of norm and softmax of 131,072 x 512 float32 take 3.4,
3.5, 3.9 and 5.2 ms with three, four, five and eight, as a group takes fewer rows at a time of which
it keeps more; sixty of 8,192 x 512, which stay in its cache, 6.1, 5.5, 5.2 and 6.0."""

ROWS_ALONE: Final = 1 << 14
"""Elements up to which there may be fewer rows than a device has units.
Not measured.
Test: tests/scheduler/test_rows.py"""

# -- what runs a list ------------------------------------------------------------------------------

REPEATS: Final = 8
"""Runs of a list on the host before it is kept.
Measured: forty turns of a chain that is new take 2.1, 3.1 and 2.7 ms, twelve 1.8, 1.7 and 0.8.
Test: tests/engine/test_tiers.py"""

PLANNED: Final = 256
"""Runs of a list on the host before its kernels are asked for, if its work is small. A plan takes
1 ms, the first one of a process 15 more; to fuse a few calls on few elements saves 3 us a run.
Measured: ms of first runs with 8, 64 and 256, kernels on disk: a decision tree of 80 points 142, 82
and 81, a control loop of 4 x 4 70, 63 and 45, k-means of 100 points 64, 62 and 59.
Test: tests/engine/test_tiers.py"""

MADE_NBYTES: Final = 1 << 15
"""Bytes up to which NumPy makes what depends on no array, as of `arange`, when it is asked for.
Measured: arange(n) * 0.5 waited for takes 62 us for 1,000 and 66 for 4,000, and 101 and 115 by
instructions; 293 and 144 for 16,000."""

SELECTED_NBYTES: Final = 1 << 20
"""Bytes of an array up to which NumPy selects by a mask at once: lists are new for each number.
Measured: to select from float64 and write back takes 319 us without it and 262 with it for 30,000,
1,063 and 956 for 100,000, 1,281 and 2,309 for 300,000.
Test: tests/functions/test_indexing.py"""

HOST_BLOCK: Final = 1 << 16
"""Elements that NumPy walks at a time where it would make a temporary of all of them.
Measured: half of 2^23 float32 are selected in 16 ms by blocks, in 24 by all places at once.
Test: tests/functions/test_indexing.py"""

LONG_MASK: Final = 1 << 22
"""Elements of a mask from which on NumPy selects on a CPU, without all places in memory.
Measured: of float32, half are taken and written back in 6.4 ms by places and 7.7 so of 2^21, 22 and
19 of 2^22, 43 and 43 of 2^23, where all of them are taken in 21 and 14.
Test: tests/engine/test_memory.py"""

LARGE_WORK: Final = 1 << 22
"""Elements of all instructions, in all runs, from which on kernels are asked for earlier. With more
in one of them it waits for these: `interp` of 10^7 takes 0.8 s, not 2.7, and 158 MB, not 783.
Measured: eight turns of a chain on 10^6 float32 take 3.3, 2.9 and 20 ms.
Test: tests/engine/test_tiers.py"""

LARGE_NBYTES: Final = 1 << 20
"""Bytes of new storages from which on a list that the host runs frees each once nothing reads it.
Not felt between 2^19 and 2^21."""

PLACES: Final = 8
"""Places of a structure at which single elements are used as part of a loop, as borders.
Not felt between 4 and 16."""

PENDING: Final = 4096
"""Works of a profile whose events, the driver's memory, wait to be read.
Not reached by what was run."""

# -- what becomes one kernel -----------------------------------------------------------------------


class Most(NamedTuple):
    """The bounds of a kernel.

    values : int -- Values, among them loads and constants; compilers take more than linear time.
    code : int -- Characters of library functions, each where it is called, as compilers inline it.
    slots : int -- Storages that it reads or writes.
    stores : int -- Storages that it has to write.
    """

    values: int
    code: int
    slots: int
    stores: int


KERNEL_OF_CPU: Final = Most(192, 30_000, 16, 8)
"""Bounds of a kernel on a CPU.
Measured: a sum of thirty arrays of 300,000 float32 takes 2.8, 5.9 and 5.5 ms with half as many
slots, these and twice as many. gcc compiles 8 sines of float64 in 5 s, 16 in 17, which are 58,000
and 115,000 characters, and 24 with their cosines in two minutes.
Test: tests/scheduler/test_counts.py"""

KERNEL_OF_GPU: Final = Most(512, 240_000, 32, 16)
"""Bounds of a kernel on a GPU.
Measured: on an H200 a jitted step of lattice Boltzmann on 1024 x 1024 takes 75 us with a CPU's
bounds, and 32 with these.
Test: tests/scheduler/test_counts.py"""

UNROLLED: Final = 96
"""Operations of an expression that is in place of a reduction along a short axis; beyond it the
elements are stored.
Not reached by what was run."""

BESIDE: Final = 8.0
"""Operations for each element of an array of which a part is written, on elements beyond it.
Not reached by what was run."""

RECOMPUTED: Final = 64
"""Instructions that a GPU's kernel repeats of others, in place of loading what these store.
Not reached by what was run.
Test: tests/scheduler/test_steps.py"""

LATE: Final = 192
"""Instructions of a recording behind which a reader of a value is in another kernel.
Test: tests/transforms/test_rematerialise.py"""

REPEATED: Final = 48
"""Instructions one after the other that a recording repeats of what is in memory.
Test: tests/transforms/test_rematerialise.py"""

AGAIN: Final = 8
"""Instructions that are worth a load of as many elements, where a recording computes values again.
Test: tests/transforms/test_rematerialise.py"""

GAIN: Final = 2
"""How many times what a cut takes is worth storing and loading what it saves; else all is kept.
Measured: ms on an H200, with a cut and without, 1024 x 1024: the gradient of 10 Lotka-Volterra
steps of eight kinds 2.48, 1.96, where storing and loading takes 1.2 times as much; 50 of Gray-Scott
(1.1) 2.6, 3.5, but .35, .33 on 256 x 256; 60 of waves (1.5) 1.46, 1.42; 20 of shallow water
(2.3) 2.3, 3.8."""

CONNECTED: Final = 4096
"""Values among which a minimum cut is looked for; of more all are kept, as of a thousand steps of
Lorenz.
Measured: for the gradient of 100 steps of Lorenz, 3,508 instructions, the cuts take 0.2 s."""

SMALLER: Final = 16
"""How many times fewer bytes what is repeated has to load.
Not measured: those of pairs are some hundred times as many as their positions'.
Test: tests/scheduler/test_steps.py"""

JOINED: Final = 1 << 22
"""Elements of an array that a CPU makes of parts by one kernel; beyond it each is copied.
Measured: two of n float32 on cpu:0, parts and then one kernel: 1,000 17 and 11 us, 2^20 334 and
389, 2^23 6.7 and 7.0 ms, stacked along the last axis 7.8 and 14.5."""

JOINED_RUN: Final = 64
"""Elements of a part in a row from which the same kernel takes no longer than copies.
Measured: us of one kernel and of copies, two parts of 2^20 elements on cpu:0, of float32 with 1, 16
and 64 elements in a row 6,429 and 535, 1,222 and 955, 679 and 811."""

JOINED_ROW: Final = 1 << 20
"""Elements of a row from which a GPU copies the rows that it stacks, one after the other.
Measured: two of 2^24 float32 take an H200 147 us by one kernel, and a copy 32."""

PARTED_NBYTES: Final = 1 << 26
"""Bytes of a vector from which on it is made by parts, where much memory lies in between.
Measured: `convolve` of 10^7 float64 takes 92 MB by parts, and at once 170."""

ALTERNATING: Final = 1 << 13
"""Elements of an array that one kernel makes of parts with fewer in a row.
Not measured: an element takes it 4 ns more, and each copy is a launch."""

EPILOGUE: Final = 24
"""Instructions behind the reductions of one kernel, and these.
Not felt between 12 and 48.
Test: tests/scheduler/test_joint_reductions.py"""

FOLDS: Final = 4
"""Reductions that are one kernel.
Not felt between 2 and 8.
Test: tests/scheduler/test_joint_reductions.py"""

FOLDS_NBYTES: Final = 48
"""Bytes of the accumulators of one lane, where several reductions are one kernel.
Not felt between 24 and 96."""

# -- launches on a CPU -----------------------------------------------------------------------------

SHARED: Final = 1 << 20
"""Operations from which on `cpu:0` shares work among threads: what waking one takes, some 10 us.
Measured: us on two cores, with 2^17 and this: a sum of 2^14 float32 13.4, 10.7, of 2^17 38, 41; 14
operations on as many float64 28, 16, and 100, 110; a jitted step of lattice Boltzmann on 20 x 20
31, 20, and 1,000 of FDTD on 100 x 100 24,000, 6,700. 2^21 is as good.
Row: add, chain"""

EXTREMES: Final = 1 << 22
"""Elements, times the units that share a kernel's work, up to which NumPy finds where the largest
of a row is: it takes a third of the time that a kernel takes one core.
Measured: us on two cores by NumPy and by the kernel, of 2^20 float32 47 and 87, in 1,024 rows 57
and 180; of 2^22 250 and 230, of 2^24 2,000 and 1,240.
"""

CHUNK: Final = 4096
"""Elements that are worth an item of its own.
Not felt between 2048 and 8192, on 16,384 elements and more."""

TASKS: Final = 8
"""Items for each unit, so that the units finish together.
Row: add, chain"""

BLOCK: Final = 2048
"""Columns that an item walks at once where it reduces rows.
Row: sum axis 0
On one core 2^22 float32 in 2,048 columns take 0.09 ns an element, 0.23 with 1024, as whole rows
are walked; with 4096 so do 4,096 columns, but var and argmax of float64 take a tenth more."""

COLUMNS: Final = 4
"""Columns up to which a GPU's item reduces all of them, so that what they share is computed once.
Measured: on an H100 ten steps of n-body of 4,000 take 1.85 ms where pairs are stored, and 1.46.
Test: tests/scheduler/test_steps.py"""

SEARCH_CHUNK: Final = 256
"""Values to search for that are worth an item of its own.
Not felt between 128 and 512."""

COUNTED: Final = 1 << 16
"""Elements to count that are worth an item of its own.
Not felt between 2^15 and 2^17."""

SUMMED: Final = 1 << 11
"""Values up to which an item of a GPU walks all of them for each place that they are summed at, and
a 16th of the places; with more they are sorted by place.
Measured: add.at of 256, 1,000 and 4,096 float32 takes an H200 95, 132 and 253 us so, and 218, 219
and 210 sorted.
Test: tests/functions/test_ufuncs.py"""

DENSE: Final = 4
"""Elements of an array for each value added at a place of it, up to which each element has a sum.
Else the values are sorted by their places.
Measured: add.at of 2^20 float32 at places of as many elements takes 9 ms on cpu:0, sorted 118.
"""

LAUNCHES_PER_FLUSH: Final = 16
"""Launches of OpenCL after which what is queued is handed to the device.
Not felt between 8 and 32."""

SMALL_WORK: Final = 1 << 21
"""Operations that a core does, at 0.012 ns each, while PoCL hands a launch to its threads.
Not felt between 2^20 and 2^22.
Test: tests/devices/test_pocl.py"""

LIGHT_NBYTES: Final = 5 << 20
"""Bytes of all operands up to which a core does eight times `SMALL_WORK` meanwhile, where it has at
most eight operations for each of them: of narrow numbers it does many at a time.
Measured: two cores, us of 2^20 elements, by threads and by the caller's: int8 `a + b` 51 and 30,
a copy 45 and 23; float32 `sum(a)` 65 and 48; float64 `a + b` (24 MiB) 176 and 257.
Test: tests/devices/test_pocl.py"""

SMALL_NBYTES: Final = 1 << 18
"""Bytes that a core copies meanwhile.
Not felt between 2^17 and 2^19.
Test: tests/devices/test_pocl.py"""

# -- launches on a GPU -----------------------------------------------------------------------------

GROUP: Final = 256
"""Items of a group.
Row: add, chain"""

SMALL_GROUP: Final = 128
"""Items of a group where there are too few for all that units run at a time, as in a column's sum.
Measured: on an H100 ten steps of n-body take 1.46, 1.46 and 1.56 ms with 64, 128 and 256.
Row: sum axis 0"""

ITEMS: Final = {1: 8, 2: 4, 4: 4, 8: 2, 16: 1}
"""Elements that an item takes side by side, by the bytes of the widest.
Measured: on an H100, 2^27 elements, ms with 1, 2, 4 and 8: `sin` of float32 0.50, 0.46, 0.42, 0.50,
`a + b` 0.62, 0.56, 0.56, 0.58, of uint8 0.19, 0.22, 0.16, 0.14, `exp` of half as many float64 0.42,
0.39, 0.42, 0.39, `z * z` of a quarter as many complex128 0.39, 0.40, 0.39, 0.39.
Row: add, chain"""

WAVES: Final = 1024
"""Groups for each unit, at most: so many that memory is read nearly in order, so few that a group
has more to do than to begin.
Row: add, chain, sum"""

RESIDENT: Final = 8
"""Groups that a unit runs at a time.
Row: stencil, transpose"""

ROWS: Final = 4
"""Rows that an item takes, where a grid can have the groups for it.
Row: stencil, transpose"""

NEIGHBOURS: Final = (8, 4)
"""Neighbours that a GPU's item takes along one axis, and in each row, where elements have one byte.
Measured: on an H200, us with one, two, four, eight: life on 4096 x 4096 68.9, 46.6, 37.4, 66.7; an
image of uint8 44.6, 29.8, 21.9, 26.3; `a + b` along one axis with one, four, eight 18.5, 16.9, 13.
Test: tests/codegen/test_items.py"""

ABREAST: Final = 9
"""Accesses of a kernel, for each neighbour, up to which an item loads its rows before it computes.
Measured: on an H100, ms without and with it: light on 2048 x 2048, whose arrays are written in
place, 20.4 and 11.3, heat on 4096 x 4096 11.4 and 10.4; life, of ten accesses, 1.88 and 2.06.
Row: stencil"""

TILE: Final = 16
"""Columns of a group that reads columns; its rows use up what the memory gives at a time.
Row: transpose"""

SCAN_ITEMS: Final = 128
"""Items of a group, where a scan goes through local memory.
Row: cumulative_sum"""

SCAN_TILE_NBYTES: Final = 1 << 14
"""Bytes of the accumulators that a group has in local memory: all of its elements, as groups of few
elements wait for each load.
Measured: an H200 takes 115 us for 2^24 float32 and 22 for 1,000, 140 and 36 where a group walks 32
elements of 64 pieces at a time. Not felt between 2^13 and 2^15.
Row: cumulative_sum"""

SORT_ITEMS: Final = 64
"""Items of a group that sorts rows, where so few hold a row.
Not felt between 32 and 128.
Test: tests/kernels/test_radix.py"""

TALL: Final = 64
"""Rows for each column of matrices of which a GPU takes the singular values of R of QR.
Not measured: that of few rows costs another factorization, and cuSOLVER refuses 2^24 of them."""

PACKED: Final = 1 << 10
"""Elements of a line from which on NumPy finds a stable order by integers that hold an index.
Measured: argsort of 1,000 float32 takes 39 us by NumPy's stable sort and 25 so, of 2^20 268 and 24
ms, of float64 40 and 48 us, 236 and 16 ms.
Test: tests/functions/test_sorting.py"""

LIBRARY_SORT: Final = 1 << 18
"""Elements of a line from which on a GPU's library sorts it, and of several lines none.
Measured: float32 on an H200 by CuPy's sort and by the kernels, us: 1,000 116 and 48, 2^17 109 and
82, 2^20 112 and 116, 2^24 535 and 815; 4,096 lines of 4,096 5,430 and 1,070.
Row: sort"""

SORT_PIECES: Final = 16
"""Pieces of a sort for each unit, so that the units finish together.
Row: sort, argsort
Not felt between 8 and 32, on a CPU."""

TRANSFORM_COLUMNS: Final = 64
"""Lines of a group that are no neighbours in memory, at most.
Row: fft
Not felt between 32 and 128, on a CPU."""

BINS: Final = 4096
"""Bins that a group counts in local memory.
Not measured: no row counts on a GPU."""

HISTOGRAM_GROUPS: Final = 8
"""Groups for each unit; each adds all its counts to the result.
Not measured: no row counts on a GPU."""

# -- memory that makes work shorter ----------------------------------------------------------------

PARTIAL_NBYTES: Final = 1 << 28
"""Bytes that the sums of a product's pieces may take.
Row: matmul"""

TABLES: Final = 64
"""Tables of roots of unity that a device keeps.
Test: tests/kernels/test_transforms.py"""

TABLES_NBYTES: Final = 1 << 25
"""Bytes of them.
Test: tests/kernels/test_transforms.py"""

MASKS: Final = 8
"""Masks of which it is remembered what they select.
Test: tests/functions/test_indexing.py"""

MASK_NBYTES: Final = 1 << 20
"""Bytes of such a mask's storage.
Not reached by what was run."""

FFT_NBYTES: Final = 1 << 23
"""Bytes of a result up to which a GPU transforms by xarr's kernels, which wait and fuse, and not by
its library: the host takes that 40 to 100 us.
Measured: on an H100 complex64 transforms of 1,024, 4,096 x 256, 2^20 and 2^23 elements take CuPy's
cuFFT 72, 67, 92 and 146 us, nvmath's 86, 84, 123 and 147, and kernels 21, 24, 49 and 328.
Test: tests/functions/test_fourier.py"""

PLANS: Final = 32
"""Plans of cuFFT's that are kept; they own memory of the device.
Test: tests/devices/test_nvidia.py"""

LEADING_BITS: Final = 4
"""Bits of a size that its class keeps, in the pool of a CUDA device: a block is at most an eighth
larger than what was asked for.
Test: tests/devices/test_cuda_pool.py"""

POOLED_NBYTES: Final = 1 << 16
"""Bytes up to which a block of CuPy's memory is kept for the next array, not given back at once:
CuPy's pool takes 3 us of the host for a block, the front of a class 0.3.
Test: tests/devices/test_cuda_pool.py"""

SMALLEST_NBYTES: Final = 512
"""Bytes of the pool's smallest blocks.
Test: tests/devices/test_cuda_pool.py"""

# -- functions -------------------------------------------------------------------------------------

INDICES: Final = 4096
"""Indices whose bounds the host finds sooner than it asks the device for them.
Measured: x[i] takes 240, 120 and 130 us for 3,000 indices, and 330, 270 and 170 for 7,000."""

INDICES_READ_ONCE: Final = 1 << 22
"""Indices from which on NumPy finds their bounds on a CPU, as comparisons need two masks before
they have a kernel. Measured: x[i] of 2^20 takes 2.8 ms so and 2.4 by a kernel, of 2^23 31 and 31.
Test: tests/engine/test_memory.py"""

SELECTED: Final = 1 << 15
"""Elements of a line for each rank, times the square of an element's bytes, from which on a GPU
selects by rank, and does not sort.
Measured: on an H200 the median of 2^24 float32 takes 6.1 ms sorted and 0.5 selected (CuPy 0.57),
two percentiles 6.6 and 1.0 (0.6), the median of 2^24 float64 4.1 and 1.0 to 1.4 (1.3), of 2^20
float32 560 and 340 us (150), of 2^20 float64 450 and 670.
Test: tests/functions/test_statistics.py"""

DRAWN_FEWEST: Final = 16
"""Single random numbers that are computed together at first; four times as many each time.
Not felt between 8 and 32."""

DRAWN_MOST: Final = 4096
"""And at most.
Not felt between 2048 and 8192."""

DRAWN_TOGETHER: Final = 64
"""Elements of an array up to which a CPU computes those of the draws that follow as well.
Measured: random.rand(5) whose values are read takes 6 us so, and 16 with its own kernel; of 64 it
takes 7 so."""

DRAWN_KINDS: Final = 64
"""Kinds of draws of which numbers are kept.
Not felt between 32 and 128."""

CHOICES: Final = 16
"""Choices that `choose` chooses from in one expression; of more, a stack is gathered from.
Measured: choosing from 12 takes 690, 275 and 280 us, from 24 940, 980 and 490."""

ITERATED: Final = 1024
"""Elements of a vector that are read at a time while it is iterated over.
Not felt between 512 and 2048."""
