#!/usr/bin/env python3
"""Alignments in all the forms that regraft-phylo reads: the same data give the same bits, and what is damaged is refused."""
import bz2
import gzip
import lzma
import os
import pathlib
import re
import resource
import subprocess
import sys
import zlib

import phylo_job

MOST_MEMORY = 1 << 20  # KiB


def rows_of(phylip: str) -> list[tuple[str, str]]:
    return [tuple(line.split()) for line in phylip.splitlines()[1:] if line.strip()]


def nexus(rows: list[tuple[str, str]], width: int) -> str:
    """NEXUS, interleaved, with characters of its own for gaps and matches, and a name in quotes."""
    sites = len(rows[0][1])
    text = f"#NEXUS\n[written by hand]\nbegin data;\n dimensions ntax={len(rows)} nchar={sites};\n format datatype=dna gap=~ missing=? matchchar=. interleave;\n matrix\n"
    first = rows[0][1]
    for begin in range(0, sites, width):
        for name, cells in rows:
            shown = "".join("." if cells is not first and c == d else c.replace("-", "~") for c, d in zip(cells[begin:begin + width], first[begin:begin + width]))
            text += f"  '{name}' {shown}\n"
        text += "\n"
    return text + " ;\nend;\n"


def alone(args, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess:
    """Runs a job of one rank, without a launcher."""
    return subprocess.run([args.exe, *arguments], input=stdin, capture_output=True, check=False, env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1"))


def same_bits(jobs: phylo_job.Jobs, args) -> None:
    """FASTA, PHYLIP, NEXUS, .rgm, packed by gzip, bzip2 or xz, or not, in one member or several, from a file or standard input"""
    directory = pathlib.Path(jobs.directory.name)
    text = pathlib.Path(args.msa).read_text(encoding="utf-8")
    rows = rows_of(text)
    half = len(text) // 2
    forms = {
        "a.fa": "".join(f">{name}\n{cells}\n" for name, cells in rows).encode(),
        "a.nex": nexus(rows, 70).encode(),
        "a.phy.gz": gzip.compress(text.encode()),
        "a.phy.xz": lzma.compress(text.encode()),
        "a.phy.bz2": bz2.compress(text.encode()),
        "gzip-without-suffix": gzip.compress(nexus(rows, 100).encode()),
        "members.gz": gzip.compress(text[:half].encode()) + gzip.compress(text[half:].encode()),
    }
    expected = jobs.search(2).bits()
    for number, (name, content) in enumerate(forms.items()):
        path = directory / name
        path.write_bytes(content)
        ranks = 1 + number % 3
        found = jobs.run(ranks, ["search", "--msa", str(path), "--model", "GTR+FC+G4m", "--spr-radius", "2"])
        found.require(found.codes == [0] * ranks and found.bits() == expected, f"{name}: expected the same bits")
    prefix = directory / "stdin"
    run = alone(args, "search", "--msa", "-", "--model", "GTR+FC+G4m", "--spr-radius", "2", "--prefix", str(prefix), stdin=forms["a.phy.gz"])
    assert run.returncode == 0, run
    assert pathlib.Path(f"{prefix}.bestTree").read_text(encoding="utf-8") == expected[0], "standard input: expected the same tree"


def snps(jobs: phylo_job.Jobs, args) -> None:
    """SNPs in VCF are the alignment of their bases; what is no SNP is refused, or skipped with a warning"""
    directory = pathlib.Path(jobs.directory.name)
    rows = rows_of(pathlib.Path(args.msa).read_text(encoding="utf-8"))
    columns = [column for column in zip(*(cells for _, cells in rows)) if len(set(column)) > 1 and set(column) <= set("ACGT")]
    plain = directory / "snps.fa"
    plain.write_text("".join(f">{name}\n{''.join(column[i] for column in columns)}\n" for i, (name, _) in enumerate(rows)), encoding="utf-8")
    text = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT" + "".join(f"\t{name}" for name, _ in rows) + "\n"
    for number, column in enumerate(columns, 1):
        alleles = sorted(set(column))
        text += f"c\t{number}\t.\t{alleles[0]}\t{','.join(alleles[1:])}\t.\t.\t.\tGT\t" + "\t".join("{0}/{0}".format(alleles.index(base)) for base in column) + "\n"
    for name, content in {"snps.vcf": text.encode(), "crlf.vcf.gz": gzip.compress(text.replace("\n", "\r\n").encode())}.items():
        (directory / name).write_bytes(content)
        found, wanted = (jobs.run(2, ["search", "--msa", str(path), "--model", "GTR+FC+G4m", "--spr-radius", "2"]) for path in (directory / name, plain))
        found.require(found.codes == [0, 0] and found.bits() == wanted.bits(), f"{name}: expected the same bits")
        found.require("all sites vary; if constant ones were left out" in found.output, f"{name}: expected the warning")
    mixed = directory / "mixed.vcf"
    mixed.write_text(text + "c\t1000\t.\tAC\tA\t.\t.\t.\tGT" + "\t0" * len(rows) + "\n", encoding="utf-8")
    refused = jobs.run(2, ["check", "--msa", str(mixed)])
    refused.require(refused.codes == [2, 2] and f"mixed.vcf:{len(columns) + 3}:10: REF is 'AC' and ALT 'A', expected SNPs" in refused.output, "expected a refusal")
    skipped = jobs.run(1, ["check", "--msa", str(mixed), "--not-snps", "skip"])
    skipped.require(skipped.codes == [0] and "1 record of VCF skipped that is no SNP" in skipped.output and f"{len(columns)} sites" in skipped.output, "expected a warning")


def compressed(jobs: phylo_job.Jobs, args) -> None:
    """.rgm, with the partitions in it unless --model or --partitions says otherwise"""
    if not args.regraft_msa:
        print("not tested: .rgm, as regraft-msa was not built")
        return
    directory = pathlib.Path(jobs.directory.name)
    partitions = directory / "two.part"
    partitions.write_text("JC, one = 1-898\\2\nHKY+FC, two = 2-898\\2\n", encoding="utf-8")
    packed = directory / "two.rgm"
    subprocess.run([args.regraft_msa, "compress", "-q", "--partitions", str(partitions), "-o", str(packed), args.msa], check=True)
    def search(alignment, *more: str):
        found = jobs.run(2, ["search", "--msa", str(alignment), "--spr-radius", "2", *more])
        found.require(found.codes == [0, 0], f"{alignment} {more}")
        return found.bits()
    stored = search(packed)
    assert stored == search(args.msa, "--partitions", str(partitions)) and '"HKY+FC"' in stored[2]
    assert search(packed, "--model", "JC") == search(args.msa, "--model", "JC") != stored
    check = jobs.run(1, ["check", "--msa", str(packed), "--reduced", str(directory / "reduced.phy")])
    check.require(check.codes == [0] and "HKY+FC" in check.output and "No --model" not in check.output, "expected the stored partitions")
    check.require((directory / "reduced.phy.partitions").exists(), "expected the stored partitions beside the reduced alignment")
    plain = directory / "plain.rgm"
    subprocess.run([args.regraft_msa, "compress", "-q", "--codec", "plain", "-o", str(plain), args.msa], check=True)
    assert search(plain, "--model", "JC") == search(args.msa, "--model", "JC")
    good = packed.read_bytes()
    for at in range(0, len(good), len(good) // 12):
        packed.write_bytes(good[:at] + bytes([good[at] ^ 4]) + good[at + 1:])
        run = alone(args, "check", "--msa", str(packed))
        assert run.returncode == 2 and b"two.rgm" in run.stderr, (at, run)


def joined(jobs: phylo_job.Jobs, args) -> None:
    """The partition files of `regraft-msa concat`, as RAxML-NG has them and in NEXUS, are read as they are."""
    if not args.regraft_msa:
        return
    directory = pathlib.Path(jobs.directory.name)
    loci = {"dna-1": "ACGTAC", "protein": "MKLVHE", "binary": "010011", "many": "012301"}
    for name, letters in loci.items():
        rows = [letters, letters[1:] + letters[:1], letters[::-1], letters[2:] + letters[:2]]
        (directory / f"{name}.fa").write_text("".join(f">t{i}\n{row * 3}\n" for i, row in enumerate(rows)), encoding="utf-8")
    for extension in ("part", "nex"):
        scheme = directory / f"joined.{extension}"
        subprocess.run([args.regraft_msa, "concat", "-qf", "-o", directory / "joined.fa", "--partitions", scheme, *(directory / f"{name}.fa" for name in loci)], check=True)
        check = jobs.run(1, ["check", "--msa", str(directory / "joined.fa"), "--partitions", str(scheme)])
        check.require(check.codes == [0] and all(name in check.output for name in loci), f"expected that {scheme.name} is read")


def loci_of(directory: pathlib.Path, rows: list[tuple[str, str]], args) -> tuple[str, str]:
    """Loci in three formats, each without some taxa and in an order of its own; the charsets that name them, and a supermatrix."""
    (directory / "loci").mkdir()
    parts = [[(name, cells[:300]) for name, cells in rows[2:]], [(name, cells[300:600]) for name, cells in reversed(rows)], [(name, cells[600:]) for name, cells in rows[:-1]]]
    (directory / "loci/one.fa.gz").write_bytes(gzip.compress("".join(f">{name}\n{cells}\n" for name, cells in parts[0]).encode()))
    (directory / "loci/two.nex").write_text(nexus(parts[1], 70), encoding="utf-8")
    text = f"{len(parts[2])} {len(parts[2][0][1])}\n" + "".join(f"{name} {cells}\n" for name, cells in parts[2])
    (directory / "loci/three.phy").write_text(text, encoding="utf-8")
    last = "loci/three.phy"
    if args.regraft_msa:
        subprocess.run([args.regraft_msa, "compress", "-q", "-k", directory / last], check=True)
        last += ".rgm"
    names = list(dict.fromkeys(name for part in parts for name, _ in part))
    whole = "".join(f">{name}\n{''.join(dict(part).get(name, '-' * len(part[0][1])) for part in parts)}\n" for name in names)
    return f"charset a = loci/one.fa.gz: DNA, 1-.; charset b = 'loci/two.nex': *; charset c1 = {last}: 1-.\\2; charset c2 = {last}: 2-.\\2; charset no = {last}: 1-9;", whole


def own_files(jobs: phylo_job.Jobs, args) -> None:
    """Charsets that name alignments: the same bits as of the supermatrix, which regraft-msa concat makes of them, too."""
    folder = phylo_job.Folder(jobs)
    rows = rows_of(pathlib.Path(args.msa).read_text(encoding="utf-8"))
    charsets, whole = loci_of(folder.directory, rows, args)
    scheme = "charpartition p = JC: a, HKY+FC: b, K80+G: c1, F81+FC: c2; end;\n"
    named = ["--partitions", folder.write("named.nex", f"#nexus\nbegin sets; {charsets}\n{scheme}")]
    sites = len(rows[0][1])
    usual = f"charset a = 1-300; charset b = 301-600; charset c1 = 601-{sites - 1}\\2; charset c2 = 602-{sites}\\2;"
    joined_files = ["--msa", folder.write("whole.fa", whole), "--partitions", folder.write("usual.nex", f"#nexus\nbegin sets; {usual}\n{scheme}")]
    for command in ("search", "genes"):
        found = [jobs.run(ranks, [command, *files, "--effort", "fast"]) for ranks, files in ((1, joined_files), (3, named))]
        for result in found:
            result.require(set(result.codes) == {0}, f"expected that {command} reads the files")
        trees, others = (pathlib.Path(f"{result.prefix}.{'bestTree' if command == 'search' else 'geneTrees'}").read_text(encoding="utf-8") for result in found)
        assert trees == others, f"{command}: expected the same trees"
        if command == "search":
            assert found[0].report["log_likelihood"] == found[1].report["log_likelihood"]
    tree = ["--tree", f"{jobs.directory.name}/job{jobs.count - 3}.bestTree"]
    evaluated = [jobs.run(2, ["evaluate", *files, *tree, "--sitelh"]) for files in (joined_files, named)]
    assert len({result.report["log_likelihood"] for result in evaluated}) == 1
    for ending in ("bestModel", "siteLH"):
        texts = [pathlib.Path(f"{result.prefix}.{ending}").read_text(encoding="utf-8") for result in evaluated]
        assert texts[0] == texts[1] and len(texts[0]) > 100, f"{ending}: expected what the joined files have: {texts}"
    merged = [jobs.run(1, ["merge", *files]) for files in (joined_files, named)]
    schemes = [pathlib.Path(f"{result.prefix}.bestScheme").read_text(encoding="utf-8") for result in merged]
    assert schemes[0] == schemes[1] and "1-300" in schemes[0], schemes
    check = jobs.run(1, ["check", *named])
    check.require(check.codes == [0] and f"named.nex: {len(rows)} taxa, {sites} sites" in check.output, "expected the sizes")
    if args.regraft_msa:
        out = folder.directory / "concat.fa"
        subprocess.run([args.regraft_msa, "concat", "-q", "--width", "0", "--format", "fasta", "-o", out, "--partitions", folder.directory / "concat.part", named[1]], check=True)
        assert out.read_text(encoding="utf-8") == whole
        lines = (folder.directory / "concat.part").read_text(encoding="utf-8")
        assert lines == f"JC, a = 1-300\nHKY+FC, b = 301-600\nK80+G, c1 = 601-{sites - 1}\\2\nF81+FC, c2 = 602-{sites}\\2\n", lines
    # Some of the sites are those of --msa.
    mixed = folder.write("mixed.nex", "#nexus begin sets; charset a = loci/one.fa.gz: *; charset b = 1-300; charset rest = remainder; end;")
    both = jobs.run(2, ["check", "--msa", args.msa, "--partitions", mixed, "--model", "JC"])
    both.require(both.codes == [0, 0] and f"{len(rows)} taxa, {sites + 300} sites" in both.output, "expected the sites of both")
    refuse_own_files(jobs, folder, mixed)


def refuse_own_files(jobs: phylo_job.Jobs, folder: phylo_job.Folder, mixed: str) -> None:
    bad = folder.write("bad.fa", ">a\nACGT\n>b\nAJGT\n>c\nAAGT\n>d\nACCT\n")
    for sets, message in (
            ("charset a = none.fa: 1-4;", "names.nex:2:13: charset 'a' has a file of its own, 'none.fa', which is not there; expected an alignment"),
            ("charset a = bad.fa: 1-4;", f"{bad}:4:2: partition 'a', taxon 'b', site 2: not a DNA symbol"),
            ("charset a = bad.fa: 1-5;", "names.nex:2:23: site 5 does not exist: the alignment has the sites 1-4"),
            ("charset a = 1-4;", "names.nex: names no alignments, expected --msa, or charsets of NEXUS such as 'charset a = genes.fa: *;'"),
            ("charset a = bad.fa: CODON, 1-3;", "names.nex:2:21: 'CODON': there are no models of codons; expected DNA, with a charset for each codon position")):
        names = folder.write("names.nex", f"#nexus begin sets;\n{sets} end;")
        run = jobs.run(2, ["check", "--partitions", names, "--model", "JC"])
        run.require(run.codes == [2, 2] and message in " ".join(run.output.split()), f"{sets}: expected '{message}'")
    run = jobs.run(1, ["check", "--partitions", mixed, "--model", "JC"])
    run.require(run.codes == [2] and "mixed.nex:1:63: there is no alignment for these sites" in run.output, "expected --msa for the other charset")
    # One file under three paths is one alignment.
    (folder.directory / "link.fa").symlink_to("bad.fa")
    for last, codes, message in (("3", [0, 0], "4 taxa, 3 sites"), ("1 3", [2, 2], "site 1 of 'bad.fa' already belongs to partition 'a'")):
        names = folder.write("names.nex", f"#nexus begin sets; charset a = bad.fa: 1; charset b = ./bad.fa: 4; charset c = link.fa: {last}; end;")
        run = jobs.run(2, ["check", "--partitions", names, "--model", "JC"])
        run.require(run.codes == codes and message in " ".join(run.output.split()), f"{last}: expected '{message}'")
    inputs = folder.write("inputs.nex", "#nexus begin sets; charset a = bad.fa: 1 3-4; end;")
    over = jobs.run(1, ["check", "--partitions", inputs, "--model", "JC", "--reduced", bad])
    log = folder.write("own.log", pathlib.Path(bad).read_text(encoding="utf-8").replace("J", "G"))
    inputs = folder.write("logs.nex", "#nexus begin sets; charset a = own.log: *; end;")
    twice = jobs.run(1, ["search", "--partitions", inputs, "--model", "JC", "--redo"], prefix=folder.directory / "own")
    twice.require(twice.codes == [2] and "own.log" in twice.output and pathlib.Path(log).read_text(encoding="utf-8").startswith(">a"), "expected that no input is overwritten")
    over.require(over.codes == [2] and "bad.fa" in over.output and "ACGT" in pathlib.Path(bad).read_text(encoding="utf-8"), "expected that no input is overwritten")


def names_in_fasta(jobs: phylo_job.Jobs, args) -> None:
    """--names first, whole and joined, in trees, charsets that name alignments, .rgm files and messages"""
    folder = phylo_job.Folder(jobs)
    cells = [cells for _, cells in rows_of(pathlib.Path(args.msa).read_text(encoding="utf-8"))][:5]
    text = "".join(f"> Homo sp {i}\t\n{row}\n" for i, row in enumerate(cells))
    alignment = folder.write("names.fa", text)
    run = jobs.run(1, ["search", "--msa", alignment, "--model", "JC"])
    run.require(run.codes == [2] and "names.fa:3:3: taxon 'Homo' is already on line 1; names end at the first blank" in run.output
                and "--names joined takes the whole line" in run.output, "expected the reason")
    trees = {}
    for names, tree in (("joined", "(Homo_sp_0,Homo_sp_1,(Homo_sp_2,(Homo_sp_3,Homo_sp_4)));"), ("whole", "('Homo sp 0','Homo sp 1',('Homo sp 2',('Homo sp 3','Homo sp 4')));")):
        own = folder.write("names.nex", "#nexus begin sets; charset a = names.fa: 1-898; end;")
        for files in (["--msa", alignment], ["--partitions", own]):
            found = jobs.run(2, ["evaluate", *files, "--names", names, "--model", "JC", "--tree", folder.write("names.nwk", tree)])
            found.require(found.codes == [0, 0], f"--names {names}: expected these names")
            trees[names] = pathlib.Path(f"{found.prefix}.bestTree").read_text(encoding="utf-8")
            assert ("'Homo sp 3'" if names == "whole" else "Homo_sp_3") in trees[names], trees
    assert re.sub("'Homo sp (.)'", r"Homo_sp_\1", trees["whole"]) == trees["joined"]
    if args.regraft_msa:
        distinct = folder.write("described.fa", text.replace("Homo sp ", "Homo_").replace("\t", " of somebody "))
        subprocess.run([args.regraft_msa, "compress", "-q", "-k", distinct], check=True)
        for source in (distinct, distinct + ".rgm"):
            for names, word in (("first", "Homo_3:"), ("whole", "'Homo_3 of somebody':"), ("joined", "Homo_3_of_somebody:")):
                found = jobs.run(1, ["search", "--msa", source, "--names", names, "--model", "JC"])
                found.require(word in pathlib.Path(f"{found.prefix}.bestTree").read_text(encoding="utf-8"), f"--names {names}: expected {word}")


def refused(jobs: phylo_job.Jobs, args) -> None:
    """A damaged file, or one that is no text, is refused with its name, a bomb before it fills the memory, a long row without much memory; several ranks read no stream."""
    directory = pathlib.Path(jobs.directory.name)
    text = pathlib.Path(args.msa).read_bytes()
    packed = gzip.compress(text)
    broken = bytearray(packed)
    broken[len(packed) // 2] ^= 0x55
    bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
    filled = bomb.compress(b"4 500000000\na ") + b"".join(bomb.compress(b"A" * (1 << 20)) for _ in range(480)) + bomb.flush()
    cases = {
        "cut.gz": (packed[:-20], "is packed by gzip, but is cut off"),
        "cut-header.gz": (packed[:3], "is packed by gzip, but is cut off"),
        "broken.gz": (bytes(broken), "is packed by gzip, but is damaged"),
        "checksum.gz": (packed[:-8] + b"\0\0\0\0" + packed[-4:], "is packed by gzip, but is damaged"),
        "cut.xz": (lzma.compress(text)[:-20], "is packed by xz, but is cut off"),
        "more.gz": (packed + b"more", "is packed by gzip, but something else follows"),
        "zeros.gz": (gzip.compress(bytes(50 << 20)), "byte 1 of the unpacked data is 0; expected a text"),
        "empty.gz": (gzip.compress(b""), "empty.gz: the file is empty"),
        "row.gz": (gzip.compress(text.replace(b"898", b"897", 1)), "row.gz:2:1: "),
        "bomb.gz": (filled, "if that is meant, unpack it with gunzip"),
        "long.gz": (gzip.compress(b"1 30000000\na " + b"ACG-" * 7_500_000 + b"\n", 1), "1 taxon, expected at least 4"),
        "bad.nex": (b"#NEXUS\nbegin data;\ndimensions ntax=4 nchar=4;\nmatrix\na ACGT\nb ACGT\nc ACG\nd ACGT\n;\nend;\n", "bad.nex:8:1: taxon 'c' has"),
        "odd.nex": (b"#NEXUS\nbegin data;\ndimensions ntax=4 nchar=4;\nformat gap=~;\nmatrix\na ACGT\nb A~GT\nc ACG5\nd ACGT\n;\nend;\n", "odd.nex:8:6: partition 'all', taxon 'c', site 4"),
    }
    for name, (content, message) in cases.items():
        (directory / name).write_bytes(content)
        run = alone(args, "check", "--msa", str(directory / name))
        output = (run.stdout + run.stderr).decode()
        assert run.returncode == 2 and message in output, f"{name}: expected '{message}', found\n{output}"
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert most < MOST_MEMORY, f"{most} KiB were used for a gzip bomb, or a row of 30 million sites"
    several = jobs.run(2, ["check", "--msa", "-"])
    several.require(several.codes == [2, 2] and "only a job of one rank reads standard input" in several.output, "expected a refusal")
    run = alone(args, "search", "--msa", "-", "--model", "JC", stdin=text)
    assert run.returncode == 2 and b"--prefix: is needed" in run.stderr, run


def all_cases(jobs: phylo_job.Jobs, args) -> None:
    refused(jobs, args)  # first: its memory is measured
    same_bits(jobs, args)
    snps(jobs, args)
    compressed(jobs, args)
    joined(jobs, args)
    own_files(jobs, args)
    names_in_fasta(jobs, args)


if __name__ == "__main__":
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("--regraft-msa", default="", help="the program, to make .rgm files")
    sys.exit(phylo_job.main(parser.parse_args(), all_cases, needs_deaths=False))
