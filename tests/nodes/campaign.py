#!/usr/bin/env python3
"""Jobs over nodes with random losses at random moments, from the start of mpirun to the end of the ranks. Half of the jobs start again if
they are lost. Each job either ends with the result of a job without losses, or ends by name. No process of it stays on a node.

campaign.py --mpirun PATH --node-library PATH --rank-library PATH --program STEPS [--build DIR] [--jobs N] [--seed N]
            [--length SHARE]

--build DIR     also k-means, the stencil, regraft-phylo and, under the shield, monte_carlo of this build
--length SHARE  programs make this share of their steps: more losses in less time, and more of them while jobs start and end
"""
import argparse
import collections
import dataclasses
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import cluster
import jobs_test
from ends_test import GONE, left
from jobs_test import kill

LIMIT = 150  # seconds for a job and its restarts
RESTARTS = 3
MPI = ["mpirun", "prterun", "prted"]
LAUNCHED = [*MPI, "steps", "kmeans", "stencil", "regraft-phylo", "monte_carlo"]
LOST = "DataLost|EntitiesLost|lost"  # a program says so when all copies of something are gone
ENDS_BY_NAME = re.compile(rf"^(regraft-run: |regraft-shield: |.*({LOST})|A daemon failed to report back)", re.M)

ALL_DIED = "regraft-run: all ranks have died"


@dataclasses.dataclass
class Program:
    words: list[str]
    result: str  # a pattern of what is the same in all jobs
    if_restarted: tuple[str, ...] = ()  # further options
    library: str = ""  # of the shield, under which it runs
    codes: tuple[int, ...] = (0,)  # exit codes of a job that has come to its end


def programs(args: argparse.Namespace, folder: pathlib.Path) -> dict[str, Program]:
    def steps(number: int) -> str:
        return str(round(number * args.length))

    found = {"steps": Program([args.program, steps(600)], r"^result (\S+)")}
    if args.build:
        build, data = pathlib.Path(args.build), cluster.ROOT / "data/primates.phy"
        keep = ("--keep", "/dev/shm")
        found["kmeans"] = Program([str(build / "examples/kmeans"), "--steps", steps(800)], r"^result (\S+)", keep)
        found["stencil"] = Program([str(build / "examples/stencil"), "--steps", steps(12000), "--interval", "100"], r"^result (\S+)", keep)
        found["phylo"] = Program([str(build / "apps/phylo/regraft-phylo"), "search", "--msa", str(data), "--model", "GTR+G", "--starts", f"rand{{{steps(40)}}}",
                                  "--prefix", str(folder / "out")], r"log-likelihood\s+(-[\d.]+)", keep)
        # Its result depends on when ranks die, but never on what the dead had not thrown.
        found["shield"] = Program([str(build / "examples/monte_carlo"), "--darts", steps(2000000000)], r"^pi is (3\.14)", (),
                                  str(build / "lib/shield/calls/libregraft_shield.so"), (0, 3))
    return found


def judged(text: str, code: int, program: Program, result: str) -> tuple[str, str]:
    """What is wrong with a job that has printed this text, empty if nothing is; and how it ended."""
    text = jobs_test.lines(text)
    if code in program.codes:
        results = re.findall(program.result, text, re.M)
        end = "finished after restarts" if "starts again" in text else "finished"
        return "" if results and results[-1] == result else f"{results} instead of {result}\n{text}", end
    reasons = re.findall(r"^regraft-run: .*", text, re.M)
    wrong = "" if ENDS_BY_NAME.search(text) else f"exit code {code} without a reason\n{text}"
    if reasons and reasons[-1] == ALL_DIED and not re.search(LOST, text):
        wrong = f"ranks of the first node have died, too, which nothing has killed\n{text}"
    return wrong, f"ended with {code}, {reasons[-1] if reasons else 'by itself'}"


def lose(nodes: cluster.Cluster, kind: str, node: int, draw: random.Random) -> None:
    if not nodes.is_alive(node):
        return
    ranks = [process for process in nodes.processes(node) if process not in {p for name in MPI for p in nodes.processes(node, name)}]
    if kind == "rank":
        kill(draw.sample(ranks, min(1, len(ranks))))
    elif kind == "ranks":
        kill(ranks)
    elif kind == "daemon":
        kill(nodes.processes(node, "prted"))
    else:
        {"crash": nodes.crash, "power": nodes.power_off, "cut": nodes.cut}[kind](node)


def clear(folder: pathlib.Path) -> None:
    """Removes what a job of regraft-phylo has left."""
    for file in folder.iterdir():
        file.unlink()


