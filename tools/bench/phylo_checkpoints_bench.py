#!/usr/bin/env python3
"""Measures what commits and checkpoints on disk cost a search in which no rank dies: the same search with three intervals between
checkpoints, in turn."""
import pathlib
import sys
import tempfile

import bench_tool
from search_bench import simulated
from tree_programs import Regraft, run

INTERVALS = {"never": 1e9, "each_minute": 60, "each_second": 1}
DATA = {"full": (100, 1000), "short": (60, 500), "smoke": (12, 150)}  # taxa, sites
REPETITIONS = {"full": 5, "short": 2, "smoke": 1}


def main() -> int:
    parser = bench_tool.options(__doc__, "regraft-phylo", "a small search")
    args = parser.parse_args()
    program, records, results = Regraft(args.program.resolve(), "normal"), [], set()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        dataset = simulated(*DATA[args.pace], folder)
        for repetition in range(REPETITIONS[args.pace]):
            for name, seconds in INTERVALS.items():
                usage = run(program.command("search", dataset, "--checkpoint-interval", str(seconds)), folder)
                report = program.report(folder)
                results.add(report["bits"])
                kept = report["checkpoints"]
                run_name = f"{name}/{dataset.name}/repetition:{repetition + 1}"
                records.append(bench_tool.record(
                    run_name, "s", real_time=usage.wall_s, cpu_time=usage.user_s, commits=kept["count"], commits_s=kept["ms"] / 1e3,
                    on_disk=kept["on_disk"], bytes_on_disk=kept["bytes_on_disk"], disk_s=kept["disk_ms"] / 1e3, search_s=report["seconds"],
                    load=usage.load))
    bench_tool.write(args.out, {"clock": "cpu_time", "drawing": "none"}, records)
    if len(results) != 1:
        print("the searches ended with different bits")
    return 0 if len(results) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
