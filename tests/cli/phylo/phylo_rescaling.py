#!/usr/bin/env python3
"""With discrete site rates the likelihood of many close sequences has two maxima in the scale of the whole tree. The likelier one is found from
any start lengths, and by a search."""
import argparse
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

TAXA, SITES, MEAN = 600, 500, 0.004
RATES = [0.03, 0.28, 0.93, 2.76]
CLOSE = 0.1  # in log-likelihood: what may remain between two optimisations


class Node:
    def __init__(self, length: float, children: list["Node"], name: str = ""):
        self.length, self.children, self.name = length, children, name

    def newick(self, length_of) -> str:
        inside = "(" + ",".join(child.newick(length_of) for child in self.children) + ")" if self.children else self.name
        return inside + length_of(self.length)


def some_tree(draw: random.Random) -> Node:
    nodes = [Node(draw.expovariate(1 / MEAN), [], f"t{i}") for i in range(TAXA)]
    while len(nodes) > 3:
        pair = [nodes.pop(draw.randrange(len(nodes))) for _ in range(2)]
        nodes.append(Node(draw.expovariate(1 / MEAN), pair))
    return Node(0, nodes)


def evolve(draw: random.Random, node: Node, states: list[str], rates: list[float], rows: dict[str, str]) -> None:
    """Sequences of the tips below a node, by the model of Jukes and Cantor."""
    change = {rate: 0.75 * (1 - math.exp(-4 / 3 * rate * node.length)) for rate in RATES}
    states = [draw.choice("ACGT".replace(state, "")) if draw.random() < change[rate] else state for state, rate in zip(states, rates)]
    for child in node.children:
        evolve(draw, child, states, rates, rows)
    if not node.children:
        rows[node.name] = "".join(states)


def loglh(*command: str) -> float:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"final log-likelihood: (\S+)", done.stdout + done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return float(found[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exe", required=True)
    args, _ = parser.parse_known_args()
    draw = random.Random(1)
    tree, rows = some_tree(draw), {}
    evolve(draw, tree, draw.choices("ACGT", k=SITES), draw.choices(RATES, k=SITES), rows)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "msa.fa").write_text("".join(f">{taxon}\n{row}\n" for taxon, row in rows.items()), encoding="ascii")
        job = ("--msa", str(folder / "msa.fa"), "--model", "JC+G4", "--threads", "1")
        found = {}
        for start, length_of in {"true": lambda length: f":{length:.9f}", "none": lambda _: "", "short": lambda _: ":0.0001"}.items():
            (folder / start).write_text(tree.newick(length_of) + ";\n", encoding="ascii")
            found[start] = loglh(args.exe, "evaluate", *job, "--tree", str(folder / start), "--prefix", str(folder / f"{start}-"))
        if max(found.values()) - min(found.values()) > CLOSE:
            sys.exit(f"the log-likelihood of one topology depends on the start lengths: {found}")
        searched = loglh(args.exe, "search", *job, "--effort", "fast", "--prefix", str(folder / "search-"))
        if searched < found["true"]:
            sys.exit(f"the search ends at {searched}, and the true tree has {found['true']}")


if __name__ == "__main__":
    main()
