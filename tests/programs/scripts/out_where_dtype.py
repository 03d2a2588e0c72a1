"""Loops without temporaries: out=, where=, dtype=, in-place operators, mixed types."""

import numpy as np

x = np.linspace(0.1, 2.0, 8)
work = np.empty_like(x)
np.multiply(x, 2, out=work)
np.add(work, 1, work)
np.sqrt(work, out=work)
np.negative(work, work)
log = np.zeros_like(x)
np.log(x, out=log, where=x > 0.5)
safe = np.divide(1.0, x - x[3], out=np.full(8, -1.0), where=x != x[3])
total = np.empty(())
np.sum(x, out=total)
rows = np.zeros(2)
np.mean(x.reshape(2, 4), axis=1, out=rows)
clipped = np.clip(x, 0.5, 1.5, out=np.empty(8))
dotted = np.empty((2, 2))
np.dot(x.reshape(2, 4), x.reshape(4, 2), out=dotted)
buffer = np.zeros((3, 8))
np.matmul(np.eye(3), np.ones((3, 8)), out=buffer)
np.cumsum(x, out=buffer[0])
np.maximum(buffer[0], 2, out=buffer[1, :])
np.exp(x, buffer[2])
masked = np.sum(x, where=x > 1), np.mean(x, where=x > 1), np.max(x, initial=0, where=x < 1)
single = np.sum(np.ones(4, dtype=np.float32), dtype=np.float64)
integer = np.add([1, 2], [3, 4], dtype=np.float32)
small = np.ones(3, dtype=np.uint8)
small += 254
wide = np.cumsum(small, dtype=np.uint16)
halves = np.arange(4, dtype="f2") / 2
counts = np.array([True, False, True])
counted = counts.sum(), counts.mean(), np.sum([True, True]) + 1, (counts * 2).dtype
i = np.arange(5)
i //= 2
i **= 2
i <<= 1
i |= 1
i %= 5
f = np.arange(5) * 1.0
f /= 2
f -= f.mean()
f *= [1, 2, 3, 4, 5]
f[1:3] += 10
f[::-1][:2] *= -1
mean32 = np.mean(np.arange(6, dtype=np.float32).reshape(2, 3), axis=0, dtype=np.float64)
std = np.std([[1, 2], [3, 5]], axis=0, ddof=1), np.var([1.0, 2.0, 4.0], ddof=1, keepdims=True)
casts = [np.float64(3.7).astype(int), np.int32(7) / 2, np.array([1.9, -1.9]).astype(int), x.astype(dtype="float32").dtype]
try:
    np.add(i, 0.5, out=i)
    refused = False
except TypeError:
    refused = True
try:
    i += 0.5
    refused = False
except TypeError:
    refused = refused and True
np.add(i, 0.6, out=i, casting="unsafe")
print("refused:", refused, i, small, wide, work.round(4))
print([round(float(v), 6) for v in masked], [float(c) for c in counted[:3]])
