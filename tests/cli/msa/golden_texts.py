"""The texts of the golden files: small alignments, each for some parts of the format. msa_golden.py makes the files."""
import pathlib
import random
import sys
from collections.abc import Callable

from msa_cli import DATA, Alignment, clustal, evolved, fasta, interleaved, phylip, stockholm

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "docs/reader"))
from xxh3 import xxh3

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
Text = Callable[[], str]


def named(names: list[str], width: int = 4) -> str:
    """Short rows, so that the names are most of the file."""
    return fasta(Alignment(names, ["ACGTACGTTTAC"[i % 2:][:width] for i in range(len(names))]))


def toggled(seed: int, taxa: int, sites: int, letters: str, lively: Callable[[int], float], random_columns: float = 0) -> Alignment:
    """Each column has two or three letters, which come back again and again, at a rate that the site decides; or it is random."""
    dice = random.Random(seed)
    common = [dice.sample(letters, dice.choice([2, 2, 3])) for _ in range(sites)]
    rows = [[dice.choice(few) for few in common]]
    while len(rows) < taxa:
        before = dice.choice(rows[-6:])
        rows.append([dice.choice(letters) if site % 40 < 40 * random_columns else dice.choice(common[site]) if dice.random() < lively(site) else before[site]
                     for site in range(sites)])
    return Alignment([f"t{i}" for i in range(taxa)], ["".join(row) for row in rows])


