#!/usr/bin/env python3
"""regraft-phylo without a launcher: what one process does by itself needs no MPI, and a search opens no network."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TREES = "((a,b),(c,d));\n((a,c),(b,d));\n"

SENTENCES = [  # wrong command lines, and what they are answered
    ("--msa is required; did you mean --msa f.fa?", "search", "f.fa"),
    ("there is no option -s; -s is --msa here", "search", "-s", "f.fa"),
    ("--msa is required: --msa FILE", "search"),
    ("--starts: the value is missing, expected --starts WHICH", "search", "--msa", "a", "--starts"),
    ("--criterion: 'foo', expected aic, aicc or bic", "search", "--msa", "a", "--criterion", "foo"),
    ("--threads: 'x', expected a number from 0 to 1024", "search", "--msa", "a", "--threads", "x"),
    ("--metric: 'x', expected ", "support", "--tree", "a", "--trees", "b", "--metric", "x"),
]


class Alone:
    def __init__(self, exe: str):
        self.exe = exe

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "PRTE_", "OMP_", "GOMP_"))}
        env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **variables}
        return subprocess.run([self.exe, *words], env=env, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def expect(good: bool, what: str, job: subprocess.CompletedProcess) -> None:
    if not good:
        sys.exit(f"{what}: exit code {job.returncode}\n{job.stdout}{job.stderr}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exe", required=True)
    parser.add_argument("--msa", required=True)
    args, _ = parser.parse_known_args()
    alone = Alone(args.exe)
    no_mpi = {"OMPI_MCA_pml": "none-of-that-name"}  # a setting with which MPI_Init fails
    with tempfile.TemporaryDirectory() as folder:
        trees, odd = pathlib.Path(folder, "trees"), pathlib.Path(folder, "odd")
        trees.write_text(TREES, encoding="ascii")
        odd.write_text("((a,b),(c,\\n", encoding="ascii")
        for code, *words in [(0, "--help"), (0, "--version"), (0, "search", "--help"), (2, "search", "--nonsense"), (0, "check", "--msa", args.msa),
                             (2, "check", "--msa", f"{folder}/missing"), (0, "rfdist", "--trees", str(trees)),
                             (0, "consensus", "--trees", str(trees), "--prefix", f"{folder}/c"), (2, "rfdist", "--trees", str(odd))]:
            job = alone.run(*words, **no_mpi)
            expect(job.returncode == code, f"{words} without MPI, expected {code}", job)
        for says, *words in SENTENCES:
            job = alone.run(*words, **no_mpi)
            expect(job.returncode == 2 and says in job.stderr, f"{words}, expected '{says}'", job)
        job = alone.run("loglh", "--msa", args.msa, "--model", "JC", "--tree", str(trees), **no_mpi)
        expect(job.returncode not in (0, 2), "a likelihood wants MPI", job)

        job = alone.run("search", "--msa", args.msa, "--model", "JC", "--starts", "pars{1}", "--effort", "fast", "--prefix", f"{folder}/o",
                        OMPI_MCA_btl_base_verbose="100")
        expect(job.returncode == 0 and "component self" in job.stderr and "component tcp" not in job.stderr, "a search without networks", job)

        # What a terminal shows of a bootstrap: how much is done and how long the rest takes.
        job = alone.run("search", "--msa", args.msa, "--model", "JC", "--effort", "fast", "--bs-trees", "60", "--prefix", f"{folder}/b",
                        REGRAFT_PROGRESS="1")
        expect(job.returncode == 0 and re.search(r"\b[1-9]\d* of 60 done: .*, about \d+ (s|min) left", job.stderr) is not None,
               "a bootstrap that tells how far it is", job)


if __name__ == "__main__":
    main()
