"""Files written and read in the script's folder; print options and how arrays look."""

import io
import os

import numpy as np

a = np.arange(12.0).reshape(3, 4) / 8
np.save("a.npy", a)
same = np.load("a.npy")
np.savez("both.npz", first=a, second=np.arange(3))
with np.load("both.npz") as archive:
    keys = sorted(archive.files)
    second = archive["second"]
np.savetxt("table.csv", a, delimiter=",", header="w,x,y,z", fmt="%.3f")
table = np.loadtxt("table.csv", delimiter=",")
columns = np.loadtxt("table.csv", delimiter=",", usecols=(0, 2), unpack=True)
text = io.StringIO("1 2 3\n4 nan 6\n# remark\n7 8 9")
numbers = np.genfromtxt(text)
missing = np.genfromtxt(io.StringIO("1,,3\n4,5,"), delimiter=",", filling_values=-1)
a.astype("f4").tofile("raw.bin")
raw = np.fromfile("raw.bin", dtype=np.float32).reshape(3, 4)
buffer = np.frombuffer(a.tobytes(), dtype=float)
parsed = np.fromstring("1 2 3", dtype=int, sep=" ")
made = np.fromfunction(lambda i, j: i + 10 * j, (2, 3))
counted = np.fromiter((n * n for n in range(5)), dtype=float)
size = os.path.getsize("raw.bin")
np.set_printoptions(precision=3, suppress=True)
print(a)
print(np.array([1e-9, 123456.789, np.nan, -np.inf]))
with np.printoptions(precision=1, threshold=5, edgeitems=2):
    print(np.linspace(0, 1, 20))
print(repr(np.arange(3)).replace("Array", "array").split("(")[0] in ("array",))
print(np.array2string(np.array([1.5, 2.25]), separator=", "), np.array_str(np.eye(2)))
print(f"{a[1, 2]:.2f} {a[0, 0]} {a.sum():8.3f}", "%d items" % a.size, "{:>6.2f}".format(a.max()))
np.set_printoptions(precision=8, suppress=False)
print(keys, size, [os.path.exists(n) for n in ("a.npy", "both.npz")], np.format_float_positional(0.25))
