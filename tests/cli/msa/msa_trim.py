#!/usr/bin/env python3
"""regraft-msa trim leaves out columns and taxa with many gaps, with their partitions, and mask puts unknown characters. msa_trim.py EXE"""
import fractions
import random
import sys

import msa_cli
from msa_cli import DNA, Alignment, evolved, fasta, phylip
from msa_parts import columns, forms, genomes, selected, variable


def is_gap(cell: str) -> bool:
    return DNA[cell.upper()] == 15


def gappy(seed: int) -> Alignment:
    dice = random.Random(seed)
    alignment = genomes(seed, 30, 200) if seed % 2 else evolved(seed, 11, 200)
    rows = [list(row) for row in alignment.rows]
    for row in rows:
        for site in range(200):
            if site % 40 == 7 or dice.random() < site / 250:
                row[site] = dice.choice("-N?")
    for row in rows[:2]:
        row[10:] = "-" * 190
    return Alignment(alignment.names, ["".join(row) for row in rows])


def trimmed(alignment: Alignment, max_gaps: str, min_data: str, no_empty: bool, no_constant: bool) -> tuple[Alignment, list[int]]:
    """By the definition, with fractions."""
    names = [name for name, row in zip(alignment.names, alignment.rows) if fractions.Fraction(sum(not is_gap(cell) for cell in row), len(row)) >= fractions.Fraction(min_data)]
    sites = list(range(len(alignment.rows[0])))
    fewer = selected(alignment, names, sites)
    gaps = [sum(map(is_gap, column)) for column in columns(fewer)]
    sites = [site for site in sites if fractions.Fraction(gaps[site], len(names)) <= fractions.Fraction(max_gaps)]
    if no_empty:
        sites = [site for site in sites if gaps[site] < len(names)]
    if no_constant:
        sites = [site for site in sites if site in set(variable(fewer))]
    return selected(alignment, names, sites), sites


def sites_in(text: str) -> list[int]:
    found = []
    for item in text.strip().split(","):
        first, _, last = item.partition("-")
        found += range(int(first) - 1, int(last or first))
    return found


def definition(program: msa_cli.Program) -> None:
    """What is kept is what the definition says, of texts and .rgm, and --kept lists it"""
    for seed in range(6):
        alignment = gappy(seed)
        for path in forms(program, "t", alignment, ("native",)):
            for max_gaps, min_data, *flags in (("0.5", "0", False, False), ("0.3", "0.2", False, False), ("1", "0.1", True, False), ("1", "0", False, True), ("0.8", "0.05", True, True)):
                expected, sites = trimmed(alignment, max_gaps, min_data, *flags)
                words = [word for word, is_given in zip(("--no-empty", "--no-constant"), flags) if is_given]
                kept = program.path / "kept.txt"
                result = program.run("trim", "--max-gaps", max_gaps, "--min-data", min_data, *words, "-f", "--kept", kept, "--format", "fasta", "--width", "0", path)
                result.require(result.code == 0 and result.out.decode() == fasta(expected), "expected what the definition says")
                result.require(f"{len(sites)} of 200 sites and {len(expected.names)} of {len(alignment.names)} taxa kept\n" in result.err, "expected the numbers")
                assert sites_in(kept.read_text()) == sites
                again = program.ok("extract", "--sites", kept.read_text().strip(), "--format", "fasta", "--width", "0", path).decode()
                assert again == fasta(selected(alignment, alignment.names, sites))


def partitions(program: msa_cli.Program) -> None:
    """Partition files are cut alike, of all formats, and what is stored, too"""
    alignment = gappy(2)
    path = program.file("p.phy", phylip(alignment))
    sites_of = {"one": list(range(0, 100, 2)), "two": list(range(1, 100, 2)), "three": list(range(100, 190)), "last": list(range(190, 200))}
    scheme = program.file("p.part", "GTR+G4, one = 1-99\\2\nHKY, two = 2-100\\2\nJC, three = 101-190\nGTR, last = 191-200\n")
    program.file("p.nex", "#nexus\nbegin sets; charset one = 1-99\\2; charset two = 2-100\\2; charset three = 101-190; charset last = 191-.; charpartition x = GTR+G4: one, HKY: two, JC: three, GTR: last; end;")
    program.ok("compress", "-k", "--partitions", scheme, path)
    expected, kept = trimmed(alignment, "0.45", "0.1", False, False)
    assert not set(kept) & set(sites_of["last"]), "expected a partition that goes"
    for extension in ("part", "nex"):
        new = program.path / f"new.{extension}"
        for source in (["--partitions", program.path / f"p.{extension}", path], [program.path / "p.phy.rgm"]):
            result = program.run("trim", "--max-gaps", "0.45", "--min-data", "0.1", "-f", "--new-partitions", new, "-o", program.path / "q.phy", *source)
            result.require(result.code == 0 and "taxa kept; without sites are last\n" in result.err, "expected the partition that is lost")
            program.ok("compress", "-kf", "--partitions", new, program.path / "q.phy")
            for name in ("one", "two", "three"):
                found = program.ok("extract", "--partition", name, "--format", "fasta", "--width", "0", program.path / "q.phy.rgm").decode()
                assert found == fasta(selected(alignment, expected.names, [site for site in kept if site in sites_of[name]])), (extension, name)
    assert "HKY: 'two'" in (program.path / "new.nex").read_text()


