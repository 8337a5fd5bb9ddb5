#!/usr/bin/env python3
"""demo_page.py README --mpirun PATH --build DIR --canary FILE: what README.md shows of ./run demo is what examples/demo.py prints, except
for times: which ranks died, in which steps, what the survivors took over and loaded, the log-likelihoods, and the last line."""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import run_mpi  # noqa: E402

DEMO = HERE.parents[1] / "examples/demo.py"
TIMES = {"noticed", "shrink", "reassign", "load", "repair", "restore", "work lost"}
BEHIND = ("log-likelihood with ", "log-likelihood without ", "Ranks ")  # lines behind the table


def cells(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())


def shown(text: str) -> list[str]:
    """The table, a line for each cell that is no time, and the lines behind it."""
    lines = text.splitlines()
    begin = next((number for number, line in enumerate(lines) if line.strip().startswith("died ")), None)
    if begin is None:
        return []
    header = cells(lines[begin])
    found = ["columns: " + ", ".join(header)]
    for line in lines[begin + 2 :]:  # below the dashes
        row = cells(line)
        if len(row) != len(header):
            break
        found += [f"death of {row[0]}, {column}: {cell}" for column, cell in zip(header, row) if column not in TIMES]
    return found + [" ".join(line.split()) for line in lines[begin:] if line.strip().startswith(BEHIND)]


def complaints(page: list[str], printed: list[str]) -> list[str]:
    return [f"README.md lacks: {line}" for line in printed if line not in page] + [
        f"./run demo does not print: {line}" for line in page if line not in printed]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readme", type=pathlib.Path)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--canary", type=pathlib.Path)
    args = parser.parse_args()
    if skip := run_mpi.reason_to_skip(args.canary):
        print(f"SKIPPED: {skip}")
        sys.exit(77)
    demo = subprocess.run([sys.executable, DEMO, "--mpirun", args.mpirun, "--build", args.build], stdout=subprocess.PIPE, text=True, check=False)
    print(demo.stdout)
    if demo.returncode != 0:
        sys.exit(f"examples/demo.py ended with exit code {demo.returncode}")
    page, printed = shown(args.readme.read_text(encoding="utf-8")), shown(demo.stdout)
    bad = complaints(page, printed)
    # A check that never complains is worth nothing.
    assert len(printed) > len(BEHIND) + 1, "expected a table"
    for line in printed:
        assert complaints([other for other in printed if other != line], printed) and complaints([*printed, line + "0"], printed)
    sys.exit("\n".join(bad) if bad else 0)


main()
