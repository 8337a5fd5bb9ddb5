#!/usr/bin/env python3
"""Measures what the shield costs, and how long a death holds the survivors up. The same program runs with and without the preloaded
library, in turn, so that other programs on the machine disturb both alike.

A time is the median over the turns, of the fastest batch of each. over_plain is that time over the one without the shield.
"""
import argparse
import dataclasses
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import bench_tool

LAUNCHERS = pathlib.Path(__file__).resolve().parents[2] / "apps/launch"


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
        return self.output("launch.py", "-n", str(ranks), str(self.args.program), *words)

    def shielded(self, ranks: int, *words: str) -> tuple[str, dict]:
        """The output of a job, and the report of the shield."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report.json")
            options = ["--library", str(self.args.library), "--tolerate", "--report", str(report)]
            output = self.output("shield.py", *options, "-n", str(ranks), str(self.args.program), *words)
            return output, json.loads(report.read_text(encoding="ascii"))

    def output(self, tool: str, *words: str) -> str:
        command = [sys.executable, str(LAUNCHERS / tool), "--mpirun", self.args.mpirun, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
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
    found: dict[str, dict[tuple[str, int], list[float]]] = {"plain": {}, "shield": {}}
    for _ in range(pace.turns):
        plain = jobs.plain(ranks, str(pace.batches))
        shielded, report = jobs.shielded(ranks, str(pace.batches))
        if not report["calls"]:
            raise Failed(f"{jobs.args.library} has seen no call")
        for variant, output in {"plain": plain, "shield": shielded}.items():
            for key, nanoseconds in times(output).items():
                found[variant].setdefault(key, []).append(nanoseconds)
    records = []
    for key, without in found["plain"].items():
        base = statistics.median(without)
        for variant in found:
            nanoseconds = statistics.median(found[variant][key])
            name = f"{variant}/{key[0]}_pes_{ranks}/bytes:{key[1]}"
            records.append(record(name, nanoseconds, over_plain=nanoseconds / base))
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
    return [record(f"shield/repair_pes_{ranks}/deaths:1", statistics.median(pauses), repair_ms=statistics.median(inside),
                   most_repair_ms=max(inside))]


def main() -> int:
    parser = bench_tool.options(__doc__, "shield_bench", "fewer turns")
    parser.add_argument("--library", type=pathlib.Path, required=True, help="libregraft_shield.so")
    parser.add_argument("--mpirun", required=True)
    args = parser.parse_args()
    jobs, pace = Jobs(args), PACES[args.pace]
    try:
        records = [record for ranks in pace.ranks for record in costs(jobs, ranks, pace)]
        records += [record for ranks in pace.repair_ranks for record in repairs(jobs, ranks, pace)]
    except Failed as failure:
        sys.exit(str(failure))
    context = {"drawing": "none", "unit": "bytes", "turns": pace.turns, "batches": pace.batches,
               "mpi": subprocess.run([args.mpirun, "--version"], capture_output=True, text=True, check=False).stdout.splitlines()[0]}
    bench_tool.write(args.out, context, records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
