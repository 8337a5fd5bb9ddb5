"""Heat in a rod, on ranks that may die. The rod is cut into pieces; each is an array of one rank, committed now and then. If ranks die, the
others take over their pieces and go back to the last commit. The result has the same bits on any number of ranks.

regraft-run -n 4 python3 heat.py [--steps N] [--fail PLAN]
"""
import argparse
import struct

import numpy as np
from mpi4py import MPI

import regraft.mpi as rg

PIECES, CELLS = 16, 500  # of the rod, and of each piece

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--fail", default="", help="planned deaths: point:rank:occurrence,...")
args = parser.parse_args()
comm = rg.Communicator(MPI.COMM_WORLD)
rg.set_failure_plan(args.fail)


def ends(rod: rg.Snapshot) -> np.ndarray:
    """The first and the last temperature of each piece. Each is of one rank, and zero on the others."""
    both = np.zeros((PIECES, 2))
    for name, piece in rod.items():
        both[int(name)] = piece[0], piece[-1]
    comm.Allreduce(MPI.IN_PLACE, both)
    return both


def simulate() -> None:
    rod = rg.Snapshot(comm, every=20, deal="balanced")  # or mtbf_hours=24, for commits as often as pays
    state = rod.common(step=0)

    @rg.resilient(comm, snapshot=rod)  # goes back to the last commit, and calls the function again
    def steps() -> None:
        if not rod.homes:  # no piece was committed yet: the living ranks deal them
            rod.clear()
            for number in range(comm.position(), PIECES, comm.size):
                rod[str(number)] = np.full(CELLS, 100.0 if number == PIECES // 2 else 0.0)
            rod.commit()
        while state.step < args.steps:
            around = ends(rod)
            for name, piece in rod.items():
                number = int(name)
                left = around[number - 1, 1] if number > 0 else 0.0
                right = around[number + 1, 0] if number + 1 < PIECES else 0.0
                wide = np.concatenate(([left], piece, [right]))
                piece += 0.4 * (wide[:-2] - 2 * piece + wide[2:])
            state.step += 1
            if rod.due():
                rod.commit()
        total = comm.exact_sum(np.concatenate([np.empty(0), *(piece * piece for piece in rod.values())]))
        if comm.leads:
            print(f"after {state.step} steps {total!r}, from {comm.size} of {comm.num_founders} ranks")
            print("result", struct.pack(">d", total).hex(), flush=True)
        comm.agree()  # if the leader died before it had printed, the others notice it here, and the next one prints

    with rod:
        steps()


while True:
    try:
        simulate()
        break
    except rg.EntitiesLost as lost:  # on all ranks alike: too many died at once for two copies
        if comm.leads:
            print(f"{lost}: back to the beginning")
comm.close()
