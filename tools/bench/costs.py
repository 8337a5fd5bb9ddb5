#!/usr/bin/env python3
"""costs.py REGRAFT_PHYLO: measures what a pattern costs in searches, for the table in lib/likelihood/partition/cost.cpp.

Simulates sites of some numbers of states along a tree, searches on them with --profile on one rank, and prints nanoseconds per work
package and pattern. Takes some minutes. Standard library only.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import tempfile

SYMBOLS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,/:;<=>@[\\]^_{|}~"
# Rates and frequencies are fixed, so that the same parameters are optimised in all models.
MODELS = {2: ("01", "BIN+FE"), 4: ("ACGT", "GTR{1.2/3.1/0.9/1.1/3.4/1}+FU{0.3/0.2/0.22/0.28}"), 20: ("ARNDCQEGHILKMFPSTWYV", "LG")}
TAXA = 40


def evolved(symbols: str, sites: int, seed: int) -> str:
    """An alignment as PHYLIP. At each change all states are equally likely. Sites differ in how often they change."""
    shape, source = random.Random(1), random.Random(seed)
    subtrees: list = list(range(TAXA))
    while len(subtrees) > 1:
        joined = [subtrees.pop(shape.randrange(len(subtrees))) for _ in range(2)]
        subtrees.append([(child, shape.expovariate(12)) for child in joined])
    rates = source.choices((0.05, 0.3, 0.9, 2.7), k=sites)
    rows: dict[int, str] = {}

    def descend(node, states: list[str]) -> None:
        if isinstance(node, int):
            rows[node] = "".join(states)
            return
        for child, length in node:
            descend(child, [source.choice(symbols) if source.random() < -math.expm1(-length * rate) else state
                            for state, rate in zip(states, rates)])

    descend(subtrees[0], source.choices(symbols, k=sites))
    return f"{TAXA} {sites}\n" + "".join(f"t{tip} {row}\n" for tip, row in rows.items())


def measured(program: str, alignment: pathlib.Path, model: str, repetitions: int) -> float:
    """Nanoseconds in the fastest repetition; other programs on the machine can only make one slower."""
    prefix = alignment.with_suffix("")
    times = []
    for _ in range(repetitions):
        subprocess.run([program, "search", "--msa", alignment, "--model", model, "--effort", "fast", "--threads", "1", "--profile",
                        "--redo", "--prefix", prefix], check=True, capture_output=True)
        rank = json.loads(pathlib.Path(f"{prefix}.profile.json").read_text(encoding="utf-8"))["ranks"][0]
        patterns = json.loads(pathlib.Path(f"{prefix}.json").read_text(encoding="utf-8"))["patterns"]
        times.append(1e6 * rank["work_ms"] / rank["packages"] / patterns)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="regraft-phylo")
    parser.add_argument("--sites", type=int, default=1500)
    parser.add_argument("--repetitions", type=int, default=3)
    args = parser.parse_args()
    print("states  categories  ns per pattern")
    with tempfile.TemporaryDirectory() as folder:
        for states in (2, 4, 7, 20, 32, 64):
            symbols, name = MODELS.get(states, (SYMBOLS[:states], f"MULTI{states}_MK"))
            alignment = pathlib.Path(folder, f"states{states}.phy")
            alignment.write_text(evolved(symbols, args.sites, seed=states), encoding="utf-8")
            for categories in (1, 4, 8):
                model = name if categories == 1 else f"{name}+G{categories}m"
                time = measured(args.program, alignment, model, args.repetitions)
                print(f"{states:6}  {categories:10}  {time:14.0f}", flush=True)


if __name__ == "__main__":
    main()
