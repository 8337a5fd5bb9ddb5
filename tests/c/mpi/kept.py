#!/usr/bin/env python3
"""Programs in C and in Fortran go on from what a job has kept on its nodes: with the same bytes, on another number of ranks, in the other
language, without a node; they say what is lost, and outlive ranks that die in a reopen or discard. The nodes are folders."""
import argparse
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LAUNCHER = ROOT / "apps/launch/launch.py"
TIMEOUT = 120  # seconds for what hangs
MADE = ["input made of blocks: 60", "state made at step 0"]
END = "end of a rank"
KILLED, WELL = 1, 0
ARGS = argparse.Namespace()
PROGRAMS: dict[str, pathlib.Path] = {}


def build_fortran(folder: pathlib.Path) -> pathlib.Path:
    program = folder / "kept_job_f90"
    home = pathlib.Path(ARGS.mpirun).parents[1] / "lib"
    words = ["gfortran", "-std=f2018", "-J", folder, ROOT / "bindings/fortran/regraft.f90", HERE / "kept_job.f90", "-o", program, *ARGS.libraries]
    runpath = ":".join(str(path) for path in [*sorted({pathlib.Path(library).parent for library in ARGS.libraries}), home])
    subprocess.run([*words, f"-Wl,-rpath,{runpath}", f"-L{home}", "-lmpi"], check=True)
    return program


class Kept(unittest.TestCase):
    def setUp(self):
        memory = pathlib.Path("/dev/shm")
        folder = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.nodes = 4

    def run_job(self, language: str, ranks: int, expected_code: int, crash: int = 0, plan: str = "") -> list[str]:
        """The lines that the first rank prints. After `crash` commits all ranks are killed. Those of the plan die before."""
        for node in range(self.nodes):
            (self.folder / str(node)).mkdir(exist_ok=True)
        words = [sys.executable, str(LAUNCHER), "--mpirun", ARGS.mpirun, "--rank-library", ARGS.rank_library, "--job", "kept", "-n", str(ranks), "--",
                 str(PROGRAMS[language]), str(self.folder), str(self.nodes), str(crash)]
        job = subprocess.run(words, env={**os.environ, "REGRAFT_FAIL": plan}, capture_output=True, text=True, timeout=TIMEOUT, check=False,
                             stdin=subprocess.DEVNULL)
        said = f"{' '.join(words)}\n{plan}\n{job.stdout}{job.stderr}"
        self.assertEqual(job.returncode, expected_code, said)
        self.assertNotIn("expected", job.stdout + job.stderr, said)
        lines = job.stdout.splitlines()
        survivors = 0 if crash else ranks - len(plan.split(",")) if plan else ranks
        self.assertEqual(lines.count(END), survivors, said)
        return [line for line in lines if line != END]

    def lose(self, *nodes: int) -> None:
        for node in nodes:
            shutil.rmtree(self.folder / str(node))

    def test_the_next_jobs_go_on_on_other_numbers_of_ranks(self):
        for first, second in itertools.product(PROGRAMS, PROGRAMS):
            for self.nodes, ranks in [(4, (5, 8, 4)), (1, (6, 1, 3))] if first == second else [(2, (3, 4, 2))]:
                with self.subTest(first=first, second=second, ranks=ranks):
                    self.assertEqual(self.run_job(first, ranks[0], KILLED, crash=3), MADE)
                    self.assertEqual(self.run_job(second, ranks[1], KILLED, crash=2), ["input reopened, files refused: 0", "state of step 3"])
                    self.assertEqual(self.run_job(first, ranks[2], WELL),
                                     ["input reopened, files refused: 0", "state of step 5", f"done by ranks: {ranks[2]}"])
                    self.assertFalse([path for path in self.folder.rglob("*") if path.is_file()])
                    self.lose(*range(self.nodes))

    def test_a_node_may_be_missing(self):
        for language in PROGRAMS:
            with self.subTest(language):
                self.run_job(language, 8, KILLED, crash=1)
                self.lose(1)
                self.assertEqual(self.run_job(language, 4, WELL), ["input reopened, files refused: 0", "state of step 1", "done by ranks: 4"])

    def test_what_is_lost_is_said(self):
        """A block is on nodes n and n + 2, an entity on n and n + 1."""
        lost = [f"lost block {block}" for block in [*range(15), *range(30, 45)]]
        for language in PROGRAMS:
            with self.subTest(language):
                self.run_job(language, 4, KILLED, crash=3)
                self.lose(0, 2)
                self.assertEqual(self.run_job(language, 4, WELL), [*lost, MADE[0], "state of step 3", "done by ranks: 4"])
                self.run_job(language, 4, KILLED, crash=3)
                self.lose(0, 1)
                self.assertEqual(self.run_job(language, 4, WELL),
                                 ["input reopened, files refused: 0", "state lost at step 0", MADE[1], "done by ranks: 4"])

    def test_a_cut_file_counts_as_absent(self):
        for language in PROGRAMS:
            with self.subTest(language):
                self.run_job(language, 4, KILLED, crash=3)
                file = next((self.folder / "3").glob("*/input/*.manifest"))
                file.write_bytes(file.read_bytes()[:-1])
                self.assertEqual(self.run_job(language, 4, WELL), ["input reopened, files refused: 1", "state of step 3", "done by ranks: 4"])

    def test_ranks_die_while_it_is_kept_and_reopened(self):
        """Ranks r and r + 4 share a node, so what one of them had stays in sight of the other."""
        phases = [f"{phase}:{moment}" for phase in ("keep-begin", "reopen", "snapshot-reopen", "keep-discard")
                  for moment in ("before", "inside", "after")]
        for number, point in enumerate(phases):
            language = list(PROGRAMS)[number % len(PROGRAMS)]
            victim, occurrence = number % 8, (number // 2) % 2 if not point.startswith("snapshot") else 0
            with self.subTest(language, point=point, victim=victim, occurrence=occurrence):
                self.assertEqual(self.run_job(language, 8, KILLED, crash=3), MADE)
                lines = self.run_job(language, 8, WELL, plan=f"{point}:{victim}:{occurrence}")
                self.assertEqual(lines[-1], "done by ranks: 8" if "discard" in point else "done by ranks: 7")
                self.assertFalse(set(MADE) & set(lines), lines)
                self.lose(*range(self.nodes))

    def test_ranks_die_while_it_is_kept_for_the_first_time(self):
        for number, plan in enumerate(["keep-begin:inside:3:0", "keep-begin:after:0:1", "submit:inside:5:0", "snapshot-swap:before:6:1"]):
            language = list(PROGRAMS)[number % len(PROGRAMS)]
            with self.subTest(language, plan=plan):
                self.run_job(language, 8, KILLED, crash=3, plan=plan)
                lines = self.run_job(language, 5, WELL)
                self.assertEqual(lines, ["input reopened, files refused: 0", "state of step 3", "done by ranks: 5"])
                self.lose(*range(self.nodes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--rank-library", required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True, help="kept_job.c")
    parser.add_argument("--libraries", nargs="*", default=[], help="with which kept_job.f90 is linked; none: without it")
    _, rest = parser.parse_known_args(namespace=ARGS)
    PROGRAMS["C"] = ARGS.program
    with tempfile.TemporaryDirectory() as folder:
        missing = "no libraries" if not ARGS.libraries else "" if shutil.which("gfortran") else "no gfortran"
        if missing:
            print(f"without Fortran: {missing}")
        else:
            PROGRAMS["Fortran"] = build_fortran(pathlib.Path(folder))
        unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
