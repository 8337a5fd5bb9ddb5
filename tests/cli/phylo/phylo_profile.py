#!/usr/bin/env python3
"""--profile: its numbers add up, whichever ranks die, and it changes no bit of the result."""
import json
import math
import os
import pathlib
import random
import sys
import xml.etree.ElementTree

import phylo_job

RUNS = [  # ranks, plan: every rank in it must die, options
    (1, "", []),
    (2, "", ["--threads", "2"]),
    (3, "", []),
    (3, "spr:inside:1:3", []),
    (4, "reduce:inside:3:200,model:inside:0:1", []),
    (3, "output:inside:0:0", []),  # when the logs of all ranks are already gathered
    (2, "output:before:0:0", []),
]


def profile(job: phylo_job.Result) -> dict:
    picture = pathlib.Path(f"{job.prefix}.profile.svg").read_text(encoding="utf-8")
    check_picture(job, xml.etree.ElementTree.fromstring(picture))
    return json.loads(pathlib.Path(f"{job.prefix}.profile.json").read_text(encoding="utf-8"))


def check_picture(job: phylo_job.Result, svg: xml.etree.ElementTree.Element) -> None:
    """Axes have numbers, none of which overlaps another."""
    lines: dict[float, list[tuple[float, float]]] = {}
    for node in svg.iter("{http://www.w3.org/2000/svg}text"):
        width = 0.6 * 11 * len("".join(node.itertext()))
        left = float(node.get("x")) - width * {"start": 0, "middle": 0.5, "end": 1}[node.get("text-anchor", "start")]
        lines.setdefault(float(node.get("y")), []).append((left, left + width))
    for y, boxes in lines.items():
        boxes.sort()
        job.require(all(one[1] <= other[0] for one, other in zip(boxes, boxes[1:])), f"numbers at height {y} overlap: {boxes}")
    above_ranks = 230
    axis = [int(node.text) for node in svg.iter("{http://www.w3.org/2000/svg}text")
            if node.get("text-anchor") == "end" and float(node.get("y")) < above_ranks and (node.text or "").isdigit()]
    job.require(0 in axis and max(axis) > 0, f"no axis of numbers: {axis}")


def check(job: phylo_job.Result, found: dict, ranks: int, name: str, looks_ahead: bool = False) -> None:
    told = [rank["rank"] for rank in found["ranks"]]
    job.require(told == [rank for rank in range(ranks) if rank not in job.killed()], f"{name}: the profile is of the ranks {told}")
    job.require(found["epochs"] >= 1 and found["packages_compared"] > 0 and found["imbalance"] >= 0, f"{name}: nothing was compared")
    for share in ("slowest_share", "slowest_time_share"):
        total = sum(rank[share] for rank in found["ranks"])
        job.require(math.isclose(total, 1, abs_tol=1e-9), f"{name}: {share} adds up to {total}")
    mean = sum(rank["slowdown_mean"] for rank in found["ranks"]) / len(told)
    job.require(math.isclose(mean, 1, rel_tol=1e-9), f"{name}: the mean slowdown is {mean}")
    for rank in found["ranks"]:
        job.require(sum(rank["lengths"]) == rank["packages"], f"{name}: the histogram is not of all packages")
        job.require(sum(rank["slowdowns"]) == found["packages_compared"], f"{name}: the histogram is not of all packages compared")
        job.require(looks_ahead or rank["packages"] >= job.report["evaluations"], f"{name}: fewer packages than evaluations")
        ms = rank["work_ms"] + rank["waiting_ms"] + rank["communication_ms"]
        job.require(0 < ms <= 1000 * job.report["seconds"], f"{name}: {ms} ms in {job.report['seconds']} s")
    if len(told) == 1:
        job.require(found["imbalance"] < 1e-9, f"{name}: one rank and imbalance {found['imbalance']}")


