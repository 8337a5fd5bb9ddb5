#!/usr/bin/env python3
"""Measures stores and snapshots of regraft.mpi, in three ways:

  by turns with calls of mpi4py that move the same bytes between the same ranks, in buffers that are there already (over_floor; for a
  commit also over_copied, beside one that copies the state first), and with what programs in Python do today: pickle, to files in memory,
  and h5py, to local files;
  alone, by turns with jobs in C++ that do the same (over_cpp);
  the most memory that a rank uses, in jobs of their own, in Python and in C++ (over_bytes: as a multiple of the rank's bytes).

Every turn times all of them; a time is that of the slowest rank.
"""
import argparse
import dataclasses
import os
import pathlib
import statistics
import subprocess
import sys
import time

import bench_tool
import where

MEBIBYTE = 1 << 20


@dataclasses.dataclass(frozen=True)
class Pace:
    ranks: list[int]
    turns: int
    sizes: list[int]  # bytes of each rank
    jobs: int  # of each language, by turns
    weighed_ranks: list[int]
    weighed_bytes: int


PACES = {"full": Pace([4, 8], 41, [1 << 16, 1 << 20, 16 << 20], 4, [2, 4], 64 * MEBIBYTE),
         "short": Pace([4], 11, [1 << 16, 1 << 20], 2, [2], 16 * MEBIBYTE), "smoke": Pace([2], 1, [1 << 12], 1, [2], 1 << 16)}

Found = list[tuple[str, int, float]]  # name, bytes, and what was measured


class Jobs:
    """The script and the program, as jobs."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.mpirun = args.mpirun
        self.languages = {"python": [args.python, str(pathlib.Path(__file__).with_name("measured") / "python_arrays.py")]}
        if args.beside:
            self.languages["cpp"] = [str(args.beside)]
        self.env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(args.program), *filter(None, [args.mpi4py, args.peers])])}

    def run(self, language: str, ranks: int, *words: object) -> Found:
        """What the job has printed."""
        command = [*where.launcher(), "--mpirun", self.mpirun, "-n", str(ranks), "--", *self.languages[language], *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=self.env)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        rows = (line.split() for line in done.stdout.splitlines())
        return [(name, int(size), float(number)) for name, size, number in rows]


def medians(found: Found) -> dict[tuple[str, int], float]:
    all_of = {(name, size): [each for other, of, each in found if (other, of) == (name, size)] for name, size, _ in found}
    return {key: statistics.median(numbers) for key, numbers in all_of.items()}


def timed(found: Found, ranks: int, suffix: str, over: dict[str, str]) -> list[dict]:
    """over: ratios, and what they compare calls of regraft with: WHO's call of the same name; WHO_CALL, a commit with this call."""
    middle = medians(found)
    result = []
    for name, size, milliseconds in found:
        who, what = name.split("_")
        names = {ratio: f"{other}_{what}" for ratio, other in over.items() if "_" not in other}
        if what == "commit":
            names |= {ratio: other for ratio, other in over.items() if "_" in other}
        others = {ratio: middle.get((other, size)) for ratio, other in names.items() if who == "regraft"}
        ratios = {ratio: milliseconds / other for ratio, other in others.items() if other}
        result.append(bench_tool.record(f"{who}/{what}{suffix}_pes_{ranks}/bytes:{size}", "ms", real_time=milliseconds,
                                        cpu_time=milliseconds, **ratios))
    return result


def alone(jobs: Jobs, ranks: int, pace: Pace) -> list[dict]:
    found = [each for _ in range(pace.jobs) for language in jobs.languages
             for each in jobs.run(language, ranks, "alone", -(-pace.turns // pace.jobs), *pace.sizes)]
    return timed(found, ranks, "_alone", {"over_cpp": "cpp"})


def weighed(jobs: Jobs, ranks: int, size: int) -> list[dict]:
    """The clock of such a line is the time of the job."""
    result = []
    for what in ("submit", "load", "commit"):
        for language in jobs.languages:
            begin = time.perf_counter()
            (name, _, factor), = jobs.run(language, ranks, "memory", what, size)
            seconds = time.perf_counter() - begin
            of = f"{name.split('_')[0]}/{what}_memory_pes_{ranks}/bytes:{size}"
            result.append(bench_tool.record(of, "ms", real_time=seconds * 1e3, cpu_time=seconds * 1e3, over_bytes=factor))
    return result


def main() -> int:
    parser = bench_tool.options(__doc__, "folder of the package regraft", "fewer turns and sizes")
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--python", default="/usr/bin/python3", help="the interpreter for which the package was built")
    parser.add_argument("--beside", type=pathlib.Path, help="the program arrays_beside, which does the same in C++")
    parser.add_argument("--peers", default="", metavar="FOLDER",
                        help="where h5py is, if the interpreter does not have it; without h5py, it is left out")
    parser.add_argument("--mpi4py", default="", metavar="FOLDER", help="where mpi4py is, if the interpreter does not have it")
    args = parser.parse_args()
    pace = PACES[args.pace]
    jobs = Jobs(args)
    all_records = []
    for ranks in pace.ranks:
        found = jobs.run("python", ranks, "time", pace.turns, *pace.sizes)
        all_records += timed(found, ranks, "", {"over_floor": "mpi4py", "over_copied": "mpi4py_copied"}) + alone(jobs, ranks, pace)
    for ranks in pace.weighed_ranks:
        all_records += weighed(jobs, ranks, pace.weighed_bytes)
    context = {"drawing": "none", "unit": "bytes", "turns": pace.turns,
               "mpi": subprocess.run([args.mpirun, "--version"], capture_output=True, text=True, check=False).stdout.splitlines()[0]}
    bench_tool.write(args.out, context, all_records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
