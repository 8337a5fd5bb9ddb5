#!/usr/bin/env python3
"""regraft-msa translate gives the amino acids of codons by the codes of NCBI. msa_translate.py EXE"""
import gzip
import itertools
import random
import sys

import msa_cli
from msa_cli import Alignment, fasta, phylip

# As NCBI writes them: what codons mean, in the order TTT, TTC, TTA, TTG, TCT, ... GGG. If a codon may also be a stop, it is the amino acid.
CODES = {
    1: "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    2: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSS**VVVVAAAADDEEGGGG",
    3: "FFLLSSSSYY**CCWWTTTTPPPPHHQQRRRRIIMMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    4: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    5: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSSSSVVVVAAAADDEEGGGG",
    6: "FFLLSSSSYYQQCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    9: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNNKSSSSVVVVAAAADDEEGGGG",
    10: "FFLLSSSSYY**CCCWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    11: "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    12: "FFLLSSSSYY**CC*WLLLSPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    13: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSSGGVVVVAAAADDEEGGGG",
    14: "FFLLSSSSYYY*CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNNKSSSSVVVVAAAADDEEGGGG",
    15: "FFLLSSSSYY*QCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    16: "FFLLSSSSYY*LCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    21: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNNKSSSSVVVVAAAADDEEGGGG",
    22: "FFLLSS*SYY*LCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    23: "FF*LSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    24: "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSSKVVVVAAAADDEEGGGG",
    25: "FFLLSSSSYY**CCGWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    26: "FFLLSSSSYY**CC*WLLLAPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    27: "FFLLSSSSYYQQCCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    28: "FFLLSSSSYYQQCCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    29: "FFLLSSSSYYYYCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    30: "FFLLSSSSYYEECC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    31: "FFLLSSSSYYEECCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    32: "FFLLSSSSYY*WCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
    33: "FFLLSSSSYYY*CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSSKVVVVAAAADDEEGGGG",
}
CODONS = ["".join(bases) for bases in itertools.product("TCAG", repeat=3)]
AMBIGUOUS = {"A": "A", "C": "C", "G": "G", "T": "T", "U": "T", "R": "AG", "Y": "CT", "S": "CG", "W": "AT", "K": "GT", "M": "AC", "B": "CGT", "D": "AGT", "H": "ACT",
             "V": "ACG"} | dict.fromkeys("NXO?.~*!", "ACGT")
SETS = {frozenset("DN"): "B", frozenset("EQ"): "Z", frozenset("IL"): "J"}
COMPLEMENT = str.maketrans("ACGTURYSWKMBDHVNacgtu", "TGCAAYRSWMKVHDBNtgcaa")


def meaning(codon: str, code: str) -> str:
    if codon in ("---", "???"):
        return codon[0]
    if "-" in codon:
        return "X"
    found = {code[CODONS.index("".join(bases))] for bases in itertools.product(*(AMBIGUOUS[base] for base in codon.upper()))}
    return found.pop() if len(found) == 1 else SETS.get(frozenset(found), "X")


def translated(row: str, code: str, frame: int = 1) -> str:
    if frame < 0:
        row = row[::-1].translate(COMPLEMENT)
    row = row[abs(frame) - 1:]
    return "".join(meaning(row[i:i + 3], code) for i in range(0, len(row) - 2, 3))


def codes(program: msa_cli.Program) -> None:
    """Every codon by every code, with ambiguous bases, too"""
    triples = ["".join(bases) for bases in itertools.product("ACGTRYSWKMBDHVN", repeat=3)]
    row = "".join(triples) + "ACG" * 4000  # so that most are bases
    for number, code in CODES.items():
        found = program.ok("translate", "--code", str(number), "--width", "0", "-", stdin=f">a\n{row}\n".encode()).decode()
        assert found == f">a\n{translated(row, code)}\n", number
    for number in (7, 8, 17, 20):
        program.refuses("translate", "--code", str(number), "-", stdin=b">a\nACG\n", message=f"--code: there is no code {number}, expected 1 to 6, 9 to 16 or 21 to 33")
    for number in ("0", "34", "one"):
        program.refuses("translate", "--code", number, "-", stdin=b">a\nACG\n", message=f"--code: '{number}', expected a whole number from 1 to 33")


