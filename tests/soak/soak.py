#!/usr/bin/env python3
"""Jobs of every kind whose ranks and nodes die, in random order, until the time is over. A run takes some jobs of one kind from one of the
long tests, with a number of its own, from which all that is random in them follows. A run that fails is repeated, to see whether its
number is to blame, and what both have printed is kept.

soak.py --build DIR --minutes N [--seed N] [--out JSON] [--folder DIR] [KIND...]

--minutes N   no run begins after so many minutes
--seed N      decides kinds and numbers; by default another one each time. The first line says it
--out JSON    what was run, as a benchmark's results
--folder DIR  gets a file for each run that fails; by default soak/ in the build folder
"""
import argparse
import collections
import dataclasses
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/bench"))
sys.path.insert(0, str(ROOT / "tools/bench/report"))
import bench_tool  # noqa: E402
import machine  # noqa: E402

LIMIT = 1200  # seconds for a run, after which it hangs
SKIPPED = 77


@dataclasses.dataclass
class Kind:
    """A kind of jobs. Both patterns find numbers in what a run prints; an empty one counts as one."""

    test: str  # a long test, which has the command
    number: str  # the option that takes the number of a run
    options: dict[str, str]  # further options in place of the test's
    jobs: str
    deaths: str


KILLS = (r"^(\d+) jobs, \d+ kills", r"^\d+ jobs, (\d+) kills")
SHIELD = (r"^jobs (\d+), deaths", r"^jobs \d+, deaths (\d+)")
SEARCHES = (r"(): same bits, \d+ died", r": same bits, (\d+) died")
GENES = (r"(): same bytes, \d+ died", r": same bytes, (\d+) died")
KEPT = (r"^job \d+: ()", r"^job \d+: (\d+) ranks, all killed")
KINDS = {
    "store": Kind("store-campaign-long", "--first", {"--jobs": "25"}, *KILLS),
    "erasure": Kind("erasure-campaign-long", "--first", {"--jobs": "25"}, *KILLS),
    "snapshot": Kind("snapshot-campaign-long", "--first", {"--jobs": "25"}, *KILLS),
    "disk": Kind("disk-campaign-long-replicated", "--first", {"--jobs": "25"}, *KILLS),
    "disk-coded": Kind("disk-campaign-long-coded", "--first", {"--jobs": "25"}, *KILLS),
    "kept": Kind("kept-killed-long", "--seed", {"--jobs": "10"}, *KEPT),
    "kept-snapshot": Kind("kept-snapshot-killed-long", "--seed", {"--jobs": "10"}, *KEPT),
    "kmeans": Kind("kmeans-campaign-long", "--first", {"--jobs": "15"}, *KILLS),
    "stencil": Kind("stencil-campaign-long", "--first", {"--jobs": "15"}, *KILLS),
    "accounts": Kind("accounts-campaign-long", "--first", {"--jobs": "15"}, *KILLS),
    "pagerank": Kind("pagerank-campaign-long", "--first", {"--jobs": "15"}, *KILLS),
    "workers": Kind("workers-campaign-long", "--first", {"--jobs": "15"}, *KILLS),
    **{f"python-{name}": Kind(f"python-{name}-campaign", "--first", {"--jobs": "10"}, *KILLS)
       for name in ("power_iteration", "heat", "kmeans", "pagerank", "histogram")},
    "search": Kind("phylo-random-long", "--first", {"--count": "15"}, *SEARCHES),
    "search-groups": Kind("phylo-groups-long", "--first", {"--count": "10"}, *SEARCHES),
    "genes": Kind("phylo-genes-random-long", "--first", {"--count": "10"}, *GENES),
    "shield": Kind("shield-campaign-long", "--first", {"--jobs": "20"}, *SHIELD),
    "shield-nonblocking": Kind("shield-nonblocking-long", "--first", {"--jobs": "20"}, *SHIELD),
    "shield-persistent": Kind("shield-persistent-long", "--first", {"--jobs": "20"}, *SHIELD),
    "shield-files": Kind("shield-files-long", "--first", {"--jobs": "20"}, *SHIELD),
    "shield-groups": Kind("shield-groups-long", "--first", {"--jobs": "20"}, *SHIELD),
    "launcher": Kind("launcher-campaign-long", "--first", {"--jobs": "20"}, *KILLS),
    "nodes": Kind("nodes-campaign-long", "--seed", {"--jobs": "4", "--length": "0.25"}, r"^(\d+) jobs", r"(\d+) losses"),
}
BOUND = ["--first", "--kills", "--jobs", "--count", "--seed"]  # options that say which jobs are run, and how many


@dataclasses.dataclass
class Tally:
    """What the runs of a kind have come to."""

    runs: int = 0
    jobs: int = 0
    deaths: int = 0
    failed: int = 0
    seconds: float = 0


def with_options(command: list[str], options: dict[str, str]) -> list[str]:
    """The command with these options in place of those by which it says how much to run."""
    words, result = iter(command), []
    for word in words:
        if word in BOUND or word in options:
            next(words)
        else:
            result.append(word)
    return [*result, *(word for pair in options.items() for word in pair)]


