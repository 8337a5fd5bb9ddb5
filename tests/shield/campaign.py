#!/usr/bin/env python3
"""Kills ranks of program.c under the shield, job after job, and judges what the survivors saw. A plan tells most ranks where to die; in every
fourth job they are killed from outside. Everything about a job follows from its number, except for the scheduling of the machine.

Fails if a survivor hangs, dies, has data at a wrong place, does not take part in what it returned from, or saw another outcome of a
collective than another survivor; or if a rank that was missing comes back. A job that failed is repeated by --first NUMBER --jobs 1.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import signal
import sys
import tempfile
import threading
import time

import under_shield
from under_shield import watched

CALLS = ["shield:call", "shield:call:inside"]
CREATIONS = ["shield:create:between", "shield:create:meet", "shield:confirm"]
COLLECTIONS = ["shield:give", "shield:take"]
REPAIRS = ["shield:vote", "shield:shrink", "shield:report", "shield:replay", "shield:end"]
STEPS = 60
LATEST = 0.15  # seconds after all have begun, for deaths from outside; a job whose ranks all live takes as long


class Job:
    def __init__(self, number: int, ranks: list[int], commit: str):
        draw = random.Random(number)
        self.number = number
        self.ranks = draw.choice(ranks)
        most = self.ranks - 1
        self.victims = sorted(draw.sample(range(self.ranks), min(most, draw.choice([1, 1, 2, 2, 3, most]))))
        self.commit = commit
        self.outside = {victim: draw.uniform(0, LATEST) for victim in self.victims} if number % 4 == 3 else {}
        together = draw.randrange(1, 150) if draw.random() < 0.3 else None
        self.plan = "" if self.outside else ",".join(self.death(draw, victim, i, together) for i, victim in enumerate(self.victims))

    @staticmethod
    def death(draw: random.Random, victim: int, index: int, together: int | None) -> str:
        if together is not None:
            return f"{draw.choice(CALLS)}:{victim}:{together}"
        kind = draw.random()
        if index > 0 and kind < 0.3:  # while the others repair
            return f"{draw.choice(REPAIRS + COLLECTIONS)}:{victim}:0"
        if kind < 0.5:
            return f"{draw.choice(CREATIONS)}:{victim}:{draw.randrange(6)}"
        return f"{draw.choice(CALLS)}:{victim}:{draw.randrange(1, 150)}"

    def __str__(self) -> str:
        killed = ", ".join(f"{victim} after {1000 * seconds:.0f} ms" for victim, seconds in self.outside.items())
        return f"job {self.number}: {self.ranks} ranks, {self.commit}, {f'killed from outside: {killed}' if killed else f'REGRAFT_FAIL={self.plan}'}"


class Killer(threading.Thread):
    """Kills ranks of a job from outside, once all have opened their traces and so have left MPI_Init."""

    def __init__(self, job: Job, folder: pathlib.Path):
        super().__init__()
        self.job, self.folder = job, folder
        self.over = threading.Event()

    def run(self) -> None:
        while not all((self.folder / str(rank)).exists() for rank in range(self.job.ranks)):
            if self.over.wait(0.001):
                return
        begin = time.monotonic()
        processes = under_shield.processes(self.folder)
        for victim, seconds in sorted(self.job.outside.items(), key=lambda death: death[1]):
            if self.over.wait(max(0.0, begin + seconds - time.monotonic())):
                return
            try:
                os.kill(processes[victim], signal.SIGKILL)
            except (KeyError, ProcessLookupError):
                pass  # the rank has come to its end


def wrong_traces(traces: dict[int, list[list[str]]], ranks: int) -> list[str]:
    """What is wrong with the traces of the ranks that came to the end. A line is: step, scope, name, who, ranks."""
    bad = []
    seen: dict[tuple, tuple[int, list[str]]] = {}
    for rank, lines in traces.items():
        count: collections.Counter = collections.Counter()
        living = set(range(ranks))
        for step, scope, name, who, *rest in lines:
            place = (step, scope, count[step, scope])
            count[step, scope] += 1
            if who == "all":
                other, line = seen.setdefault(place, (rank, [name, *rest]))
                if line != [name, *rest]:
                    bad.append(f"step {step}: rank {other} saw {' '.join(line)}, rank {rank} {' '.join([name, *rest])}")
            if scope == "world" and rest[:1] not in (["data"], ["nothing"]):
                there = {int(word) for word in rest}
                if there - living:
                    bad.append(f"step {step}, rank {rank}, {name}: {sorted(there - living)} came back")
                if set(traces) - there:
                    bad.append(f"step {step}, rank {rank}, {name}: survivors {sorted(set(traces) - there)} are missing")
                living = there
    return bad


def judge(job: Job, outcome: watched.Outcome, folder: pathlib.Path) -> list[str]:
    bad = [outcome.cut_short] if outcome.cut_short else []
    silent = set(range(job.ranks)) - set(outcome.verdicts)
    bad += [f"rank {rank}: silent, though nobody planned its death" for rank in sorted(silent - set(job.victims))]
    bad += [f"rank {rank}: {said}" for rank, said in sorted(outcome.verdicts.items()) if not said.startswith("pass")]
    traces = {}
    for rank in outcome.verdicts:
        lines = [line.split() for line in (folder / str(rank)).read_text(encoding="ascii").splitlines()]
        traces[rank] = lines
        if not lines:
            bad.append(f"rank {rank}: saw nothing")
    return bad + wrong_traces(traces, job.ranks)


def read_report(file: pathlib.Path) -> dict:
    """The report. Empty if it is not there or not complete."""
    try:
        return json.loads(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return {}


def run(job: Job, args: argparse.Namespace) -> tuple[list[str], dict, int, bytes]:
    """What is wrong, the report of the shield, the number of deaths, and what was written."""
    with tempfile.TemporaryDirectory(prefix="rgt") as name:
        folder = pathlib.Path(name)
        report = folder / "report"
        settings = {"TRACES": name, "REGRAFT_SHIELD_REPORT": str(report), "REGRAFT_SHIELD_ROOT_DEAD_FROM": "hole",
                    "REGRAFT_SHIELD_COMMIT": job.commit, "REGRAFT_FAIL": job.plan}
        if job.number % 3 == 0:  # a tree whose inner ranks may be dead
            settings |= {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_bcast_algorithm": "6"}
        program = ["env", f"LD_PRELOAD={args.library}", args.exe, str(job.number), str(STEPS)]
        killer = Killer(job, folder)
        if job.outside:
            killer.start()
        outcome = watched.run_watched(args.mpirun, job.ranks, program, args.timeout, settings, [])
        killer.over.set()
        if job.outside:
            killer.join()
        bad = judge(job, outcome, folder)
        told = read_report(report)
        writer_died = job.outside or any(victim < min(outcome.verdicts, default=0) for victim in job.victims)
        if not bad and outcome.verdicts and not told and not writer_died:  # it may be killed while it writes
            bad.append("no report")
        return bad, told, job.ranks - len(outcome.verdicts), outcome.output


def main() -> int:
    parser = under_shield.parser(__doc__, "exe")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--ranks", type=lambda text: [int(word) for word in text.split(",")], default=[4, 5, 6])
    parser.add_argument("--commit", choices=["forward", "confirm", "both"], default="both")
    parser.add_argument("--timeout", type=float, default=25)
    parser.add_argument("--most-bad", type=int, default=3, help="stop after so many jobs that failed")
    args = parser.parse_args()
    under_shield.skip_without_survivors(args)
    total: collections.Counter = collections.Counter()
    for number in range(args.first, args.first + args.jobs):
        job = Job(number, args.ranks, ["forward", "confirm"][number % 2] if args.commit == "both" else args.commit)
        bad, told, deaths, output = run(job, args)
        total.update({"jobs": 1, "deaths": deaths, "from outside": deaths if job.outside else 0, "bad": int(bool(bad))})
        total.update({key: told.get(key, 0) for key in ("repairs", "rounds", "forwarded", "collected", "committed", "repeated")})
        if bad:
            print(f"{job}\n  " + "\n  ".join(bad[:10]))
            print(output.decode(errors="replace")[-1500:])
        if total["bad"] == args.most_bad:
            break
    print(", ".join(f"{key} {count}" for key, count in total.items()))
    return 1 if total["bad"] or not total["deaths"] else 0


if __name__ == "__main__":
    sys.exit(main())
