#!/usr/bin/env python3
"""docs/alignments/file-format.md says how .rgm files are read: docs/reader, which follows that page and nothing else, gets every text. msa_format.py EXE"""
import pathlib
import random
import sys

import msa_cli
from golden_texts import plain_cells
from msa_cli import Alignment, evolved, fasta, interleaved

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "docs/reader"))
from bits import FormatError
from rgm_file import NATIVE, PLAIN, SPARSE, THESIS, RgmFile

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"


def expect_text(packed: bytes, text: str | bytes, what: str, kind: int = NATIVE) -> None:
    file = RgmFile(packed)
    assert file.kind == kind, f"{what}: expected blocks of kind {kind}, got {file.kind}"
    got, expected = file.text(), text.encode() if isinstance(text, str) else text
    assert got == expected, f"{what}: the reader has {got[:300]!r}, expected {expected[:300]!r}"


def check(program: msa_cli.Program, alignment: Alignment, what: str, *options: str) -> None:
    packed = program.ok("compress", "--codec", "native", "--no-verify", *options, stdin=fasta(alignment).encode())
    expect_text(packed, fasta(alignment), f"{what} {' '.join(options)}")


def varied(seed: int, taxa: int, sites: int, letters: str, missing: str, random_columns: float = 0.1, shown: float = 1) -> Alignment:
    """Evolved rows with lower-case runs, and columns of random letters among them, in which a part of the cells is shown."""
    dice = random.Random(seed)
    rows = [list(row) for row in evolved(seed, taxa, sites, letters, missing).rows]
    for site in range(sites):
        if dice.random() < random_columns:
            for row in rows:
                row[site] = dice.choice(letters) if dice.random() < shown else missing[0]
    for row in rows:
        first, size = dice.randrange(sites), dice.randrange(sites // 3)
        row[first:first + size] = "".join(row[first:first + size]).lower()
    return Alignment([f"t{i}" for i in range(taxa)], ["".join(row) for row in rows])


def sample_files(program: msa_cli.Program) -> None:
    """the sample files, with partitions and without"""
    data = msa_cli.DATA
    for path in sorted(data.glob("*.phy")):
        partitions = ["--partitions", data / "vertebrates.part"] if path.stem == "vertebrates" else []
        for options in (partitions, ["--fast"], ["--best"]):
            expect_text(program.ok("compress", "-c", "--codec", "native", *options, path), path.read_bytes(), path.name)


def nucleotides(program: msa_cli.Program) -> None:
    """DNA with gaps, ambiguity codes and lower-case runs, in blocks of several sizes"""
    for seed, taxa, block in ((1, 5, 1), (2, 12, 7), (3, 33, 64), (4, 70, 200)):
        check(program, varied(seed, taxa, 200, "ACGT", "-N?"), f"seed {seed}", "-B", str(block))
        check(program, varied(seed + 10, taxa, 150, "ACGTACGTACGTRYKMSWBDHVN", "-?", 0.01), f"seed {seed + 10}", "-B", str(2 * block))
    check(program, varied(20, 200, 300, "ACGT", "-N?", 0.02), "200 taxa")
    check(program, evolved(21, 25, 600, missing=""), "no gaps")


def amino_acids(program: msa_cli.Program) -> None:
    """amino acids, and digits"""
    for seed, taxa in ((1, 4), (2, 9), (3, 40)):
        check(program, varied(seed, taxa, 150, AMINO_ACIDS, "-X?"), f"seed {seed}", "-B", "50")
    check(program, varied(4, 20, 120, "0123", "?-"), "digits")


def saturated(program: msa_cli.Program) -> None:
    """columns without a tree: all residues direct, gaps among them"""
    for seed, letters in enumerate(("ACGT", AMINO_ACIDS), 30):
        for random_columns in (0.5, 1):
            check(program, varied(seed, 16, 100, letters, "-?", random_columns, 0.8), f"seed {seed}", "-B", "30")


def few_rows(program: msa_cli.Program) -> None:
    """one taxon, two, three; one cell; only gaps; all rows alike; no sites"""
    for taxa in (1, 2, 3):
        check(program, varied(40, taxa, 150, "ACGT", "-N?"), f"{taxa} taxa", "-B", "40")
        check(program, Alignment([f"t{i}" for i in range(taxa)], ["A"] * taxa), f"{taxa} taxa, one site")
    check(program, Alignment(list("abcd"), ["-" * 50] * 4), "gaps")
    check(program, Alignment(list("abcdef"), ["ACGTacgt--" * 30] * 6), "rows alike")
    check(program, Alignment(list("abc"), [""] * 3), "no sites")


def toggled(seed: int, taxa: int, sites: int, letters: str, random_columns: float) -> Alignment:
    """Each column has two or three letters that come back again and again, every third one often; or it is random, in runs."""
    dice = random.Random(seed)
    common = [dice.sample(letters, dice.choice([2, 2, 3])) for _ in range(sites)]
    is_random = [site % 160 < 160 * random_columns for site in range(sites)]
    rows = [[dice.choice(few) for few in common]]
    while len(rows) < taxa:
        likely = dice.choice(rows[-6:])
        rows.append([dice.choice(letters) if is_random[site] else dice.choice(common[site]) if dice.random() < (0.3 if site % 3 == 2 else 0.04)
                     else likely[site] for site in range(sites)])
    return Alignment([f"t{i}" for i in range(taxa)], ["".join(row) for row in rows])


def predicted(program: msa_cli.Program) -> None:
    """numbers of changes that follow from the last site, or the third last; states that come back; both with random columns"""
    check(program, toggled(70, 30, 6000, "ACGT", 0), "codons")
    check(program, toggled(71, 30, 5000, "ACDEFGHIKL", 0), "amino acids")
    check(program, toggled(72, 30, 1000, "ACDEFGHIKL", 0.75), "regions")


def order(program: msa_cli.Program) -> None:
    """rows in the order of the tips of the tree, near to it, and far from it; and another layout of the text"""
    dice = random.Random(50)
    taxa, sites = 60, 80
    rows = [dice.choices("ACGT", k=sites)]
    while len(rows) < taxa:
        rows.append(list(rows[-1]))
        for _ in range(4):
            rows[-1][dice.randrange(sites)] = dice.choice("ACGT")
    comb = f"(t{taxa - 2},t{taxa - 1})"
    for i in range(taxa - 3, 1, -1):
        comb = f"(t{i},{comb})"
    tree = program.file("comb.nwk", f"(t0,t1,{comb});")
    for window in (0, 2, 4, 8, taxa):
        near = sorted(range(taxa), key=lambda i: i + dice.random() * window)
        alignment = Alignment([f"t{i}" for i in near], ["".join(rows[i]) for i in near])
        check(program, alignment, f"window {window}", "--tree", str(tree))
    packed = program.ok("compress", "--codec", "native", stdin=interleaved(alignment).encode())
    expect_text(packed, interleaved(alignment), "interleaved")


def plain(program: msa_cli.Program) -> None:
    """plain cells, which only the library writes"""
    text = b">a\nACGTA\n>b\nACGTN\n"
    expect_text(plain_cells(), text, "plain", PLAIN)
    assert program.ok("decompress", stdin=plain_cells()) == text, "plain: regraft-msa reads something else"


def thesis(program: msa_cli.Program) -> None:
    """the published coding: sets of bases, and other characters by frequency"""
    for alignment in (evolved(80, 20, 150, "ACGT", "-N"), varied(81, 30, 120, AMINO_ACIDS, "-X"), evolved(82, 2, 30, "01", "-"),
                      Alignment(["one"], ["ACGT-acgt"])):
        packed = program.ok("compress", "--codec", "thesis", "-B", "50", stdin=fasta(alignment).encode())
        expect_text(packed, fasta(alignment), f"{len(alignment.rows)} rows", THESIS)


def sparse(program: msa_cli.Program) -> None:
    """nearly equal rows: letters of DNA and RNA, in upper and lower case, gaps, unknown stretches, other characters; rows in any order"""
    for seed, taxa, sites, letters in ((90, 1, 9, "ACGT"), (91, 2, 1, "ACGT"), (92, 40, 300, "acgt"), (93, 150, 500, "ACGU"), (94, 600, 120, "ACGT")):
        dice = random.Random(seed)
        rows = [dice.choices(letters, k=sites)]
        while len(rows) < taxa:
            row = list(dice.choice(rows))
            for _ in range(dice.randrange(4)):
                row[dice.randrange(sites)] = dice.choice(letters)
            for _ in range(dice.choice([0, 0, 1, 3])):
                first, size = dice.randrange(sites), dice.choice([1, 3, 30, 90])
                row[first:first + size] = dice.choice("NNNNn--RYx?") * len(row[first:first + size])
            rows.append(row)
        if seed % 2:
            dice.shuffle(rows)
        alignment = Alignment([f"t{i}" for i in range(taxa)], ["".join(row) for row in rows])
        packed = program.ok("compress", "--codec", "sparse", stdin=fasta(alignment).encode())
        expect_text(packed, fasta(alignment), f"seed {seed}", SPARSE)


def texts(program: msa_cli.Program) -> None:
    """names and whole texts that are modelled: lines of all sorts, with titles and without"""
    for names in (["Homo_sapiens", "Homo_erectus", "Pan"], ["a"], [f"{genus}_{kind}|é" for genus in ("Canis", "Felis", "Bos") for kind in ("alba", "nigra", "major")], list("abcdefgh")):
        alignment = Alignment(names, ["ACGTACGTTT"] * len(names))
        packed = program.ok("compress", "--codec", "native", stdin=fasta(alignment).encode())
        assert [name.decode() for name in RgmFile(packed).names] == names, names
    for path in sorted(msa_cli.DATA.glob("*.phy")):
        packed = program.ok("compress", "-c", "--codec", "plain", path)
        assert RgmFile(packed).text() == path.read_bytes(), path
    for text in (">a\nACGT\n>b\nACGA\n\n>c\n\nACCA\n", ">x\n>y\n", ">one\r\nAC\r\n>two\r\nAG"):
        packed = program.ok("compress", "--codec", "plain", stdin=text.encode())
        assert RgmFile(packed).text() == text.encode(), text


def damaged(program: msa_cli.Program) -> None:
    """the reader refuses damage: whichever byte is changed, a checksum notices"""
    alignment = varied(60, 12, 200, "ACGT", "-N?")
    packed = program.ok("compress", "--codec", "native", "-B", "50", stdin=fasta(alignment).encode())
    for at in range(0, len(packed), 7):
        harmed = packed[:at] + bytes([packed[at] ^ 4]) + packed[at + 1:]
        try:
            RgmFile(harmed)
        except FormatError:
            continue
        raise AssertionError(f"the byte at {at} makes no difference")


if __name__ == "__main__":
    sys.exit(msa_cli.main(sample_files, nucleotides, amino_acids, saturated, few_rows, predicted, order, plain, thesis, sparse, texts, damaged))
