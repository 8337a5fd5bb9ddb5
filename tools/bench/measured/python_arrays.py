"""A job that times and weighs stores and snapshots of arrays in Python, beside calls of mpi4py that move the same bytes, and what programs
in Python do today. Variants take turns. What they give is compared before anything is timed. Rank 0 prints the results.

python_arrays.py time TURNS BYTES...: bytes of each rank. NAME BYTES MILLISECONDS of the slowest rank, once for each turn.
python_arrays.py alone TURNS BYTES...: the same of stores and snapshots alone, as arrays_beside does it in C++.
python_arrays.py memory WHAT BYTES: NAME BYTES FACTOR, the most memory that a rank has used beside what it had before, as a multiple of its
bytes.
"""
import contextlib
import pathlib
import pickle
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import numpy as np
from mpi4py import MPI

import regraft.mpi as rg

try:
    import h5py
except ImportError:
    h5py = None

Variants = dict[str, Callable[[], object]]

COLUMNS = 16  # numbers in a row
REPLICAS = 2
PARTS = 4  # arrays of a snapshot that is weighed

world = MPI.COMM_WORLD
size, rank = world.size, world.rank
groups = size // REPLICAS
holders = [rank * groups // size + groups * copy for copy in range(REPLICAS)]  # of this rank's rows, as Placement mod-k


def exchange(sent: dict[int, np.ndarray], received: dict[int, np.ndarray]) -> Callable[[], None]:
    """An Alltoallv in buffers that are there already. sent, received: by rank."""
    def counts(parts: dict[int, np.ndarray]) -> list[int]:
        return [parts[other].nbytes if other in parts else 0 for other in range(size)]

    def joined(parts: dict[int, np.ndarray]) -> np.ndarray:
        return np.concatenate([np.empty(0, np.uint8), *(parts[other].reshape(-1).view(np.uint8) for other in sorted(parts))])

    out, into = joined(sent), joined(received)
    return lambda: world.Alltoallv([out, counts(sent), MPI.BYTE], [into, counts(received), MPI.BYTE])


def asked_by(each: int) -> int:
    """The rank whose rows this rank loads, of which it has no copy."""
    return (each + size // 2 + 1) % size


def wanted_by(each: int, n: int) -> list[tuple[int, int]]:
    return [(n * asked_by(each) // size, n * (asked_by(each) + 1) // size)]


class Arrays:
    """The rows of each rank, in a store and in a snapshot."""

    def __init__(self, comm: rg.Communicator, bytes_each: int) -> None:
        self.n = size * (bytes_each // (8 * COLUMNS))
        first, last = comm.share(self.n)
        self.rows = np.random.default_rng(rank).random((last - first, COLUMNS))
        self.out = np.empty_like(self.rows)
        self.store, self.snapshot = rg.ReplicatedStore(comm, REPLICAS), rg.Snapshot(comm)
        self.snapshot[f"rows {rank}"] = self.rows
        self.wanted = wanted_by(rank, self.n)
        self.submit()
        self.load()
        assert self.out.tobytes() == np.random.default_rng(asked_by(rank)).random(self.rows.shape).tobytes(), "other rows"

    def submit(self) -> None:
        self.store.submit(self.n, self.rows)

    def load(self) -> None:
        self.store.load(self.wanted, out=self.out)

    def variants(self) -> Variants:
        return {"regraft_submit": self.submit, "regraft_load": self.load, "regraft_commit": self.snapshot.commit,
                "regraft_restore": self.snapshot.restore}


def floors(rows: np.ndarray) -> Variants:
    """What moves the same bytes between the same ranks. A commit also copies the state, so that a death within it leaves the one before."""
    submitters = [each for each in range(size) if rank in [each * groups // size + groups * copy for copy in range(REPLICAS)]]
    # Each rank asks for the rows of one other; the holders share the sending.
    asked = {each: asked_by(each) for each in range(size)}
    parts = {each: [asked[each] * groups // size + groups * copy for copy in range(REPLICAS)] for each in range(size)}
    half = rows[:len(rows) // REPLICAS]
    partner = (rank + size // 2) % size
    committing, state = exchange({partner: rows}, {partner: rows}), rows.copy()

    def copied() -> None:
        np.copyto(state, rows)
        committing()

    return {"mpi4py_submit": exchange(dict.fromkeys(holders, rows), dict.fromkeys(submitters, rows)),
            "mpi4py_load": exchange({each: half for each in range(size) if rank in parts[each]}, dict.fromkeys(parts[rank], half)),
            "mpi4py_commit": committing, "mpi4py_copied": copied}


def files(rows: np.ndarray, memory: pathlib.Path, disk: pathlib.Path) -> Variants:
    """What programs write and read today: pickle in memory, and HDF5 in a local file, which the system caches. No copy is elsewhere."""
    def pickled() -> None:
        with open(memory / str(rank), "wb") as file:
            pickle.dump(rows, file, pickle.HIGHEST_PROTOCOL)

    def unpickled(of: int) -> np.ndarray:
        with open(memory / str(of), "rb") as file:
            return pickle.load(file)

    def written() -> None:
        with h5py.File(disk / str(rank), "w") as file:
            file["rows"] = rows

    def read() -> None:
        with h5py.File(disk / str(rank)) as file:
            file["rows"].read_direct(rows)

    pickled()
    world.Barrier()
    assert unpickled(asked_by(rank)).shape == rows.shape, "other pickled rows"
    all_files = {"pickle_save": pickled, "pickle_load": lambda: unpickled(asked_by(rank)),
                 "pickle_restore": lambda: np.copyto(rows, unpickled(rank))}
    return all_files | ({"h5py_save": written, "h5py_restore": read} if h5py else {})


def turn(calls: Variants) -> list[float]:
    """The seconds of each on this rank."""
    seconds = []
    for call in calls.values():
        world.Barrier()
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return seconds


def warm_up(calls: Variants, seconds: float) -> None:
    """Turns without a record: memory is touched for the first time, and the system favours processes that are new."""
    begin, enough = time.perf_counter(), np.zeros(1)
    while not enough[0]:
        turn(calls)
        enough[0] = time.perf_counter() - begin > seconds
        world.Bcast(enough)


def by_turns(bytes_each: int, turns: int, calls: Variants) -> None:
    warm_up(calls, 0 if turns == 1 else 1)
    times = np.array([turn(calls) for _ in range(turns)])
    # Printed at the end: mpirun, which passes it on, would want a core meanwhile.
    slowest = np.empty_like(times)
    world.Reduce(times, slowest, MPI.MAX)
    for of_turn in slowest if rank == 0 else []:
        for name, seconds in zip(calls, of_turn):
            print(name, bytes_each, seconds * 1e3)


@contextlib.contextmanager
def folder_in(place: str) -> Iterator[pathlib.Path]:
    """A folder of the job."""
    folder = pathlib.Path(world.bcast(tempfile.mkdtemp(dir=place) if rank == 0 else None))
    yield folder
    world.Barrier()
    if rank == 0:
        shutil.rmtree(folder)


def time_all(comm: rg.Communicator, turns: int, bytes_each: int) -> None:
    arrays = Arrays(comm, bytes_each)
    rows = arrays.rows.copy()
    with folder_in("/dev/shm") as memory, folder_in(tempfile.gettempdir()) as disk:
        by_turns(bytes_each, turns, {**arrays.variants(), **floors(rows), **files(rows, memory, disk)})


def time_alone(comm: rg.Communicator, turns: int, bytes_each: int) -> None:
    by_turns(bytes_each, turns, Arrays(comm, bytes_each).variants())


def peak() -> int:
    """The most memory that this process has used, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def weigh(comm: rg.Communicator, what: str, bytes_each: int) -> None:
    before = peak()
    n = size * (bytes_each // (8 * COLUMNS))
    first, last = comm.share(n)
    rows = np.full((last - first, COLUMNS), 1.5)
    store, snapshot = rg.ReplicatedStore(comm, REPLICAS), rg.Snapshot(comm)
    for part in range(PARTS):
        snapshot[f"rows {rank}.{part}"] = rows[len(rows) * part // PARTS:len(rows) * (part + 1) // PARTS]
    for _ in range(2):  # both versions, or both commits
        if what == "commit":
            snapshot.commit()
        else:
            store.submit(n, rows)
    out = store.load(wanted_by(rank, n)) if what == "load" else rows
    factor = world.reduce((peak() - before) / out.nbytes, MPI.MAX)
    if rank == 0:
        print(f"regraft_{what}", bytes_each, factor)


def main(mode: str, first: str, sizes: list[int]) -> None:
    comm = rg.Communicator(world)
    for bytes_each in sizes:
        if mode == "memory":
            weigh(comm, first, bytes_each)
        else:
            {"time": time_all, "alone": time_alone}[mode](comm, int(first), bytes_each)
    comm.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], [int(word) for word in sys.argv[3:]])