def refused(jobs: phylo_job.Jobs, args) -> None:
    """Existing files are not overwritten, and loglh, which has one package, is not profiled."""
    prefix = pathlib.Path(jobs.directory.name, "there")
    path = pathlib.Path(f"{prefix}.profile.svg")
    path.write_text("mine", encoding="utf-8")
    search = ["search", "--msa", args.msa, "--model", "JC", "--profile"]
    job = jobs.run(1, search, prefix=prefix)
    job.require(job.codes == [2] and path.name in job.output and path.read_text(encoding="utf-8") == "mine", "expected that the picture stays")
    job = jobs.run(1, ["loglh", *search[1:]])
    job.require(job.codes == [2] and "--profile" in job.output, "expected that loglh does not know --profile")


def balanced(jobs: phylo_job.Jobs, args, tree: str) -> None:
    """Few patterns of many states cost more than many of few: neither rank gets all of them, as it would if only their number counted."""
    source = random.Random(1)
    symbols = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,/:;<=>@[\\]^_{|}~"
    lines = [line.split() for line in pathlib.Path(args.msa).read_text(encoding="utf-8").splitlines()[1:]]
    sites, added = len(lines[0][1]), 60
    alignment, partitions = (pathlib.Path(jobs.directory.name, name) for name in ("mixed.fa", "mixed.part"))
    alignment.write_text("".join(f">{name}\n{row}{''.join(source.choices(symbols, k=added))}\n" for name, row in lines), encoding="utf-8")
    partitions.write_text(f"GTR+FC+G4m, dna = 1-{sites}\nMULTI64_MK+G4m, many = {sites + 1}-{sites + added}\n", encoding="utf-8")
    job = jobs.run(2, ["evaluate", "--msa", str(alignment), "--partitions", str(partitions), "--tree", tree, "--threads", "1", "--profile"])
    job.require(job.codes == [0, 0], "expected that DNA with multistate data is evaluated")
    slowdowns = [rank["slowdown_mean"] for rank in profile(job)["ranks"]]
    job.require(max(slowdowns) < 1.6, f"one rank has nearly all the work: {slowdowns}")
    print(f"DNA and 64 states: slowdowns {slowdowns}", flush=True)


def test(jobs: phylo_job.Jobs, args) -> None:
    reference = jobs.search(1)
    reference.require(not pathlib.Path(f"{reference.prefix}.profile.json").exists(), "a profile that nobody wanted")
    for ranks, plan, options in RUNS:
        name = f"{ranks} ranks, plan '{plan}', {' '.join(options)}"
        job = jobs.search(ranks, plan, "--profile", *options)
        victims = phylo_job.victims(plan)
        job.require(job.killed() == victims, f"{name}: expected the deaths of {sorted(victims)}")
        job.require(job.bits() == reference.bits(), f"{name}: another result: {job.bits()} instead of {reference.bits()}")
        found = profile(job)
        check(job, found, ranks, name, looks_ahead=ranks > 1)
        print(f"{name}: same bits, {found['packages_compared']} packages, imbalance {found['imbalance']:.2f}", flush=True)
    # A search that looks ahead makes fewer reductions.
    packages = {}
    for ahead in ("1", "64"):
        job = jobs.search(2, "", "--profile", "--lookahead", ahead)
        job.require(job.bits() == reference.bits(), f"--lookahead {ahead}: another result: {job.bits()} instead of {reference.bits()}")
        found = profile(job)
        check(job, found, 2, f"--lookahead {ahead}", looks_ahead=ahead != "1")
        packages[ahead] = found["ranks"][0]["packages"]
    reference.require(packages["64"] < 0.8 * packages["1"], f"expected fewer packages with --lookahead 64: {packages}")
    evaluated = jobs.run(2, ["evaluate", "--msa", args.msa, "--model", "JC", "--tree", f"{reference.prefix}.bestTree", "--profile"])
    evaluated.require(evaluated.codes == [0, 0], "expected that an evaluation is profiled")
    check(evaluated, profile(evaluated), 2, "evaluate")
    refused(jobs, args)
    balanced(jobs, args, f"{reference.prefix}.bestTree")


if __name__ == "__main__":
    os.environ["OMP_WAIT_POLICY"] = "passive"  # there are more threads than cores
    sys.exit(phylo_job.main(phylo_job.arguments(__doc__).parse_args(), test, needs_deaths=True))
