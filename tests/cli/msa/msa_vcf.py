#!/usr/bin/env python3
"""regraft-msa reads SNPs in VCF as an alignment. msa_vcf.py EXE"""
import gzip
import json
import os
import random
import subprocess
import sys

import msa_cli
from msa_cli import DNA, Alignment, evolved, fasta

LETTER = {mask: letter for letter, mask in DNA.items() if letter in "ACGTMRWSYKVHDBN"}
HEADER = "##fileformat=VCFv4.2\n##contig=<ID=c>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"


def random_vcf(dice: random.Random) -> tuple[str, str, int, Alignment]:
    """A VCF with records that are no SNPs, the same without these, their number, and what the others mean, by definition."""
    names = [f"sample-{i}" for i in range(dice.randrange(1, 9))]
    rows = [""] * len(names)
    lines, snps, others = [], [], 0
    for position in range(1, dice.randrange(2, 90)):
        reference, *alternatives = dice.sample("ACGT", 4)
        alleles = [reference, *alternatives[:dice.randrange(4)]]
        if dice.random() < 0.2:
            alleles.append("*")
        calls = []
        for i in range(len(names)):
            drawn = [dice.choice([*range(len(alleles)), "."]) for _ in range(dice.choice((1, 2, 2)))]
            call = dice.choice("/|").join(map(str, drawn))
            bases = {"." if one == "." else alleles[one] for one in drawn}
            mask = sum(DNA[base] for base in bases - {".", "*"})
            rows[i] += "N" if "." in bases else LETTER[mask] if mask else "-"
            calls.append(call + dice.choice(("", ":7", ":7:0,1")))
        shown = [base.lower() if dice.random() < 0.1 else base for base in alleles]
        record = ["c", str(position), ".", shown[0], ",".join(shown[1:]) or ".", dice.choice((".", "50")), "PASS", "X=1", "GT:DP:AD", *calls]
        snps.append("\t".join(record))
        lines.append(snps[-1])
        if dice.random() < 0.2:
            record[3:5] = dice.choice((["AC", "A"], ["A", "AT"], ["A", "<DEL>"], ["AC", "GT"], ["A", "G,ACC"], ["A", "<NON_REF>"]))
            lines.append("\t".join(record))
            others += 1
    head = HEADER + "".join("\t" + name for name in names) + "\n"
    return head + "\n".join(lines) + "\n", head + "\n".join(snps) + "\n", others, Alignment(names, rows)


def calls(program: msa_cli.Program) -> None:
    """Calls become cells, whatever the text is packed by and its lines end with; records that are no SNPs are refused, or skipped and counted"""
    for seed in range(40):
        text, snps, others, expected = random_vcf(random.Random(seed))
        wanted = fasta(expected, 0).encode()
        for name, content in {"a.vcf": text, "b.vcf": text.replace("\n", "\r\n"), "c.vcf.gz": gzip.compress(text[:300].encode()) + gzip.compress(text[300:].encode())}.items():
            path = program.file(name, content)
            result = program.run("cat", "--not-snps", "skip", path)
            result.require(result.code == 0 and result.out == wanted, f"seed {seed}: expected the calls as cells")
            result.require((f"{others} record" in result.err) == (others > 0) and ("skipped" in result.err) == (others > 0), "expected the number of what is skipped")
            if others:
                program.refuses("cat", path, message="expected SNPs, which have single bases; --not-snps skip leaves other records out")
        assert program.ok("cat", program.file("snps.vcf", snps)) == wanted
        assert program.ok("extract", "--sites", "1", "-", stdin=snps.encode()) == fasta(Alignment(expected.names, [row[:1] for row in expected.rows]), 0).encode()


