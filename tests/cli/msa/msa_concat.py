#!/usr/bin/env python3
"""regraft-msa concat makes a supermatrix of loci, and a partition file that gives each locus back. msa_concat.py EXE"""
import gzip
import random
import re
import sys

import msa_cli
from msa_cli import Alignment, evolved, fasta, phylip, stockholm
from msa_parts import genomes, selected, wide

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"


def joined(loci: list[Alignment], fill: str = "-") -> Alignment:
    """The supermatrix, by its definition."""
    names = list(dict.fromkeys(name for locus in loci for name in locus.names))
    rows = [dict(zip(locus.names, locus.rows)) | {None: fill * len(locus.rows[0])} for locus in loci]
    return Alignment(names, ["".join(locus[name if name in locus else None] for locus in rows) for name in names])


def some_loci(seed: int) -> list[Alignment]:
    """Loci of several kinds, in each of which some taxa lack, in an order of its own."""
    dice = random.Random(seed)
    loci = [evolved(seed, 12, 90), evolved(seed + 1, 12, 45, AMINO_ACIDS, "-X?"), evolved(seed + 2, 12, 7, "01", "-?"), evolved(seed + 3, 12, 300)]
    return [selected(locus, dice.sample(locus.names, 9), list(range(len(locus.rows[0])))) for locus in loci]


def matrices(program: msa_cli.Program) -> None:
    """One row per taxon in the order of first appearance, whatever the formats of the loci, packed or not"""
    for seed in range(4):
        loci = some_loci(seed)
        texts = [fasta(loci[0], 20, describe=lambda name: " of " + name), stockholm(loci[1], 20), phylip(loci[2]), fasta(loci[3])]
        files = [program.file(f"locus_{i}.txt", text) for i, text in enumerate(texts)]
        packed = program.path / "locus_3.fa.gz"
        packed.write_bytes(gzip.compress(texts[3].encode()))
        archive = program.compressed("locus_0.fa", texts[0])
        for fill in "-?":
            expected = joined(loci, fill)
            for inputs in (files, [archive, *files[1:3], packed]):
                assert program.ok("concat", "--fill", fill, "--width", "0", *inputs).decode() == fasta(expected)
                assert program.ok("concat", "--fill", fill, "--format", "phylip", "--width", "0", "-T1", *inputs).decode() == phylip(expected)
        assert program.ok("concat", "--width", "0", "-", *files[1:], stdin=files[0].read_bytes()).decode() == fasta(joined(loci))
        archive.unlink()


def near(program: msa_cli.Program) -> None:
    """Loci of nearly equal rows, and MAPLE"""
    loci = [genomes(1, 60, 400), genomes(2, 60, 300)]
    loci[1].names = loci[0].names[10:] + [f"new_{i}" for i in range(10)]
    files = [program.file(f"g{i}.fa", fasta(locus)) for i, locus in enumerate(loci)]
    expected = joined(loci, "N")
    assert program.ok("concat", "--fill", "N", *files).decode() == fasta(expected)
    in_maple = program.file("both.maple", program.ok("concat", "--fill", "N", "--format", "maple", *files))
    assert program.ok("cat", "--format", "fasta", "--width", "0", in_maple).decode() == re.sub("(?m)^[^>].*", lambda row: row[0].lower(), fasta(expected))


