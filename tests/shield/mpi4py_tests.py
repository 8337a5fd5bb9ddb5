#!/usr/bin/env python3
"""The tests of mpi4py, as its authors publish them, with and without the shield: the same results.

mpi4py_tests.py --mpirun PATH --library PATH --canary FILE --work FOLDER. mpi4py and its tests come from PyPI by pip, into FOLDER, and are
kept there; skipped where they cannot be had.
"""
import pathlib
import re
import sys
import tarfile

import under_shield
from under_shield import ARGS, fetch

VERSION = "4.1.2"
RANKS = "3"
PATIENCE = 1500  # seconds
# Tests of one rank alone, and those that the shield leaves to MPI: other jobs, sessions, memory of others, and failures.
LEFT_OUT = ["spawn", "dynproc", "session", "rma", "win", "ulfm", "util", "doc", "package", "toplevel", "cffi", "ctypes", "mpiabi", "datatype",
            "buffer", "msgspec", "objmodel", "pickle", "threads"]


class Mpi4py(under_shield.UnderShield):
    @classmethod
    def setUpClass(cls):
        cls.work = work = pathlib.Path(ARGS.work)
        if (work / "complete").exists():
            return
        work.mkdir(parents=True, exist_ok=True)
        fetch(sys.executable, "-m", "venv", work / "venv")
        pip = [work / "venv/bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
        fetch(*pip, "install", "--only-binary=:all:", f"mpi4py=={VERSION}")
        fetch(*pip, "download", "--no-deps", "--no-binary=:all:", "--dest", work, f"mpi4py=={VERSION}")
        with tarfile.open(work / f"mpi4py-{VERSION}.tar.gz") as archive:
            archive.extractall(work)
        (work / "complete").touch()

    def results(self, name: str, *options: str, shield: bool) -> list[tuple[str, ...]]:
        """By rank: how many tests have run, how they went, and which have failed."""
        said = self.folder / name
        left_out = [word for pattern in LEFT_OUT for word in ("-e", pattern)]
        libraries = f"LD_LIBRARY_PATH={pathlib.Path(ARGS.mpirun).parents[1] / 'lib'}"
        done = self.run_job(*options, "-n", RANKS, "sh", "-c", f'exec "$@" 2> {said}.$OMPI_COMM_WORLD_RANK', "sh", "env", libraries,
                            self.work / "venv/bin/python", self.work / f"mpi4py-{VERSION}/test/main.py", "--no-builddir", "-v", *left_out,
                            shield=shield, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        result = []
        for rank in range(int(RANKS)):
            text = pathlib.Path(f"{said}.{rank}").read_text(encoding="utf-8", errors="replace")
            summary = re.search(r"^Ran (\d+) tests.*\n+((?:OK|FAILED).*)$", text, re.M)
            self.assertTrue(summary, f"{name}: rank {rank} has not come to its end\n{text[-2000:]}")
            result.append((summary[1], summary[2], *re.findall(r"^(?:FAIL|ERROR): .*$", text, re.M)))
        return result

    def test_the_same_results_with_and_without(self):
        without = self.results("without", shield=False)
        shielded = self.results("shielded", "--policy", "UNSUPPORTED=pass", shield=True)
        self.assertEqual(shielded, without)
        self.assertGreater(int(without[0][0]), 700)


if __name__ == "__main__":
    under_shield.main("work")