def frames(program: msa_cli.Program) -> None:
    """All six frames, of texts in upper and lower case, of RNA, packed and .rgm; gaps of three are one gap"""
    for seed in range(6):
        dice = random.Random(seed)
        sites = 90 + seed
        rows = ["".join(dice.choices("ACGT" if seed % 2 else "acgu", k=sites))]
        while len(rows) < 12:
            row = list(dice.choice(rows))
            for _ in range(3):
                row[dice.randrange(sites)] = dice.choice("ACGTRYN-?")
            first = 3 * dice.randrange(20)
            row[first:first + 6] = "-" * 6
            rows.append("".join(row))
        alignment = Alignment([f"t{i}" for i in range(12)], rows)
        packed = program.path / "a.fa.gz"
        packed.write_bytes(gzip.compress(fasta(alignment, 30).encode()))
        for path in (program.compressed("a.fa", fasta(alignment)), packed, program.file("a.phy", phylip(alignment))):
            for frame in (1, 2, 3, -1, -2, -3):
                expected = [translated(row, CODES[1], frame) for row in rows]
                found = program.ok("translate", "--frame", str(frame), "--format", "fasta", "--width", "0", path).decode()
                assert found == fasta(Alignment(alignment.names, expected)), (seed, path, frame)
                marked = program.ok("translate", f"--frame={frame}", "--stop-as", "?", "--format", "phylip", "--width", "0", path).decode()
                assert marked == phylip(Alignment(alignment.names, [row.replace("*", "?") for row in expected]))


def told(program: msa_cli.Program) -> None:
    """Stops within sequences, gaps in part of a codon, and sites that are left over are told; a stop at the end is not"""
    text = ">a x\nATGAAATAA---A\n>b\nATGTAAAAATAAC\n>c\nA-GTAGTAG---C\n>d\nTGATGATTTTTTG\n"
    result = program.run("translate", "-", stdin=text.encode())
    result.require(result.code == 0 and result.out == b">a x\nMK*-\n>b\nM*K*\n>c\nX**-\n>d\n**FF\n", "expected amino acids")
    result.require(result.err == "standard output: 4 taxa, 4 codons by code 1; 1 site left over at the end; 1 codon with gaps in part, now X; "
                   "3 stops within sequences, the first in taxon 'b', codon 2\n", "expected what is unusual")
    assert program.run("translate", "-q", "-", stdin=text.encode()).err == ""
    assert program.ok("translate", "--code", "2", "-", stdin=b">a\nATATGAAGA\n").decode() == ">a\nMW*\n"
    genomes = program.file("g.maple", ">ref\nacgacg\n>a\nt\t1\n>b\n-\t4\t3\n")
    assert program.ok("translate", genomes).decode() == ">a\nST\n>b\nT-\n"


def refused(program: msa_cli.Program) -> None:
    """What is not DNA, or has no codon"""
    program.refuses("translate", program.file("p.fa", ">a\nMKLVEE\n>b\nMKIVEE\n"), message="'L' is no DNA symbol")
    program.refuses("translate", program.file("n.nex", "#nexus begin data; dimensions ntax=1 nchar=3; format datatype=protein; matrix a ACG; end;"), message="translation is for DNA, and the format of the file says datatype=protein")
    program.refuses("translate", program.file("short.fa", ">a\nAC\n"), message="short.fa: has 2 sites, expected a codon")
    program.refuses("translate", "--frame", "3", program.file("four.fa", ">a\nACGT\n"), message="four.fa: has 4 sites, expected a codon")
    program.refuses("translate", "--frame", "0", program.path / "four.fa", message="expected 1, 2, 3, -1, -2 or -3, found '0'")
    program.refuses("translate", "--format", "maple", program.path / "four.fa", message="MAPLE is for DNA, not for amino acids")
    program.refuses("translate", program.file("empty.fa", ""), message="empty.fa: the file is empty")
    program.refuses("translate", program.file("bad.fa", ">a\nACGTTT\n>b\nACG\n"), message="bad.fa:3:1: taxon 'b' has 3 sites")


if __name__ == "__main__":
    sys.exit(msa_cli.main(codes, frames, told, refused))
