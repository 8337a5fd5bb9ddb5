"""Loads that are under way while the program computes: the right rows, whichever ranks die, and when. Ranks also die at test:computing."""
import gc
import warnings
from collections.abc import Callable

import numpy as np
from mpi4py import MPI

import job
import regraft.mpi as rg
from job import expect

N, ROUNDS = 150, 4
COMPUTING = rg.FailPoint("test:computing")


def numbers(first: int, last: int) -> np.ndarray:
    return np.arange(first, last, dtype=np.float64)[:, None] * np.arange(1, 700)  # long enough that messages are not buffered by MPI


def texts(first: int, last: int) -> list[bytes]:
    return [b"row %d;" % i * (i % 4) for i in range(first, last)]  # some are empty


def refused(text: str, call: Callable, *arguments) -> None:
    try:
        call(*arguments)
    except ValueError as error:
        expect(text in str(error), f"{text!r} is not in {error}")
        return
    raise AssertionError(f"not refused: {text}")


def rows_come_while_the_program_computes() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    store, coded, listed = rg.ReplicatedStore(comm, 3, checked=True), rg.ErasureStore(comm, 2, 2), rg.ReplicatedStore(comm, 2)
    everything = numbers(0, N)

    @rg.resilient(comm, store=[store, coded, listed])
    def check(number: int) -> None:
        for each, rows in (store, numbers), (coded, numbers), (listed, texts):
            each.submit_once(N, rows)
        work, other = comm.work(N), [(number, N - number), (3, 3), (0, 2)]
        out = np.empty((len(work), *store.shape[1:]))
        first = store.start_load(work, out=out, reread=numbers)
        second = coded.start_load(other, reread=numbers)
        third, fourth = listed.start_load(work, reread=texts), store.start_load([], reread=numbers)
        comm.reach(COMPUTING)
        total = comm.exact_sum(float(number))
        expect(total == number * comm.size, f"{total}")
        expect([bytes(row) for row in third.wait()] == [text for pair in work for text in texts(*pair)], "other texts")
        expect((second.wait() == np.concatenate([everything[number:N - number], everything[:2]])).all(), "other rows of a code")
        expect(fourth.wait().shape == (0, *store.shape[1:]), "rows that nobody wanted")
        expect(first.wait() is out and first.wait() is out and (out == everything[work.index]).all(), "other rows")

    for number in range(1, ROUNDS + 1):
        check(number)
    for each in (store, coded, listed):
        each.close()
    comm.close()


def a_death_is_a_failure_of_wait() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    store = rg.ReplicatedStore(comm, 2)
    done = 0
    while done < ROUNDS:  # without the loop of resilient
        loading = None
        try:
            store.submit_once(N, numbers)
            loading = store.start_load([(0, N)], reread=numbers)
            comm.reach(COMPUTING)
            expect((loading.wait() == numbers(0, N)).all(), "other rows")
            comm.agree()
            done += 1
        except rg.ProcessFailure:
            comm.shrink()
            if loading is not None and loading._rows is None:
                refused("this one has failed", loading.wait)
            store.repair()
            done = int(comm.native.allreduce(done, MPI.MIN))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        del loading
        gc.collect()
    expect(not told, f"what has ended is no longer forgotten: {told}")
    store.close()
    comm.close()


def a_store_waits_with_other_rows() -> None:
    comm = rg.Communicator(MPI.COMM_SELF)
    store = rg.ReplicatedStore(comm, checked=True)
    refused("submitted before", store.start_load, [(0, 1)])
    store.submit(N, numbers)
    refused("within 0 .. 150", store.start_load, [(0, N + 1)])
    loading = store.start_load([(0, N)])
    for call in (lambda: store.submit(N, numbers), store.repair, store.scrub, lambda: store.open("none")):
        refused("call wait", call)
    expect((store.load([(5, 7)]) == numbers(5, 7)).all(), "other rows beside a load")
    store.close()
    expect((loading.wait() == numbers(0, N)).all(), "other rows of a store that was closed")
    comm.close()


def what_is_forgotten_is_told() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    store = rg.ReplicatedStore(comm, 1)
    rg.resilient(comm, lambda: store.submit(N, numbers))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        store.start_load([(0, N)])
        gc.collect()
    expect([str(warning.message)[:28] for warning in told] == ["a Loading was not waited for"], f"{told}")
    refused("call wait", store.repair)
    expect((store.load([(0, N)]) == numbers(0, N)).all(), "other rows behind a load that was forgotten")
    store.close()
    comm.close()


if __name__ == "__main__":
    job.run([rows_come_while_the_program_computes, a_death_is_a_failure_of_wait, a_store_waits_with_other_rows, what_is_forgotten_is_told])
