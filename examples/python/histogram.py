"""Counts the words of a text, whose lines are kept as bytes of any lengths, on ranks that may die.

regraft-run -n 4 python3 histogram.py [--text FILE] [--fail PLAN]
"""
import argparse
import hashlib
import pathlib
import re

import numpy as np
from mpi4py import MPI

import regraft.mpi as rg

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--text", default=__file__, help="the text whose words are counted")
parser.add_argument("--fail", default="", help="planned deaths: point:rank:occurrence,...")
args = parser.parse_args()

BINS = 64  # words of the same number of letters are counted together
lines = pathlib.Path(args.text).read_bytes().splitlines() or [b""]
comm = rg.Communicator(MPI.COMM_WORLD)
store = rg.ErasureStore(comm, data=3, parity=2)  # two deaths cost two thirds of the text as memory, not twice the text
rg.set_failure_plan(args.fail)


def read_lines(first: int, last: int) -> list[bytes]:
    """The input, also for lines that are lost because three ranks died at once."""
    return lines[first:last]


@rg.resilient(comm, store=store)
def count() -> None:
    store.submit_once(len(lines), read_lines)
    counts = np.zeros(BINS, np.int64)
    for line in store.load(comm.work(len(lines)), reread=read_lines):
        for word in re.findall(rb"\w+", line):
            counts[min(len(word), BINS - 1)] += 1
    comm.Allreduce(MPI.IN_PLACE, counts)  # sums of integers are exact
    if comm.leads:
        print(", ".join(f"{number} of {letters}" for letters, number in enumerate(counts) if number), "letters")
        print(f"{counts.sum()} words, from {comm.size} of {comm.num_founders} ranks")
        print("result", hashlib.sha256(counts.tobytes()).hexdigest()[:16], flush=True)
    comm.agree()  # if the leader died before it had printed, the others notice it here, and the next one prints


count()
store.close()
comm.close()
