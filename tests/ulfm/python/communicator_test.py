"""Members, agreements, and deaths in calls of mpi4py itself. Ranks die at test:round and test:native."""
import pathlib
import sys
import tempfile
import threading
import time

import numpy as np
from mpi4py import MPI

import job
import regraft.mpi as rg
from job import expect

ROUND, NATIVE = rg.FailPoint("test:round"), rg.FailPoint("test:native", during_next_call=True)
ROUNDS = 5


def survivors_know_each_other() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    before, lost = set(comm.members), set()
    expect(comm.num_founders == MPI.COMM_WORLD.size and comm.self == MPI.COMM_WORLD.rank and comm.epoch == 1, "not the founders")
    done = 0
    while done < ROUNDS:  # without the loop of resilient
        try:
            comm.reach(ROUND)
            comm.look_for_failures()
            # The last member dies in no agreement. One that dies before it has voted against does not count.
            expect(comm.agree() and not comm.agree(comm.self != comm.members[-1]), "agreement")
            done += 1
        except rg.ProcessFailure:
            old = comm.native
            lost |= set(comm.shrink())
            expect(MPI._handleof(old) == MPI._handleof(MPI.COMM_NULL), "the communicator before is still there")
            done = int(comm.native.allreduce(done, MPI.MIN))
    expect(set(comm.members) | lost == before and not set(comm.members) & lost, f"{comm.members} and {lost}")
    expect(comm.native.size == comm.size and comm.native.rank == comm.position() == comm.position(comm.self), "native")
    dealt = comm.native.allgather(comm.work(100).ranges)
    expect(sorted(i for ranges in dealt for pair in ranges for i in range(*pair)) == list(range(100)), f"{dealt}")
    comm.close()


def deaths_in_calls_of_mpi4py_are_failures() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    before = comm.members  # members that have died already are left out
    failures = []
    for number in range(ROUNDS):
        def body(number: int = number) -> float:
            comm.reach(NATIVE)
            mine = np.array([float(number + 1)])
            total = np.empty(1)
            comm.native.Allreduce(mine, total)  # its MPI.Exception leaves the body
            return float(total[0]) / comm.native.size

        expect(rg.resilient(comm, body, failures.append) == number + 1, "other result")
    lost = sorted(pe for failure in failures for pe in failure.lost)
    expect(sorted([*lost, *comm.members]) == before, f"{lost} lost, {comm.members} left")
    expect(all(failure.noticed_in and failure.silence_ms >= 0 and failure.shrink_ms >= 0 for failure in failures), f"{failures}")
    comm.close()


def what_the_program_swallows_is_still_a_failure() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    failures = []

    def body() -> float:
        try:
            return comm.exact_sum(0.1)
        except BaseException:  # noqa: B036 - as bad programs do
            return -1.0

    for _ in range(ROUNDS):
        expect(rg.resilient(comm, body, failures.append) > 0, "a result of a failed call")
    comm.close()


def calls_that_wait_let_other_threads_run() -> None:
    """The other ranks come only when a thread of the leader has run, while the leader waits for them."""
    comm = rg.Communicator(MPI.COMM_WORLD)
    store = rg.ReplicatedStore(comm)
    everything, loads = np.arange(10.0), []
    calls = {"agree": comm.agree, "sum": lambda: comm.exact_sum(1.0), "submit": lambda: store.submit(10, lambda first, last: everything[first:last]),
             "load": lambda: store.load([(0, 10)]),
             "start_load": lambda: loads.append(store.start_load([(0, 10)])), "wait": lambda: loads.pop().wait(), "repair": store.repair}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # a thread runs only when another one gives the GIL away
    for name, call in calls.items():
        sign = pathlib.Path(tempfile.gettempdir()) / f"gil-{name}"  # the ranks of a job have a folder in common
        if comm.leads:
            about_to_call = threading.Event()
            thread = threading.Thread(target=lambda start=about_to_call, sign=sign: (start.wait(), sign.touch()))
            thread.start()
            about_to_call.set()
            call()
            thread.join()
        else:
            while comm.size > 1 and not sign.exists():
                time.sleep(0.001)
            call()
    sys.setswitchinterval(interval)
    store.close()
    comm.close()


if __name__ == "__main__":
    job.run([survivors_know_each_other, deaths_in_calls_of_mpi4py_are_failures, what_the_program_swallows_is_still_a_failure,
             calls_that_wait_let_other_threads_run])
