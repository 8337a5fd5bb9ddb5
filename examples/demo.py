#!/usr/bin/env python3
"""A tree search on 8 ranks that loses three of them and ends with the same bits as one that loses none."""
import argparse
import json
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "apps/launch"))
from regraft_run import watched  # noqa: E402

ALIGNMENT = ROOT / "data" / "vertebrates.phy"
RANKS = 8
PLAN = "model:inside:5:1,spr:inside:0:6,escape:inside:3:1"  # point:rank:occurrence
TIMEOUT = 100


class Search:
    """One run of regraft-phylo, and its results."""

    def __init__(self, mpirun: str, program: pathlib.Path, prefix: pathlib.Path, plan: str):
        arguments = ["search", "--msa", str(ALIGNMENT), "--model", "GTR+FC+G4m", "--prefix", str(prefix)]
        start = time.monotonic()
        outcome = watched.run_watched(mpirun, RANKS, [str(program), *arguments, *(["--fail", plan] if plan else [])], TIMEOUT, {}, [])
        self.seconds = time.monotonic() - start
        report = prefix.with_suffix(".json")
        if outcome.cut_short or not report.exists():
            sys.exit(f"{outcome.output.decode(errors='replace')}\nThe search has not ended: {outcome.cut_short or 'no result'}")
        self.report = json.loads(report.read_text(encoding="utf-8"))
        self.digits = report.read_text(encoding="utf-8").split('"log_likelihood": ', 1)[1].split(",", 1)[0]
        self.tree = prefix.with_suffix(".bestTree").read_bytes()


def print_table(rows: list[list[str]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        print("  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths)).rstrip())
        if number == 0:
            print("  " + "  ".join("-" * width for width in widths))


def row(failure: dict) -> list[str]:
    return [
        ",".join(str(rank) for rank in failure["lost"]),
        failure["during"],
        f"{failure['noticed_within_ms']:.1f}",
        f"{failure['shrink_ms']:.1f}",
        f"{failure['reassign_ms']:.2f}",
        str(failure["blocks_taken_over"]),
        str(failure["bytes_loaded"]),
        f"{failure['b']}/{failure['rounds']}",
        f"{failure['load_ms']:.1f}",
        f"{failure['repair_ms']:.1f}",
        f"{failure['restore_ms']:.1f}",
        f"{failure['work_lost_ms']:.0f}",
    ]


HEADER = ["died", "during", "noticed", "shrink", "reassign", "patterns", "bytes", "b/rounds", "load", "repair", "restore", "work lost"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    args = parser.parse_args()
    program = args.build.resolve() / "apps" / "phylo" / "regraft-phylo"
    if not program.exists():
        sys.exit("regraft-phylo was not built; ./run setup says why")

    print(f"\nMaximum-likelihood tree of {ALIGNMENT.relative_to(ROOT)} on {RANKS} ranks, three of which are killed (SIGKILL):")
    print(f"  ./run mpi -n {RANKS} regraft-phylo search --msa {ALIGNMENT.relative_to(ROOT)} --model GTR+FC+G4m --fail {PLAN}", flush=True)
    with tempfile.TemporaryDirectory(prefix="rg") as directory:
        failing = Search(args.mpirun, program, pathlib.Path(directory, "failing"), PLAN)
        print(f"\nWhat happened, times in ms ({failing.seconds:.1f} s in all):")
        print_table([HEADER, *(row(failure) for failure in failing.report["failures"])])
        print("\n  noticed: a survivor noticed the death within this time; patterns, bytes: the survivors took over these, and loaded them")
        print("  from their memory; b/rounds: blocks of the busiest sender / rounds of the exchange; repair: making lost replicas again;")
        print("  work lost: the work since the last checkpoint, which is repeated")
        print("\nThe same search without failures:", flush=True)
        calm = Search(args.mpirun, program, pathlib.Path(directory, "calm"), "")
        print(f"  {calm.seconds:.1f} s")

    lost = failing.report["ranks"]["lost"]
    planned = sorted(int(death.rsplit(":", 2)[1]) for death in PLAN.split(","))
    print(f"\n  log-likelihood with {len(lost)} ranks lost:  {failing.digits}")
    print(f"  log-likelihood without failures: {calm.digits}")
    if lost != planned:
        print(f"\nExpected the deaths of ranks {planned}, but {lost} died.")
        return 1
    if failing.tree != calm.tree or failing.digits != calm.digits:
        print("\nThe results differ.")
        return 1
    ranks = f"Ranks {', '.join(map(str, lost))} of {RANKS}"
    print(f"\n{ranks} died, and tree and log-likelihood are the same, bit for bit, as without failures.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
