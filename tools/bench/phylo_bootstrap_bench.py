#!/usr/bin/env python3
"""Compares bootstrap supports with those of IQ-TREE, on the edges of the best tree that regraft-phylo finds.

regraft-phylo searches on resampled alignments (--bs-trees) with two seeds, which shows what chance does, and makes its ultrafast bootstrap
(--ufboot). If IQ-TREE is installed, it runs in three ways: its search with -fast on
alignments that were resampled here, its own bootstrap (-b, which takes hours and runs only with --only), and its ultrafast bootstrap (-B).
"""
import json
import math
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile

import bench_tool
from search_bench import simulated
from tree_programs import Dataset, Failed, IqTree, Regraft, Start, Usage, dataset_of, run

REPLICATES = {"full": 500, "short": 20, "smoke": 5}
MOST_OF_IQTREE = 200  # searches
ULTRAFAST = 1000  # replicates of an ultrafast bootstrap, the least that IQ-TREE accepts


class Ours:
    """A bootstrap of regraft-phylo. option: --bs-trees or --ufboot."""

    def __init__(self, program: pathlib.Path, name: str, option: str = "--bs-trees", seed: int = 1):
        self.regraft, self.name, self.option, self.seed = Regraft(program, "normal"), name, option, seed

    def replicates(self, dataset: Dataset, number: int, folder: pathlib.Path) -> tuple[list[str], Usage]:
        number = max(number, ULTRAFAST) if self.option == "--ufboot" else number
        words = ["--effort", "normal", self.option, str(number), "--seed", str(self.seed)]
        usage = run(self.regraft.command("search", dataset, *words), folder)
        return lines(folder / ("run.ufboot" if self.option == "--ufboot" else "run.bootstraps")), usage


class IqTreeFast:
    """Searches on alignments that were resampled here, because IQ-TREE does not combine -fast and -b."""

    name = "iqtree_fast"

    def __init__(self, program: str):
        self.iqtree = IqTree(program, fast=True)

    def replicates(self, dataset: Dataset, number: int, folder: pathlib.Path) -> tuple[list[str], Usage]:
        found, total = [], Usage(0, 0, 0, os.getloadavg()[0])
        for seed in range(1, min(number, MOST_OF_IQTREE) + 1):
            sample = Dataset(dataset.name, folder / "sample.phy", dataset.model)
            sample.alignment.write_text(resampled(dataset.alignment.read_text(encoding="utf-8"), seed), encoding="utf-8")
            result = self.iqtree.search(sample, Start(seed, None), folder)
            found.append(result.tree.strip())
            total.user_s += result.usage.user_s
            total.wall_s += result.usage.wall_s
        return found, total


class IqTreeOwn:
    """The bootstrap of IQ-TREE itself. option: -b or -B."""

    def __init__(self, program: str, name: str, option: str, file: str):
        self.iqtree, self.name, self.option, self.file = IqTree(program, fast=False), name, option, file

    def replicates(self, dataset: Dataset, number: int, folder: pathlib.Path) -> tuple[list[str], Usage]:
        number = max(number, ULTRAFAST) if self.option == "-B" else number
        words = [self.option, str(number), *(["--wbt"] if self.option == "-B" else [])]
        usage = run(self.iqtree.command(dataset, 1, folder, *words), folder)
        return lines(folder / self.file), usage


def programs(regraft: pathlib.Path) -> list:
    found: list = [Ours(regraft, "ours"), Ours(regraft, "ours_seed_2", seed=2), Ours(regraft, "ours_ufboot", "--ufboot")]
    if iqtree := shutil.which("iqtree2") or shutil.which("iqtree3"):
        found += [IqTreeFast(iqtree), IqTreeOwn(iqtree, "iqtree_ufboot", "-B", "run.ufboot"),
                  IqTreeOwn(iqtree, "iqtree_b", "-b", "run.boottrees")]
    return found


