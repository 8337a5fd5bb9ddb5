"""A job of which some ranks are Python and some are C++: mixed_test.py PROGRAM, which ranks of odd number become. Both call the same
collectives, with the same results, whichever ranks die."""
import math
import os
import sys

if int(os.environ["OMPI_COMM_WORLD_RANK"]) % 2:
    os.execv(sys.argv[1], sys.argv[1:])

from mpi4py import MPI

import job
import regraft.mpi as rg

ROUNDS = 8


def both_languages_end_alike() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    done = rg.MiniCheckpoint(comm)

    @rg.resilient(comm)
    def work() -> None:
        while done.generation < ROUNDS:
            number = done.generation
            total = comm.exact_sum(1 / (1 + comm.self) * (number + 1))
            expected = math.fsum(1 / (1 + member) * (number + 1) for member in comm.members)
            if not comm.agree(total == expected):
                raise AssertionError("another sum than in C++")
            done.commit_identical(bytes([number]), pickled=False)

    work()
    done.close()
    comm.close()


if __name__ == "__main__":
    job.run([both_languages_end_alike])
