"""Dask with Arrays as chunks gives what it gives with NumPy's, and chunks stay Arrays."""

from __future__ import annotations

import operator
import os
import signal
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import dask
import dask.array as da
import numpy as np
import pytest
from dask.sizeof import sizeof
from dask.tokenize import tokenize
from distributed import Nanny
from distributed.protocol import deserialize, serialize

import xarr
from tests.comparing import nightly
from tests.functions.calls import rows
from tests.processes import checked, run_code
from xarr import tuning
from xarr.adapters.distributed import DeviceBuffer, LocalCluster, dask_setup, received_nbytes

RNG: Final = np.random.default_rng(7)
A: Final = RNG.random((24, 16))
B: Final = RNG.random((24, 16))
V: Final = A[:, 0].copy()
N: Final = np.where(A < 0.1, np.nan, A)
INTEGERS: Final = (A * 20).astype("int64")
FOUND: Final = [str(one) for one in xarr.devices() if one.backend == xarr.default_device().backend]
CLUSTERS: Final = [
    {"devices": FOUND if len(FOUND) > 1 else FOUND * 2},
    {"devices": [str(one) for one in xarr.devices()][-2:]},
]
SQUARE: Final = A[:16] @ A[:16].T + 3 * np.eye(16)
Chunked = Callable[..., Any]


def assigned(x: Any) -> Any:
    x = x.copy()
    x[3:10] = 7.0
    x[x < 0.1] = 0
    return x


def assigned_at(x: Any, places: Any, value: Any) -> Any:
    x = x.copy()
    x[places] = value
    return x


def neighbours(block: Any) -> Any:
    return block[:-2] + block[2:]


# `a`, `b`, `n`, `v` and `square` are chunked arrays, `f` makes others.
CALLS: Final = rows("""
{a + b|2 * a - 1|np.sin(a)|da.where(a > 0.5, a, 0)|da.clip(a, 0.2, 0.8)|a.astype("float32")}
a.{sum(axis=0)|sum()|mean(axis=1)|var(axis=0)|std()|max()|argmax(axis=0)|argmin()|cumsum(axis=0)}
(a * 9).mean(axis=0, dtype="int64")
(a > 0.5).any(axis=0)
assigned_at(v, f(np.array([{2, 17, -1]|], int})), 7.0)
assigned_at(a, f(np.array([17, 3])), f(A[:2]))
assigned_at(a[3, 2], (), 7.0)
da.{nanargmax(n, axis=0)|nanmean(n, axis=0)|nanstd(n)}
da.{topk(v, 5)|argtopk(v, 5)|unique(f(INTEGERS))|median(a, axis=0)|cov(a)}
da.bincount(f(INTEGERS.ravel()), minlength=30)
da.histogram(a, bins=10, range=(0, 1))[0]  # NumPy's
da.percentile(v, [25, 50, 75], method="linear")
da.average(a, axis=0, weights=v)
da.{concatenate([a, b])|stack([a, b])|roll(a, 3, axis=0)|pad(a, 2, mode="edge")|diff(a, axis=0)}
a{.T|.reshape(-1)|.rechunk((7, 11))|[3:20:2, ::-1]|[[3, 1, 15]]}
da.take(a, [0, 15, 3], axis=0)
v[v > 0.5]  # NumPy's
assigned(a)
{a @ b.T|da.tensordot(a, b, axes=([0, 1], [0, 1]))|da.einsum("ij,kj->ik", a, b)}
da.linalg.{qr|svd}(f(A, (8, 16)))[1]
da.linalg.{solve(square, f(SQUARE[:, 0].copy()))|cholesky(square)|inv(square)|norm(a, axis=1)}
da.fft.fft(f(A, (8, 16)), axis=1)  # NumPy's
da.ones_like(a)
a.map_overlap(neighbours, depth={0: 1}, boundary="periodic", trim=False, chunks=a.chunks)
da.apply_gufunc(lambda x: x.mean(axis=-1), "(i)->()", f(A, (8, 16)))
da.coarsen(np.mean, a, {0: 2})  # NumPy's
""")


