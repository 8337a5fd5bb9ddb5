#!/usr/bin/env python3
"""simulate.py TAXA SITES SEED [KIND]: writes letters that evolved along a random tree, as PHYLIP. The same arguments give the same letters.

KIND is
  gtr     DNA, GTR with rates of sites from a gamma distribution (default)
  hky     DNA, HKY, where a part of the sites never changes
  lg      amino acids, LG with rates of sites from a gamma distribution
  random  DNA of independent letters, which no tree explains
Deletions are inherited, and some taxa lack an end that was not sequenced; letters at random have neither.
"""
import bisect
import dataclasses
import itertools
import pathlib
import random
import re
import sys

MEAN_LENGTH = 0.05  # of branches
DELETIONS = 0.003  # per site and substitution
MEAN_DELETION = 12  # sites
UNFINISHED = 0.3  # this part of the taxa lacks up to a fifth of the sites at one end


@dataclasses.dataclass(frozen=True)
class Model:
    letters: bytes
    frequencies: tuple[float, ...]
    exchangeabilities: tuple[tuple[float, ...], ...]  # symmetric, zeros in the diagonal
    alpha: float | None = None  # of the gamma distribution of rates; none: all sites that change have the same rate
    invariable: float = 0.0  # this part of the sites never changes

    def rate(self, source: random.Random) -> float:
        """The rate of a site."""
        if self.invariable and source.random() < self.invariable:
            return 0.0
        return source.gammavariate(self.alpha, 1 / self.alpha) if self.alpha else 1.0


GTR = Model(b"ACGT", (0.3, 0.2, 0.22, 0.28), ((0, 1.2, 3.1, 0.9), (1.2, 0, 1.1, 3.4), (3.1, 1.1, 0, 1.0), (0.9, 3.4, 1.0, 0)), alpha=0.5)
HKY = Model(b"ACGT", (0.35, 0.15, 0.25, 0.25), ((0, 1, 4, 1), (1, 0, 1, 4), (4, 1, 0, 1), (1, 4, 1, 0)), invariable=0.3)
MATRICES = pathlib.Path(__file__).resolve().parents[2] / "lib/likelihood/models/matrices.cpp"
AMINO_ACIDS = b"ARNDCQEGHILKMFPSTWYV"  # in the order of MATRICES


def empirical(name: str) -> Model:
    """A model of amino acids, as the library has it."""
    found = re.search(rf'\{{"{name}",\s*\{{([^{{}}]*)\}},\s*\{{([^{{}}]*)\}}\}}', MATRICES.read_text(encoding="utf-8"))
    upper, frequencies = ([float(number) for number in re.findall(r"[\d.]+", numbers)] for numbers in found.groups())
    rows = [[0.0] * len(frequencies) for _ in frequencies]
    for (i, j), number in zip(itertools.combinations(range(len(frequencies)), 2), upper, strict=True):
        rows[i][j] = rows[j][i] = number
    return Model(AMINO_ACIDS, tuple(frequencies), tuple(map(tuple, rows)), alpha=0.8)


class Evolution:
    """How a sequence changes along a branch."""

    def __init__(self, sites: int, source: random.Random, model: Model):
        self.source, self.model = source, model
        self.rates = list(itertools.accumulate(model.rate(source) for _ in range(sites)))
        flows = [[r * f for r, f in zip(row, model.frequencies)] for row in model.exchangeabilities]
        speed = sum(f * sum(row) for f, row in zip(model.frequencies, flows))
        # The process is uniformised: events happen equally often in all states, and some lead back to the same state.
        self.events_per_rate = max(map(sum, flows)) / speed
        for state, row in enumerate(flows):
            row[state] = self.events_per_rate * speed - sum(row)
        self.next_states = {model.letters[state]: list(itertools.accumulate(row)) for state, row in enumerate(flows)}

    def draw(self, cumulated: list[float]) -> int:
        return min(bisect.bisect(cumulated, self.source.random() * cumulated[-1]), len(cumulated) - 1)

    def root(self) -> bytearray:
        return bytearray(self.source.choices(self.model.letters, self.model.frequencies, k=len(self.rates)))

    def child(self, parent: bytearray, length: float) -> bytearray:
        row = bytearray(parent)
        for _ in self.events(self.events_per_rate * self.rates[-1], length):
            site = self.draw(self.rates)
            if row[site] in self.next_states:  # not deleted
                row[site] = self.model.letters[self.draw(self.next_states[row[site]])]
        for _ in self.events(DELETIONS * len(row), length):
            first = self.source.randrange(len(row))
            end = min(len(row), first + 1 + int(self.source.expovariate(1 / MEAN_DELETION)))
            row[first:end] = b"-" * (end - first)
        return row

    def events(self, rate: float, duration: float):
        """The times of the events of a Poisson process."""
        time = self.source.expovariate(rate)
        while time < duration:
            yield time
            time += self.source.expovariate(rate)

    def sequenced(self, row: bytearray) -> bytearray:
        if self.source.random() >= UNFINISHED:
            return row
        lacking = b"-" * self.source.randrange(len(row) // 5 + 1)
        rest = len(row) - len(lacking)
        return lacking + row[len(lacking):] if self.source.random() < 0.5 else row[:rest] + lacking


def random_tree(taxa: int, source: random.Random):
    """A tree as nested lists of (subtree, length), in which a tip is its number. Any two subtrees are equally likely to be joined."""
    subtrees: list = list(range(taxa))
    while len(subtrees) > 1:
        joined = []
        for _ in range(2):
            at = source.randrange(len(subtrees))
            subtrees[at], subtrees[-1] = subtrees[-1], subtrees[at]
            joined.append((subtrees.pop(), source.expovariate(1 / MEAN_LENGTH)))
        subtrees.append(joined)
    return subtrees[0]


def phylip(rows: list[bytes]) -> str:
    return f"{len(rows)} {len(rows[0])}\n" + "".join(f"t{tip} {row.decode()}\n" for tip, row in enumerate(rows))


def evolved(taxa: int, sites: int, seed: int, model: Model = GTR) -> str:
    """An alignment as PHYLIP. Precondition: taxa >= 2, sites >= 1."""
    source = random.Random(seed)
    tree = random_tree(taxa, source)
    evolution = Evolution(sites, source, model)
    rows = [b""] * taxa
    waiting = [(tree, evolution.root())]
    while waiting:
        node, row = waiting.pop()
        if isinstance(node, int):
            rows[node] = evolution.sequenced(row)
        else:
            waiting += [(child, evolution.child(row, length)) for child, length in node]
    return phylip(rows)


def alignment(kind: str, taxa: int, sites: int, seed: int) -> str:
    """An alignment of a kind that KINDS has. Precondition: taxa >= 2, sites >= 1."""
    if kind == "random":
        source = random.Random(seed)
        return phylip([bytes(source.choices(GTR.letters, k=sites)) for _ in range(taxa)])
    return evolved(taxa, sites, seed, {"gtr": GTR, "hky": HKY}.get(kind) or empirical(kind.upper()))


KINDS = ("gtr", "hky", "lg", "random")

if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or not {*sys.argv[4:]} <= {*KINDS}:
        sys.exit(__doc__)
    sys.stdout.write(alignment((sys.argv[4:] or ["gtr"])[0], *map(int, sys.argv[1:4])))