def compressed(program: msa_cli.Program) -> None:
    """Compressing keeps the VCF, since what comes back is an alignment, which has another name"""
    _, snps, _, expected = random_vcf(random.Random(3))
    for name, content in {"x.vcf": snps.encode(), "y.vcf.gz": gzip.compress(snps.encode())}.items():
        path = program.file(name, content)
        result = program.run("compress", path)
        result.require(result.code == 0 and path.read_bytes() == content, "expected that the VCF is kept")
        packed = program.path / f"{name[0]}.fa.rgm"
        result.require(f"{name}: is VCF, so it is kept; {packed} holds its alignment" in result.err, "expected that it is told")
        program.ok("decompress", packed)
        assert (program.path / f"{name[0]}.fa").read_text() == fasta(expected, 0)
        shown = program.ok("stat", path).decode()
        assert f"{len(snps)} B of VCF text" in shown or " kB of VCF text" in shown, shown
        told = json.loads(program.ok("stat", "--json", path))
        assert (told["text_format"], told["text_bytes"], told["taxa"]) == ("vcf", len(snps), len(expected.names)), told
    row = "".join(expected.rows[0])
    target = program.compressed("target.fa", f">first\n{row}\n>second\n{row[::-1]}\n", "--codec", "plain")
    program.ok("append", target, program.path / "x.vcf")
    assert program.ok("cat", target).decode().endswith(fasta(expected, 0))
    blank = HEADER + "\ta b\nc\t1\t.\tA\tG\t.\t.\t.\tGT\t0\n"
    program.refuses("cat", "-", stdin=blank.encode(), message="sample 'a b' has a blank; expected names that FASTA can hold")
    program.refuses("cat", "-", stdin=b"BCF\2\2more", message="is BCF, the binary form of VCF")
    program.refuses("cat", "-", stdin=gzip.compress(b"BCF\2\2\0\0"), message="is BCF, the binary form of VCF")


def round_trips(program: msa_cli.Program) -> None:
    """What is written as VCF is read as the same bases; with the row of the reference, the same VCF is written again"""
    dice = random.Random(5)
    for seed in range(12):
        alignment = evolved(seed, 9, 200)
        against = dice.choice(alignment.names)
        path = program.file("a.fa", fasta(alignment, 0))
        text = program.ok("extract", "--format", "vcf", "--against", against, path).decode()
        records = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
        reference = alignment.rows[alignment.names.index(against)]
        sites = [site for site, cell in enumerate(reference) if cell != "-"]  # by position
        found = program.ok("cat", program.file("a.vcf", text)).decode()
        names = [name for name in alignment.names if name != against]
        rows = [alignment.rows[alignment.names.index(name)].upper() for name in names]
        expected = Alignment(names, ["".join(row[site] if row[site] in "ACGT" else "N" for site in (sites[int(record[1]) - 1] for record in records)) for row in rows])
        assert found == fasta(expected, 0), (seed, found, expected)
        both = program.file("both.fa", found + f">{against}\n" + "".join(record[3] for record in records) + "\n")
        again = program.ok("extract", "--format", "vcf", "--against", against, both).decode()
        assert [[*line.split("\t")[:1], *line.split("\t")[2:]] for line in again.splitlines() if not line.startswith("#")] == [[*record[:1], *record[2:]] for record in records]
        assert program.ok("cat", program.file("again.vcf", again)).decode() == found


def memory(program: msa_cli.Program) -> None:
    """Memory is that of the cells and of a line, not that of the text"""
    record = "\t.\tA\tG\t.\t.\t" + "ANNOTATION=" + "x" * 50_000 + "\tGT\t0\t1/1\n"
    path = program.path / "large.vcf"
    with path.open("w", encoding="utf-8") as file:
        file.write(HEADER + "\ta\tb\n")
        for position in range(2000):
            file.write(f"c\t{position + 1}{record}")
    with subprocess.Popen([program.exe, "cat", path], stdout=subprocess.PIPE) as process:
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0 and out == b">a\n" + b"A" * 2000 + b"\n>b\n" + b"G" * 2000 + b"\n"
    assert usage.ru_maxrss < 60_000 or "asan" in program.exe, f"{usage.ru_maxrss} KiB for a text of {path.stat().st_size} bytes"


if __name__ == "__main__":
    sys.exit(msa_cli.main(calls, compressed, round_trips, memory))
