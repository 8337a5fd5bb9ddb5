#!/usr/bin/env python3
"""Kills ranks of store_campaign.cpp, erasure_campaign.cpp, snapshot_campaign.cpp or disk_campaign.cpp, job after job, and counts. Everything
about a job follows from its number.

Fails if a survivor hangs, dies, reads a wrong byte, does not know what is lost, or disagrees with another survivor.
A job that failed is repeated by --first NUMBER --jobs 1.
"""
import argparse
import collections
import dataclasses
import math
import pathlib
import random
import re
import shlex
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "apps/launch"))
sys.path.insert(0, str(HERE.parents[1] / "support"))
import run_mpi  # noqa: E402
from regraft_run import watched  # noqa: E402

NOBODY = "agree:before:9999:0"  # a plan that kills no rank, but makes points be counted
LATEST = {"submit": 4, "repair": 4, "scrub": 4}  # occurrence of a point at which a rank may be told to die
LATEST_OTHERS = 12


@dataclasses.dataclass
class Job:
    ranks: int
    settings: dict[str, object]
    planned: list[str]  # point:rank:occurrence
    timed: list[str]  # rank:microseconds

    def victims(self) -> set[int]:
        return {int(death.split(":")[-2]) for death in self.planned + self.timed}

    def environment(self) -> dict[str, str]:
        settings = {**self.settings, "victims": len(self.victims())}
        if self.timed:
            settings["random"] = ",".join(self.timed)
        return {
            "REGRAFT_FAIL": ",".join(self.planned) or NOBODY,
            "REGRAFT_CAMPAIGN": " ".join(f"{name}={value}" for name, value in settings.items()),
        }

    def __str__(self) -> str:
        env = self.environment()
        return f"{self.ranks} ranks, {env['REGRAFT_CAMPAIGN']} REGRAFT_FAIL={','.join(self.planned)}"


class Runner:
    def __init__(self, args: argparse.Namespace):
        self.args = args

    def run(self, job: Job) -> tuple[watched.Outcome, list[str]]:
        """The outcome, and what is wrong with it."""
        program = [self.args.exe]
        env = {**job.environment(), "GTEST_COLOR": "no"}
        outcome = watched.run_watched(self.args.mpirun, job.ranks, program, self.args.timeout, env, shlex.split(self.args.launcher))
        return outcome, run_mpi.judge(outcome, job.ranks, job.victims())

    def points_reached(self, transport: str) -> list[str]:
        """The points that a campaign without deaths comes to more than once."""
        settings = {"seed": 1, "steps": 60, "transport": transport, "repair": self.args.repair[-1], "integrity": self.args.integrity[-1],
                    "placement": self.args.placements[0]}
        outcome, bad = self.run(Job(3, settings, [], []))
        text = outcome.output.decode(errors="replace")
        found = re.findall(r"^campaign: reached (\S+) (\d+)", text, re.M)
        if bad or not found:
            raise SystemExit(f"the campaign fails without deaths: {bad}\n{text}")
        return [name for name, times in found if int(times) > 1]


def draw_settings(choice: random.Random, number: int, args: argparse.Namespace) -> dict[str, object]:
    return {
        "seed": number,
        "steps": choice.choice((4, 8, 16)),
        "blocks": choice.choice((5, 40, 103, 400)),
        "bytes": choice.choice((1, 32, 200, 5000)),
        "sizes": choice.choice(args.sizes),
        "replicas": choice.choice((1, 2, 2, 2, 3)),
        "placement": choice.choice(args.placements),
        "per_node": choice.choice((1, 2, 3)),
        "transport": choice.choice(args.transports),
        "own": choice.choice(args.own),
        "integrity": choice.choice(args.integrity),
        "repair": choice.choice(args.repair),
        "most_planned_runs": 0 if number % 3 == 0 else 500_000,
        "stores": choice.choice((1, 1, 2)),  # on the communicator, in a store campaign
    }


def draw_occurrence(choice: random.Random, point: str) -> int:
    """Draws an occurrence; early ones are more likely."""
    return choice.randrange(choice.randrange(1, LATEST.get(point.split(":")[0], LATEST_OTHERS)))


def draw_planned(choice: random.Random, victims: list[int], points: list[str], settings: dict[str, object]) -> list[str]:
    repair, integrity = settings["repair"], settings["integrity"]
    never = ("shrink:", *(() if repair != "never" else ("repair:",)), *(() if integrity == "checked" else ("scrub:",)))
    usable = [point for point in points if not point.removeprefix("erasure-").startswith(never)]
    together = choice.random() < 0.4  # at the same point
    plan = []
    for index, victim in enumerate(victims):
        if index > 0 and not together and choice.random() < 0.2:
            plan.append(f"shrink:{choice.choice(('before', 'inside', 'after'))}:{victim}:1")
        elif index > 0 and together:
            point, _, occurrence = plan[0].rsplit(":", 2)
            plan.append(f"{point}:{victim}:{occurrence}")
        else:
            point = choice.choice(usable)
            plan.append(f"{point}:{victim}:{draw_occurrence(choice, point)}")
    return plan


def draw_timed(choice: random.Random, victims: list[int]) -> list[str]:
    return [f"{victim}:{int(math.exp(choice.uniform(math.log(50), math.log(100_000))))}" for victim in victims]


