#!/usr/bin/env python3
"""Runs the benchmarks that were built, writes their JSON and prints a summary."""
import argparse
import json
import os
import pathlib
import subprocess
import sys


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the programs, named *_bench")
    parser.add_argument("--results", type=pathlib.Path, required=True)
    parser.add_argument("--short", action="store_true", help="a quick look: little time and one repetition for each")
    parser.add_argument("names", nargs="*", help="only these (default: all)")
    args = parser.parse_args()

    built = {p.name.removesuffix("_bench"): p for p in sorted(args.programs.glob("*_bench")) if os.access(p, os.X_OK) and p.is_file()}
    names = args.names or list(built)
    if unknown := [name for name in names if name not in built]:
        print(f"no benchmark is called {', '.join(unknown)}; there are: {', '.join(built) or 'none'}", file=sys.stderr)
        return 2
    if not names:
        print("no benchmarks are built")
        return 1
    args.results.mkdir(parents=True, exist_ok=True)
    pace = ["--benchmark_min_time=0.01"] if args.short else ["--benchmark_repetitions=10", "--benchmark_min_time=0.1"]
    failed = []
    for name in names:
        result = args.results / f"{name}.json"
        command = [str(built[name]), f"--benchmark_out={result}", "--benchmark_out_format=json", *pace]
        print(f"{name} ...", flush=True)
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            print(run.stderr)
        if run.returncode or summarize(result):
            failed.append(name)
    print(f"JSON: {args.results}")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def summarize(path: pathlib.Path) -> bool:
    """Prints a line per benchmark, its median where it was repeated. Returns whether one reported an error."""
    runs = json.loads(path.read_text(encoding="utf-8"))["benchmarks"]
    standard = {"name", "run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit",
                "family_index", "per_family_instance_index", "aggregate_name", "aggregate_unit", "error_occurred", "error_message"}
    medians = [run for run in runs if run.get("aggregate_name") == "median"]
    errors = [run for run in runs if run.get("error_occurred")]
    for run in medians or [run for run in runs if run["run_type"] == "iteration" and not run.get("error_occurred")]:
        counters = ", ".join(f"{name} {value:.6g}" for name, value in run.items() if name not in standard and isinstance(value, (int, float)))
        print(f"  {run['run_name']:<60} {run['real_time']:>12.4g} {run['time_unit']}  {counters}")
    for run in errors:
        print(f"  {run['name']}: {run['error_message']}")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
