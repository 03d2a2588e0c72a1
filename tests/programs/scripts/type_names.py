"""Names of data types, in all the ways that they are written."""

import numpy as np

made = [np.zeros(2, dtype=t) for t in (int, float, complex, bool, "i4", "f4", "<f8", "u1", "int16", "float32", "complex64", np.int8, np.uint16, np.double, np.single, np.intp, np.bool_, np.float16, "d", "f", "l", "?", "B", np.dtype("int32"))]
names = [m.dtype.name for m in made]
sizes = [np.dtype(t).itemsize for t in ("f8", np.int16, bool, complex)]
checks = [
    np.issubdtype(made[0].dtype, np.integer),
    np.issubdtype(made[1].dtype, np.floating),
    np.issubdtype(made[2].dtype, np.complexfloating),
    np.issubdtype(np.float32, np.number),
    made[1].dtype == float,
    made[1].dtype == np.float64,
    made[0].dtype == "int64",
    made[4].dtype.kind == "i",
    made[1].dtype in (np.float32, np.float64),
    made[3].dtype is np.dtype(bool),
]
values = [np.float64(3), np.int32(7) + 1, np.uint8(200), np.complex64(1 + 2j), np.float32(0.1) * 2, np.bool_(True)]
limits = float(np.finfo(np.float32).eps), float(np.finfo(float).max), np.iinfo(np.int16).max, np.iinfo("uint8").min
promoted = [str(np.promote_types("i4", "f4")), str(np.result_type(np.int8, np.uint8)), np.can_cast("i8", "f4"), str(np.min_scalar_type(300))]
common = np.common_type(np.zeros(1, "f4"), np.zeros(1, complex)).__name__
converted = [np.array([1.5, 2.7]).astype(int), np.array([0, 1, 2]).astype(bool), np.array([1, 2]).astype("complex"), np.asarray([1, 2], np.float32), np.array([300]).astype(np.uint8)]
mixed = [(np.arange(3, dtype=np.int8) + 1).dtype, (np.float32([1]) + 1.0).dtype, (np.arange(3) / 1).dtype, (np.ones(2, np.float32) * np.ones(2)).dtype, np.array([1, 2.5]).dtype, np.array([1, 2j]).dtype, np.array([True, 2]).dtype]
mixed = [str(m) for m in mixed]
scalars = isinstance(np.float64(1), float), isinstance(np.int64(1), np.integer), isinstance(np.ones(1), np.ndarray)
kinds = [np.isrealobj(made[0]), np.iscomplexobj(made[2]), bool(np.isreal(1 + 0j)), bool(np.isscalar(np.float32(1)))]
flags = np.array([3], dtype=np.int32) & 0x1, ~np.array([0], dtype=np.uint8), np.array([1], dtype=np.int64) << 40
index = np.array([2.0, 0.0]).astype(np.intp)
picked = np.array([10, 20, 30])[index]
overflow = np.array([250], dtype=np.uint8) + np.uint8(10)
print(names)
print(sizes, checks, promoted, common, mixed)
print([float(v) for v in limits], scalars, kinds, picked, overflow)
