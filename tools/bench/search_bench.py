#!/usr/bin/env python3
"""Compares tree searches, on one thread each, with IQ-TREE, piqtree and RAxML-NG if they are installed: how likely their trees are, and
how long they take. With --compare-build it compares two builds of regraft-phylo instead.

All programs search on the same data in turn, from several starts. `regraft-phylo evaluate` judges all final trees. A tree fails if it lacks
some of the taxa, or if it is judged more than 0.01 below what its program says.
"""
import argparse
import dataclasses
import hashlib
import json
import pathlib
import shutil
import sys
import tempfile

import bench_tool
import simulate
from drawings import search_builds
from tree_programs import EFFORTS, OTHER, Dataset, Failed, Found, Regraft, Start, Usage, dataset_of, searchers, taxa_of, version

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
KNOWN = {"primates": Dataset("primates", DATA / "primates.phy"),
         "globins": Dataset("globins", DATA / "globins.phy", "LG+G4m"),
         "elongation": Dataset("elongation", DATA / "elongation.phy", "LG+G4m"),
         "vertebrates": Dataset("vertebrates", DATA / "vertebrates.phy", "", DATA / "vertebrates.part")}
# Data to which nothing was tuned: kind, taxa, sites and seed for simulate.py, and the model of the searches.
UNTUNED = {"gtr_50": ("gtr", 50, 1000, 7101, "GTR+FC+G4m"),
           "hky_60": ("hky", 60, 800, 7102, "HKY+FC+I"),
           "lg_30": ("lg", 30, 400, 7103, "LG+G4m"),
           "long_60": ("gtr", 60, 10000, 7104, "GTR+FC+G4m"),
           "random_20": ("random", 20, 600, 7105, "JC")}  # rates of GTR have several optima on such data, one of which a judge misses
SIMULATED = {"full": [(100, 1000), (200, 1500), (350, 2000)], "short": [(30, 300)], "smoke": [(12, 150)]}  # taxa, sites
CHOSEN = {"full": list(KNOWN), "short": ["primates"], "smoke": []}
STARTS = {"full": 5, "short": 2, "smoke": 1}
COMPARED = ("fast", "normal", "auto")  # efforts at which builds are compared
TOLERANCE = 0.01  # log-likelihood


def simulated(taxa: int, sites: int, folder: pathlib.Path) -> Dataset:
    path = folder / f"sim_{taxa}.phy"
    path.write_text(simulate.evolved(taxa, sites, seed=taxa), encoding="utf-8")
    return Dataset(path.stem, path)


def untuned(folder: pathlib.Path) -> list[Dataset]:
    """Simulated data to which nothing was tuned."""
    found = []
    for name, (kind, taxa, sites, seed, model) in UNTUNED.items():
        path = folder / f"{name}.phy"
        path.write_text(simulate.alignment(kind, taxa, sites, seed), encoding="utf-8")
        found.append(Dataset(name, path, model))
    return found


def starts_for(dataset: Dataset, number: int) -> list[Start]:
    """The starts: the tree that is given, if there is one, then parsimony trees."""
    return [Start(i, dataset.start if i == 1 else None) for i in range(1, number + 1)]


class Bench:
    """A comparison. The folder runs keeps what was measured, so that it is not measured again."""

    def __init__(self, judge: Regraft, runs: pathlib.Path):
        self.judge, self.runs = judge, runs
        self.records: list[dict] = []
        self.trees: dict[str, str] = {}  # by the name of the record

    def folder(self, program, dataset: Dataset, start: Start) -> pathlib.Path:
        return self.runs / dataset.name / f"{program.name}-{start.number}"

    def measure(self, program, dataset: Dataset, start: Start) -> None:
        folder = self.folder(program, dataset, start)
        name = f"{program.name}/{dataset.name}/start:{start.number}"
        record = bench_tool.record(name, "s")
        try:
            found = kept(folder / "found.json") or self.search(program, dataset, start, folder)
            judged = self.judged(dataset, found, folder / "judged.json")
        except Failed as problem:
            self.records.append(record | {"error_occurred": True, "error_message": str(problem)})
            return
        usage = found.usage
        record |= {"real_time": usage.wall_s, "cpu_time": usage.user_s, "log_likelihood": judged["log_likelihood"],
                   "said": found.log_likelihood, "peak_bytes": usage.peak_bytes, "load": usage.load,
                   "label": "tree given" if start.tree else "own start"}
        record |= {"reductions": found.reductions} if found.reductions is not None else {}
        self.records.append(record | {key: judged[key] for key in ("taxa", "sites", "patterns")})
        self.trees[name] = found.tree
        print(f"  {name:<40} {judged['log_likelihood']:>16.4f} {usage.user_s:>10.2f} s", flush=True)

    @staticmethod
    def search(program, dataset: Dataset, start: Start, folder: pathlib.Path) -> Found:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        found = program.search(dataset, start, folder)
        (folder / "found.json").write_text(json.dumps(dataclasses.asdict(found)), encoding="utf-8")
        return found

    def judged(self, dataset: Dataset, found: Found, place: pathlib.Path) -> dict:
        if place.exists():
            return json.loads(place.read_text(encoding="utf-8"))
        report = self.judge.evaluate(dataset, found.tree)
        if taxa_of(found.tree) != taxa_of(report["tree"]):
            raise Failed("the tree does not have the taxa of the alignment")
        if report["log_likelihood"] < found.log_likelihood - TOLERANCE:
            raise Failed(f"judged {report['log_likelihood']}, but the program says {found.log_likelihood}")
        place.write_text(json.dumps(report), encoding="utf-8")
        return report

    def add_distances(self) -> None:
        """Adds the distance to the best tree known of the same data, for the best tree of each program."""
        best: dict[tuple[str, str], dict] = {}  # data, program ("": all) -> record
        for record in self.records:
            if "log_likelihood" in record:
                program, data, _ = record["name"].split("/")
                for key in ((data, program), (data, "")):
                    if key not in best or record["log_likelihood"] > best[key]["log_likelihood"]:
                        best[key] = record
        for (data, _), record in best.items():
            record["distance"] = self.judge.distances([self.trees[record["name"]]], self.trees[best[data, ""]["name"]])[0]