def _called(call: str, f: Chunked) -> Any:
    chunked = {"a": f(A), "b": f(B), "n": f(N), "v": f(V), "square": f(SQUARE), "f": f}
    return eval(call, {**globals(), **chunked})


def _numpys(x: Any, chunks: tuple[int, ...] = (8, 8)) -> Any:
    return da.from_array(x, chunks=chunks[: x.ndim])


def _chunked(x: Any, chunks: tuple[int, ...] = (8, 8)) -> Any:
    return _numpys(xarr.asarray(x), chunks)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_what_it_gives_of_numpys(call: str) -> None:
    found, expected = _called(call, _chunked), _called(call, _numpys).compute()
    # What Dask makes of these by NumPy's functions it takes for NumPy's until it is computed.
    assert "# NumPy's" in call or type(found._meta) is xarr.Array
    result = found.compute()
    assert type(result) is xarr.Array
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["ones", "zeros", "empty"])
def test_the_backend_makes_arrays(name: str) -> None:
    with dask.config.set({"array.backend": "xarr"}):
        made = getattr(da, name)((4, 6), chunks=3, dtype="float32").compute()
        counted = da.arange(5, chunks=2).compute()
        drawn = da.random.default_rng(3).normal(size=(40, 20), chunks=10)
    assert type(made) is type(counted) is xarr.Array
    assert (made.shape, made.dtype) == ((4, 6), "float32")
    assert counted.tolist() == [0, 1, 2, 3, 4]
    values = drawn.compute()
    assert type(values) is xarr.Array
    assert np.array_equal(np.asarray(values), np.asarray(drawn.compute()))
    assert abs(float(values.mean())) < 0.2


def test_collections_change_their_backend() -> None:
    moved = da.from_array(A, chunks=8).to_backend("xarr")
    assert type(moved.compute()) is xarr.Array
    assert type(moved.to_backend("numpy").compute()) is np.ndarray


def test_places_that_are_arrays_are_written_in_numpys_chunks() -> None:
    found = assigned_at(_numpys(V), _chunked(np.array([2, 17, -1])), 7.0).compute()
    assert found.tolist() == assigned_at(V, [2, 17, -1], 7.0).tolist()


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "complex64", "complex128"])
def test_a_token_is_of_the_content(dtype: str) -> None:
    x = xarr.asarray(np.round(A * 3)).astype(dtype)
    changed = x.copy()
    changed[5, 5] = not changed[5, 5]
    assert tokenize(x) == tokenize(x.copy()) == tokenize(x.T.copy().T)
    different = {tokenize(y) for y in (x, changed, x.T, x[::-1], x.reshape(-1))}
    assert len(different) == 5


@pytest.mark.filterwarnings("ignore::xarr.errors.HostFallbackWarning")  # not each solves by itself
def test_chunks_of_another_device_stay_there() -> None:
    other = xarr.devices()[-1]
    x, square = (xarr.asarray(values, device=other) for values in (V, SQUARE))
    assert tokenize(x) == tokenize(xarr.asarray(V))
    lower = da.from_array(xarr.tril(square), chunks=8)
    found = da.linalg.solve_triangular(lower, da.from_array(x[:16], chunks=8), lower=True).compute()
    assert found.device == other
    np.testing.assert_allclose(np.tril(SQUARE) @ np.asarray(found), V[:16])


def test_a_chunk_is_computed_when_its_size_is_asked() -> None:
    x = xarr.ones(1000) + 1
    assert sizeof(x) == 8000
    assert str(xarr.explain(x)).count("add") == 0


@pytest.mark.parametrize("x", [A, A.T, A[:0], A[0, 0], INTEGERS > 3], ids=str)
def test_a_chunk_travels(x: Any) -> None:
    sent = xarr.asarray(x)
    header, frames = serialize(sent, serializers=["dask"])
    assert header["serializer"] == "dask"
    received = deserialize(header, [bytes(frame) for frame in frames])
    assert type(received) is xarr.Array
    assert np.array_equal(np.asarray(received), x)
    assert received.dtype == sent.dtype


