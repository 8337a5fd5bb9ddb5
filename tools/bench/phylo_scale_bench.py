#!/usr/bin/env python3
"""Measures fast searches on simulated alignments of many taxa: the time and steps of each stage, and the memory, which is compared with
what the program says it needs. IQ-TREE -fast, FastTree and VeryFastTree search the same data if they are installed, which takes hours at
full size."""
import pathlib
import re
import shutil
import sys
import tempfile

import bench_tool
import simulate
from tree_programs import Dataset, FastTree, IqTree, Regraft, Start, fast_trees, run, version

SITES = 1000
TAXA = {"full": [500, 1000, 2000, 5000, 10000], "short": [100, 200], "smoke": [20]}
LARGE = [20000, 50000]
LEAST = 0.01  # seconds; a shorter time is left out, for the log does not measure it
STAGES = ["rough model", "near SPR", "far SPR", "model", "final model"]


def record(name: str, taxa: int, seconds: float, **counters) -> dict:
    return bench_tool.record(f"{name}/simulated/taxa:{taxa}", "s", real_time=seconds, cpu_time=seconds, s_per_taxon=seconds / taxa,
                             **counters)


def stages(log: str) -> dict[str, float]:
    """The seconds of each stage by the wall clock, from the times at which its rounds ended according to the log."""
    found = dict.fromkeys(STAGES, 0.0)
    lines = [(float(time), what) for time, what in re.findall(r"^\[ *([\d.]+) s\] ([^:\n]*)", log, re.M)]
    for (before, _), (now, what) in zip(lines, lines[1:]):
        stage = re.sub(r" round \d+$|, .*$", "", what)
        if stage in STAGES:
            found[stage] += now - before
    return found


def start_seconds(program: Regraft, dataset: Dataset, kind: str, folder: pathlib.Path) -> float:
    """The user seconds until the first step, the least of three. A job with no time left stops after this step (exit code 75)."""
    words = program.command("search", dataset, "--starts", f"{kind}{{1}}", "--time-limit", "0")
    return min(run(["sh", "-c", '"$@"; [ $? -eq 75 ]', "sh", *words], folder).user_s for _ in range(3))


def measure(program: Regraft, dataset: Dataset, taxa: int, folder: pathlib.Path) -> list[dict]:
    # Both times include the first step.
    parsimony = max(start_seconds(program, dataset, "pars", folder) - start_seconds(program, dataset, "rand", folder), 0)
    found = program.search(dataset, Start(1, None), folder)
    report, log = program.report(folder), (folder / "run.log").read_text(encoding="utf-8")
    usage, estimate = found.usage, int(re.search(r"likelihoods in at most (\d+) MiB", log)[1]) << 20
    speed = usage.user_s / report["seconds"]  # the process has less than a core if others want it, too
    seconds = {"parsimony start": parsimony} | {stage: wall * speed for stage, wall in stages(log).items()}
    seconds["rough model"] = max(seconds["rough model"] - parsimony, 0)  # it comes first, so its time includes the start tree
    spr_steps, spr_seconds = report["points_reached"]["spr:before"], seconds["near SPR"] + seconds["far SPR"]
    whole = record("search", taxa, usage.user_s, log_likelihood=found.log_likelihood, evaluations=report["evaluations"],
                   spr_steps=spr_steps, spr_steps_per_s=spr_steps / spr_seconds, peak_bytes=usage.peak_bytes, estimated_bytes=estimate,
                   patterns=report["patterns"], load=usage.load, wall_s=usage.wall_s)
    return [whole] + [record(stage.replace(" ", "_"), taxa, time) for stage, time in seconds.items() if time > LEAST]


def measure_peer(peer: IqTree | FastTree, judge: Regraft, dataset: Dataset, taxa: int, folder: pathlib.Path) -> dict:
    """Its tree is judged as ours is."""
    found = peer.search(dataset, Start(1, None), folder)
    return record(peer.name, taxa, found.usage.user_s, log_likelihood=judge.evaluate(dataset, found.tree)["log_likelihood"],
                  said=found.log_likelihood, peak_bytes=found.usage.peak_bytes, load=found.usage.load, wall_s=found.usage.wall_s)


def main() -> int:
    parser = bench_tool.options(__doc__, "regraft-phylo", "few taxa")
    parser.add_argument("--taxa", type=int, nargs="+", metavar="N", help="these sizes instead of its own")
    parser.add_argument("--large", action="store_true", help=f"also {' and '.join(f'{size:,}' for size in LARGE)} taxa, which takes hours")
    parser.add_argument("--peer-taxa", type=int, default=max(TAXA["full"]), metavar="N",
                        help="the most taxa on which other programs search, too")
    args = parser.parse_args()
    program, records = Regraft(args.program.resolve(), "fast"), []
    iqtree = shutil.which("iqtree2") or shutil.which("iqtree3")
    peers = [*([IqTree(iqtree, fast=True)] if iqtree else []), *fast_trees()] if args.pace != "smoke" else []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for taxa in (args.taxa or TAXA[args.pace]) + (LARGE if args.large else []):
            dataset = Dataset(f"sim_{taxa}", folder / f"sim_{taxa}.phy")
            dataset.alignment.write_text(simulate.evolved(taxa, SITES, seed=taxa), encoding="utf-8")
            records += measure(program, dataset, taxa, folder)
            if taxa <= args.peer_taxa:
                records += [measure_peer(peer, program, dataset, taxa, folder) for peer in peers]
    programs = {one.name: version(one) for one in [program, *peers]}
    bench_tool.write(args.out, {"clock": "cpu_time", "subject": "search", "unit": "taxa", "programs": programs}, records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
