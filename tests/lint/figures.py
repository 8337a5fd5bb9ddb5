#!/usr/bin/env python3
"""figures.py ROOT: figures in the text of docs are those that were measured. A figure names its source by a comment behind it:

    2.29<!-- = amd-epyc-vm/scale: max busiest_over_mean of load_locally/rollback -->

is the largest value of that counter in bench/results/amd-epyc-vm/scale.json, among the benchmarks whose names begin so, rounded to as many
digits. `ms` or `s` behind the kind (max ms) takes a time, CPU time where the file's clock says so, in milliseconds or seconds.
"""
import decimal
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tools/bench"))
import results  # noqa: E402

FIGURE = re.compile(r"(-?[\d,]+(?:\.\d+)?)<!-- = ([\w-]+/[\w-]+): (max|min) (\w+) of (\S+) -->")
COMMENT = re.compile(r"<!-- = ")
TIMES = {"ms": 1e3, "s": 1.0}  # how many are in a second


def values(file: pathlib.Path, counter: str, prefix: str) -> list[float]:
    points = [point for algorithms in results.read(file).families.values() for row in algorithms.values() for point in row]
    found = [point for point in points if point.run["name"].startswith(prefix)]
    if counter in TIMES:
        return [TIMES[counter] * point.seconds for point in found]
    return [point.run[counter] for point in found if counter in point.run]


def complaints(page: pathlib.Path) -> list[str]:
    content = page.read_text(encoding="utf-8")
    bad = []
    figures = list(FIGURE.finditer(content))
    if len(figures) != len(COMMENT.findall(content)):
        bad.append("a comment '<!-- = ... -->' does not say RESULT: max|min COUNTER of NAME right behind a figure")
    for text, result, kind, counter, prefix in (figure.groups() for figure in figures):
        found = values(ROOT / "bench/results" / f"{result}.json", counter, prefix)
        shown = decimal.Decimal(text.replace(",", ""))
        measured = decimal.Decimal(max(found) if kind == "max" else min(found)).quantize(shown) if found else None
        if measured != shown:
            bad.append(f"{text} should be {measured}: {kind} {counter} of {prefix} in {result}")
    return [f"{page.relative_to(ROOT)}: {what}" for what in bad]


def main() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    bad = [what for page in pages for what in complaints(page)]
    sys.exit("\n".join(bad) if bad else 0)


main()
