"""Heat in a plate whose rows processes share; they exchange the rows at their borders by MPI.

``mpiexec -n 2 python examples/mpi/heat.py``: any number of processes computes the same bits.
"""

from __future__ import annotations

from mpi4py import MPI

import xarr as np

ROWS, COLUMNS = 240, 256
STEPS = 200
RATE = 0.2


def main() -> np.Array | None:
    """Return the temperatures, shape (ROWS, COLUMNS), in the first process; None in the others."""
    world = MPI.COMM_WORLD
    above = world.rank - 1 if world.rank > 0 else MPI.PROC_NULL
    below = world.rank + 1 if world.rank + 1 < world.size else MPI.PROC_NULL

    # The first row and the last are the neighbours', or the edges of the plate.
    plate = np.zeros((ROWS // world.size + 2, COLUMNS))
    if world.rank == 0:
        plate[0] = 100.0
    inside = plate[1:-1, 1:-1]
    for _ in range(STEPS):
        world.Sendrecv(plate[1], above, recvbuf=plate[-1], source=below)
        world.Sendrecv(plate[-2], below, recvbuf=plate[0], source=above)
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        inside += RATE * (around - 4 * inside)
    whole = np.empty((ROWS, COLUMNS)) if world.rank == 0 else None
    world.Gather(plate[1:-1], whole)
    return whole


if __name__ == "__main__":
    temperatures = main()
    if temperatures is not None:
        print(f"mean {temperatures.mean():.15g}, row 10 has at most {temperatures[10].max():.15g}")
