#!/usr/bin/env python3
"""A program in Fortran, which calls MPI by its profiling interface."""
import pathlib
import sys
import unittest

import under_shield
from under_shield import ARGS

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import fortran  # noqa: E402

RANKS = 4
NOBODY = -1


def expected(victim: int) -> list[str]:
    """The rounds of all ranks: their numbers, the ranks they have heard of, the sums over all and over every other one."""
    lines = []
    for number in (1, 2, 3):
        living = [rank for rank in range(RANKS) if rank != victim or number == 1]
        for rank in living:
            before = (rank - 1) % RANKS
            heard = before if before in living else 0
            some = sum(2**other for other in living if other % 2 == rank % 2)
            lines.append(f"round {number} {rank} {heard} {sum(2**other for other in living)} {some} 0")
    return lines


@unittest.skipIf(fortran.MISSING, fortran.MISSING)
class Fortran(under_shield.UnderShield):
    def test_calls_from_fortran_come_by_the_shield(self):
        for binding in ("now", "lazy"):
            folder = self.folder / binding
            folder.mkdir()
            program = fortran.build(ARGS.mpirun, HERE / "programs/fortran.f90", folder, binding)
            for victim in (NOBODY, 0, 1):
                with self.subTest(binding, victim=victim):
                    done, report = self.run_reported("-n", str(RANKS), program, str(victim))
                    self.assertEqual(sorted(done.stdout.splitlines()), expected(victim), done.stderr)
                    self.assertEqual(done.returncode, 0 if victim == NOBODY else 3)
                    self.assertEqual((report["dead"], report["families"]["MPI_Comm_split"]["calls"]),
                                     ([] if victim == NOBODY else [victim], RANKS - len(report["dead"])))


if __name__ == "__main__":
    under_shield.main()
