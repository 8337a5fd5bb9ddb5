"""Stores of rows of any lengths, erasure codes, archives and kept files: the right bytes, whichever ranks die."""

import numpy as np
from mpi4py import MPI

import job
import regraft.mpi as rg
from job import expect, folder
from regraft import archive

N = 120


def texts(first: int, last: int) -> list[bytes]:
    return [b"row %d;" % i * (i % 5) for i in range(first, last)]  # some are empty


def numbers(first: int, last: int) -> np.ndarray:
    return np.arange(first, last, dtype=np.float32)[:, None] * np.arange(1, 4, dtype=np.float32)


def rows_of_any_lengths_are_lists_of_bytes() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    store = rg.ReplicatedStore(comm, 2, placement="permuted", seed=7, node_of=range(comm.num_founders), checked=True)

    @rg.resilient(comm, store=store)
    def check() -> None:
        store.submit_once(N, texts)
        expect(store.dtype is None and store.shape == (N,), f"{store.dtype} {store.shape}")
        work = comm.work(N)
        wanted = [text for first, last in work for text in texts(first, last)]
        expect([bytes(row) for row in store.load(work, reread=texts)] == wanted, "other rows")
        expect(comm.size < comm.num_founders - 1 or store.scrub() == [], "rows are lost or damaged")
        expect(store.load([(7, 9), (8, 8), (3, 4)], reread=texts) == texts(7, 9) + texts(3, 4), "other rows in two ranges")

    check()
    check()
    store.close()
    comm.close()


def updated(numbers_of_updates: int, first: int, last: int) -> np.ndarray:
    """Update k gives every third row, from row k on, the numbers of the first version times -k."""
    rows = numbers(first, last)
    for k in range(1, numbers_of_updates + 1):
        third = np.arange(first, last) % 3 == k % 3
        rows[third] = -k * numbers(first, last)[third]
    return rows


def changed_rows_make_the_next_version() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    store = rg.ReplicatedStore(comm, 2, checked=True)
    other = rg.ReplicatedStore(comm, 2, keep=rg.Keep("updated", folder=folder("updated"), job="rows_test"))

    @rg.resilient(comm, store=[store, other])
    def check() -> None:
        store.submit_once(N, numbers)
        other.submit_once(N, texts)
        while store.version <= 4:
            k = store.version
            mine = [(i, i + 1) for first, last in comm.work(N) for i in range(first, last) if i % 3 == k % 3]
            rows = [updated(k, *pair) for pair in mine]
            store.update(mine, np.concatenate(rows) if rows else numbers(0, 0))
            expect(store.version == k + 1, f"version {store.version}")
            expect((store.load([(0, N)], reread=lambda first, last: updated(k, first, last)) == updated(k, 0, N)).all(), "other rows")
        if other.version == 1:
            share = comm.share(N)
            other.update([share], [text[::-1] for text in texts(*share)])
        backwards = [text[::-1] for text in texts(0, N)]
        expect(other.load([(0, N)], reread=lambda first, last: backwards[first:last]) == backwards, "other texts")

    check()
    rg.resilient(comm, other.discard)
    comm.close()


def a_code_gives_back_the_rows_of_the_dead() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    store = rg.ErasureStore(comm, data=2, parity=2, checked=True)

    @rg.resilient(comm, store=store)
    def check() -> None:
        store.submit_once(N, numbers)
        expect(sum(store.code) <= max(comm.num_founders, 1) and store.code[0] <= 2, f"{store.code}")
        expect((store.load([(0, N)], reread=numbers) == numbers(0, N)).all(), "other rows")
        lost = store.scrub()
        expect(bool(lost) == bool(store.repair()), f"{lost}")

    for _ in range(3):
        check()
    store.close()
    comm.close()


def what_was_saved_is_opened() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    where = folder("archive")
    store, other = rg.ReplicatedStore(comm, replicas=1), rg.ErasureStore(comm, 2, 1)

    @rg.resilient(comm, store=[store, other])
    def check() -> None:
        store.submit_once(N, numbers)
        if other.version == 0:
            try:
                store.save(where)
            except rg.DataLost:  # one copy alone, and its holder has died
                store.submit(N, numbers)
                store.save(where)
            other.open(where)
        expect(other.dtype == np.float32 and other.shape == (N, 3), f"{other.dtype} {other.shape}")
        expect((other.load([(5, N)], reread="saved") == numbers(5, N)).all(), "other rows from disk")

    check()
    if comm.leads:
        expect(archive.open(where).read(1, 2).tobytes() == numbers(1, 2).tobytes(), "another archive")
    comm.close()


def what_was_kept_is_reopened() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)

    def copies(name: str) -> rg.ReplicatedStore:
        return rg.ReplicatedStore(comm, 2, keep=rg.Keep(name, folder=folder("kept"), job="rows_test"))

    def coded(name: str) -> rg.ErasureStore:
        return rg.ErasureStore(comm, 2, 1, checked=True, keep=rg.Keep(name, folder=folder("kept"), job="rows_test"))

    for make in (copies, coded):
        store = make(make.__name__)
        rg.resilient(comm, lambda: store.submit_once(N, numbers), store=store)
        store.close()
        again = make(make.__name__)

        @rg.resilient(comm)
        def check() -> None:
            if again.version == 0:
                expect(again.reopen(), "nothing was kept")
            expect(again.dtype == np.float32 and again.shape == (N, 3), f"{again.dtype} {again.shape}")
            expect((again.load([(0, N)]) == numbers(0, N)).all(), "other rows")

        check()
        rg.resilient(comm, again.discard)
        again.close()
    comm.close()


if __name__ == "__main__":
    job.run([rows_of_any_lengths_are_lists_of_bytes, changed_rows_make_the_next_version, a_code_gives_back_the_rows_of_the_dead,
             what_was_saved_is_opened, what_was_kept_is_reopened])
