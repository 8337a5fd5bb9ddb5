#!/usr/bin/env python3
"""From any start lengths, close and distant sequences alike, lengths end at the same maximum, and searches reach that of the true tree.

With discrete rates over sites there are several maxima, of different scales of the whole tree. small: 20 to 60 taxa; large: up to 1,000.
"""
import math
import random
import sys

import phylo_job

RATES = (0.03, 0.25, 0.82, 2.9)  # about those of a gamma distribution of alpha 0.5
STARTS = (0.1, 0.01, 0.001)  # all lengths of a start tree
ENOUGH = 1.0  # log-likelihood; other maxima are farther away
SIZES = {"small": [(20, 600, 0.3), (20, 600, 0.03), (40, 1000, 0.004), (60, 1500, 0.0005)],  # taxa, sites, mean length
         "large": [(200, 1000, 0.3), (200, 1000, 0.03), (500, 1000, 0.004), (1000, 2000, 0.004), (1000, 2000, 0.0005)]}


class Evolution:
    """Sequences that evolved under JC along a random tree with random lengths."""

    def __init__(self, seed: int, num_taxa: int, mean: float):
        self.draw = random.Random(seed)
        nodes = [(f"t{i}", self.length(mean)) for i in range(num_taxa)]
        while len(nodes) > 3:
            pair = [nodes.pop(self.draw.randrange(len(nodes))) for _ in range(2)]
            nodes.append((pair, self.length(mean)))
        self.root = nodes

    def length(self, mean: float) -> float:
        return max(1e-6, self.draw.expovariate(1 / mean))

    def newick(self, constant: float | None = None) -> str:
        def text(node) -> str:
            return node if isinstance(node, str) else "(" + ",".join(f"{text(child)}:{constant or length:.9f}" for child, length in node) + ")"

        return text(self.root) + ";\n"

    def rows(self, num_sites: int, speed: float) -> dict[str, str]:
        rates = [speed * self.draw.choice(RATES) for _ in range(num_sites)]
        rows: dict[str, str] = {}
        pending = [(self.root, self.draw.choices(range(4), k=num_sites))]
        while pending:
            node, cells = pending.pop()
            if isinstance(node, str):
                rows[node] = "".join("ACGT"[cell] for cell in cells)
                continue
            for child, length in node:
                changed = [0.75 * (1 - math.exp(-4 / 3 * rate * length)) for rate in rates]
                pending.append((child, [(cell + self.draw.randrange(1, 4)) % 4 if self.draw.random() < p else cell for cell, p in zip(cells, changed)]))
        return rows


def compare(folder: phylo_job.Folder, name: str, evolution: Evolution, arguments: list[str]) -> None:
    """arguments: alignment and models."""
    def loglh(command: list[str]) -> float:
        result = folder.jobs.run(1, [*command, *arguments], timeout=3000)
        result.require(result.codes == [0], f"{name}: {command}")
        return result.report["log_likelihood"]

    true = loglh(["evaluate", "--tree", folder.write("true.nwk", evolution.newick())])
    for start in STARTS:
        found = loglh(["evaluate", "--tree", folder.write("start.nwk", evolution.newick(start))])
        assert abs(found - true) < ENOUGH, f"{name}, from lengths of {start}: {found}, expected {true}"
    searched = loglh(["search", "--starts", "pars{1}", "--effort", "normal" if "small" in name else "fast"])
    assert searched > true - (ENOUGH if "small" in name else max(ENOUGH, 1e-4 * abs(true))), f"{name}: {searched}, the true tree has {true}"
    print(f"{name}: fine", flush=True)


def all_sizes(jobs: phylo_job.Jobs, args) -> None:
    folder = phylo_job.Folder(jobs)
    for seed, (num_taxa, num_sites, mean) in enumerate(SIZES[args.mode], 1):
        evolution = Evolution(seed, num_taxa, mean)
        slow, fast = evolution.rows(num_sites, 0.3), evolution.rows(num_sites // 2, 3)
        for what, rows, more in (("one partition", slow, ["--model", "HKY+G4m"]),
                                 ("scaled", {taxon: row + fast[taxon] for taxon, row in slow.items()}, ["--brlen", "scaled"])):
            length = len(next(iter(rows.values())))
            msa = folder.write("a.phy", f"{len(rows)} {length}\n" + "".join(f"{taxon} {row}\n" for taxon, row in rows.items()))
            parts = folder.write("a.part", f"HKY+G4m, slow = 1-{num_sites}\nHKY+G4m, fast = {num_sites + 1}-{length}\n")
            compare(folder, f"{args.mode}, {num_taxa} taxa, mean length {mean}, {what}", evolution,
                    ["--msa", msa, *more, *([] if what == "one partition" else ["--partitions", parts])])


if __name__ == "__main__":
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("mode", choices=tuple(SIZES))
    parsed = parser.parse_args()
    sys.exit(phylo_job.main(parsed, all_sizes, needs_deaths=False))
