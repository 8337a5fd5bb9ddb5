#!/usr/bin/env python3
"""Measures the time from the death of a rank to work: when the last survivor has ended each phase of the recovery. Each death has a job of
its own, and the victims take turns, so that rank 0 dies, too. Numbers of ranks take turns as well, so that other programs on the machine
disturb all of them alike.

A benchmark is the time that one phase takes, from the end of the phase before; `total` is all of them. `restart` is what there would be
without a recovery: from the start of the job to the end of its first step. What is measured is explained in bench/mpi/recovery_bench.cpp.
"""
import argparse
import dataclasses
import pathlib
import subprocess
import sys
import tempfile
import time

import bench_tool
import where
from drawings.recoveries import PHASES


@dataclasses.dataclass(frozen=True)
class Pace:
    ranks: list[int]
    mebibytes: list[int]  # of numbers, and of state, on each rank
    repetitions: int


PACES = {"full": Pace([2, 4, 8, 16], [1, 8], 25), "short": Pace([2, 4, 8, 16], [1], 5), "smoke": Pace([2, 3], [1], 1)}


class Failed(Exception):
    """A job did not do what it should."""


def measured(args: argparse.Namespace, ranks: int, mebibytes: int, victim: int) -> dict[str, int]:
    """The nanoseconds that a job has printed, and those from its start to the end of its first step (restart)."""
    with tempfile.TemporaryDirectory() as folder:
        words = [str(args.program), str(pathlib.Path(folder, "died")), str(victim), str(mebibytes)]
        command = [*where.launcher(), "--mpirun", args.mpirun, "-n", str(ranks), *words]
        begin = time.monotonic_ns()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found = {name: int(number) for name, number in (line.split() for line in done.stdout.splitlines())}
        return {**found, "restart": found["first_step"] - begin}
    except (ValueError, KeyError) as problem:
        raise Failed(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}") from problem


def records(times: dict[str, int], ranks: int, mebibytes: int) -> list[dict]:
    def record(what: str, nanoseconds: int, **counters: float) -> dict:
        name = f"{what}/one_dies_{mebibytes}_MiB/pes:{ranks}"
        return bench_tool.record(name, "ms", real_time=nanoseconds / 1e6, cpu_time=nanoseconds / 1e6, **counters)

    ends = [0, *(times[phase.ended] for phase in PHASES)]
    if sorted(ends) != ends:
        raise Failed(f"a phase ended before the one before it: {times}")
    return [*(record(phase.name, end - begin) for phase, begin, end in zip(PHASES, ends, ends[1:])),
            record("total", ends[-1], first_notice_ms=times["noticed_first"] / 1e6), record("restart", times["restart"])]


def main() -> int:
    parser = bench_tool.options(__doc__, "recovery_bench", "fewer repetitions, little data")
    parser.add_argument("--mpirun", required=True)
    args = parser.parse_args()
    pace, found = PACES[args.pace], []
    try:
        for repetition in range(pace.repetitions):
            for mebibytes in pace.mebibytes:
                for ranks in pace.ranks:
                    found += records(measured(args, ranks, mebibytes, victim=repetition % ranks), ranks, mebibytes)
    except Failed as failure:
        sys.exit(str(failure))
    mpi = subprocess.run([args.mpirun, "--version"], capture_output=True, text=True, check=False).stdout.splitlines()[0]
    bench_tool.write(args.out, {"drawing": "recovery", "mpi": mpi}, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
