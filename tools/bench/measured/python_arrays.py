"""A job that times stores and snapshots of arrays in Python, beside calls of mpi4py that move the same bytes, and what programs in Python
do today. Variants take turns. What they give is compared before anything is timed.

python_arrays.py TURNS BYTES...: bytes of each rank. Rank 0 prints NAME BYTES MILLISECONDS of the slowest rank, once for each turn.
"""
import os
import pathlib
import pickle
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
from mpi4py import MPI

import regraft.mpi as rg

COLUMNS = 16  # numbers in a row
REPLICAS = 2

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


def variants(bytes_each: int, folder: pathlib.Path, comm: rg.Communicator) -> dict[str, Callable[[], object]]:
    n = size * (bytes_each // (8 * COLUMNS))
    first, last = comm.share(n)
    rows = np.random.default_rng(rank).random((last - first, COLUMNS))
    store, snapshot = rg.ReplicatedStore(comm, REPLICAS), rg.Snapshot(comm)
    snapshot[f"rows {rank}"] = rows
    store.submit(n, rows)
    other = (rank + size // 2 + 1) % size  # rows of this rank are loaded, of which it has no copy
    wanted = [(n * other // size, n * (other + 1) // size)]
    out = np.empty_like(rows)
    store.load(wanted, out=out)
    assert out.tobytes() == np.random.default_rng(other).random(rows.shape).tobytes(), "other rows"

    submitters = [each for each in range(size) if rank in [each * groups // size + groups * copy for copy in range(REPLICAS)]]
    submitting = exchange(dict.fromkeys(holders, rows), dict.fromkeys(submitters, rows))
    # Each rank asks for the rows of one other; the holders share the sending.
    asked = {each: (each + size // 2 + 1) % size for each in range(size)}
    parts = {each: [asked[each] * groups // size + groups * copy for copy in range(REPLICAS)] for each in range(size)}
    half = rows[:len(rows) // REPLICAS]
    loading = exchange({each: half for each in range(size) if rank in parts[each]}, dict.fromkeys(parts[rank], half))
    partner = (rank + size // 2) % size
    committing = exchange({partner: rows}, {partner: rows})

    def pickled() -> None:
        with open(folder / str(rank), "wb") as file:
            pickle.dump(rows, file, pickle.HIGHEST_PROTOCOL)

    def unpickled() -> object:
        with open(folder / str(other), "rb") as file:
            return pickle.load(file)

    pickled()
    world.Barrier()
    assert unpickled().tobytes() == out.tobytes(), "other pickled rows"
    return {"regraft_submit": lambda: store.submit(n, rows), "mpi4py_submit": submitting,
            "regraft_load": lambda: store.load(wanted, out=out), "mpi4py_load": loading,
            "regraft_commit": snapshot.commit, "mpi4py_commit": committing, "pickle_save": pickled, "pickle_load": unpickled}


def main(turns: int, sizes: list[int]) -> None:
    comm = rg.Communicator(world)
    for bytes_each in sizes:
        name = world.bcast(tempfile.mkdtemp(dir="/dev/shm") if rank == 0 else None)
        folder = pathlib.Path(name)
        calls = variants(bytes_each, folder, comm)
        for turn in range(turns + 2):  # two without a record: memory is touched for the first time
            for name, call in calls.items():
                world.Barrier()
                begin = time.perf_counter()
                call()
                slowest = world.reduce(time.perf_counter() - begin, MPI.MAX)
                if rank == 0 and turn >= 2:
                    print(name, bytes_each, slowest * 1e3, flush=True)
        world.Barrier()
        os.unlink(folder / str(rank))
        world.Barrier()
        if rank == 0:
            folder.rmdir()
    comm.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), [int(word) for word in sys.argv[2:]])
