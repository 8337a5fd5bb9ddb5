#!/usr/bin/env python3
"""Measures searches on one, two and four ranks, and fits a model of their time to the profiles. The model says how much of many ranks a
search uses.

A search is a sequence of packages of work, each of which ends with a reduction. On p ranks that share m patterns, a package takes
a + b m / p, and a reduction takes c ceil(log2 p), because its messages go up and down a tree. What a reduction takes between nodes cannot
be measured on one machine, so forecasts are made for several values of c. The model is of searches that do not look ahead, so that the
number of packages does not depend on the ranks. What looking ahead changes is measured beside them, also where a library that is preloaded
makes each reduction take longer, as between nodes. Searches that look as far ahead as they can have a model of their own: they have fewer
packages, each of which takes longer.
"""
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import bench_tool
import simulate
import where
from model.constants import Line, fitted
from tree_programs import Dataset, Regraft

TAXA = {"full": 50, "short": 30, "smoke": 12}
SITES = {"full": [1000, 4000, 16000], "short": [500, 2000], "smoke": [100, 300]}
RANKS = [1, 2, 4]
STEPS_US = [1.0, 2.0, 5.0]  # of a reduction between nodes
AHEAD = [1, 4, 16]  # subtrees
PAIRS = 3  # searches with each
FEW_SITES = {"full": [250, 1000], "short": [250], "smoke": [60]}  # where reductions take longer
LONGER_US = {"full": [10, 20, 50], "short": [20], "smoke": [20]}  # by so much
FORECAST = {"patterns": [10_000, 100_000, 1_000_000, 10_000_000], "ranks": [64, 256, 1024, 4096]}


@dataclass
class Profile:
    """A search on so many ranks; seconds are means over the ranks."""

    patterns: int
    ranks: int
    packages: int
    work: float
    waiting: float
    communication: float

    @property
    def seconds(self) -> float:
        return self.work + self.waiting + self.communication


@dataclass
class Model:
    """Seconds. wait: the share of its work for which a rank waits until the slowest is done. cores: that ranks share. share: packages, for
    each of a search that does not look ahead."""

    package: Line  # by patterns of a rank
    step: float
    wait: float
    cores: float = math.inf
    share: float = 1.0

    def at(self, packages: float, patterns: float, ranks: int) -> float:
        work = self.package.at(patterns / ranks) * max(1.0, ranks / self.cores)
        return packages * self.share * (work * (1 + (self.wait if ranks > 1 else 0)) + self.step * math.ceil(math.log2(ranks)))

    def efficiency(self, patterns: float, ranks: int, alone: "Model") -> float:
        """Compared with a search on one rank."""
        return alone.at(1, patterns, 1) / (ranks * self.at(1, patterns, ranks))

    def patterns_per_rank(self, ranks: int, efficiency: float, alone: "Model") -> int:
        """The fewest for this efficiency."""
        low, high = 1, 1 << 40
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.efficiency(middle * ranks, ranks, alone) >= efficiency else (middle + 1, high)
        return low


@dataclass
class Jobs:
    """Profiled searches of a program."""

    program: Regraft
    mpirun: str
    slow_reductions: pathlib.Path
    folder: pathlib.Path

    def dataset(self, taxa: int, sites: int) -> Dataset:
        file = self.folder / f"sim_{sites}.phy"
        file.write_text(simulate.evolved(taxa, sites, seed=sites), encoding="utf-8")
        return Dataset(file.stem, file)

    def profiled(self, dataset: Dataset, ranks: int, ahead: int = 1, longer_us: int = 0) -> Profile:
        """A search that looks so many subtrees ahead, and whose reductions take so much longer."""
        words = self.program.command("search", dataset, "--effort", self.program.effort, "--starts", "pars{1}", "--groups", "1",
                                     "--profile", "--lookahead", str(ahead))
        preload = ["env", f"LD_PRELOAD={self.slow_reductions}", f"SLOW_REDUCTIONS_US={longer_us}"] if longer_us else []
        command = [*where.launcher(), "--mpirun", self.mpirun, "-n", str(ranks), *preload, *map(str, words)]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)
        told = json.loads((self.folder / "run.profile.json").read_text(encoding="utf-8"))["ranks"]
        mean = {key: 1e-3 * statistics.mean(rank[key] for rank in told) for key in ("work_ms", "waiting_ms", "communication_ms")}
        return Profile(self.program.report(self.folder)["patterns"], ranks, told[0]["packages"], mean["work_ms"], mean["waiting_ms"],
                       mean["communication_ms"])

    def by_lookahead(self, dataset: Dataset, ranks: int, longer_us: int = 0) -> dict[int, list[Profile]]:
        """Searches by how far they look ahead, in turn."""
        found: dict[int, list[Profile]] = {subtrees: [] for subtrees in AHEAD}
        for _ in range(PAIRS):
            for subtrees in AHEAD:
                found[subtrees].append(self.profiled(dataset, ranks, subtrees, longer_us))
        return found


def model_of(profiles: list[Profile], cores: int) -> Model:
    """Fitted to the searches whose ranks have a core each."""
    alone = [one for one in profiles if one.ranks <= cores]
    many = [one for one in alone if one.ranks > 1]
    package = fitted({one.patterns / one.ranks: one.work / one.packages for one in alone})
    steps = [one.communication / one.packages / math.ceil(math.log2(one.ranks)) for one in many]
    wait = [one.waiting / one.work for one in many]
    return Model(package, statistics.median(steps or [0]), statistics.median(wait or [0]), cores)


