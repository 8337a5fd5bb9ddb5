#!/usr/bin/env python3
"""Measures what the shield costs, and how long a death holds the survivors up. The same program runs with and without the preloaded
library, in turn, so that other programs on the machine disturb both alike. With --ulfm it measures in the same way what it costs that MPI
survives: mpirun as regraft-run starts it (`--with-ft ulfm` and its settings), and without.

A time is that of the fastest batch of a turn. over_plain is that time over the median of `plain`, which is the program without the shield,
or with --ulfm without what lets MPI survive.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable

import bench_tool
import where
from regraft_run import openmpi
from regraft_run.folders import job_folders


@dataclasses.dataclass(frozen=True)
class Pace:
    ranks: list[int]
    turns: int
    batches: int
    repair_ranks: list[int]
    repairs: int


PACES = {"full": Pace([2, 4], 7, 300, [4, 8], 10), "short": Pace([2, 4], 3, 50, [8], 3), "smoke": Pace([2], 1, 2, [4], 1)}


class Failed(Exception):
    """A job did not do what it should."""


class Jobs:
    def __init__(self, args: argparse.Namespace):
        self.args = args

    def plain(self, ranks: int, *words: str) -> str:
        return self.output("regraft-run", "-n", str(ranks), str(self.args.program), *words)

    def shielded(self, ranks: int, *words: str) -> tuple[str, dict]:
        """The output of a job, and the report of the shield."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report.json")
            options = ["--library", str(self.args.library), "--tolerate", "--report", str(report)]
            output = self.output("regraft-shield", *options, "-n", str(ranks), str(self.args.program), *words)
            return output, json.loads(report.read_text(encoding="ascii"))

    def mortal(self, ranks: int, *words: str) -> str:
        """The output of a job that would not survive."""
        with job_folders() as folders:
            env = openmpi.environment(self.args.mpirun, folders)
            for setting in openmpi.SETTINGS:
                if f"OMPI_MCA_{setting.name}" not in os.environ:
                    env.pop(f"OMPI_MCA_{setting.name}", None)
            return printed([self.args.mpirun, "-n", str(ranks), str(self.args.program), *words], env)

    def output(self, tool: str, *words: str) -> str:
        return printed([*where.launcher(tool), "--mpirun", self.args.mpirun, *words])


def printed(command: list[str], env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise Failed(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def times(output: str) -> dict[tuple[str, int], float]:
    """The nanoseconds of each operation and number of bytes."""
    rows = (line.split() for line in output.splitlines())
    return {(name, int(size)): float(nanoseconds) for name, size, nanoseconds in rows}


def record(name: str, nanoseconds: float, **counters: float) -> dict:
    return bench_tool.record(name, "us", real_time=nanoseconds / 1e3, cpu_time=nanoseconds / 1e3, **counters)


def costs(jobs: Jobs, ranks: int, pace: Pace) -> list[dict]:
    def with_shield() -> str:
        output, report = jobs.shielded(ranks, str(pace.batches))
        if not report["calls"]:
            raise Failed(f"{jobs.args.library} has seen no call")
        return output

    return by_turns({"plain": lambda: jobs.plain(ranks, str(pace.batches)), "shield": with_shield}, ranks, pace)


def costs_of_ulfm(jobs: Jobs, ranks: int, pace: Pace) -> list[dict]:
    batches = str(pace.batches)
    return by_turns({"plain": lambda: jobs.mortal(ranks, batches), "ulfm": lambda: jobs.plain(ranks, batches)}, ranks, pace)


def by_turns(variants: dict[str, Callable[[], str]], ranks: int, pace: Pace) -> list[dict]:
    """The records of all operations. variants: jobs that print their times; the first is the one that others are compared with."""
    found: dict[str, dict[tuple[str, int], list[float]]] = {variant: {} for variant in variants}
    for _ in range(pace.turns):
        for variant, run in variants.items():
            for key, nanoseconds in times(run()).items():
                found[variant].setdefault(key, []).append(nanoseconds)
    records = []
    for key, without in next(iter(found.values())).items():
        base = statistics.median(without)
        for variant in found:
            name = f"{variant}/{key[0]}_pes_{ranks}/bytes:{key[1]}"
            records += [record(name, nanoseconds, over_plain=nanoseconds / base) for nanoseconds in found[variant][key]]
    return records


def repairs(jobs: Jobs, ranks: int, pace: Pace) -> list[dict]:
    """Measures the milliseconds from the last call before a death to the first one after it, and how many of them were the repair."""
    pauses, inside = [], []
    for _ in range(pace.repairs):
        output, report = jobs.shielded(ranks, "--die", str(ranks - 1))
        if report["dead"] != [ranks - 1]:
            raise Failed(f"the report says that {report['dead']} are dead, not {ranks - 1}")
        pauses.append(float(output.split()[1]))
        inside.append(report["repair_ms"] / report["repairs"])
    return [record(f"shield/repair_pes_{ranks}/deaths:1", pause, repair_ms=repair, most_repair_ms=max(inside))
            for pause, repair in zip(pauses, inside)]


def main() -> int:
    parser = bench_tool.options(__doc__, "shield_bench", "fewer turns")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--library", type=pathlib.Path, help="libregraft_shield.so")
    what.add_argument("--ulfm", action="store_true", help="measure what it costs that MPI survives, in place of the shield")
    parser.add_argument("--mpirun", required=True)
    args = parser.parse_args()
    jobs, pace = Jobs(args), PACES[args.pace]
    try:
        records = [record for ranks in pace.ranks for record in (costs_of_ulfm if args.ulfm else costs)(jobs, ranks, pace)]
        if args.library:
            records += [record for ranks in pace.repair_ranks for record in repairs(jobs, ranks, pace)]
    except Failed as failure:
        sys.exit(str(failure))
    context = {"drawing": "none", "unit": "bytes", "turns": pace.turns, "batches": pace.batches,
               "mpi": subprocess.run([args.mpirun, "--version"], capture_output=True, text=True, check=False).stdout.splitlines()[0]}
    bench_tool.write(args.out, context, records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