def kept(path: pathlib.Path) -> Found | None:
    if not path.exists():
        return None
    fields = json.loads(path.read_text(encoding="utf-8"))
    return Found(**{**fields, "usage": Usage(**fields["usage"])})


def parse() -> argparse.Namespace:
    parser = bench_tool.options(__doc__, "regraft-phylo", "little data, two starts", "the least that there is, without peers")
    data = parser.add_mutually_exclusive_group()
    data.add_argument("--sets", type=pathlib.Path, nargs="+", metavar="DIR",
                      help="data instead of its own: aln.phy, model.txt and perhaps start.nwk")
    data.add_argument("--untuned", action="store_true",
                      help=f"simulated data to which nothing was tuned, instead: {', '.join(UNTUNED)}")
    parser.add_argument("--starts", type=int, metavar="N", help="searches for each data set and program")
    parser.add_argument("--only", nargs="+", metavar="NAME",
                        help="runs only these: fast, normal_one_start, normal, auto, thorough, iqtree_fast, iqtree, piqtree, raxml_ng")
    parser.add_argument("--compare-build", type=pathlib.Path, metavar="REGRAFT_PHYLO",
                        help=f"an earlier build of regraft-phylo instead of peers: each search by turns, with effort {', '.join(COMPARED)}")
    parser.add_argument("--runs", type=pathlib.Path, metavar="DIR", help="keeps in DIR what has run, and does not run it again")
    parser.add_argument("--kept", action="store_true", help="searches nothing: judges what is in --runs")
    args = parser.parse_args()
    if args.starts is not None and args.starts < 1:
        parser.error(f"--starts: expected at least 1, not {args.starts}")
    if args.compare_build and not args.compare_build.is_file():
        parser.error(f"--compare-build: expected the program regraft-phylo, but {args.compare_build} is no file")
    return args


def chosen_programs(args: argparse.Namespace) -> list:
    """The searches of one start, in their order. Those of an earlier build come right before ours."""
    names = args.only or (COMPARED if args.compare_build else EFFORTS if args.pace == "smoke" else None)
    programs = [program for program in searchers(args.program.resolve()) if not names or program.name in names]
    if not args.compare_build:
        return programs
    earlier = args.compare_build.resolve()
    return [twin for ours in programs if isinstance(ours, Regraft)
            for twin in (Regraft(earlier, ours.effort, ours.name + OTHER, ours.one_start), ours)]


def chosen_sets(args: argparse.Namespace, scratch: pathlib.Path) -> list[Dataset]:
    if args.sets:
        return [dataset_of(folder) for folder in args.sets]
    if args.untuned:
        return untuned(scratch)
    return [KNOWN[name] for name in CHOSEN[args.pace]] + [simulated(*size, scratch) for size in SIMULATED[args.pace]]


def main() -> int:
    args = parse()
    programs = chosen_programs(args)
    with tempfile.TemporaryDirectory() as place:
        scratch = pathlib.Path(place)
        sets = chosen_sets(args, scratch)
        bench = Bench(Regraft(args.program.resolve(), "fast"), (args.runs or scratch / "runs").resolve())
        for number in range(args.starts or STARTS[args.pace]):
            for dataset in sets:
                start = starts_for(dataset, number + 1)[number]
                for program in programs:
                    if not args.kept or (bench.folder(program, dataset, start) / "found.json").exists():
                        bench.measure(program, dataset, start)
        bench.add_distances()
        context = {"clock": "cpu_time", "drawing": "search",
                   "programs": {program.name: version(program) for program in programs},
                   "alignments": {dataset.name: hashlib.sha256(dataset.alignment.read_bytes()).hexdigest() for dataset in sets}}
    if args.compare_build:
        context["comparison"] = search_builds.compared(bench.records)
    bench_tool.write(args.out, context, bench.records)
    problems = [f"{record['name']}: {record['error_message']}" for record in bench.records if "error_message" in record]
    print("\n".join(problems), end="\n" * bool(problems))
    return 1 if problems and args.pace == "smoke" else 0  # otherwise bench.py reports errors


if __name__ == "__main__":
    sys.exit(main())
