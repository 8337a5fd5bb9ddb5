#!/usr/bin/env python3
"""regraft-msa writes parts of alignments, and differences to a reference, whatever it reads them from. msa_parts.py EXE"""
import gzip
import json
import pathlib
import random
import re
import sys

import msa_cli
from msa_cli import DNA, Alignment, evolved, fasta, phylip

BASES = {"A": "A", "C": "C", "G": "G", "T": "T", "U": "T"}


def genomes(seed: int, taxa: int = 150, sites: int = 700) -> Alignment:
    """Nearly equal rows: with a few other bases, and stretches of N, gaps and other characters."""
    dice = random.Random(seed)
    rows = [dice.choices("ACGT", k=sites)]
    while len(rows) < taxa:
        row = list(dice.choice(rows))
        for _ in range(dice.randrange(4)):
            row[dice.randrange(sites)] = dice.choice("ACGT")
        for _ in range(dice.choice([0, 0, 1, 3])):
            first, size = dice.randrange(sites), dice.choice([1, 3, 30, 90])
            row[first:first + size] = dice.choice("NNNN--RY") * len(row[first:first + size])
        rows.append(row)
    return Alignment([f"g{i}/{seed}" for i in range(taxa)], ["".join(row) for row in rows])


def forms(program: msa_cli.Program, name: str, alignment: Alignment, codecs=("native", "plain")) -> list[pathlib.Path]:
    """The alignment as a text, packed, and in .rgm files."""
    text = fasta(alignment, 60)
    found = [program.file(name + ".fa", text), program.file(name + ".fa.gz", gzip.compress(text.encode())), program.file(name + ".phy", phylip(alignment))]
    for codec in codecs:
        packed = program.path / f"{name}.{codec}.rgm"
        packed.write_bytes(program.ok("compress", "--codec", codec, stdin=text.encode()))
        found.append(packed)
    return found


def selected(alignment: Alignment, names: list[str], sites: list[int]) -> Alignment:
    row_of = dict(zip(alignment.names, alignment.rows))
    return Alignment(names, ["".join(row_of[name][site] for site in sites) for name in names])


def columns(alignment: Alignment) -> list[str]:
    return ["".join(cells) for cells in zip(*alignment.rows)]


def variable(alignment: Alignment) -> list[int]:
    """The columns that no base fits everywhere."""
    found = []
    for site, column in enumerate(columns(alignment)):
        common = 15
        for cell in column.upper():
            common &= DNA[cell]
        if not common:
            found.append(site)
    return found


def most_frequent(column: str) -> str:
    cells = [cell for cell in column.upper() if cell == "-" or DNA[cell] != 15]
    if not cells:
        return "N"
    return min(sorted(set(cells)), key=lambda cell: (-cells.count(cell), cell == "-", cell))


def wide(alignment: Alignment) -> str:
    return fasta(alignment)


def from_everything(program: msa_cli.Program) -> None:
    """extract, cat and stat take .rgm of all kinds and texts, packed or not, and give the same"""
    for alignment, codecs in ((evolved(1, 14, 600), ("native", "thesis", "plain")), (genomes(2), ("native", "sparse", "plain"))):
        dice = random.Random(len(alignment.names))
        reports = set()
        for path in forms(program, "x", alignment, codecs):
            assert program.ok("cat", "--format", "fasta", "--width", "0", path).decode() == wide(alignment), path
            assert program.ok("cat", "--format", "phylip", "--width", "0", path).decode() == phylip(alignment), path
            assert program.ok("cat", path).decode() == (phylip(alignment) if path.suffix == ".phy" else fasta(alignment, 60)), path
            assert program.ok("cat", stdin=path.read_bytes()) == program.ok("cat", path)
            names = dice.sample(alignment.names, 5)
            sites = sorted(dice.sample(range(600), 40))
            if dice.random() < 0.5:
                dice.shuffle(sites)
            wanted = wide(selected(alignment, names, sites))
            by_name = [word for name in names for word in ("--taxon", name)]
            request = ["extract", *by_name, "--sites", ",".join(str(site + 1) for site in sites), "--format", "fasta", "--width", "0"]
            assert program.ok(*request, path).decode() == wanted == program.ok(*request, "-", stdin=path.read_bytes()).decode(), path
            report = json.loads(program.ok("stat", "--json", path))
            reports.add((report["taxa"], report["sites"], report["constant_sites"], report["gap_cells"]))
        assert len(reports) == 1, reports
    program.refuses("cat", program.file("bad.fa", ">a\nACGT\n>b\nACG\n"), message="bad.fa:3:1: taxon 'b' has 3 sites")
    program.refuses("extract", program.file("bad.phy", "2 4\na ACGT\n"), message="bad.phy:2: the file ends after 1 of the 2 taxa")
    program.refuses("extract", program.file("empty.fa", ""), message="empty.fa: the file is empty")
    program.refuses("extract", "--partition", "p", program.file("good.fa", ">a\nACGT\n"), message="there is no partition 'p', none is stored")