def test_what_a_worker_holds_leaves_its_device(tmp_path: Path) -> None:
    held = DeviceBuffer(str(tmp_path), device_nbytes=2 * A.nbytes, host_nbytes=3 * A.nbytes)
    for number in range(10):
        held[f"x{number}"] = xarr.asarray(A + number)
    held["text"] = "kept"
    assert len(held) == len(list(held)) == 11
    assert len(held.device.fast) == 2
    assert len(held.host.slow) > 3
    for number in range(10):
        value = held[f"x{number}"]
        assert type(value) is xarr.Array
        assert np.array_equal(np.asarray(value), A + number)
    assert held["text"] == "kept"
    assert held.evict() == A.nbytes
    assert "x0" in held
    assert "x0" not in held.device.fast
    assert held.leave_device()
    assert len(held.device.fast) == 1
    for key in list(held):
        del held[key]
    assert len(held) == 0


def test_a_view_does_not_keep_the_rest_on_a_device(tmp_path: Path) -> None:
    held = DeviceBuffer(str(tmp_path), device_nbytes=10**6, host_nbytes=10**6)
    x = xarr.asarray(A)
    held["row"], held["column"], held["all"] = x[3], x[:, 3], x
    assert held["all"] is x
    for name, expected in ("row", A[3]), ("column", A[:, 3]):
        assert np.array_equal(np.asarray(held[name]), expected)
        assert held[name].base is None
        assert xarr.Pointer(held[name]).nbytes == expected.nbytes


@pytest.mark.parametrize(
    "order",
    [
        "import dask.array, einops, xarr",
        "import xarr, importlib.util as u; u.find_spec('dask.array'), u.find_spec('einops')\n"
        "import dask.array, einops",
    ],
)
def test_whichever_is_imported_first(order: str) -> None:
    checked(
        f"""
{order}
import sys
assert "xarr.adapters.dask" in sys.modules
assert einops.rearrange(xarr.ones((2, 3)), "a b -> b a").shape == (3, 2)
"""
    )


def test_a_loader_of_several_modules_is_left_as_it_is() -> None:
    # As pytest's own is, which loads what its plug-ins bring.
    checked(
        """
import importlib.machinery, importlib.util, sys, xarr

class Shared:
    def find_spec(self, name, path, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if name.startswith("einops"):
            spec.loader = self
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        assert "xarr.adapters.einops" not in sys.modules
        loader = importlib.machinery.SourceFileLoader(module.__name__, module.__file__)
        loader.exec_module(module)

sys.meta_path.insert(1, Shared())
import einops
assert type(einops.__loader__) is type(einops.__spec__.loader) is Shared
assert not vars(einops.__loader__)
assert "xarr.adapters.einops" in sys.modules
"""
    )


def killing(block: Any, mark: str) -> Any:
    if block.size > 1:
        with suppress(FileExistsError), Path(mark).open("x"):
            os.kill(os.getpid(), signal.SIGKILL)
    return block * 2


def without_first(block: Any) -> Any:
    return block[1:]


def sum_of(chunk: xarr.Array) -> int:
    return int(chunk.sum())