class Campaign:
    def __init__(self, args: argparse.Namespace, nodes: cluster.Cluster, folder: pathlib.Path, ranks_of_a_node: int):
        self.args, self.nodes, self.ranks_of_a_node = args, nodes, ranks_of_a_node
        self.folder, self.programs = folder, programs(args, folder)
        self.known: dict[str, tuple[str, float]] = {}  # result and seconds without losses
        self.ends: collections.Counter[str] = collections.Counter()
        self.last_end = ""
        self.num_losses = 0
        self.cut: set[int] = set()  # nodes that the present job loses so

    def start(self, name: str, restarts: int) -> subprocess.Popen:
        number, program = len(self.nodes.nodes), self.programs[name]
        options = [*(["--restarts", str(restarts)] if restarts else []), "--bind-to", "none"]
        words = [*program.words, *(program.if_restarted if restarts else [])]
        clear(self.folder)
        return jobs_test.start(self.nodes, self.args, options, words, self.nodes.hosts(self.ranks_of_a_node), number * self.ranks_of_a_node,
                               program.library)

    def undisturbed(self, name: str) -> tuple[str, float]:
        if name not in self.known:
            begin = time.monotonic()
            text = self.start(name, 0).communicate(timeout=LIMIT)[0]
            results = re.findall(self.programs[name].result, text, re.M)
            assert results, text
            self.known[name] = results[-1], time.monotonic() - begin
        return self.known[name]

    def one_job(self, draw: random.Random) -> str:
        """What is wrong with a random job; empty if nothing is."""
        name = draw.choice(sorted(self.programs))
        result, seconds = self.undisturbed(name)
        others = range(1, len(self.nodes.nodes))
        losses = sorted((draw.uniform(0, seconds), draw.choice(["rank", "ranks", "daemon", "crash", "power", "cut"]), draw.choice(others))
                        for _ in range(draw.choice([1, 1, 2, 3])))
        restarts = 0 if self.programs[name].library else draw.choice([0, RESTARTS])
        job, begin = self.start(name, restarts), time.monotonic()
        self.num_losses += len(losses)
        self.cut = {node for _, kind, node in losses if kind == "cut"}
        for moment, kind, node in losses:
            time.sleep(max(0, begin + moment - time.monotonic()))
            lose(self.nodes, kind, node, draw)
        wrong = self.judge(job, name, result)
        self.clean_up()
        lost = ", ".join(f"{kind} of n{node} after {moment:.2f} s" for moment, kind, node in losses)
        print(f"{name} of {seconds:.2f} s{', restarted' if restarts else ''}, {lost}: {wrong or self.last_end}", flush=True)
        return wrong

    def judge(self, job: subprocess.Popen, name: str, result: str) -> str:
        try:
            text = job.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            stay = left(self.nodes, LAUNCHED)
            kill(self.nodes.processes(0))
            return f"hung, with {stay}\n{job.communicate()[0]}"
        end = time.monotonic()
        while (stays := self.left()) and time.monotonic() < end + GONE:
            time.sleep(0.1)
        wrong, self.last_end = judged(text, job.returncode, self.programs[name], result)
        self.ends[self.last_end.partition(", ")[0]] += 1
        return f"{stays} stay\n{text}" if stays else wrong

    def left(self) -> list[str]:
        """Processes of the job. Not a daemon on a node that was cut off: if its ranks die before they see that the launcher is lost, nobody
        ends it, and it waits for mpirun for a quarter of an hour."""
        return [text for text in left(self.nodes, LAUNCHED) if not (text.endswith(": prted") and int(text[1:text.index(":")]) in self.cut)]

    def clean_up(self) -> None:
        for node in range(len(self.nodes.nodes)):
            if self.nodes.is_alive(node):
                self.nodes.join(node)
                kill(self.nodes.processes(node))
            else:
                self.nodes.boot(node)


def main() -> int:
    parser = jobs_test.arguments(__doc__ or "")
    parser.add_argument("--build", default="")
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--length", type=float, default=1)
    args = parser.parse_args()
    if skip := cluster.reason_to_skip():
        print(f"SKIPPED: {skip}")
        return cluster.SKIPPED
    draw, bad = random.Random(args.seed), []
    with tempfile.TemporaryDirectory() as name:
        outputs = pathlib.Path(name, "outputs")
        outputs.mkdir()
        shared = [*jobs_test.folders(args), pathlib.Path(name), *([pathlib.Path(args.build)] if args.build else [])]
        for number, ranks_of_a_node in ((4, 2), (3, 3)):
            with cluster.Cluster(number, shared) as nodes:
                campaign = Campaign(args, nodes, outputs, ranks_of_a_node)
                bad += [wrong for _ in range(args.jobs // 2) if (wrong := campaign.one_job(draw))]
                print(f"{number} nodes, {ranks_of_a_node} ranks each: {campaign.num_losses} losses, {dict(campaign.ends)}", flush=True)
    print(f"{args.jobs // 2 * 2} jobs, {len(bad)} of them wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