def taxa(program: msa_cli.Program) -> None:
    """taxa are named one by one, in files or by a tree, and may be left out"""
    alignment = genomes(3)
    dice = random.Random(1)
    for path in forms(program, "t", alignment, ("native", "sparse", "plain")):
        names = dice.sample(alignment.names, 7)
        first, second, third, fourth, fifth, sixth, seventh = (f"'{name}':0.1" for name in names)
        tree = program.file("t.nwk", f"(({first},({second},{third})),{fourth},(({fifth},{sixth}),{seventh}):1e-3);\n")
        all_sites = list(range(700))
        fetch = ["extract", "--format", "fasta", "--width", "0", path]
        assert program.ok(*fetch, "--taxa-of", tree).decode() == wide(selected(alignment, names, all_sites)), path
        left_out = program.file("out.txt", "\n".join(names[2:5]))
        assert program.ok(*fetch, "--taxa-of", tree, "--exclude-taxa", left_out, "--exclude", names[0]).decode() == wide(selected(alignment, [names[1], *names[5:]], all_sites))
        assert program.ok(*fetch, "--exclude", names[0]).decode() == wide(selected(alignment, [name for name in alignment.names if name != names[0]], all_sites))
        program.refuses(*fetch, "--exclude", "nobody", message="--exclude: there is no taxon 'nobody' in ")
        program.refuses(*fetch, "--taxon", names[0], "--exclude", names[0], message="--exclude: no taxon is left")
        program.refuses(*fetch, "--taxa-of", program.file("odd.nwk", "(a,b,c);"), message="odd.nwk: there is no taxon 'a' in ")
        program.refuses(*fetch, "--taxa-of", program.file("odd.nwk", "(a,b"), message="odd.nwk:1:")
        program.refuses(*fetch, "--taxa-of", tree, "--taxon", names[1], message="is named a second time")
    program.refuses("extract", "--taxa", "-", "--exclude-taxa", "-", program.path / "t.fa", message="is standard input for two options")


def common_columns(program: msa_cli.Program) -> None:
    """--columns-variable takes the columns that stat does not count as constant, --consensus what most rows have"""
    for alignment, codecs in ((evolved(4, 9, 300), ("native", "plain")), (genomes(5), ("native", "sparse")), (Alignment(["a", "b", "c"], ["AN-R-", "AN-A-", "TN-G-"]), ("native", "sparse"))):
        sites = variable(alignment)
        narrow = selected(alignment, alignment.names, sites)
        voted = "".join(map(most_frequent, columns(alignment)))
        few = alignment.names[:3]
        among_few = selected(alignment, few, list(variable(selected(alignment, few, list(range(len(alignment.rows[0])))))))
        for path in forms(program, "c", alignment, codecs):
            assert program.ok("extract", "--columns-variable", "--format", "fasta", "--width", "0", path).decode() == wide(narrow), path
            report = json.loads(program.ok("stat", "--json", path))
            assert len(sites) == report["sites"] - report["constant_sites"]
            assert program.ok("extract", "--consensus", "--format", "fasta", "--width", "0", path).decode() == f">consensus\n{voted}\n", path
            both = program.ok("extract", "--consensus", "--columns-variable", "--format", "fasta", "--width", "0", path).decode()
            assert both == ">consensus\n" + ("".join(voted[site] for site in sites) + "\n" if sites else ""), path
            by_name = [word for name in few for word in ("--taxon", name)]
            assert program.ok("extract", *by_name, "--columns-variable", "--format", "fasta", "--width", "0", path).decode() == wide(among_few), path


def maple(alignment: Alignment, reference: str, name: str = "ref", width: int = 0) -> str:
    """The text in the format of MAPLE, written by its definition."""
    text = f">{name}\n" + "".join(line + "\n" for line in msa_cli.lines_of(reference, width))
    for taxon, row in zip(alignment.names, alignment.rows):
        text += f">{taxon}\n"
        for run in re.finditer(r"n+|-+|[^n-]", row):
            first, cells = run.start(), run.group()
            if cells[0] in "n-":
                text += f"{cells[0]}\t{first + 1}\t{len(cells)}\n"
            elif cells != reference[first]:
                text += f"{cells}\t{first + 1}\n"
    return text


