#!/usr/bin/env python3
"""A program in Fortran, with a library in place of MPI's own, which not every MPI has: it calls MPI by its profiling interface."""
import pathlib
import shutil
import subprocess
import unittest

import under_shield
from under_shield import ARGS

HERE = pathlib.Path(__file__).resolve().parent
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


@unittest.skipUnless(shutil.which("gfortran"), "no gfortran")
class Fortran(under_shield.UnderShield):
    def build(self, binding: str) -> pathlib.Path:
        """The program, with a library whose calls are bound at once and cannot be written afterwards, or each when it is made."""
        folder = self.folder / binding
        folder.mkdir()
        home = pathlib.Path(ARGS.mpirun).parents[1] / "lib"
        library = folder / "libmpi_mpifh.so.40"
        subprocess.run([pathlib.Path(ARGS.mpirun).with_name("mpicc"), "-shared", "-fPIC", f"-Wl,-z,relro,-z,{binding},-soname,{library.name}",
                        "-o", library, HERE / "fortran_library.c"], check=True)
        subprocess.run(["gfortran", "-o", folder / "program", HERE / "fortran.f90", library, f"-L{home}", f"-Wl,-rpath,{folder}:{home}", "-l:libmpi.so.40"],
                       check=True)
        return folder / "program"

    def test_calls_from_fortran_come_by_the_shield(self):
        for binding in ("now", "lazy"):
            program = self.build(binding)
            for victim in (NOBODY, 0, 1):
                with self.subTest(binding, victim=victim):
                    done, report = self.run_reported("-n", str(RANKS), program, str(victim))
                    self.assertEqual(sorted(done.stdout.splitlines()), expected(victim), done.stderr)
                    self.assertEqual(done.returncode, 0 if victim == NOBODY else 3)
                    self.assertEqual((report["dead"], report["families"]["MPI_Comm_split"]["calls"]),
                                     ([] if victim == NOBODY else [victim], RANKS - len(report["dead"])))


if __name__ == "__main__":
    under_shield.main()
