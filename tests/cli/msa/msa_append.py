#!/usr/bin/env python3
"""regraft-msa append and compact: what was compressed and more comes back. msa_append.py EXE LIBRARY, which is made of support/cut.cpp"""
import json
import os
import pathlib
import random
import signal
import sys

import msa_cli
from msa_cli import Alignment, evolved, fasta, phylip, surveyed


def part(alignment: Alignment, first: int, last: int) -> Alignment:
    return Alignment(alignment.names[first:last], alignment.rows[first:last])


def sparse(program: msa_cli.Program) -> None:
    """rows of any format are added to a sparse file, which compact makes as small as if they had come at once, or nearly"""
    whole = surveyed(1, 1200, 3000)
    packed = program.compressed("a.fa", fasta(part(whole, 0, 700)), "--codec", "sparse")
    program.ok("append", packed, program.file("b.fa", fasta(part(whole, 700, 1000), 60)), program.file("c.phy", phylip(part(whole, 1000, 1100))))
    assert program.ok("cat", packed) == fasta(part(whole, 0, 1100)).encode()
    program.ok("append", "-T", "1", packed, "-", stdin=fasta(part(whole, 1100, 1200)).encode())
    program.ok("verify", packed)
    assert program.ok("cat", packed) == fasta(whole).encode()
    assert json.loads(program.ok("stat", "--json", packed))["taxa"] == 1200
    assert program.ok("extract", "--taxon", whole.names[1150], packed) == fasta(part(whole, 1150, 1151)).encode()
    before = packed.stat().st_size
    program.ok("compact", packed)
    program.ok("compact", packed)  # is as small as it gets
    assert packed.stat().st_size <= before and program.ok("cat", packed) == fasta(whole).encode()
    at_once = program.compressed("whole.fa", fasta(whole), "--codec", "sparse").stat().st_size
    assert packed.stat().st_size < 1.03 * at_once, (packed.stat().st_size, at_once)


def described(program: msa_cli.Program) -> None:
    """descriptions, line ends and widths are those of the file; rows without a description get none"""
    whole = surveyed(2, 300, 3000)
    for describe in (lambda name: f" from {name[-2:]}", lambda name: ""):
        text = fasta(part(whole, 0, 200), 70, "\r\n", describe)
        packed = program.compressed("a.fa", text, "--codec", "sparse")
        program.ok("append", packed, program.file("b.fa", fasta(part(whole, 200, 300), 0, "\n", lambda name: " new")))
        assert program.ok("cat", packed).decode() == text + fasta(part(whole, 200, 300), 70, "\r\n", lambda name: " new")
        packed.unlink()


def maple(program: msa_cli.Program) -> None:
    """rows of MAPLE and of FASTA are added to MAPLE, in its lower case"""
    reference = "".join(random.Random(8).choices("acgt", k=500))
    rows = [[(number * 7 + k * 50) % 499 + 1 for k in range(3)] for number in range(130)]
    def text(first: int, last: int) -> str:
        lines = ["".join("acgt"[("acgt".index(reference[site - 1]) + 1) % 4] + f"\t{site}\n" for site in sorted(row)) for row in rows[first:last]]
        return f">ref\n{reference}\n" + "".join(f">s{first + i}\n{line}" for i, line in enumerate(lines))
    packed = program.compressed("a.maple", text(0, 110))
    program.ok("append", packed, program.file("b.maple", text(110, 130)))
    assert program.ok("cat", packed).decode() == text(0, 130)
    program.ok("append", packed, program.file("c.fa", f">upper\n{reference.upper()[:-1]}N\n"))
    assert program.ok("cat", packed).decode() == text(0, 130) + ">upper\nn\t500\t1\n"
    program.ok("compact", packed)
    program.ok("verify", "--deep", packed)
    assert json.loads(program.ok("stat", "--json", packed))["text_bytes"] == len(program.ok("cat", packed))


def threads(program: msa_cli.Program) -> None:
    """the same bytes for any number of threads"""
    whole = surveyed(3, 900, 3000)
    packed = program.compressed("a.fa", fasta(part(whole, 0, 500)), "--codec", "sparse")
    more = program.file("b.fa", fasta(part(whole, 500, 900)))
    results = {program.ok("append", "-T", count, "-c", packed, more) for count in ("1", "2", "4")}
    assert len(results) == 1
    assert program.ok("cat", stdin=results.pop()) == fasta(whole).encode()