def maple_files(program: msa_cli.Program) -> None:
    """MAPLE is read without its reference, comes back byte by byte if it is regular, and is written from anything"""
    alignment = genomes(6)
    rows = Alignment(alignment.names, [row.lower() for row in alignment.rows])
    for reference, width in ((rows.rows[0].replace("n", "a").replace("-", "a").replace("r", "a").replace("y", "a"), 0), ("acgt" * 175, 60)):
        text = maple(rows, reference, "Wuhan 1", width)
        file = program.file("m.maple", text)
        assert program.ok("cat", file).decode() == text
        assert program.ok("cat", "--format", "fasta", "--width", "0", file).decode() == wide(rows)
        assert json.loads(program.ok("stat", "--json", file))["text_format"] == "maple"
        program.ok("compress", file)
        packed = program.path / "m.maple.rgm"
        assert not file.exists() and program.ok("cat", packed).decode() == text
        assert json.loads(program.ok("stat", "--json", packed))["compressed"]["codec"] == "sparse"
        assert program.ok("extract", "--format", "fasta", "--width", "0", "--taxon", rows.names[7], packed).decode() == wide(selected(rows, [rows.names[7]], list(range(700))))
        few = selected(rows, rows.names[3:6], list(range(700)))
        assert program.ok("extract", *[word for name in few.names for word in ("--taxon", name)], packed).decode() == maple(few, reference, "Wuhan 1", width)
        program.ok("decompress", packed)
        assert file.read_text() == text
        for codec in ("plain",):
            assert program.ok("cat", stdin=program.ok("compress", "--codec", codec, stdin=text.encode())).decode() == text
        program.refuses("compress", "-c", "--codec", "native", file, message="has characters that stand for others")
        file.unlink()
    for path in forms(program, "n", alignment, ("native", "sparse")):
        text = program.ok("cat", "--format", "maple", path).decode()
        reference = text.splitlines()[1]
        assert text == maple(rows, reference, "reference"), path
        assert program.ok("cat", "--format", "fasta", "--width", "0", stdin=text.encode()).decode() == wide(rows)
    irregular = text.replace("\t", " ").replace("\n", "\r\n", 1) + "\n"
    odd = program.file("odd.maple", text.replace(f">{rows.names[1]}\n", f">{rows.names[1]} described\n"))
    result = program.run("compress", odd)
    result.require(result.code == 0 and "is no regular MAPLE text, so it is kept" in result.err and odd.exists(), "expected that it is kept")
    assert program.ok("cat", program.path / "odd.maple.rgm").decode() == text
    assert irregular != text and program.run("stat", "-", stdin=irregular.encode()).code == 2, "without a tab it is not MAPLE"
    program.refuses("compress", program.file("bad.maple", ">r\nacgt\n>a\nt\t5\n"), message="bad.maple:4:1: goes beyond the reference, which has 4 sites")
    program.refuses("cat", "--format", "maple", program.file("protein.fa", ">a\nARND\n>b\nARNE\n"), message="protein.fa: taxon 'b', site 4: 'E' is no DNA symbol")


def vcf(alignment: Alignment, against: str, names: list[str], sites: list[int]) -> list[list[str]]:
    """The lines of sites, by definition: for each the position, the bases, and what the rows have."""
    row_of = dict(zip(alignment.names, alignment.rows))
    reference = row_of[against].upper()
    lines = []
    for site in sites:
        if reference[site] not in BASES:
            continue
        own = BASES[reference[site]]
        cells = [BASES.get(row_of[name][site].upper(), ".") for name in names if name != against]
        others = sorted(set(cells) - {own, "."})
        if not others:
            continue
        alleles = {own: "0", ".": "."} | {base: str(i + 1) for i, base in enumerate(others)}
        position = site + 1 - reference[:site].count("-")
        counts = ",".join(str(cells.count(base)) for base in others)
        lines.append([against, str(position), ".", own, ",".join(others), ".", ".", f"AC={counts};AN={len(cells) - cells.count('.')}", "GT", *(alleles[cell] for cell in cells)])
    return lines


