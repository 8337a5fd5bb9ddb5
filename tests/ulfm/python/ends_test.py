"""How programs may end: objects are closed in any order, by the garbage collector, after MPI_Finalize, or not at all, and ranks fork."""
import gc
import multiprocessing

import numpy as np
from mpi4py import MPI

import job
import regraft.mpi as rg

N = 10


def objects() -> tuple[rg.Communicator, rg.ReplicatedStore, rg.Snapshot, rg.MiniCheckpoint]:
    """All that a program may have, in use."""
    comm = rg.Communicator(MPI.COMM_WORLD)
    store, snapshot, mini = rg.ReplicatedStore(comm, 2), rg.Snapshot(comm), rg.MiniCheckpoint(comm)
    store.submit(N, np.arange)
    snapshot[f"state {comm.self}"] = np.ones(3)
    snapshot.commit()
    mini.commit(comm.self)
    return comm, store, snapshot, mini


def square(x: int) -> int:
    return x * x


def processes_that_a_rank_forks_do_not_disturb_it() -> None:
    comm, store, *_ = objects()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(square, range(5)) == [0, 1, 4, 9, 16]
    assert (store.load([(0, N)]) == np.arange(N)).all()
    comm.close()


def ranks_close_and_forget_in_different_orders() -> None:
    comm, store, snapshot, mini = objects()
    number = comm.self
    for each in (comm, store, snapshot, mini) if number % 2 else (mini, snapshot, store, comm):
        each.close()
    comm, store, snapshot, mini = objects()
    if number:
        del store, snapshot
    gc.collect()
    assert comm.agree()


def loads_that_nobody_waits_for_do_not_disturb() -> None:
    comm, store, *_ = objects()
    loads.extend(store.start_load([(0, N)]) for _ in range(3))
    del loads[comm.self % 2]
    assert (store.load([(0, N)]) == np.arange(N)).all()
    store.close()
    comm.close()


def what_is_left_may_be_closed_after_the_end_of_mpi() -> None:
    comm, store, snapshot, mini = objects()
    MPI.Finalize()
    for each in (snapshot, store, mini, comm):
        each.close()


loads: list[rg.Loading] = []  # are left to the end

if __name__ == "__main__":
    left_open = objects()
    job.run([processes_that_a_rank_forks_do_not_disturb_it, ranks_close_and_forget_in_different_orders,
             loads_that_nobody_waits_for_do_not_disturb, what_is_left_may_be_closed_after_the_end_of_mpi])
