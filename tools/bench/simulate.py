#!/usr/bin/env python3
"""simulate.py TAXA SITES SEED: writes DNA that evolved along a random tree, as PHYLIP. The same arguments give the same letters.

The model is GTR with rates of sites from a gamma distribution. Deletions are inherited, and some taxa lack an end that was not sequenced.
"""
import bisect
import itertools
import random
import sys

LETTERS = b"ACGT"
FREQUENCIES = (0.3, 0.2, 0.22, 0.28)
EXCHANGEABILITIES = ((0, 1.2, 3.1, 0.9), (1.2, 0, 1.1, 3.4), (3.1, 1.1, 0, 1.0), (0.9, 3.4, 1.0, 0))
ALPHA = 0.5
MEAN_LENGTH = 0.05  # of branches
DELETIONS = 0.003  # per site and substitution
MEAN_DELETION = 12  # sites
UNFINISHED = 0.3  # this part of the taxa lacks up to a fifth of the sites at one end


class Evolution:
    """How a sequence changes along a branch."""

    def __init__(self, sites: int, source: random.Random):
        self.source = source
        self.rates = list(itertools.accumulate(source.gammavariate(ALPHA, 1 / ALPHA) for _ in range(sites)))
        flows = [[r * f for r, f in zip(row, FREQUENCIES)] for row in EXCHANGEABILITIES]
        speed = sum(f * sum(row) for f, row in zip(FREQUENCIES, flows))
        # The process is uniformised: events happen equally often in all states, and some lead back to the same state.
        self.events_per_rate = max(map(sum, flows)) / speed
        for state, row in enumerate(flows):
            row[state] = self.events_per_rate * speed - sum(row)
        self.next_states = {LETTERS[state]: list(itertools.accumulate(row)) for state, row in enumerate(flows)}

    def draw(self, cumulated: list[float]) -> int:
        return min(bisect.bisect(cumulated, self.source.random() * cumulated[-1]), len(cumulated) - 1)

    def root(self) -> bytearray:
        return bytearray(self.source.choices(LETTERS, FREQUENCIES, k=len(self.rates)))

    def child(self, parent: bytearray, length: float) -> bytearray:
        row = bytearray(parent)
        for _ in self.events(self.events_per_rate * self.rates[-1], length):
            site = self.draw(self.rates)
            if row[site] in self.next_states:  # not deleted
                row[site] = LETTERS[self.draw(self.next_states[row[site]])]
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


def evolved(taxa: int, sites: int, seed: int) -> str:
    """An alignment as PHYLIP. Precondition: taxa >= 2, sites >= 1."""
    source = random.Random(seed)
    tree = random_tree(taxa, source)
    evolution = Evolution(sites, source)
    rows = [b""] * taxa
    waiting = [(tree, evolution.root())]
    while waiting:
        node, row = waiting.pop()
        if isinstance(node, int):
            rows[node] = evolution.sequenced(row)
        else:
            waiting += [(child, evolution.child(row, length)) for child, length in node]
    return f"{taxa} {sites}\n" + "".join(f"t{tip} {row.decode()}\n" for tip, row in enumerate(rows))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.stdout.write(evolved(*map(int, sys.argv[1:])))
