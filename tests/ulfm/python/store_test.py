"""Rows of arrays in a store, work that is dealt anew, calls of mpi4py and exact sums: the same bits, whichever ranks die."""
import math

import numpy as np
from mpi4py import MPI

import job
import regraft.mpi as rg
from job import expect

N, COLUMNS, ROUNDS = 301, 7, 4


def rows(first: int, last: int) -> np.ndarray:
    """The input, as any rank can make it: numbers whose sum depends on the order."""
    i = np.arange(first, last, dtype=np.float64)[:, None]
    return 1 / (1 + i + np.arange(COLUMNS) * 1e-3)


def undisturbed(power: int) -> tuple[np.ndarray, float]:
    """What one process computes."""
    y = (rows(0, N) ** power).sum(axis=1)
    return y, math.fsum(y * y)


def results_are_those_of_an_undisturbed_job() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    store = rg.ReplicatedStore(comm, replicas=2)

    @rg.resilient(comm, store=store)
    def compute(power: int) -> tuple[np.ndarray, float]:
        work = comm.work(N)
        store.submit_once(N, rows)
        a = store.load(work, reread=rows)
        expect(a.dtype == np.float64 and a.shape == (len(work), COLUMNS), f"{a.dtype} {a.shape}")
        y = np.zeros(N)
        y[work.index] = (a ** power).sum(axis=1)
        comm.Allreduce(MPI.IN_PLACE, y)  # each number is that of one rank, and zero elsewhere
        least = np.empty(comm.size)
        comm.Allgather(np.array([y.min()]), least)
        expect((least == y.min()).all(), f"{least}")
        root = comm.members[-1]
        told = np.array([power if comm.self == root else 0])
        comm.Bcast(told, root)
        expect(told[0] == power, f"{told}")
        return y, comm.exact_sum(y[work.index] ** 2)

    for power in range(1, ROUNDS + 1):
        y, total = compute(power)
        right, right_total = undisturbed(power)
        expect(y.tobytes() == right.tobytes(), "other bits")
        expect(total.hex() == right_total.hex(), f"{total.hex()} in place of {right_total.hex()}")
    store.close()
    comm.close()


def versions_are_kept_with_their_types() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    store = rg.ReplicatedStore(comm, replicas=3, checked=True)
    moments = np.datetime64("2024-01-01") + np.arange(N)
    versions = [moments, np.arange(N, dtype=np.int8)[:, None, None].repeat(6, axis=1).reshape(N, 3, 2)]

    @rg.resilient(comm, store=[store])
    def grow() -> None:
        if store.version < len(versions):  # what was submitted before a failure is kept
            store.submit(N, lambda first, last: versions[store.version][first:last])
        kept = versions[store.version - 1]
        expect(store.dtype == kept.dtype and store.shape == kept.shape, f"{store.dtype} {store.shape}")
        out = np.empty((N, *kept.shape[1:]), kept.dtype)
        expect(store.load([(0, N)], out=out) is out and (out == kept).all(), "other rows")
        two = store.load([(N - 1, N), (5, 5), (0, 2)])
        expect((two == kept[[N - 1, 0, 1]]).all(), "other rows in two ranges")

    while store.version < len(versions):
        grow()
    comm.close()
    store.close()


if __name__ == "__main__":
    job.run([results_are_those_of_an_undisturbed_job, versions_are_kept_with_their_types])
