#!/usr/bin/env python3
"""Every collective x each rank that dies x when x first or second death x in place, derived types, large: jobs of matrix.c under the shield.

Each job has two deaths, in two calls, and between them all calls by the ranks that are left. It fails if a survivor gets anything but what
the living have sent, if survivors see different outcomes of a call, or if one of them hangs, dies or is silent.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import under_shield
from under_shield import watched

RANKS = 6
VICTIMS = {"root": 2, "lowest": 0, "neighbour": 3, "highest": 5}
MOMENTS = ["before", "inside", "after"]
MEMBERS = {0, 2, 4}  # of create_group


def survives(call: str, victim: int, moment: str) -> bool:
    """Whether no rank dies while MPI makes a communicator of a group. That may end the job, with this call named; groups.py tests it."""
    return call != "create_group" or (victim in MEMBERS and moment != "inside")


def cells(calls: dict[str, int]) -> list[tuple[str, int, int, str]]:
    """A cell as a text: call, form, victim, moment."""
    return [(call, form, victim, moment) for call, forms in calls.items()
            for form in range(8) if not form & ~forms for victim in VICTIMS.values() for moment in MOMENTS
            if survives(call, victim, moment)]


def jobs(calls: dict[str, int]) -> list[list[tuple]]:
    """Pairs of deaths, in an order without system. All cells are first deaths, and all but a few are second ones."""
    draw = random.Random(16)
    first, second = cells(calls), cells(calls)
    draw.shuffle(first)
    draw.shuffle(second)
    result = []
    for cell in first:
        other = next((i for i, candidate in enumerate(second) if candidate[2] != cell[2]), None)
        result.append([cell] if other is None else [cell, second.pop(other)])
    return result


def spread(everything: list[list[tuple]], count: int) -> list[list[tuple]]:
    """This many jobs, in which each call dies about equally often."""
    seen: dict[str, int] = {}
    chosen = []
    rest = list(everything)
    for _ in range(min(count, len(rest))):
        job = min(rest, key=lambda job: [seen.get(cell[0], 0) for cell in job])
        rest.remove(job)
        chosen.append(job)
        for cell in job:
            seen[cell[0]] = seen.get(cell[0], 0) + 1
    return chosen


def differences(folder: pathlib.Path, ranks: list[int]) -> list[str]:
    """Steps for which the survivors have seen no common outcome."""
    traces = {rank: [line.split() for line in (folder / str(rank)).read_text(encoding="ascii").splitlines()] for rank in ranks}
    bad = [] if len({len(lines) for lines in traces.values()}) == 1 else ["the survivors have made different numbers of steps"]
    for lines in zip(*traces.values()):
        common = 3
        for *_, fits in lines:
            common &= int(fits)
        if not common or len({tuple(words[:3]) for words in lines}) > 1:
            bad.append("; ".join(f"rank {rank}: {' '.join(words)}" for rank, words in zip(traces, lines)))
    return bad


def run(job: list[tuple], args: argparse.Namespace, commit: str) -> list[str]:
    """What is wrong."""
    with tempfile.TemporaryDirectory(prefix="rgx") as name:
        settings = {"TRACES": name, "REGRAFT_SHIELD_ROOT_DEAD_FROM": "hole", "REGRAFT_SHIELD_COMMIT": commit}
        deaths = [":".join(map(str, cell)) for cell in job]
        program = ["env", f"LD_PRELOAD={args.library}", args.exe, *deaths]
        outcome = watched.run_watched(args.mpirun, RANKS, program, args.timeout, settings, [])
        victims = {cell[2] for cell in job}
        bad = [outcome.cut_short] if outcome.cut_short else []
        bad += [f"rank {rank}: silent" for rank in range(RANKS) if rank not in victims and rank not in outcome.verdicts]
        bad += [f"rank {rank}: {said}" for rank, said in outcome.verdicts.items() if rank in victims or not said.startswith("pass")]
        bad += differences(pathlib.Path(name), sorted(outcome.verdicts))[:3]
        if bad:
            bad += outcome.output.decode(errors="replace").splitlines()[-8:]
        return bad


def main() -> int:
    parser = under_shield.parser(__doc__, "exe")
    parser.add_argument("--jobs", type=int, default=60, help="0: all")
    parser.add_argument("--part", type=lambda text: [int(word) for word in text.split("/")], default=[1, 1], help="I/N of these jobs")
    parser.add_argument("--timeout", type=float, default=30)
    parser.add_argument("deaths", nargs="*", help="CALL:FORM:VICTIM:MOMENT: one job of these deaths")
    args = parser.parse_args()
    under_shield.skip_without_survivors(args)
    calls = {name: int(forms) for name, forms in
             (line.split() for line in subprocess.run([args.exe, "--calls"], capture_output=True, text=True, check=True).stdout.splitlines())}
    everything = jobs(calls)
    chosen = spread(everything, args.jobs) if args.jobs else everything
    part, parts = args.part
    chosen = chosen[part - 1 :: parts]
    if args.deaths:
        words = [death.split(":") for death in args.deaths]
        chosen = [[(call, int(form), int(victim), moment) for call, form, victim, moment in words]]
    failed = 0
    for number, job in enumerate(chosen):
        commit = ["forward", "confirm"][number % 2]
        if bad := run(job, args, commit):
            failed += 1
            print(f"{' '.join(':'.join(map(str, cell)) for cell in job)} ({commit})\n  " + "\n  ".join(bad), flush=True)
        if failed == 5:
            break
    print(f"{len(chosen)} jobs, {sum(map(len, chosen))} deaths of {2 * len(cells(calls))}, {failed} bad")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