def lines(path: pathlib.Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def resampled(phylip: str, seed: int) -> str:
    """The alignment with as many sites, drawn with replacement. Precondition: a line per taxon, or blocks of such lines, of which only the
    first block has names."""
    head, *others = (line for line in phylip.splitlines() if line.strip())
    taxa, sites = map(int, head.split()[:2])
    first = [line.split(None, 1) for line in others[:taxa]]
    rows = ["".join([row, *others[taxa + i :: taxa]]).replace(" ", "") for i, (_, row) in enumerate(first)]
    drawn = random.Random(seed).choices(range(sites), k=sites)
    return f"{taxa} {sites}\n" + "".join(f"{name} {''.join(row[site] for site in drawn)}\n" for (name, _), row in zip(first, rows))


def supports(judge: Regraft, reference: str, trees: list[str]) -> list[int]:
    """The supports of the inner edges of the reference, in percent, in the order of its Newick text."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "reference.nwk").write_text(reference, encoding="utf-8")
        (folder / "replicates.nwk").write_text("\n".join(trees) + "\n", encoding="utf-8")
        run([judge.program, "support", "--tree", "reference.nwk", "--bs-trees", "replicates.nwk", "--prefix", "run"], folder)
        return [int(label) for label in re.findall(r"\)(\d+)", (folder / "run.support").read_text(encoding="utf-8"))]


def correlation(a: list[int], b: list[int]) -> float:
    """The correlation coefficient of Pearson."""
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    product = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    return product / math.sqrt(sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b))


def compared(judge: Regraft, dataset: Dataset, number: int, chosen: list, runs: pathlib.Path) -> list[dict]:
    """A record per program. All are compared with the first one. The folder runs keeps what has run."""
    records: list[dict] = []
    reference, first = "", []
    for program in chosen:
        folder = runs / dataset.name / program.name
        if not (folder / "found.json").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            trees, usage = program.replicates(dataset, number, folder)
            content = {"trees": trees, "user_s": usage.user_s, "wall_s": usage.wall_s, "load": usage.load}
            (folder / "found.json").write_text(json.dumps(content), encoding="utf-8")
        found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
        if not records:
            reference = judge.search(dataset, Start(1, dataset.start), folder).tree
        here = supports(judge, reference, found["trees"])
        first = first or here
        higher = [b - a for a, b in zip(first, here)]
        name = f"{program.name}/{dataset.name}/replicates:{len(found['trees'])}"
        records.append(bench_tool.record(name, "s", real_time=found["wall_s"], cpu_time=found["user_s"], load=found["load"],
                                         edges=len(here), correlation=correlation(first, here),
                                         signed_difference=sum(higher) / len(higher), mean_difference=sum(map(abs, higher)) / len(higher),
                                         largest_difference=max(map(abs, higher))))
        print(f"  {name:<44} {found['user_s']:>8.1f} s, correlation {records[-1]['correlation']:.4f}, "
              f"higher by {records[-1]['signed_difference']:+.1f}", flush=True)
    return records


def main() -> int:
    parser = bench_tool.options(__doc__, "regraft-phylo", "few replicates", "the least that there is, without peers")
    parser.add_argument("--sets", type=pathlib.Path, nargs="+", metavar="DIR",
                        help="data instead of its own: aln.phy, model.txt and perhaps start.nwk")
    parser.add_argument("--only", nargs="+", metavar="NAME",
                        help="runs only these: ours_seed_2, ours_ufboot, iqtree_fast, iqtree_ufboot, iqtree_b")
    parser.add_argument("--runs", type=pathlib.Path, metavar="DIR", help="keeps in DIR what has run, and does not run it again")
    args = parser.parse_args()
    peers = [] if args.pace == "smoke" else ["iqtree_fast", "iqtree_ufboot"]
    wanted = args.only or ["ours_seed_2", "ours_ufboot", *peers]
    chosen = [program for program in programs(args.program.resolve()) if program.name in ("ours", *wanted)]
    with tempfile.TemporaryDirectory() as place:
        scratch = pathlib.Path(place)
        sizes = {"full": [(100, 1000)], "short": [(30, 300)], "smoke": [(12, 150)]}[args.pace]
        sets = [dataset_of(folder) for folder in args.sets] if args.sets else [simulated(*size, scratch) for size in sizes]
        judge = Regraft(args.program.resolve(), "normal")
        records = [record for dataset in sets
                   for record in compared(judge, dataset, REPLICATES[args.pace], chosen, (args.runs or scratch / "runs").resolve())]
    bench_tool.write(args.out, {"clock": "cpu_time", "drawing": "none"}, records)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as problem:
        sys.exit(str(problem))
