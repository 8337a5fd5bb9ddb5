#!/usr/bin/env python3
"""Kills ranks of seekers.c, which polls, receives from any source and gathers unlike blocks, under regraft-shield with one policy or another.

Fails if a job does not end, if a survivor dies or has data at a wrong place, if the exit code or the report says less than what has
happened, or if a job is ended but not by its name. A job that failed is repeated by --first NUMBER --jobs 1.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import campaign
import under_shield

STEPS = 24
HOLES = 25  # in a row
ENDINGS = {4: rf"MPI_\w+ \(.*\): {HOLES} holes of (rank \d+, which is dead,|dead ranks) have come in a row"}  # of jobs, by name


class Job(campaign.Job):
    def __init__(self, number: int, ranks: list[int]):
        draw = random.Random(~number)
        super().__init__(number, ranks, draw.choice(["forward", "confirm"]))
        self.any_source = draw.choice(["wait", "wait", "obituary", "error"])
        self.naive = draw.random() < 0.1
        if draw.random() < 0.05 and not self.outside:  # after all have come to the end
            self.plan = ",".join(f"shield:add:{victim}:0" for victim in self.victims)

    def __str__(self) -> str:
        return f"{super().__str__()}, {self.any_source}{', naive' if self.naive else ''}"


def end(process: subprocess.Popen, folder: pathlib.Path) -> None:
    """Ends the launcher, and whatever it has left."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
    for left in under_shield.processes(folder).values():
        try:
            os.kill(left, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run_job(job: Job, args: argparse.Namespace, folder: pathlib.Path) -> tuple[int | None, str, float]:
    """The exit code, or none if the job had to be ended; what was written; seconds."""
    policies = {"ANY_SOURCE": job.any_source, "COMMIT": job.commit, "STARVATION": 1, "HOLES_IN_A_ROW": HOLES, "ROOT_DEAD_FROM": "hole",
                "WATCHDOG": 20}
    under_shield.ARGS = args
    command = under_shield.UnderShield.command(
        *[word for name, value in policies.items() for word in ("--policy", f"{name}={value}")], "--report", folder / "report",
        "-n", job.ranks, args.exe, job.number, STEPS)
    variables = {name: text for name, text in os.environ.items() if not name.startswith("REGRAFT_SHIELD")}
    variables |= {"TRACES": str(folder), "REGRAFT_VERDICTS": str(folder / "verdicts"), "REGRAFT_FAIL": job.plan} | ({"NAIVE": "1"} if job.naive else {})
    (folder / "verdicts").mkdir()
    begin = time.monotonic()
    with open(folder / "output", "wb") as output:
        process = subprocess.Popen([str(word) for word in command], stdout=output, stderr=subprocess.STDOUT, env=variables)
        killer = campaign.Killer(job, folder)
        if job.outside:
            killer.start()
        try:
            code = process.wait(args.timeout)
        except subprocess.TimeoutExpired:
            code = None
            end(process, folder)
        killer.over.set()
        if job.outside:
            killer.join()
    return code, (folder / "output").read_text(encoding="utf-8", errors="replace"), time.monotonic() - begin


def judge(job: Job, code: int | None, output: str, folder: pathlib.Path) -> list[str]:
    if code is None:
        return ["it does not end"]
    said = {int(file.name): file.read_text(encoding="ascii").strip() for file in (folder / "verdicts").iterdir() if file.name.isdigit()}
    bad = [f"rank {rank}: {text}" for rank, text in sorted(said.items()) if not text.startswith("pass")]
    if code in ENDINGS and re.search(ENDINGS[code], output):
        return bad if job.naive else bad + ["ended, though the program knows an empty message"]
    if code not in (0, 3):
        return bad + [f"exit code {code}"]
    silent = sorted(set(range(job.ranks)) - set(said))
    bad += [f"rank {rank}: silent, though nobody planned its death" for rank in silent if rank not in job.victims]
    told = campaign.read_report(folder / "report")
    if not told:
        return bad + ["no report"]
    # A rank that dies after all have told what they did is missing nowhere.
    if not set(told["dead"]) <= set(silent) or (told["dead"] != silent and told["ranks"] < job.ranks - len(told["dead"])):
        bad.append(f"dead are {silent}, reported are {told['dead']}")
    if (code == 3) != bool(told["dead"]):
        bad.append(f"exit code {code}, reported dead {told['dead']}")
    traces = {rank: [line.split() for line in (folder / str(rank)).read_text(encoding="ascii").splitlines()] for rank in said}
    return bad + campaign.wrong_traces(traces, job.ranks)


def main() -> int:
    parser = under_shield.parser(__doc__, "exe")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--ranks", type=lambda text: [int(word) for word in text.split(",")], default=[3, 4, 5])
    parser.add_argument("--timeout", type=float, default=90)
    parser.add_argument("--most-bad", type=int, default=3, help="stop after so many jobs that failed")
    args = parser.parse_args()
    under_shield.skip_without_survivors(args)
    total: collections.Counter = collections.Counter()
    slowest = 0.0
    for number in range(args.first, args.first + args.jobs):
        job = Job(number, args.ranks)
        with tempfile.TemporaryDirectory(prefix="rgk") as name:
            folder = pathlib.Path(name)
            code, output, seconds = run_job(job, args, folder)
            bad = judge(job, code, output, folder)
            told = campaign.read_report(folder / "report")
        slowest = max(slowest, seconds)
        total.update({"jobs": 1, "deaths": len(told.get("dead", job.victims)), "hangs": int(code is None), "bad": int(bool(bad)),
                      "ended by name": int(code in ENDINGS and not bad)})
        total.update({key: told.get(key, 0) for key in ("repairs", "forwarded", "collected", "skipped_receives")})
        if bad:
            print(f"{job} ({seconds:.0f} s)\n  " + "\n  ".join(bad[:10]))
            print(output[-1500:], flush=True)
        if total["bad"] == args.most_bad:
            break
    print(", ".join(f"{key} {count}" for key, count in total.items()) + f", slowest {slowest:.0f} s")
    return 1 if total["bad"] or not total["deaths"] else 0


if __name__ == "__main__":
    sys.exit(main())