def without_models(program: msa_cli.Program) -> None:
    """Charsets of NEXUS need no models, and get none"""
    path = program.file("c.fa", ">a\nAC-TGA\n>b\nAG-TGA\n")
    scheme = program.file("c.nex", "#nexus\nbegin sets; charset x = 1-3; charset 'y-1' = 4-6; end;\n")
    for extension, text in (("nex", "#nexus\nbegin sets;\n  charset 'x' = 1-2;\n  charset 'y-1' = 3-5;\nend;\n"), ("part", "auto, x = 1-2\nauto, y-1 = 3-5\n")):
        new = program.path / f"d.{extension}"
        program.ok("trim", "--no-empty", "--partitions", scheme, "-f", "--new-partitions", new, path)
        assert new.read_text() == text
    program.refuses("trim", "--no-empty", "--partitions", program.file("odd.nex", "#nexus\nbegin sets; charset x = 1-9; end;\n"), "--new-partitions", program.path / "e", path,
                    message="odd.nex:2:")


def masks(program: msa_cli.Program) -> None:
    """mask puts an unknown character at sites, N, X or ? by the kind of data"""
    dice = random.Random(4)
    for alignment, unknown in ((gappy(1), "N"), (evolved(3, 8, 90, "ARNDCQEGHILKMFPSTWYV", "-X"), "X"), (evolved(4, 8, 90, "0123", "-?"), "?")):
        size = len(alignment.rows[0])
        for by in (None, "-"):
            sites = dice.sample(range(size), 20)
            expected = Alignment(alignment.names, ["".join((by or unknown) if site in sites else cell for site, cell in enumerate(row)) for row in alignment.rows])
            for path in (program.compressed("m.fa", fasta(alignment, 60)), program.file("m.fa", fasta(alignment, 60))):
                result = program.run("mask", "--sites", ",".join(str(site + 1) for site in sites), *(["--by", by] if by else []), path)
                result.require(result.code == 0 and result.out.decode() == fasta(expected, 60), "expected masked sites")
                result.require(f"20 of {size} sites masked by {by or unknown}" in result.err, "expected the numbers")


def refused(program: msa_cli.Program) -> None:
    """Shares that are none, nothing to do, nothing left"""
    file = program.file("a.fa", ">a\nAC-T\n>b\nAG-T\n")
    protein = program.file("p.fa", ">a\nMKLV\n>b\nMKIV\n")
    program.refuses("trim", file, message="expected what goes: --max-gaps")
    for share in ("1.5", "-0.1", "nan", "half", "50%", "0.5x"):
        program.refuses("trim", f"--max-gaps={share}", file, message=f"expected a number from 0 to 1, found '{share}'")
    program.refuses("trim", "--no-constant", program.file("same.fa", ">a\nAC\n>b\nAC\n"), message="same.fa: no site is left")
    program.refuses("trim", "--min-data", "0.9", file, message="a.fa: --min-data: no taxon is left")
    program.refuses("trim", "--no-empty", "--partitions", file, file, message="--partitions: needs --new-partitions")
    program.refuses("trim", "--no-empty", "--new-partitions", program.path / "x", file, message="a.fa: has no partitions stored; expected --partitions FILE")
    program.refuses("trim", "--no-empty", "--new-partitions", program.path / "x", "--partitions", program.file("p.part", "JC, a = 1-5\n"), file, message="p.part:1:")
    program.refuses("trim", "--no-empty", "--kept", file, file, message="a.fa")
    program.refuses("trim", "--no-empty", "--kept", program.path / "x", "--new-partitions", program.path / "x", file, message="would be the same file")
    program.refuses("trim", "--no-empty", program.file("empty.fa", ""), message="empty.fa: the file is empty")
    program.refuses("trim", "--no-empty", program.file("bad.fa", ">a\nACGT\n>b\nACG\n"), message="bad.fa:3:1: taxon 'b' has 3 sites")
    program.refuses("mask", file, message="--sites is required")
    program.refuses("mask", "--sites", "3-5", file, message="--sites: '3-5' goes beyond the last site, which is 4")
    program.refuses("mask", "--sites", "1", "--by", "N", protein, message="p.fa: --by N would be a state here, as its characters are amino acids")
    program.refuses("mask", "--sites", "1", "--by", "A", file, message="--by")
    assert program.ok("trim", "--no-empty", "-", stdin=b">a\nAC-T\n") == b">a\nACT\n" and program.ok("mask", "--sites", "2", "-", stdin=b">a x\nACGT\n") == b">a x\nANGT\n"


if __name__ == "__main__":
    sys.exit(msa_cli.main(definition, partitions, without_models, masks, refused))