def draw_job(number: int, points: dict[str, list[str]], args: argparse.Namespace) -> Job:
    choice = random.Random(number)
    settings = draw_settings(choice, number, args)
    reached = points[str(settings["transport"])]
    ranks = choice.choice((3, 4, 4, 5, 5, 6, 6, 8, 8, 8, 12, 16))
    kind = choice.choice(("plan", "plan", "random", "both", "last", "last", "nodes"))
    if args.simulated and kind in ("random", "both"):
        kind = "plan"
    if kind == "last":
        ranks = min(ranks, 8)
    if kind == "nodes" and "node_aware" in args.placements:
        return draw_nodes(choice, settings, reached)
    count = ranks - 1 if kind == "last" else min(choice.choice((1, 2, 2, 3)), ranks - 1)
    victims = choice.sample(range(ranks), count)
    if choice.random() < 0.3 and 0 not in victims:
        victims[0] = 0
    timed = {"random": count, "both": (count + 1) // 2, "last": count // 2}.get(kind, 0) if not args.simulated else 0
    planned = draw_planned(choice, victims[timed:], reached, settings)
    return Job(ranks, settings, planned, draw_timed(choice, victims[:timed]))


def draw_nodes(choice: random.Random, settings: dict[str, object], points: list[str]) -> Job:
    """Plans that kill whole nodes at once, fewer than there are replicas: nothing may be lost."""
    per_node, nodes = choice.choice(((2, 3), (2, 4), (2, 5), (3, 3)))
    replicas = choice.choice((2, 3))
    dying = choice.sample(range(nodes), choice.randrange(1, replicas))
    victims = [node * per_node + index for node in dying for index in range(per_node)]
    settings = {**settings, "placement": "node_aware", "per_node": per_node, "replicas": replicas, "lossless": 1}
    point = choice.choice([p for p in points if p.split(":")[0] in ("submit", "load", "exchange", "agree")])
    occurrence = draw_occurrence(choice, point)
    return Job(nodes * per_node, settings, [f"{point}:{victim}:{occurrence}" for victim in victims], [])


class Summary:
    def __init__(self):
        self.jobs = self.kills = self.random = 0
        self.by_point: collections.Counter[str] = collections.Counter()
        self.by_operation: collections.Counter[str] = collections.Counter()
        self.failed: list[int] = []
        self.begin = time.monotonic()

    def add(self, job: Job, outcome: watched.Outcome) -> None:
        self.jobs += 1
        self.kills += job.ranks - len(outcome.verdicts)
        self.random += len(job.timed)
        self.by_point.update(death.rsplit(":", 2)[0] for death in job.planned)
        text = outcome.output.decode(errors="replace")
        self.by_operation.update(re.findall(r"^campaign: recovering from \d+ deaths in (\S+)", text, re.M))

    def __str__(self) -> str:
        seconds = time.monotonic() - self.begin
        lines = [f"{self.jobs} jobs, {self.kills} kills ({self.random} at random moments), {len(self.failed)} failed, {seconds:.0f} s"]
        lines.append("recoveries by operation: " + listed(self.by_operation))
        lines.append("kills by point: " + listed(self.by_point))
        if self.failed:
            lines.append(f"failed: {self.failed}")
        return "\n".join(lines)


def listed(counts: collections.Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"


def campaign(args: argparse.Namespace) -> int:
    runner = Runner(args)
    points = {transport: runner.points_reached(transport) for transport in args.transports}
    summary = Summary()
    number = args.first
    while summary.jobs < args.jobs or summary.kills < args.kills:
        job = draw_job(number, points, args)
        if args.wrong:
            job.settings["wrong"] = 1
        outcome, bad = runner.run(job)
        summary.add(job, outcome)
        if bad:
            summary.failed.append(number)
            print(f"job {number}: {job}", "\n".join(bad), outcome.output.decode(errors="replace"), sep="\n", flush=True)
        if summary.jobs % args.every == 0:
            print(f"... {str(summary).splitlines()[0]}", flush=True)
        number += 1
    print(summary)
    return 1 if summary.failed else 0


def words(text: str) -> list[str]:
    return text.split(",")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--launcher", default="")
    parser.add_argument("--canary", type=pathlib.Path, help="result file of the canary for collectives")
    parser.add_argument("--exe", required=True, help="store_campaign, erasure_campaign, snapshot_campaign or disk_campaign")
    parser.add_argument("--simulated", action="store_true", help="deaths are simulated, at planned points only")
    parser.add_argument("--first", type=int, default=0, help="number of the first job")
    parser.add_argument("--jobs", type=int, default=10, help="at least so many")
    parser.add_argument("--kills", type=int, default=0, help="go on until so many have died")
    parser.add_argument("--timeout", type=float, default=50, help="seconds for a job on a machine that does nothing else")
    parser.add_argument("--every", type=int, default=25, help="jobs between two lines that say how far it is")
    parser.add_argument("--wrong", action="store_true", help="expect other bytes than submitted: every job must fail")
    parser.add_argument("--transports", type=words, default=["collective", "rounds"])
    parser.add_argument("--sizes", type=words, default=["fixed", "variable"])
    parser.add_argument("--own", type=words, default=["copied", "referenced"])
    parser.add_argument("--integrity", type=words, default=["unchecked", "checked"])
    parser.add_argument("--repair", type=words, default=["never", "sometimes", "always"])
    parser.add_argument("--placements", type=words, default=["mod_k", "permuted", "pairwise", "node_aware"])
    args = parser.parse_args()
    skip = "" if args.simulated else run_mpi.reason_to_skip(args.canary)
    if skip:
        print(f"SKIPPED: {skip}")
        return run_mpi.SKIPPED
    return campaign(args)


if __name__ == "__main__":
    sys.exit(main())
