"""Ranks the pages of a made-up web, on ranks that may die. Row i of the store has the pages that link to page i, as numbers of any count.

regraft-run -n 4 python3 pagerank.py [--pages N] [--steps N] [--fail PLAN]
"""
import argparse
import struct

import numpy as np
from mpi4py import MPI

import regraft.mpi as rg

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--pages", type=int, default=3000)
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--fail", default="", help="planned deaths: point:rank:occurrence,...")
args = parser.parse_args()
n = args.pages


def links(pages: np.ndarray) -> np.ndarray:
    """The pages to which each of these links: row i has those of pages[i]."""
    return (pages[:, None] * (7, 13, 31) + (1, 5, 11)) % n


def read_rows(first: int, last: int) -> list[bytes]:
    """The pages that link to each of these pages, as bytes of numbers."""
    to = links(np.arange(n))
    return [np.flatnonzero((to == page).any(axis=1)).astype(np.int32).tobytes() for page in range(first, last)]


comm = rg.Communicator(MPI.COMM_WORLD)
store = rg.ReplicatedStore(comm, replicas=2, placement="permuted")  # rows of a dead rank come from many others
snapshot = rg.Snapshot(comm)
state = snapshot.common(step=0, rank=np.full(n, 1 / n))
rg.set_failure_plan(args.fail)


@rg.resilient(comm, store=store, snapshot=snapshot)
def iterate() -> None:
    work = comm.work(n)
    store.submit_once(n, read_rows)
    rows = [np.frombuffer(row, np.int32) for row in store.load(work, reread=read_rows)]
    while state.step < args.steps:
        new = np.zeros(n)
        new[work.index] = [0.15 / n + 0.85 * (state.rank[row] / 3).sum() for row in rows]
        comm.Allreduce(MPI.IN_PLACE, new)  # zero everywhere but on one rank
        state.rank[:] = new
        state.step += 1
        if snapshot.due():
            snapshot.commit()
    total = comm.exact_sum(state.rank[work.index] ** 2)
    if comm.leads:
        best = np.argsort(-state.rank, kind="stable")[:5]
        print(f"the best pages {best.tolist()}, from {comm.size} of {comm.num_founders} ranks")
        print("result", struct.pack(">d", total).hex(), flush=True)
    comm.agree()  # if the leader died before it had printed, the others notice it here, and the next one prints


iterate()
snapshot.close()
store.close()
comm.close()
