"""The largest eigenvalue of a matrix by power iteration, on ranks that may die. The rows are kept in the memory of the ranks; if ranks die,
the others take over their rows and begin again. The result has the same bits on any number of ranks.

regraft-run -n 4 python3 power_iteration.py [--size N] [--steps N] [--fail PLAN]
"""
import argparse
import math
import struct

import numpy as np
from mpi4py import MPI

import regraft.mpi as rg

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--size", type=int, default=300, help="rows of the matrix")
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--fail", default="", help="planned deaths: point:rank:occurrence,...")
args = parser.parse_args()
n = args.size


def read_rows(first: int, last: int) -> np.ndarray:
    """The input; other programs would return np.load("a.npy", mmap_mode="r")[first:last]."""
    return 1.0 / (1 + abs(np.arange(first, last)[:, None] - np.arange(n)))


comm = rg.Communicator(MPI.COMM_WORLD)
store = rg.ReplicatedStore(comm, replicas=2)
rg.set_failure_plan(args.fail)


@rg.resilient(comm, store=store)  # shrinks, makes lost copies anew, and calls the function again
def largest_eigenvalue() -> None:
    work = comm.work(n)  # the rows of this rank: its own, and some of the dead
    store.submit_once(n, read_rows)
    a = store.load(work, reread=read_rows)
    x, norm = np.ones(n), 1.0
    for _ in range(args.steps):
        y = np.zeros(n)
        y[work.index] = (a * (x / norm)).sum(axis=1)  # not a @ x, in which the bits of a row may depend on the rows beside it
        norm = math.sqrt(comm.exact_sum(y[work.index] ** 2))  # each number once
        comm.Allreduce(MPI.IN_PLACE, y)  # zero everywhere but on one rank, so this sum is exact, too
        x = y
    if comm.leads:
        print(f"largest eigenvalue {norm!r}, from {comm.size} of {comm.num_founders} ranks")
        print("result", struct.pack(">d", norm).hex(), flush=True)
    comm.agree()  # if the leader died before it had printed, the others notice it here, and the next one prints


largest_eigenvalue()
store.close()
comm.close()
