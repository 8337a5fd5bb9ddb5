#!/usr/bin/env python3
"""Kills ranks of an example program, job after job, at points that it knows and from outside, and counts. Everything about a job
follows from its number, except for the moments of kills from outside.

Fails if a survivor hangs, fails, or if the result is not, bit for bit, that of one rank. A job that failed is repeated by --first
NUMBER --jobs 1. --variants: options of which each job takes one of several, separated by commas.
"""
import collections
import dataclasses
import os
import random
import signal
import sys
import threading
import time

import job

RECOVERING = ("shrink:", "repair:", "snapshot-restore:", "derive:")  # reached for the first time, or once more, after a death
MARK = "REGRAFT_EXAMPLE_JOB"


@dataclasses.dataclass
class Plan:
    ranks: int
    options: list[str]
    deaths: list[str]  # point:rank:occurrence
    outside: list[float]  # seconds between kills by signal, which begin after the first planned death

    def fail(self) -> str:
        return ",".join(self.deaths)

    def __str__(self) -> str:
        outside = f" and {len(self.outside)} from outside" if self.outside else ""
        return f"{self.ranks} ranks, {' '.join(self.options)} --fail {self.fail()}{outside}"


class Campaign:
    def __init__(self, program: job.Program, args):
        self.program, self.args = program, args
        self.variants = [[*args.options, *text.split()] for text in args.variants.split(",")]
        self.expected: dict[int, str] = {}
        self.seconds: dict[int, float] = {}
        self.points: dict[int, dict[str, int]] = {}

    def prepare(self, variant: int) -> None:
        """Finds the result on one rank, and the points at which ranks can die."""
        if variant in self.expected:
            return
        self.expected[variant] = "0" * 16 if self.args.wrong else self.program.survive(1, self.variants[variant]).hash()
        begin = time.monotonic()
        undisturbed = self.program.survive(4, [*self.variants[variant], "--points"])
        self.seconds[variant] = time.monotonic() - begin
        self.points[variant] = undisturbed.points()
        undisturbed.require(len(self.points[variant]) > 10, "expected points")

    def draw(self, number: int) -> tuple[int, Plan]:
        choice = random.Random(number)
        variant = choice.randrange(len(self.variants))
        self.prepare(variant)
        ranks = choice.choice((2, 3, 4, 4, 5, 5, 6, 7, 8))
        count = min(choice.choice((1, 1, 2, 2, 3, ranks - 1)), ranks - 1)
        victims = choice.sample(range(ranks), count)
        if choice.random() < 0.3 and 0 not in victims:
            victims[0] = 0
        from_outside = choice.random() < 0.5
        reached = {point: times for point, times in self.points[variant].items() if times > 0 and not point.startswith(RECOVERING)}
        recovering = [point for point in self.points[variant] if point.startswith((*RECOVERING, "load:", "exchange:"))]
        deaths: list[str] = []
        for victim in victims[:1] if from_outside else victims:
            kind = choice.random() if deaths else 0
            if kind > 0.7:  # two at once
                point, _, occurrence = deaths[-1].rsplit(":", 2)
                deaths.append(f"{point}:{victim}:{occurrence}")
            elif kind > 0.45:  # in the recovery from the death before
                deaths.append(f"{choice.choice(recovering)}:{victim}:{choice.randrange(2)}")
            else:
                point = choice.choice(list(reached))
                deaths.append(f"{point}:{victim}:{choice.randrange(reached[point])}")
        outside = [choice.random() ** 2 * 0.3 * self.seconds[variant] for _ in victims[1:]] if from_outside else []
        return variant, Plan(ranks, self.variants[variant], deaths, outside)

    def run(self, number: int) -> tuple[Plan, job.Result]:
        variant, plan = self.draw(number)
        mark = f"{os.getpid()}-{number}"
        done = threading.Event()
        killer = threading.Thread(target=self.kill, args=(plan, f"{MARK}={mark}", random.Random(number), done))
        killer.start()
        try:
            result = self.program.survive(plan.ranks, plan.options, plan.fail(), {MARK: mark})
        finally:
            done.set()
            killer.join()
        result.require(result.hash() == self.expected[variant], f"another result than {self.expected[variant]}")
        if not plan.outside:
            result.require(result.killed() <= job.victims(plan.fail()), "somebody died who was not to")
        return plan, result

    def kill(self, plan: Plan, mark: str, choice: random.Random, done: threading.Event) -> None:
        """Kills ranks from outside once the planned death shows that MPI_Init is over, in which Open MPI survives nothing."""
        if not plan.outside:
            return
        started = False
        while not done.is_set():
            alive = len(job.processes(self.program.args.exe, mark))
            if started and alive < plan.ranks:
                break
            started = started or alive == plan.ranks
            time.sleep(0.005)
        for seconds in plan.outside:
            done.wait(seconds)
            targets = job.processes(self.program.args.exe, mark)
            if len(targets) > 1 and not done.is_set():
                os.kill(choice.choice(targets), signal.SIGKILL)


def campaign(program: job.Program, args) -> None:
    runs = Campaign(program, args)
    by_point: collections.Counter[str] = collections.Counter()
    failed, kills, outside = [], 0, 0
    begin = time.monotonic()
    for number in range(args.first, args.first + args.jobs):
        try:
            plan, result = runs.run(number)
            planned = result.killed() & job.victims(plan.fail())
            kills += len(result.killed())
            outside += len(result.killed() - planned)
            by_point.update(death.rsplit(":", 2)[0] for death in plan.deaths if int(death.rsplit(":", 2)[1]) in planned)
        except job.Failed as failure:
            failed.append(number)
            print(f"job {number}: {runs.draw(number)[1]}\n{failure}", flush=True)
        if (number + 1 - args.first) % args.every == 0:
            print(f"... {number + 1 - args.first} jobs, {kills} kills, {len(failed)} failed", flush=True)
    print(f"{args.jobs} jobs, {kills} kills ({outside} from outside), {len(failed)} failed, {time.monotonic() - begin:.0f} s")
    print("kills by point: " + ", ".join(f"{name} {count}" for name, count in sorted(by_point.items())))
    if failed:
        raise job.Failed(f"failed: {failed}")
    if args.jobs >= 10 and not (outside and kills > outside):
        raise job.Failed("expected kills at points and from outside")


if __name__ == "__main__":
    parser = job.arguments(__doc__)
    parser.add_argument("--variants", default="")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--every", type=int, default=25, help="jobs between two lines that say how far it is")
    parser.add_argument("--wrong", action="store_true", help="expect another result: every job must fail")
    sys.exit(job.main(parser.parse_args(), campaign, needs_deaths=True))
