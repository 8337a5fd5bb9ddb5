"""Clusters points by k-means, on ranks that may die: points in a store, centres as state that all ranks have alike.

regraft-run -n 4 python3 kmeans.py [--size N] [--steps N] [--fail PLAN]
"""
import argparse
import hashlib

import numpy as np
from mpi4py import MPI

import regraft.mpi as rg

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--size", type=int, default=20_000)
parser.add_argument("--steps", type=int, default=15)
parser.add_argument("--fail", default="", help="planned deaths: point:rank:occurrence,...")
args = parser.parse_args()


def read_points(first: int, last: int) -> np.ndarray:
    """The input; other programs would return np.load("points.npy", mmap_mode="r")[first:last]."""
    i = np.arange(first, last)
    return np.stack([i * 0.618 % 1 + i % 5, i * 0.414 % 1 + i % 3], axis=1)


comm = rg.Communicator(MPI.COMM_WORLD)
store = rg.ReplicatedStore(comm, replicas=2)
snapshot = rg.Snapshot(comm)
state = snapshot.common(step=0, centres=read_points(0, 8))
rg.set_failure_plan(args.fail)


@rg.resilient(comm, store=store, snapshot=snapshot)
def cluster() -> None:
    store.submit_once(args.size, read_points)
    points = store.load(comm.work(args.size), reread=read_points)
    while state.step < args.steps:
        distances = ((points[:, None, :] - state.centres) ** 2).sum(axis=2)
        nearest = np.eye(len(state.centres))[distances.argmin(axis=1)]  # one row per point, 1 at its centre
        numbers = comm.exact_sum(nearest, axis=0)
        sums = comm.exact_sum(nearest[:, :, None] * points[:, None, :], axis=0)
        state.centres[:] = sums / np.maximum(numbers, 1)[:, None]
        state.step += 1
        if snapshot.due():
            snapshot.commit()
    if comm.leads:
        print(f"{len(state.centres)} centres after {state.step} steps, from {comm.size} of {comm.num_founders} ranks")
        print("result", hashlib.sha256(state.centres.tobytes()).hexdigest()[:16], flush=True)
    comm.agree()  # if the leader died before it had printed, the others notice it here, and the next one prints


cluster()
snapshot.close()
store.close()
comm.close()