def commands(build: pathlib.Path) -> dict[str, list[str]]:
    """The commands of the long tests of a build, by kind. A kind that the build does not have is missing."""
    meson = subprocess.run(["meson", "introspect", "--tests", build], stdout=subprocess.PIPE, check=True)
    tests = {test["name"]: ["env", *map("=".join, test["env"].items()), *test["cmd"]] for test in json.loads(meson.stdout)}
    return {name: tests[kind.test] for name, kind in KINDS.items() if kind.test in tests}


def run(command: list[str], limit: float = LIMIT) -> tuple[int, str]:
    """The exit code and the output; -1 if the run hangs. Nothing of it is left behind."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                               text=True, errors="replace")
    try:
        output, code = process.communicate(timeout=limit)[0], process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, code = f"{process.communicate()[0]}\nhung: killed after {limit:g} s", -1
    return code, output


def total(pattern: str, output: str) -> int:
    return sum(int(found or 1) for found in re.findall(pattern, output, re.M))


class Soak:
    def __init__(self, known: dict[str, list[str]], folder: pathlib.Path, limit: float = LIMIT):
        self.known, self.folder, self.limit = known, folder, limit
        self.tallies: dict[str, Tally] = collections.defaultdict(Tally)

    def one_run(self, name: str, number: int) -> None:
        """Runs jobs of a kind, once more if they fail, and counts them."""
        kind, tally, begin = KINDS[name], self.tallies[name], time.monotonic()
        command = with_options(self.known[name], {kind.number: str(number), **kind.options})
        code, output = run(command, self.limit)
        if code == SKIPPED:
            print(f"{name}: {output.strip()}", flush=True)
            return
        tally.runs += 1
        jobs, deaths = total(kind.jobs, output), total(kind.deaths, output)
        tally.jobs, tally.deaths, tally.seconds = tally.jobs + jobs, tally.deaths + deaths, tally.seconds + time.monotonic() - begin
        print(f"{name} {number}: {jobs} jobs, {deaths} deaths" + (f", FAILED with {code}" if code else ""), flush=True)
        if code:
            tally.failed += 1
            self.keep(f"{name}-{number}", command, output)

    def keep(self, name: str, command: list[str], output: str) -> None:
        """Repeats a run that has failed, and keeps what both have printed."""
        again, more = run(command, self.limit)
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / f"{name}.txt"
        file.write_text(f"{' '.join(command)}\n\n{output}\n\nonce more: exit code {again}\n\n{more}\n", encoding="utf-8")
        print(f"  once more: {'it fails again' if again else 'it passes'}; both outputs: {file}", flush=True)

    def table(self) -> str:
        rows = [("kind", "runs", "jobs", "deaths", "failed", "seconds")]
        rows += [(name, str(it.runs), str(it.jobs), str(it.deaths), str(it.failed), f"{it.seconds:.0f}") for name, it in sorted(self.tallies.items())]
        sums = [sum(getattr(it, field) for it in self.tallies.values()) for field in ("runs", "jobs", "deaths", "failed", "seconds")]
        rows.append(("all", *(f"{value:.0f}" for value in sums)))
        return "\n".join(f"{name:<20}" + "".join(f"{cell:>9}" for cell in cells) for name, *cells in rows)

    def records(self) -> list[dict]:
        return [bench_tool.record(f"soak/{name}", "s", real_time=round(it.seconds, 1), cpu_time=0, runs=it.runs, jobs=it.jobs, deaths=it.deaths,
                                  failed=it.failed) for name, it in sorted(self.tallies.items())]


def in_turn(names: list[str], draw: random.Random) -> Iterator[str]:
    """Every kind once in a random order, again and again."""
    while True:
        yield from draw.sample(names, len(names))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build folder")
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="by default all: " + ", ".join(KINDS))
    args = parser.parse_args()
    if unknown := [name for name in args.kinds if name not in KINDS]:
        parser.error(f"{unknown[0]}: expected one of {', '.join(KINDS)}")
    known = commands(args.build)
    names = [name for name in args.kinds or KINDS if name in known]
    if not names:
        parser.error(f"{args.build} has none of these jobs: expected a build with MPI and tests")
    soak, draw, end = Soak(known, args.folder or args.build / "soak"), random.Random(args.seed), time.monotonic() + 60 * args.minutes
    print(f"seed {args.seed}, {args.minutes:g} minutes", flush=True)
    for name in in_turn(names, draw):
        if time.monotonic() > end:
            break
        soak.one_run(name, draw.randrange(10**6))
    print(soak.table())
    if args.out:
        command = f"./run soak --minutes {args.minutes:g} --seed {args.seed}"
        context = {"seed": args.seed, "minutes": args.minutes, "command": command, "cpu": machine.cpu_name(), "commit": machine.commit(ROOT)}
        bench_tool.write(args.out, context, soak.records())
    return 1 if any(it.failed for it in soak.tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