def lower(alignment: Alignment) -> Alignment:
    """Each row has a run in lower case."""
    n = len(alignment.rows[0])
    return Alignment(alignment.names, [row[:i % n] + row[i % n:i % n + n // 3].lower() + row[i % n + n // 3:] for i, row in enumerate(alignment.rows)])


def genomes(seed: int, taxa: int, sites: int, letters: str, missing: str, name: str = "hCoV/{:04}/2021") -> Alignment:
    """Nearly equal rows, with stretches of other characters, some of which several rows share."""
    dice = random.Random(seed)
    rows, stretches = ["".join(dice.choices(letters, k=sites))], [(dice.randrange(sites), dice.choice([3, 60])) for _ in range(5)]
    while len(rows) < taxa:
        row = list(dice.choice(rows))
        for _ in range(dice.randrange(3)):
            row[dice.randrange(sites)] = dice.choice(letters)
        if dice.random() < 0.3:
            first, size = dice.choice(stretches)
            row[first:first + size] = dice.choice(missing) * len(row[first:first + size])
        rows.append("".join(row))
    return Alignment([name.format(i * 7919 % 10007) for i in range(taxa)], rows)


def patchy(seed: int, taxa: int, sites: int) -> Alignment:
    """Gaps of one cell, in each row at a rate of its own."""
    dice = random.Random(seed)
    rows = [dice.choices("ACGT", k=sites)] * taxa
    return Alignment([f"t{i}" for i in range(taxa)], ["".join("-" if dice.random() < 0.005 * (i + 2) else cell for cell in row) for i, row in enumerate(rows)])


def cut_off(alignment: Alignment) -> Alignment:
    """Rows whose ends are unknown, as far as those of their neighbours in the file."""
    n = len(alignment.rows[0])
    return Alignment(alignment.names, ["N" * (i // 8 % 5 * 9) + row[i // 8 % 5 * 9:n - i // 12 % 7 * 11] + "N" * (i // 12 % 7 * 11) for i, row in enumerate(alignment.rows)])


def maple(alignment: Alignment) -> str:
    """The first row is the reference, which is no row of the alignment."""
    reference, text = alignment.rows[0], f">reference\n{alignment.rows[0]}\n"
    for name, row in zip(alignment.names[1:], alignment.rows[1:]):
        text += f">{name}\n"
        site = 0
        while site < len(row):
            size = 1
            if row[site] in "nN-":
                size = len(row) - site - len(row[site:].lstrip(row[site]))
                text += f"{row[site]}\t{site + 1}\t{size}\n"
            elif row[site] != reference[site]:
                text += f"{row[site]}\t{site + 1}\n"
            site += size
    return text


def species(count: int) -> list[str]:
    """Sorted names that begin alike, without numbers."""
    dice = random.Random(5)
    syllables = ["ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te"]
    genera = ["".join(dice.choices(syllables, k=5)).capitalize() for _ in range(count // 12 + 1)]
    return sorted({f"{dice.choice(genera)}_{''.join(dice.choices(syllables, k=2))}" for _ in range(2 * count)})[:count]


def nexus(alignment: Alignment) -> str:
    rows = "".join(f"  {name:<12} {row}\n" for name, row in zip(alignment.names, alignment.rows))
    return (f"#NEXUS\nbegin data;\n  dimensions ntax={len(alignment.rows)} nchar={len(alignment.rows[0])};\n"
            f"  format datatype=dna gap=- missing=?;\n  matrix\n{rows}  ;\nend;\n")

def described(alignment: Alignment, end: str = "\n", width: int = 0) -> str:
    return fasta(alignment, width, end, lambda name: f" isolate {name[::-1]} complete")


def titled(count: int) -> list[str]:
    """Long names that end alike, but do not begin alike."""
    dice = random.Random(6)
    return ["".join(dice.choices("bcdfghklmnprstvwz", k=6)) + "_severe_acute_respiratory_syndrome_coronavirus" for _ in range(count)]


def plain_cells() -> bytes:
    """A file of kind plain, which only the library writes: five sites of two rows, two sites to a block."""
    blocks = [b"ACAC", b"GTGT", b"AN"]
    header = bytes([0, 5, 2]) + bytes([5, 0]) + b"a\nb\n" + bytes([1, 0]) + bytes(3)
    content = [xxh3(b"a\nb\n"), 5, *map(xxh3, blocks)]
    index = bytes([2, 2, 0, 0b011011]) + b"".join(xxh3(block).to_bytes(8, "little")[:2] for block in blocks)
    index += xxh3(b"".join(number.to_bytes(8, "little") for number in content)).to_bytes(8, "little")
    front, sizes = b"\x89RGM\1\0" + header, len(header).to_bytes(4, "little") + len(index).to_bytes(4, "little")
    return front + b"".join(blocks) + index + sizes + xxh3(front + index + sizes).to_bytes(8, "little")


def often(site: int) -> float:
    """Every third site changes often."""
    return 0.3 if site % 3 == 2 else 0.04


def by_hundreds(site: int) -> float:
    return 0.4 if site // 100 % 2 else 0.02


def from_data(name: str) -> Text:
    return lambda: (DATA / name).read_bytes().decode()


NATIVE, SPARSE, THESIS, PLAIN = (["--codec", codec] for codec in ("native", "sparse", "thesis", "plain"))
PARTITIONS = ["--partitions", str(DATA / "vertebrates.part")]
# For each golden file: the options of regraft-msa compress, and the text.
GOLDEN: dict[str, tuple[list[str], Text]] = {
    # Coding native: residues, contexts, weights of edges, blocks, levels.
    "native-vertebrates": (NATIVE + PARTITIONS, from_data("vertebrates.phy")),
    "native-primates": (NATIVE, from_data("primates.phy")),
    "native-primates-level-1": ([*NATIVE, "-1"], from_data("primates.phy")),
    "native-primates-level-9": ([*NATIVE, "-9"], from_data("primates.phy")),
    "native-globins": (NATIVE, from_data("globins.phy")),
    "native-elongation": (NATIVE, from_data("elongation.phy")),
    "native-digits": (NATIVE, lambda: fasta(evolved(6, 20, 120, "0123", "?-"))),
    "native-lower-case": (NATIVE, lambda: fasta(lower(evolved(3, 40, 300)))),
    "native-codons": (NATIVE, lambda: fasta(toggled(71, 30, 1200, "ACGT", often))),
    "native-regions": (NATIVE, lambda: fasta(toggled(73, 30, 1000, "ACGT", by_hundreds))),
    "native-saturated": (NATIVE, lambda: fasta(toggled(72, 30, 300, "ACDEFGHIKL", lambda site: 0.04, 0.75))),
    "native-patchy": (NATIVE, lambda: fasta(patchy(1, 20, 800))),
    "native-many-rows": (NATIVE, lambda: fasta(evolved(5, 200, 200))),
    "native-blocks-of-7": ([*NATIVE, "-B", "7"], lambda: fasta(evolved(4, 12, 200))),
    "native-blocks-of-80": ([*NATIVE, "-B", "80"], lambda: fasta(evolved(8, 20, 300))),
    "native-one-row": (NATIVE, lambda: ">only\nACGTNACGT-acgt\n"),
    "native-two-rows": (NATIVE, lambda: fasta(evolved(9, 2, 60))),
    "native-no-sites": (NATIVE, lambda: ">a\n>b\n>c\n"),
    "native-gaps": (NATIVE, lambda: fasta(Alignment(list("abcd"), ["-" * 50] * 4))),
    # Names in each way.
    "names-as-they-are": (NATIVE, lambda: fasta(Alignment(list("x7qZ"), ["ACGTACGT", "ACGTACGA", "ACGAAC-A", "ACGAAC-A"]))),
    "names-zstd": (NATIVE, lambda: named(titled(320))),
    "names-front": (NATIVE, lambda: named(species(1600))),
    "names-numbered": (NATIVE, lambda: named([f"sample{i:03}|2021-{i % 12 + 1:02}" for i in range(200)])),
    "names-numbers": (NATIVE, lambda: named([str(1000 + 37 * i % 9000) for i in range(100)])),
    "names-modelled": (NATIVE, lambda: named(species(60))),
    # Layouts.
    "layout-fasta-lines": (NATIVE, lambda: fasta(evolved(10, 8, 150), 60)),
    "layout-fasta-crlf": (NATIVE, lambda: fasta(evolved(11, 8, 150), 0, "\r\n")),
    "layout-fasta-no-last-line-end": (NATIVE, lambda: fasta(evolved(12, 8, 150))[:-1]),
    "layout-fasta-descriptions": (NATIVE, lambda: described(evolved(13, 8, 150), "\r\n", 70)),
    "layout-phylip": (NATIVE, lambda: phylip(evolved(14, 8, 150))),
    "layout-phylip-relaxed": (NATIVE, lambda: phylip(evolved(15, 8, 150), "\r\n", " ")),
    "layout-phylip-interleaved": (NATIVE, lambda: interleaved(evolved(16, 8, 150))),
    "layout-fasta-irregular": (NATIVE, lambda: fasta(evolved(17, 8, 90), 30) + "\n\n"),
    "layout-nexus": (NATIVE, lambda: nexus(evolved(18, 8, 90))),
    "layout-stockholm": (NATIVE, lambda: stockholm(evolved(19, 8, 90), 50)),
    "layout-clustal": (NATIVE, lambda: clustal(evolved(20, 8, 90, "ACGT", "-"))),
    "layout-long-skeleton": (NATIVE, lambda: stockholm(evolved(21, 60, 900, "ACGT", ""), 10)),
    # Coding thesis.
    "thesis-bases": ([*THESIS, "-B", "50"], lambda: fasta(evolved(22, 20, 150))),
    "thesis-primates": (THESIS, from_data("primates.phy")),
    "thesis-amino-acids": (THESIS, lambda: fasta(lower(evolved(23, 20, 120, AMINO_ACIDS, "-X")))),
    # Coding sparse: FASTA and MAPLE, letters, runs, several blocks of runs.
    "sparse-upper-case": (SPARSE, lambda: fasta(genomes(24, 120, 600, "ACGT", "NNN-RY"))),
    "sparse-runs-by-file": (SPARSE, lambda: fasta(cut_off(genomes(25, 120, 600, "ACGT", "KMW?")))),
    "sparse-lower-case": (SPARSE, lambda: described(genomes(26, 40, 300, "acgt", "nn-ry"), "\n", 80)),
    "sparse-rna": (SPARSE, lambda: fasta(genomes(27, 40, 300, "ACGU", "NN-"))),
    "sparse-rna-lower-case": (SPARSE, lambda: fasta(genomes(28, 40, 300, "acgu", "nn-"))),
    "sparse-two-blocks": (SPARSE, lambda: fasta(genomes(29, 4200, 12, "ACGT", "N-", "g{}"))),
    "sparse-maple": ([], lambda: maple(genomes(30, 120, 2000, "acgt", "nn-ry"))),
    "sparse-maple-crlf": ([], lambda: maple(genomes(31, 40, 500, "ACGT", "NN-")).replace("\n", "\r\n")),
    # Texts.
    "text-zstd": (PLAIN, from_data("elongation.phy")),
    "text-modelled": (PLAIN, from_data("globins.phy")),
}
# Files that regraft-msa reads and does not write: plain_cells(), and those of older versions.
READ_ONLY = ["plain-cells"]