def test_imports_leave_the_device_to_a_worker() -> None:
    """Dask gives a worker its environment when what it runs is imported."""
    code = (
        "import os, xarr.adapters.distributed\n"
        "os.environ['XARR_DEVICE'] = 'of a worker'\n"
        "from xarr.settings import settings; print(settings().device)"
    )
    assert run_code(code, XARR_DEVICE="").stdout == "of a worker\n"


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Iterator[Any]:
    with (
        dask.config.set({"array.backend": "xarr"}),
        LocalCluster(memory_limit=0, **request.param) as cluster,
        cluster.get_client() as client,
    ):
        yield client


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("client", [CLUSTERS[0], *nightly(CLUSTERS[1])], indirect=True)
def test_a_cluster_has_a_device_for_each_worker(
    client: Any, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    there = sorted(client.run(lambda: str(xarr.ones(3).device)).values())
    assert there == sorted(request.node.callspec.params["client"]["devices"])
    x = da.random.default_rng(1).random((400, 400), chunks=100)
    host = np.asarray(x.compute())
    np.testing.assert_allclose(float((x + x.T).sum().compute()), 2 * host.sum())
    shifted = x.map_overlap(
        neighbours, depth={0: 1}, boundary="periodic", trim=False, chunks=x.chunks
    )
    expected = np.roll(host, 1, 0) + np.roll(host, -1, 0)
    np.testing.assert_allclose(np.asarray(shifted.compute()), expected)
    # From one worker to the other; what is large goes from card to card.
    first, second = list(client.run(os.getpid))[:2]
    before = client.run(received_nbytes)[second]
    made = client.submit(xarr.ones, tuning.PEER_NBYTES, dtype="uint8", workers=[first])
    assert int(client.submit(sum_of, made, workers=[second]).result()) == tuning.PEER_NBYTES
    after = client.run(received_nbytes)[second]
    with xarr.device(there[0]) as device:
        way = "between cards" if device.driver.exports else "by the host"
    assert after.get(way, 0) - before.get(way, 0) == tuning.PEER_NBYTES
    # A worker dies in the middle: chunks that are shared out, as large as those that go from card
    # to card, and views of which neither begins where its memory does.
    count = tuning.PEER_NBYTES // 8
    line = da.arange(8 * count, chunks=2 * count)
    halves = [
        client.persist(line[half : half + 4 * count], workers=[one], allow_other_workers=True)
        for half, one in ((0, first), (4 * count, second))
    ]
    doubled = da.concatenate(halves).map_blocks(killing, str(tmp_path / "killed"))
    moved = doubled.map_blocks(without_first)[::-1].rechunk(count)
    expected = np.delete(2 * np.arange(8 * count), np.s_[:: 2 * count])[::-1]
    assert np.array_equal(np.asarray(moved.compute()), expected)
    assert (tmp_path / "killed").exists()


def sum_of_all(chunks: list[xarr.Array]) -> int:
    return sum(map(sum_of, chunks))


def transposed(shape: tuple[int, ...]) -> xarr.Array:
    return xarr.asarray(np.arange(np.prod(shape)).reshape(shape)).T  # in memory, so not in order


def is_transposed(x: xarr.Array) -> bool:
    return np.array_equal(np.asarray(x).T.ravel(), np.arange(x.size))


class Exporting:
    """Names of any device's memory: files, whose driver may fail as a card's does."""

    def __init__(self, directory: str, failing: str) -> None:
        self.directory = Path(directory)
        self.failing = failing

    def dask_setup(self, dask_worker: Any) -> None:
        driver: Any = xarr.default_device().driver
        driver.exports, driver.exported, driver.copy_exported = True, self.name, self.copy
        dask_setup(dask_worker)
        if self.failing == "room":
            real = driver.allocate
            driver.allocate = lambda nbytes: real(nbytes if nbytes < 1 << 20 else 1 << 62)

    def name(self, buffer: Any) -> tuple[bytes, int]:
        if self.failing == "name":
            raise RuntimeError("no name")
        written = self.directory / f"{uuid.uuid4()}"
        driver = xarr.default_device().driver
        with driver.map(buffer) as memory:
            content = np.empty(memory.shape, "u1")
        driver.download(buffer, 0, content)
        written.write_bytes(b"before" + content.tobytes())
        return str(written).encode(), 6

    def copy(self, name: bytes, begin: int, target: Any, at: int, nbytes: int) -> None:
        if self.failing in ("way", "memory"):
            raise {"way": RuntimeError, "memory": MemoryError}[self.failing](self.failing)
        content = np.fromfile(name.decode(), "u1", nbytes, offset=begin)
        xarr.default_device().driver.upload(target, at, content)


class Actor:
    def values(self, start: int) -> xarr.Array:
        return xarr.arange(start, start + tuning.PEER_NBYTES // 8)


def asked_of(actor: Any) -> list[int]:
    return [int(actor.values(start).result()[0]) for start in range(5)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("client", [{"n_workers": 2}], indirect=True)
@pytest.mark.parametrize("failing", ["", *nightly("memory", "name", "way")])
def test_names_go_between_cards(client: Any, failing: str, tmp_path: Path) -> None:
    client.run(Exporting(str(tmp_path), failing).dask_setup)
    first, second = client.run(os.getpid)
    count = tuning.PEER_NBYTES // 8
    made = client.submit(xarr.arange, 2 * count, workers=[first])
    for begin in (count - 1, count):
        part = client.submit(operator.getitem, made, np.s_[begin : begin + count], workers=[first])
        total = client.submit(sum_of_all, [part], workers=[second])
        assert total.result(60) == sum(range(begin, begin + count))
    ways = client.run(received_nbytes)[second]
    assert ways == {"by the host" if failing else "between cards": 16 * count}
    # What is small, or lies otherwise in memory, has no name.
    for shape in ((3, count), (2, 3)):
        square = client.submit(transposed, shape, workers=[first])
        assert client.submit(is_transposed, square, workers=[second]).result(60)
    hosts = client.run(received_nbytes)[second]["by the host"] - ways.get("by the host", 0)
    # A card's worker keeps what lies otherwise in C order.
    has_name = not failing and not xarr.default_device().info.shares_host_memory
    assert hosts == (48 if has_name else 24 * count + 48)
    # What an actor returns nobody keeps until it has come.
    actor = client.submit(Actor, actor=True, workers=[first]).result()
    assert client.submit(asked_of, actor, workers=[second]).result(60) == [*range(5)]
    assert client.run(received_nbytes)[second]["by the host"] >= 5 * 8 * count


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("client", [{"n_workers": 2}], indirect=True)
def test_a_chunk_that_has_no_room_ends_in_an_error(client: Any, tmp_path: Path) -> None:
    first, second = client.run(os.getpid)
    client.run(Exporting(str(tmp_path), "room").dask_setup, workers=[second])
    made = client.submit(xarr.ones, tuning.PEER_NBYTES // 8, workers=[first])
    with pytest.raises(MemoryError):
        client.submit(lambda x: float(xarr.sort(x * 2)[0]), made, workers=[second]).result(60)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("client", [{"n_workers": 1}], indirect=True)
def test_other_workers_join(client: Any, tmp_path: Path) -> None:
    (first,) = client.run(os.getpid)
    client.run(Exporting(str(tmp_path), "").dask_setup)
    client.cluster.scale(2)
    client.wait_for_workers(2)
    assert len(client.run(lambda: str(xarr.default_device()))) == 2

    async def plain() -> Nanny:
        return await Nanny(client.cluster.scheduler_address, nthreads=1, memory_limit=0)

    nanny = client.sync(plain)
    client.wait_for_workers(3)
    try:
        made = client.submit(int, 5, workers=[nanny.worker_address])
        assert client.submit(lambda x: x + 1, made, workers=[first]).result(60) == 6
    finally:
        client.sync(nanny.close)


@pytest.mark.parametrize(("devices", "text"), [(["cupy:99"], "no 'cupy:99'"), ([], "no devices")])
def test_a_device_that_is_not_there_is_named(devices: list[str], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        LocalCluster(devices)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "client", [{"n_workers": 1, "device_memory_limit": "64 MB"}], indirect=True
)
def test_more_than_a_worker_may_hold_goes_to_disk(client: Any) -> None:
    ones = da.ones((100, 1000, 500), chunks=(4, 1000, 500))
    x = client.persist(ones * da.arange(100, chunks=4)[:, None, None])
    assert float(x.sum().compute()) == 4950 * 500_000
    peak = client.run(lambda: xarr.default_device().memory_info()["peak_nbytes"])
    assert max(peak.values()) < 128e6  # of 400