def model_ahead(profiles: list[Profile], model: Model, packages: dict[int, int]) -> Model:
    """The same of searches that look ahead, with the network of that model. packages: of searches that do not, by their patterns."""
    package = fitted({one.patterns / one.ranks: one.work / one.packages for one in profiles})
    share = statistics.geometric_mean(one.packages / packages[one.patterns] for one in profiles)
    return Model(package, model.step, model.wait, share=share)


def measured(one: Profile, model: Model) -> dict:
    forecast = model.at(one.packages, one.patterns, one.ranks)
    return bench_tool.record(f"search/simulated/patterns:{one.patterns}/ranks:{one.ranks}", "s", real_time=one.seconds, cpu_time=one.work,
                             ranks=one.ranks, packages=one.packages, s_per_package=one.work / one.packages, waiting_s=one.waiting,
                             communication_s=one.communication, model_s=forecast, model_over_measured=forecast / one.seconds,
                             load=os.getloadavg()[0])


def forecasts(suffix: str, model: Model, alone: Model) -> list[dict]:
    """The model of what one package of a search that does not look ahead becomes, on ranks that have a core each. alone: the model of such
    a search."""
    records = []
    for step_us in STEPS_US:
        network = Model(model.package, 1e-6 * step_us, model.wait, share=model.share)
        for patterns in FORECAST["patterns"]:
            for ranks in FORECAST["ranks"]:
                seconds = network.at(1, patterns, ranks)
                records.append(bench_tool.record(f"forecast{suffix}/step_{step_us:g}_us/patterns:{patterns}/ranks:{ranks}", "s",
                                                 real_time=seconds, cpu_time=seconds, ranks=ranks,
                                                 efficiency=network.efficiency(patterns, ranks, alone)))
        for ranks in FORECAST["ranks"]:
            needed = network.patterns_per_rank(ranks, 0.5, alone)
            seconds = network.at(1, needed * ranks, ranks)
            records.append(bench_tool.record(f"half{suffix}/step_{step_us:g}_us/ranks:{ranks}", "s", real_time=seconds, cpu_time=seconds,
                                             ranks=ranks, patterns_per_rank=needed))
    return records


def looking_ahead(subtrees: int, longer_us: int, profiles: list[Profile]) -> dict:
    """Searches that look so far ahead."""
    one, family = profiles[0], "search" + (f"_longer_{longer_us}_us" if longer_us else "")
    return bench_tool.record(f"ahead_{subtrees}/{family}/patterns:{one.patterns}/ranks:{one.ranks}", "s",
                             real_time=statistics.median(profile.seconds for profile in profiles),
                             cpu_time=statistics.median(profile.work for profile in profiles),
                             ranks=one.ranks, packages=one.packages, load=os.getloadavg()[0])


def main() -> int:
    parser = bench_tool.options(__doc__, "regraft-phylo", "few taxa and sites")
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--slow-reductions", type=pathlib.Path, required=True, help="libslow_reductions.so")
    args = parser.parse_args()
    profiles, farthest, ahead, taxa = [], [], [], TAXA[args.pace]

    def look_ahead(dataset: Dataset, ranks: int, longer_us: int = 0) -> None:
        found = jobs.by_lookahead(dataset, ranks, longer_us)
        ahead.extend(looking_ahead(subtrees, longer_us, several) for subtrees, several in found.items())
        if ranks == RANKS[1] and longer_us == 0:
            farthest.append(sorted(found[AHEAD[-1]], key=lambda one: one.work)[PAIRS // 2])

    with tempfile.TemporaryDirectory() as folder:
        jobs = Jobs(Regraft(args.program.resolve(), "fast"), args.mpirun, args.slow_reductions.resolve(), pathlib.Path(folder))
        for sites in SITES[args.pace]:
            dataset = jobs.dataset(taxa, sites)
            profiles += [jobs.profiled(dataset, ranks) for ranks in RANKS]
            for ranks in RANKS[1:]:
                look_ahead(dataset, ranks)
        for sites in FEW_SITES[args.pace]:
            dataset = jobs.dataset(taxa, sites)
            for longer_us in LONGER_US[args.pace]:
                look_ahead(dataset, 2, longer_us)
    for one in profiles:
        if len({other.packages for other in profiles if other.patterns == one.patterns}) != 1:
            sys.exit(f"{one.patterns} patterns: the number of packages depends on the ranks")
    model = model_of(profiles, os.cpu_count() or 1)
    far = model_ahead(farthest, model, {one.patterns: one.packages for one in profiles})
    context = {"drawing": "none", "subject": "search", "package_fixed_us": 1e6 * model.package.fixed,
               "package_us_per_pattern": 1e6 * model.package.per_rank, "step_us": 1e6 * model.step, "wait": model.wait,
               "far_package_fixed_us": 1e6 * far.package.fixed, "far_package_us_per_pattern": 1e6 * far.package.per_rank,
               "far_share": far.share}
    bench_tool.write(args.out, context, [measured(one, model) for one in profiles] + ahead
                     + forecasts("", model, model) + forecasts("_far", far, model))
    return 0


if __name__ == "__main__":
    sys.exit(main())
