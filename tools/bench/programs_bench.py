#!/usr/bin/env python3
"""Measures what it costs example programs to survive. k-means runs with and without copies of its input, and with deaths (as in fig. 5 of
ReStore, Huebner et al. 2022). The stencil runs with snapshots at several intervals, and with deaths at the interval of Young (as in figs. 4
to 8 of Kohl et al. 2019). Variants take turns, so that other programs on the machine disturb all of them alike. All runs of a program must
have one result.
"""
import argparse
import os
import random
import re
import subprocess
import sys
from dataclasses import dataclass

import bench_tool
import where

NEVER = 10**9  # steps between snapshots
BYTES_PER_CELL = 9 * 8  # of the stencil, without the rings of blocks


@dataclass(frozen=True)
class Pace:
    ranks: list[int]
    repetitions: int
    points_per_rank: int
    kmeans_steps: int
    height: int
    stencil_steps: int
    intervals: list[int]
    heights: list[int]  # of the stencil, for the cost of a snapshot against its size
    deaths: int  # in the stencil at Young's interval
    long: int  # so many times as many steps are done there, so that Young's interval is much shorter than the time between deaths
    long_repetitions: int


PACES = {
    "full": Pace([4, 8, 16], 5, 4096, 100, 256, 200, [1, 2, 5, 10, 20, 50, 100], [64, 128, 256, 512], 6, 72, 3),
    "short": Pace([4], 3, 2048, 40, 128, 100, [1, 5, 20], [64, 128], 3, 4, 1),
    "smoke": Pace([4], 1, 200, 6, 16, 20, [5], [16, 24], 2, 2, 1),
}


class Runs:
    def __init__(self, args: argparse.Namespace):
        self.args = args
        self.records: list[dict] = []
        self.results: dict[tuple, set[str]] = {}

    def run(self, program: str, variant: str, ranks: int, options: list[str], repetition: int, **counters: float) -> dict:
        """Runs a job and records it. Jobs of a program with the same size and steps must have the same result."""
        command = [*where.launcher(), "--mpirun", self.args.mpirun, "-n", str(ranks), str(self.args.program / program), *options,
                   "--times"]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        result = re.search(r"^result (\w+)$", output, re.M)[1]
        inputs = [options[options.index(name) + 1] for name in ("--size", "--steps")]
        self.results.setdefault((program, *inputs), set()).add(result)
        name = f"{variant}/{program}/pes:{ranks}/repetition:{repetition + 1}"
        milliseconds = float(re.search(r"^everything in ([\d.]+) ms$", output, re.M)[1])
        record = bench_tool.record(name, "ms", real_time=milliseconds, cpu_time=milliseconds, load=os.getloadavg()[0], **counters)
        if told := re.search(r"^(\d+) snapshots in ([\d.]+) ms; (\d+) steps again, recoveries in ([\d.]+) ms$", output, re.M):
            record |= {"snapshots": int(told[1]), "snapshots_ms": float(told[2]),
                       "steps_again": int(told[3]), "recoveries_ms": float(told[4])}
        record["deaths"] = sum(int(count) for count in re.findall(r"^(\d+) died in ", output, re.M))
        self.records.append(record)
        return record

    def kmeans(self, ranks: int, pace: Pace, repetition: int) -> None:
        options = ["--size", str(pace.points_per_rank * ranks), "--steps", str(pace.kmeans_steps)]
        deaths = ",".join(f"reduce:before:{victim}:{pace.kmeans_steps * part // 4}" for part, victim in ((1, 1), (2, ranks - 1), (3, 0)))
        self.run("kmeans", "unprotected", ranks, [*options, "--unprotected"], repetition)
        self.run("kmeans", "protected", ranks, options, repetition)
        self.run("kmeans", "three_die", ranks, [*options, "--fail", deaths], repetition)
        self.run("kmeans", "three_die_unprotected", ranks, [*options, "--unprotected", "--fail", deaths], repetition)

    def stencil(self, ranks: int, pace: Pace, repetition: int) -> None:
        options = ["--size", str(pace.height), "--steps", str(pace.stencil_steps)]
        for interval in [NEVER, *pace.intervals]:
            variant = "without" if interval == NEVER else f"every_{interval}"
            self.run("stencil", variant, ranks, [*options, "--interval", str(interval)], repetition,
                     steps=pace.stencil_steps, interval=interval)
        for mode in ("automatic", "always"):
            self.run("stencil", f"differential_{mode}_10", ranks, [*options, "--interval", "10", "--differential", mode], repetition,
                     steps=pace.stencil_steps, interval=10)

    def sizes(self, ranks: int, pace: Pace, repetition: int) -> None:
        for height in pace.heights:
            options = ["--size", str(height), "--steps", "20", "--interval", "2"]
            self.run("stencil", f"height_{height}", ranks, options, repetition, bytes=2 * height * height * BYTES_PER_CELL)

    def young(self, ranks: int, pace: Pace, repetition: int) -> None:
        """Runs the stencil with deaths at random times. The program is told the mean time between them. Repeated steps count, and so do
        deaths in them."""
        steps = pace.stencil_steps * pace.long
        options = ["--size", str(pace.height), "--steps", str(steps)]
        undisturbed = self.run("stencil", "long_without", ranks, [*options, "--interval", str(NEVER)], repetition, steps=steps)
        mtbf_ms = undisturbed["real_time"] / pace.deaths
        choice = random.Random(repetition)
        victims = choice.sample(range(ranks), pace.deaths)
        deaths = ",".join(f"halo:before:{victim}:{choice.randrange(steps)}" for victim in victims)
        young = [*options, "--mtbf", str(mtbf_ms / 3.6e6)]
        self.run("stencil", "young", ranks, young, repetition, steps=steps, mtbf_ms=mtbf_ms)
        self.run("stencil", "young_deaths", ranks, [*young, "--fail", deaths], repetition, steps=steps, mtbf_ms=mtbf_ms)


def main() -> int:
    parser = bench_tool.options(__doc__, "folder of the examples", "small sizes")
    parser.add_argument("--mpirun", required=True)
    args = parser.parse_args()
    runs, pace = Runs(args), PACES[args.pace]
    for repetition in range(pace.repetitions):
        for ranks in pace.ranks:
            runs.kmeans(ranks, pace, repetition)
            runs.stencil(ranks, pace, repetition)
            runs.sizes(ranks, pace, repetition)
        if repetition < pace.long_repetitions:
            runs.young(max(pace.ranks), pace, repetition)
    bench_tool.write(args.out, {"drawing": "programs"}, runs.records)
    different = {key: results for key, results in runs.results.items() if len(results) != 1}
    for key, results in different.items():
        print(f"different results of {' '.join(key)}: {', '.join(sorted(results))}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
