"""Attributes that are written to, and views: shape, flat, real, imag, T, strides, flags, view."""

import numpy as np

a = np.arange(24)
a.shape = 2, 3, 4
a.shape = (4, -1)
b = a.reshape(6, 4)
b[0, 0] = 100
shared = a[0, 0]
a.flat[3] = -1
a.flat = np.where(a.ravel() > 20, 0, a.ravel())
third = a.flat[2:5]
numbers = [int(v) for v in a.flat][:5]
z = np.array([1 + 2j, 3 - 4j])
z.real = [10, 20]
z.imag *= 2
z.real[1] = -7
turned = z.conj().T
c = np.zeros((3, 5))
c.T[1] = 9
c.fill(2.5)
c[:, 1:3].T[...] = 0
d = np.ascontiguousarray(c[:, ::2])
contiguous = c.flags["C_CONTIGUOUS"], c[:, ::2].flags.c_contiguous, c.flags.writeable
strides = c.strides, c[:, ::2].strides, c.itemsize, c.nbytes
bits = np.array([1.0, -2.0]).view(np.int64)
bytes_ = np.array([1, 256], dtype=np.int32).view(np.uint8)
f = np.float32([1.5, 2.5]).view(np.uint32)
e = np.ravel(c)
e[0] = 77
independent = c.flatten()
independent[:] = 0
g = c.copy()
g.resize((2, 3), refcheck=False)
h = c.squeeze().swapaxes(0, 1).transpose(1, 0)
base = h.base is not None or True
same = np.shares_memory(a, b), np.may_share_memory(c, c[1:])
listed = c[0].tolist() + [c.item(3), c[1].item(0), len(c), c.ndim, c.size, c.dtype.name, c.dtype.kind]
frozen = np.arange(3)
frozen.flags.writeable = False
try:
    frozen[0] = 1
    written = True
except ValueError:
    written = False
n = 12
v = np.arange(n)
v.shape = w_shape = (3, 4)
v[[0, 2]] = v[[2, 0]]
v[:, [1, 3]] *= 10
sorted_ = np.array([3, 1, 2])
sorted_.sort()
rounded = np.array([1.26, 3.14]).round(1)
bigger = v.repeat(2, axis=0).take([0, 2, 4], axis=0).clip(0, 50)
text = np.array([72, 105], dtype="u1").tobytes().decode()
y = v[np.newaxis, ..., None]
comparison = (v == None).any() if False else v is not None  # noqa: E711
total = v.sum(0).cumsum().prod() if v.any() else 0
print(shared, third, strides, contiguous, text, y.shape, w_shape)
print(bits, bytes_, f, written, z, total)
