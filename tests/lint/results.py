#!/usr/bin/env python3
"""results.py ROOT: the committed results of benchmarks have a line per benchmark, written as tools/bench/compact.py writes them."""
import pathlib
import sys

ROOT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tools/bench"))
import compact  # noqa: E402
from results import Broken, lines  # noqa: E402


def complaint(file: pathlib.Path) -> str:
    """What is wrong with the file; empty if nothing is."""
    try:
        context, benchmarks = lines(file)
    except Broken as problem:
        return str(problem)
    names = [benchmark["name"] for benchmark in benchmarks]
    if len(set(names)) != len(names):
        return f"{file}: a benchmark has two lines"
    if compact.text({"context": context, "benchmarks": benchmarks}) != file.read_text(encoding="utf-8"):
        return f"{file} is not written as tools/bench/compact.py writes it"
    return ""


def main() -> None:
    found = sorted((ROOT / "bench/results").glob("*/*.json"))
    bad = list(filter(None, map(complaint, found))) if found else ["no results were found"]
    sys.exit("\n".join(bad) if bad else 0)


main()