def variants(program: msa_cli.Program) -> None:
    """VCF has the differences to a row: a line for each site where that has a base and another row another one"""
    dice = random.Random(9)
    for alignment, codecs in ((evolved(7, 12, 300), ("native", "plain")), (genomes(8), ("native", "sparse"))):
        for path in forms(program, "v", alignment, codecs):
            for _ in range(3):
                against = dice.choice(alignment.names)
                names = dice.sample(alignment.names, 6) if dice.random() < 0.5 else alignment.names
                last = dice.choice([100, len(alignment.rows[0])])
                by_name = [word for name in names for word in ("--taxon", name)] if names != alignment.names else []
                lines = program.ok("extract", "--format", "vcf", "--against", against, "--sites", f"1-{last}", *by_name, path).decode().splitlines()
                assert lines[0] == "##fileformat=VCFv4.2"
                length = len(alignment.rows[0]) - alignment.rows[alignment.names.index(against)].count("-")
                assert f"##contig=<ID={against},length={length}>" in lines
                table = [line.split("\t") for line in lines if not line.startswith("##")]
                assert table[0] == ["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", *(name for name in names if name != against)]
                assert table[1:] == vcf(alignment, against, names, list(range(last))), (path, against)
    rows = Alignment(["a", "b"], ["acgta", "ac-tn"])
    text = maple(rows, "tcgta", "Wuhan")
    found = program.ok("extract", "--format", "vcf", "--against", "Wuhan", "-", stdin=text.encode()).decode().splitlines()
    assert [line for line in found if not line.startswith("##")][1:] == ["Wuhan\t1\t.\tT\tA\t.\t.\tAC=2;AN=2\tGT\t1\t1"]
    file = program.path / "v.fa"
    program.refuses("extract", "--format", "vcf", file, message="needs --against NAME")
    program.refuses("extract", "--against", "x", file, message="is for --format vcf")
    program.refuses("extract", "--format", "vcf", "--against", "nobody", file, message="--against: there is no taxon 'nobody' in ")
    program.refuses("extract", "--format", "vcf", "--against", alignment.names[0], "--taxon", alignment.names[0], file, message="no other taxon is left")
    program.refuses("extract", "--format", "vcf", "--against", alignment.names[0], "--sites", "9,1", file, message="expected them in ascending order")
    program.refuses("cat", "--format", "vcf", file, message="--format")


def only_dna(program: msa_cli.Program) -> None:
    """MAPLE and VCF are for DNA: other data are refused, even if all their letters could be bases"""
    texts = {"letters": (">a\nMKVARNDH\n>b\nMKVARNDS\n", "looks like amino acids"), "protein": (">a\nARNDE\n>b\nARNDC\n", "'E' is no DNA symbol"),
             "binary": (">a\n0101\n>b\n0110\n", "is no DNA symbol"), "states": (">a\n0123\n>b\n3210\n", "is no DNA symbol")}
    for name, (text, message) in texts.items():
        file = program.file(f"{name}.fa", text)
        for path in (file, *(program.compressed(f"{name}-{codec}.fa", text, "--codec", codec) for codec in ("native", "plain"))):
            for words in (["extract", "--format", "vcf", "--against", "a"], ["extract", "--format", "maple"], ["translate"]):
                program.refuses(*words, path, message=message)
                program.refuses(*words, path, message=f"regraft-msa: {path}: ")
        program.refuses("decompress", "--format", "maple", "-c", path, message=message)
        program.refuses("decompress", "--format", "maple", "-c", path, message=f"regraft-msa: {path}: ")
    for datatype in ("protein", "Standard"):  # only the format says that A, C, G and T are no bases
        text = f"#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nformat DataType = {datatype} gap=-;\nmatrix\na ACGT\nb ACTT\n;\nend;\n"
        for path in (program.file(f"{datatype}.nex", text), program.compressed(f"{datatype}-packed.nex", text)):
            for form in (["vcf", "--against", "a"], ["maple"]):
                program.refuses("extract", "--format", *form, path, message=f"is for DNA, and the format of the file says datatype={datatype.lower()}")
    near = program.file("near.fa", ">a\nACGTACGTRY\n>b\nACGTACGARY\n")
    assert program.ok("extract", "--format", "maple", "--sites", "9,10", near), "ambiguous bases are DNA if the alignment is"
    assert program.ok("extract", "--format", "vcf", "--against", "a", near)


def sets_of_states(program: msa_cli.Program) -> None:
    """NEXUS with sets of states comes back byte by byte; they are written in no other format"""
    text = "#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nformat datatype=standard;\nmatrix\na 0{01}12\nb (0 2)010\n;\nend;\n"
    many = text.replace("{01}", "{8 9}").replace("(0 2)", "{1A}")
    assert program.ok("cat", program.compressed("many.nex", many)).decode() == many
    assert json.loads(program.ok("stat", "--json", program.file("many-text.nex", many)))["ambiguous_cells"] == 2
    packed = program.compressed("sets.nex", text)
    assert program.ok("cat", packed).decode() == text
    for path in (packed, program.file("sets-text.nex", text)):
        for form in ("fasta", "phylip"):
            for words in (["extract", "--format", form], ["trim", "--no-empty", "--format", form]):
                program.refuses(*words, path, message=f"{path}: taxon 'a', site 2: is a set of states")
        assert program.ok("extract", "--format", "fasta", "--sites", "3,4", path) == b">a\n12\n>b\n10\n"


if __name__ == "__main__":
    sys.exit(msa_cli.main(from_everything, taxa, common_columns, maple_files, variants, only_dna, sets_of_states))
