#!/usr/bin/env python3
"""Measures stores and snapshots of regraft.mpi. Each is beside calls of mpi4py that move the same bytes between the same ranks, in buffers
that are there already (over_floor), and beside what programs in Python do today: pickle, to files in memory.

Every turn times all of them; a time is that of the slowest rank."""
import argparse
import dataclasses
import os
import pathlib
import statistics
import subprocess
import sys

import bench_tool
import where


@dataclasses.dataclass(frozen=True)
class Pace:
    ranks: list[int]
    turns: int
    sizes: list[int]  # bytes of each rank


PACES = {"full": Pace([4, 8], 41, [1 << 16, 1 << 20, 16 << 20]), "short": Pace([4], 11, [1 << 16, 1 << 20]),
         "smoke": Pace([2], 1, [1 << 12])}


def measured(args: argparse.Namespace, ranks: int, pace: Pace) -> list[tuple[str, int, float]]:
    """What each job has printed."""
    folders = os.pathsep.join([str(args.program), args.mpi4py])
    env = {**os.environ, "PYTHONPATH": folders}
    words = [args.python, str(pathlib.Path(__file__).with_name("measured") / "python_arrays.py"), str(pace.turns), *map(str, pace.sizes)]
    command = [*where.launcher(), "--mpirun", args.mpirun, "-n", str(ranks), "--", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    rows = (line.split() for line in done.stdout.splitlines())
    return [(name, int(size), float(milliseconds)) for name, size, milliseconds in rows]


def records(found: list[tuple[str, int, float]], ranks: int) -> list[dict]:
    medians = {(name, size): statistics.median(ms for other, of, ms in found if (other, of) == (name, size)) for name, size, _ in found}
    result = []
    for name, size, milliseconds in found:
        who, what = name.split("_")
        floor = medians.get((f"mpi4py_{what}", size))
        more = {"over_floor": milliseconds / floor} if who == "regraft" and floor else {}
        name = f"{who}/{what}_pes_{ranks}/bytes:{size}"
        result.append(bench_tool.record(name, "ms", real_time=milliseconds, cpu_time=milliseconds, **more))
    return result


def main() -> int:
    parser = bench_tool.options(__doc__, "folder of the package regraft", "fewer turns and sizes")
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--python", default="/usr/bin/python3", help="the interpreter for which the package was built")
    parser.add_argument("--mpi4py", default="", metavar="FOLDER", help="where mpi4py is, if the interpreter does not have it")
    args = parser.parse_args()
    pace = PACES[args.pace]
    all_records = [each for ranks in pace.ranks for each in records(measured(args, ranks, pace), ranks)]
    context = {"drawing": "none", "unit": "bytes", "turns": pace.turns,
               "mpi": subprocess.run([args.mpirun, "--version"], capture_output=True, text=True, check=False).stdout.splitlines()[0]}
    bench_tool.write(args.out, context, all_records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
