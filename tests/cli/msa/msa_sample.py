#!/usr/bin/env python3
"""regraft-msa sample draws sites, loci and taxa from a seed, the same everywhere. msa_sample.py EXE"""
import collections
import sys

import msa_cli
from msa_cli import Alignment, evolved, fasta
from msa_parts import forms, genomes, selected

WORD = (1 << 64) - 1


def mix(x: int) -> int:
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9 & WORD
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb & WORD
    return x ^ (x >> 31)


class Dice:
    """xoshiro256**, seeded by SplitMix64, and uniform numbers as Lemire 2019 makes them: written by the papers."""

    def __init__(self, seed: int):
        self.state = [mix(seed + (i + 1) * 0x9e3779b97f4a7c15 & WORD) for i in range(4)]

    def bits(self) -> int:
        def turned(x: int, by: int) -> int:
            return (x << by | x >> (64 - by)) & WORD
        s = self.state
        result = turned(s[1] * 5 & WORD, 7) * 9 & WORD
        shifted = s[1] << 17 & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = turned(s[3], 45)
        return result

    def below(self, n: int) -> int:
        while True:
            product = self.bits() * n
            if product & WORD >= (1 << 64) % n:
                return product >> 64

    def some_of(self, n: int, count: int) -> list[int]:
        chosen = []
        for i in range(n):
            if len(chosen) < count and self.below(n - i) < count - len(chosen):
                chosen.append(i)
        return chosen

    def replaced(self, n: int) -> list[int]:
        return sorted(self.below(n) for _ in range(n))


def same_everywhere(program: msa_cli.Program) -> None:
    """Sites and taxa are those that the definition draws, from texts and .rgm, for any number of threads"""
    for seed in (0, 1, 7, WORD):
        for alignment in (evolved(1, 13, 150), genomes(2, 40, 150)):
            names, size = alignment.names, 150
            taxa = [names[i] for i in Dice(mix((seed + 1) & WORD)).some_of(len(names), 9)]
            drawn = {"--bootstrap": Dice(seed).replaced(size), "--sites=40": Dice(seed).some_of(size, 40)}
            for path in forms(program, "s", alignment, ("native",)):
                for option, sites in drawn.items():
                    words = ["sample", option, "--seed", str(seed), "--format", "fasta", "--width", "0", path]
                    assert program.ok(*words).decode() == fasta(selected(alignment, names, sites)), (seed, option)
                    result = program.run(*words, "--taxa", "9", "-T1")
                    result.require(result.code == 0 and result.out.decode() == fasta(selected(alignment, taxa, sites)), "expected the same sites of some taxa")
                    result.require(result.err == f"standard output: 9 taxa and {len(sites)} sites, by seed {seed}\n", "expected what was drawn")
                assert program.ok("sample", "--taxa", "9", "--seed", str(seed), "--format", "fasta", "--width", "0", path).decode() == fasta(selected(alignment, taxa, list(range(size))))


def blocks(program: msa_cli.Program) -> None:
    """With --blocks, loci are drawn, then sites within them; the new partition file says where they are"""
    alignment = evolved(3, 8, 120)
    path = program.file("b.fa", fasta(alignment))
    sites_of = {"a": list(range(0, 60, 2)), "b": list(range(1, 60, 2)), "a.2": list(range(60, 90)), "c": list(range(90, 120))}
    scheme = program.file("b.part", "JC, a = 1-59\\2\nHKY, b = 2-60\\2\nGTR, a.2 = 61-90\nGTR+G4, c = 91-120\n")
    repeats = 0
    for seed in range(12):
        dice = Dice(seed)
        sites: list[int] = []
        loci = []
        for number in dice.replaced(4):
            name = list(sites_of)[number]
            drawn = [sites_of[name][i] for i in dice.replaced(30)]
            loci.append((name, drawn))
            sites += drawn
        new = program.path / "n.part"
        assert program.ok("sample", "--bootstrap", "--blocks", scheme, "--seed", str(seed), "-f", "--new-partitions", new, path).decode() == fasta(selected(alignment, alignment.names, sites))
        lines = new.read_text().splitlines()
        models = dict(line.split(", ")[::-1] for line in ("JC, a", "HKY, b", "GTR, a.2", "GTR+G4, c"))
        found = [(line.split(", ")[0], *line.split(", ")[1].split(" = ")) for line in lines]
        assert [(model, where) for model, _, where in found] == [(models[name], f"{30 * i + 1}-{30 * i + 30}") for i, (name, _) in enumerate(loci)]
        assert len({name for _, name, _ in found}) == 4 and all(name.startswith(locus) for (_, name, _), (locus, _) in zip(found, loci))
        repeats += max(collections.Counter(name for name, _ in loci).values()) > 1
        program.ok("compress", "-f", "--partitions", new, program.file("n.fa", fasta(selected(alignment, alignment.names, sites))))
    assert repeats > 3


def even(program: msa_cli.Program) -> None:
    """Every site and taxon is drawn as often"""
    alignment = Alignment(list("abcdefgh"), ["0123456789" for _ in range(8)])
    path = program.file("e.fa", fasta(alignment))
    taxa, sites = collections.Counter(), collections.Counter()
    for seed in range(300):
        lines = program.ok("sample", "--taxa", "4", "--sites", "5", "--seed", str(seed), path).decode().splitlines()
        taxa.update(line[1:] for line in lines[::2])
        sites.update(lines[1])
    assert len(taxa) == 8 and len(sites) == 10 and all(100 < count < 200 for count in [*taxa.values(), *sites.values()]), (taxa, sites)


def refused(program: msa_cli.Program) -> None:
    """More than there is, nothing, and options that do not go together"""
    file = program.file("a.fa", ">a\nACGT\n>b\nACGA\n")
    program.refuses("sample", file, message="expected what is drawn: --bootstrap, --sites or --taxa")
    program.refuses("sample", "--sites", "5", file, message="a.fa: --sites 5: there are only 4 sites")
    program.refuses("sample", "--taxa", "3", file, message="a.fa: --taxa 3: there are only 2 taxa")
    program.refuses("sample", "--taxa", "0", file, message="--taxa: '0', expected a whole number from 1")
    program.refuses("sample", "--sites", "2", "--bootstrap", file, message="--bootstrap")
    program.refuses("sample", "--sites", "2", "--blocks", file, file, message="--bootstrap")
    program.refuses("sample", "--bootstrap", "--new-partitions", program.path / "x", file, message="--new-partitions: needs --blocks")
    program.refuses("sample", "--bootstrap", "--blocks", program.file("b.part", "JC, a = 1-3\n"), file, message="b.part: ")
    program.refuses("sample", "--bootstrap", program.file("empty.fa", ""), message="empty.fa: the file is empty")
    program.refuses("sample", "--bootstrap", program.file("bad.fa", ">a\nACGT\n>b\nACG\n"), message="bad.fa:3:1: taxon 'b' has 3 sites")
    assert program.ok("sample", "--taxa", "1", "-", stdin=b">a x\nACGT\n") == b">a x\nACGT\n"
    assert program.ok("sample", "--bootstrap", program.file("none.fa", ">a\n")) == b">a\n"


if __name__ == "__main__":
    sys.exit(msa_cli.main(same_everywhere, blocks, even, refused))