def ways_back(program: msa_cli.Program) -> None:
    """With its partitions stored, extract gives each locus back"""
    for seed in range(4):
        loci = some_loci(seed)
        files = [program.file(f"locus-{i}.fa", fasta(locus)) for i, locus in enumerate(loci)]
        for extension in ("part", "nex"):
            scheme = program.path / f"all.{extension}"
            result = program.run("concat", "-f", "-o", program.path / "all.fa", "--partitions", scheme, *files)
            taxa = len(joined(loci).names)
            result.require(result.code == 0 and f"all.fa: 4 loci, {taxa} taxa, 442 sites; {4 * taxa - 36} rows filled" in result.err, "expected what was done")
            program.ok("compress", "-kf", "--partitions", scheme, program.path / "all.fa")
            for i, locus in enumerate(loci):
                found = program.ok("extract", "--partition", f"locus-{i}", *[word for name in locus.names for word in ("--taxon", name)], "--width", "0", program.path / "all.fa.rgm")
                assert found.decode() == wide(locus), (extension, i)
        assert (program.path / "all.part").read_text() == "GTR+G4, locus-0 = 1-90\nLG+G4, locus-1 = 91-135\nBIN+G4, locus-2 = 136-142\nGTR+G4, locus-3 = 143-442\n"
        assert "LG+G4: 'locus-1'" in (program.path / "all.nex").read_text()
    # Names that are numbers, or have a meaning elsewhere.
    files = [program.file(f"{name}.fa", ">a\nACGT\n") for name in ("1", "22", "all", "DNA", "a.b-c", "GTR")]
    for scheme in (program.path / "odd.part", program.path / "odd.nex"):
        program.ok("concat", "-f", "-o", program.path / "odd.fa", "--partitions", scheme, *files)
        program.ok("compress", "-kf", "--partitions", scheme, program.path / "odd.fa")
        for name in ("1", "22", "all", "DNA", "a.b-c", "GTR"):
            assert program.ok("extract", "--partition", name, program.path / "odd.fa.rgm") == b">a\nACGT\n", (scheme, name)
    # All taxa in the same order: the same text.
    same = [evolved(7, 5, 30), evolved(8, 5, 40)]
    files = [program.file(f"same{i}.fa", fasta(locus)) for i, locus in enumerate(same)]
    program.ok("concat", "-o", program.path / "same.fa", "--partitions", program.path / "same.part", *files)
    program.ok("compress", "-k", "--partitions", program.path / "same.part", program.path / "same.fa")
    assert program.ok("extract", "--partition", "same1", program.path / "same.fa.rgm").decode() == fasta(same[1])


def names(program: msa_cli.Program) -> None:
    """--names joined takes the whole name lines of FASTA, also of .rgm files, of nearly equal rows and from a stream"""
    first, second = "> Homo sapiens\t1\nACGTA\n>Pan\nACGTT\n", ">Homo sapiens\t1 \r\nGGA\r\n>Homo sapiens\v2\r\nGGT\r\n"
    files = [program.file("one.fa", first), program.file("two.fa", second)]
    expected = b">Homo_sapiens_1\nACGTAGGA\n>Pan\nACGTT---\n>Homo_sapiens_2\n-----GGT\n"
    assert program.ok("concat", "--names", "joined", "--width", "0", *files) == expected
    assert program.ok("concat", "--names", "joined", "--width", "0", "-", files[1], stdin=first.encode()) == expected
    assert program.ok("concat", "--names", "joined", "--width", "0", "-", files[1], stdin=b"\xef\xbb\xbf" + first.encode()) == expected
    archive = program.compressed("one.fa", first)
    assert program.ok("concat", "--names", "joined", "--width", "0", archive, files[1]) == expected
    assert program.ok("extract", "--names", "joined", "--taxon", "Homo_sapiens_1", archive) == b">Homo_sapiens_1\nACGTA\n"
    assert program.ok("extract", "--taxon", "Homo", "--width", "0", archive) == b">Homo\nACGTA\n"
    many = genomes(3, 60, 400)
    text = fasta(many, describe=lambda name: " of " + name)
    wanted = fasta(Alignment([f"{name}_of_{name}" for name in many.names], many.rows))
    for source in (program.file("described.fa", text), program.compressed("many.fa", text)):
        assert program.ok("dedup", "--names", "joined", "--width", "0", source).decode() == program.ok("dedup", "--width", "0", program.file("wanted.fa", wanted)).decode()
    described = [program.file("blanks.fa", first), program.file("described.fa", text)]
    for path in described:
        program.ok("stat", "--names", "joined", path)
        result = program.run("compress", "--names", "joined", path)
        result.require(result.code == 0 and path.exists() and f"{path}: has blanks in names, so it is kept; {path}.rgm holds its alignment" in result.err, "expected that the text is kept")
    assert program.ok("cat", "--width", "0", f"{described[0]}.rgm") == b">Homo_sapiens_1\nACGTA\n>Pan\nACGTT\n"
    assert program.ok("cat", "--width", "0", f"{described[1]}.rgm").decode() == fasta(Alignment([f"{name}_of_{name}" for name in many.names], many.rows), 0)
    more = [program.file("more.fa", ">Homo sapiens 2\nACGTA\n"), program.file("much.fa", f">{many.names[0]} again\n{many.rows[0]}\n")]
    for path, new in zip(described, more):
        program.ok("append", "--names", "joined", f"{path}.rgm", new)
        last = new.read_text()[1:].replace(" ", "_")
        assert program.ok("cat", "--width", "0", f"{path}.rgm").decode().endswith(f"\n>{last}"), path
    plain = program.file("plain.fa", ">a\nACGT\n>b\nACGA\n")
    result = program.run("compress", "--names", "joined", plain)
    result.require(result.code == 0 and not plain.exists(), "no name has a blank, so nothing is lost")
    program.refuses("stat", files[1], message="two.fa:3:2: taxon 'Homo' is already on line 1")
    program.refuses("concat", files[1], message="two.fa:3:2: taxon 'Homo' is already on line 1; names end at the first blank")
    program.refuses("concat", "--names", "joined", program.file("same.fa", ">a b\nA\n>a_b\nC\n"), message="same.fa:3:2: taxon 'a_b' is already on line 1")
    program.refuses("concat", "--names", "whole", files[0], message="--names: 'whole', expected first or joined")
    program.refuses("concat", "-o", program.path / "new.rgm", files[0], message="new.rgm: a text would get the name of a .rgm file; expected another name")


