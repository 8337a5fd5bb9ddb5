#!/usr/bin/env python3
"""compact.py RAW.json RESULT.json: turns the output of Google Benchmark, which has an object per repetition, into a line per benchmark.

RAW may also be the output of a benchmark in Python (bench_tool.py). A line holds the name of the benchmark and
  n         the number of its repetitions
  median    of their times, by the clock that the context names (`clock`: real_time, the default, or cpu_time)
  p10, p90  the 10th and the 90th percentile of these times, by nearest rank; they are absent if n is 1
  unit      the unit of these times
  error     what a failed repetition reported, or a stopped one if none failed; then there are no times and no counters
and each counter by its name: the median of its values, or its text.
"""
import json
import math
import pathlib
import statistics
import sys

from results import STOPPED, Broken, load

DIGITS = 12  # of a number; the third decimal of a difference of log-likelihoods needs so many
KEYS = {"name", "n", "median", "p10", "p90", "unit", "error"}
# Google Benchmark says these of a repetition; everything else is a counter.
OF_A_RUN = {"name", "run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations", "real_time", "cpu_time",
            "time_unit", "family_index", "per_family_instance_index", "error_occurred", "error_message"}


def percentile(numbers: list[float], part: float) -> float:
    return sorted(numbers)[int((len(numbers) - 1) * part + 0.5)]


def shortened(number: float) -> float:
    """The number to DIGITS digits; whole numbers keep all of theirs."""
    if not math.isfinite(number):
        raise ValueError(f"{number} is no measurement")
    number = number if number == int(number) else float(f"{number:.{DIGITS}g}")
    return int(number) if number == int(number) else number


def middle(values: list) -> float | str:
    """The median of numbers; the first of texts."""
    return values[0] if isinstance(values[0], str) else shortened(statistics.median(values))


def line(name: str, runs: list[dict], clock: str) -> dict:
    """The line of a benchmark, whose repetitions are runs."""
    head = {"name": name, "n": len(runs)}
    if errors := [run["error_message"] for run in runs if run.get("error_occurred")]:
        return {**head, "error": min(errors, key=lambda error: error.startswith(STOPPED))}
    times = [run[clock] for run in runs]
    spread = {"p10": shortened(percentile(times, 0.1)), "p90": shortened(percentile(times, 0.9))} if len(times) > 1 else {}
    counters = list(dict.fromkeys(key for run in runs for key in run if key not in OF_A_RUN))
    if taken := KEYS.intersection(counters):
        raise ValueError(f"a counter may not be called {min(taken)}")
    return {**head, "median": middle(times), **spread, "unit": runs[0]["time_unit"],
            **{key: middle([run[key] for run in runs if key in run]) for key in counters}}


def compacted(raw: dict) -> dict:
    """The same context, and a line per benchmark, in the order in which they ran."""
    clock = raw["context"].get("clock", "real_time")
    runs: dict[str, list[dict]] = {}
    for run in raw["benchmarks"]:
        if run.get("run_type") != "aggregate":
            runs.setdefault(run["name"], []).append(run)
    if raw["benchmarks"] and not runs:
        raise ValueError("it holds no repetitions, only aggregates")
    return {"context": raw["context"], "benchmarks": [line(name, of_name, clock) for name, of_name in runs.items()]}


def text(content: dict) -> str:
    """JSON with a line per entry of the context and per benchmark, so that a diff of two files can be read."""
    context = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in content["context"].items())
    benchmarks = ",\n".join(f"  {json.dumps(benchmark)}" for benchmark in content["benchmarks"])
    return f'{{\n "context": {{\n{context}\n }},\n "benchmarks": [\n{benchmarks}\n ]\n}}\n'


def compact(raw: pathlib.Path, result: pathlib.Path) -> None:
    """Writes result from raw. Leaves result alone if raw is broken."""
    content = load(raw)
    try:
        written = text(compacted(content))
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        raise Broken(f"{raw} is not what a benchmark writes: {problem!r}") from problem
    result.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        compact(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    except (Broken, OSError) as problem:
        sys.exit(str(problem))