def other_kinds(program: msa_cli.Program) -> None:
    """rows are added to files of all kinds; partitions stay"""
    whole = evolved(4, 24, 600)
    partitions = program.file("genes.part", "GTR, a = 1-200\nGTR, b = 201-600\n")
    for options in (["--codec", "native", "--partitions", str(partitions)], ["--codec", "thesis"], ["--codec", "plain"]):
        packed = program.compressed("a.phy", phylip(part(whole, 0, 20)), *options)
        program.ok("append", packed, program.file("b.fa", fasta(part(whole, 20, 24))))
        report = json.loads(program.ok("stat", "--json", packed))
        if "plain" not in options:
            assert report["compressed"]["codec"] == options[1]
        assert len(report["compressed"]["partitions"]) == (2 if "--partitions" in options else 0)
        assert program.ok("extract", "--format", "fasta", "--width", "0", packed) == fasta(whole).encode()
        program.ok("compact", packed)
        assert program.ok("extract", "--format", "fasta", "--width", "0", packed) == fasta(whole).encode()
        packed.unlink()


def refused(program: msa_cli.Program) -> None:
    """what does not fit is refused, and the file stays as it is"""
    whole = surveyed(5, 300, 3000)
    packed = program.compressed("a.fa", fasta(part(whole, 0, 200)), "--codec", "sparse")
    native = program.compressed("n.fa", fasta(part(whole, 0, 9)), "--codec", "native")
    fresh = part(whole, 200, 210)
    for file in (packed, native):
        program.refuses("append", file, program.file("b.fa", fasta(part(whole, 5, 8))), message=f"taxon '{whole.names[5]}', number 1, is in {file} already")
        program.refuses("append", file, program.file("b.fa", fasta(Alignment(fresh.names, [row[:-1] for row in fresh.rows]))), message="has 2999 sites, expected 3000 as in")
        program.refuses("append", file, program.file("b.fa", ">x\nAC GT\n>y\n"), message="b.fa:")
        program.refuses("append", file, program.path / "missing.fa", message="missing.fa")
        twice = [program.file("b.fa", fasta(fresh)), program.file("c.fa", fasta(fresh))]
        program.refuses("append", file, *twice, message=f"taxon '{fresh.names[0]}'")
    dice = random.Random(6)
    strangers = Alignment([f"s{i}" for i in range(200)], ["".join(dice.choices("ACGT", k=3000)) for _ in range(200)])
    program.refuses("append", packed, program.file("b.fa", fasta(strangers)), message="its rows differ too much from those of")
    program.refuses("append", program.file("text.fa", fasta(fresh)), program.file("b.fa", fasta(fresh)), message="text.fa: is no .rgm file")
    program.refuses("append", packed, message="FILES")
    program.refuses("append", "-", packed, message="is no file that rows can be added to")
    program.refuses("compact", "-", message="is no file")
    program.refuses("compact", program.file("text.fa", fasta(fresh)), message="is no .rgm file")
    irregular = program.compressed("i.fa", "\n>a\nACGT ACGT\n>b\nACGTACGA\n", "--codec", "native")
    program.refuses("append", irregular, program.file("b.fa", ">c\nACGTACGT\n"), message="whose layout is not regular")


def cuts(program: msa_cli.Program) -> None:
    """wherever the power goes, the file is the old one or the new one"""
    whole = surveyed(7, 300, 3000)
    old = program.compressed("a.fa", fasta(part(whole, 0, 200)), "--codec", "sparse").read_bytes()
    file, more = program.path / "a.fa.rgm", program.file("b.fa", fasta(part(whole, 200, 300)))
    new = program.ok("append", "-c", file, more)
    assert file.read_bytes() == old and new != old
    for number in range(1, 100):
        file.write_bytes(old)
        settings = {"LD_PRELOAD": str(pathlib.Path(sys.argv[2]).resolve()), "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0",
                    "CUT_IN": str(program.path), "CUT_AT": str(number)}
        result = program.run("append", file, more, env=os.environ | settings)
        result.require(file.read_bytes() in (old, new), f"cut {number}: expected the old file or the new one")
        if result.code == 0:
            break
        result.require(result.code == -signal.SIGKILL, "expected that it is killed, or ends well")
    result.require(number > 3 and result.code == 0, "expected several cuts")
    assert file.read_bytes() == new


if __name__ == "__main__":
    sys.exit(msa_cli.main(sparse, described, maple, threads, other_kinds, refused, cuts))