def same_file(program: msa_cli.Program) -> None:
    """A file that a partition file names by two paths is one locus"""
    program.file("x.fa", ">a\nACGT\n>b\nAGGA\n")
    named = program.file("two.nex", "#nexus begin sets; charset p = x.fa: 1 3; charset q = ./x.fa: 4; charpartition m = JC:p, JC:q; end;")
    result = program.run("concat", "--width", "0", named)
    result.require(result.out == b">a\nAGT\n>b\nAGA\n" and "1 locus, 2 taxa, 3 sites" in result.err, "expected one locus")
    twice = program.file("twice.nex", "#nexus begin sets; charset p = x.fa: 1 3; charset q = ./x.fa: 3-4; charpartition m = JC:p, JC:q; end;")
    program.refuses("concat", twice, message="site 3 of 'x.fa' already belongs to partition 'p'")
    beyond = program.file("beyond.nex", "#nexus begin sets; charset p = x.fa: 1 5; end;")  # and no model, which is no fault here
    program.refuses("concat", beyond, message="beyond.nex:1:40: site 5 does not exist: the alignment has the sites 1-4")


def refused(program: msa_cli.Program) -> None:
    """What is no locus, and names that would be the same"""
    good = program.file("good.fa", ">a\nACGT\n>b\nACGA\n")
    protein = program.file("protein.fa", ">a\nMKLV\n>b\nMKIV\n")
    (program.path / "x").mkdir()
    other = program.file("x/good.phy", "1 4\na ACGT\n")
    assert program.ok("concat", good, program.file("x/good.fa", ">a\nGG\n>b\nTT\n")).decode() == ">a\nACGTGG\n>b\nACGATT\n", "expected that names matter only in a partition file"
    program.refuses("concat", good, other, "--partitions", program.path / "p", message="x/good.phy: its locus would be named 'good', as that of")
    program.refuses("concat", good, program.file("GOOD.fa", ">a\nA\n"), "--partitions", program.path / "p.nex", message="GOOD.fa: its locus would be named 'GOOD', as that of")
    program.refuses("concat", good, program.file("odd name.fa", ">a\nA\n"), "--partitions", program.path / "p", message="odd name.fa: its locus would be named 'odd name'; expected letters")
    program.refuses("concat", good, program.file("bad.fa", ">a\nACGT\n>b\nACG\n"), message="bad.fa:3:1: taxon 'b' has 3 sites")
    program.refuses("concat", good, program.file("empty.fa", ""), message="empty.fa: the file is empty")
    program.refuses("concat", program.file("none.fa", ">a\n>b\n"), message="none.fa: has no sites, expected a locus")
    program.refuses("concat", "--fill", "N", good, protein, message="protein.fa: --fill N would be a state here, as its characters are amino acids")
    program.refuses("concat", "--format", "maple", good, protein, message="protein.fa: MAPLE is for DNA")
    program.refuses("concat", "-", "-", message="-: can be read only once")
    program.refuses("concat", "-o", good, good, protein, message="good.fa")
    program.refuses("concat", "-o", program.path / "out", "--partitions", program.path / "out", good, message="would be written twice")
    program.refuses("concat", "-f", "--partitions", good, good, message="good.fa")
    program.refuses("concat", "--partitions", "-", good, message="--partitions -: is standard output, and so is the alignment")
    assert program.ok("concat", program.file("one.fa", ">a\nACGT\n")).decode() == ">a\nACGT\n"
    assert program.ok("concat", "--fill", "X", good, protein).decode() == ">a\nACGTMKLV\n>b\nACGAMKIV\n"


if __name__ == "__main__":
    sys.exit(msa_cli.main(matrices, near, ways_back, names, same_file, refused))
