#!/usr/bin/env python3
"""regraft-msa gives back what it got: all of it, parts of it, numbers about it. msa_contents.py EXE"""
import gzip
import json
import random
import re
import sys

import msa_cli
from msa_cli import DNA, Alignment, clustal, evolved, fasta, interleaved, phylip, stockholm, surveyed

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"


def texts() -> list[tuple[str, str]]:
    small = evolved(1, 9, 333)
    proteins = evolved(2, 12, 200, AMINO_ACIDS, "-X?")
    morphology = evolved(3, 6, 70, "0123", "-?")
    irregular = "\n\n>a b c\nAC GT\n\nacgtn\n>b\n\tACGTACGTA\r\n>c\nA-C?A-C?A"
    return [("blocks.sto", stockholm(small, 60)), ("blocks.aln", clustal(small)), ("wide.sto", stockholm(proteins, 0)), ("proteins.aln", clustal(proteins)),
            ("insertions.a3m", ">a\nACGTAC\n>b\nACgtGT-C\n>c\naACGTACtt\n"), ("insertions.a2m", ">a\nAC..GTA\n>b\nACttGT-\n"), ("one-line.fa", fasta(small)), ("wrapped.fa", fasta(small, 60)), ("crlf.fa", fasta(small, 70, "\r\n")),
            ("described.fa", fasta(small, 80, describe=lambda name: f" from {name}  |x")), ("no-end.fa", fasta(small, 60)[:-1]),
            ("old-mac.fa", fasta(small, 60, "\r")), ("mark.fa", "\ufeff" + fasta(small)),
            ("a.phy", phylip(small)), ("crlf.phy", phylip(small, "\r\n")), ("single.phy", phylip(small, gap=" ")), ("wide.phy", phylip(small, gap="     ")),
            ("interleaved.phy", interleaved(small)), ("interleaved-crlf.phy", interleaved(small, 50, "\r\n")),
            ("proteins.fa", fasta(proteins, 60)), ("morphology.phy", phylip(morphology)), ("irregular.fa", irregular),
            ("one-taxon.fa", ">only\nACGT\n"), ("two-taxa.fa", ">a\nACGTTTTT\n>b\nACGAAAAA\n"), ("one-cell.fa", ">a\nA\n"), ("no-cells.fa", ">a\n>b\n"), ("no-cells.phy", "2 0\na\nb\n"),
            ("utf8.fa", ">Gänse\u00e4\nACGT\n>\u03b1\nACGA\n"), ("noise.fa", fasta(noise(), 60)), ("repeated.fa", ">a\n" + "ACGT" * 20000 + "\n")]


def noise() -> Alignment:
    dice = random.Random(5)
    symbols = [chr(c) for c in range(33, 127) if chr(c) not in ">"]
    return Alignment(list("abcd"), ["".join(dice.choices(symbols, k=500)) for _ in range(4)])


def round_trips(program: msa_cli.Program) -> None:
    """any alignment comes back byte by byte, from files and through pipes, whatever the options"""
    for name, text in texts():
        original = program.file(name, text).read_bytes()
        program.ok("compress", program.path / name)
        packed = program.path / (name + ".rgm")
        assert not (program.path / name).exists() and packed.exists(), name
        assert program.ok("cat", packed) == original, name
        program.ok("verify", packed)
        program.ok("verify", "--deep", packed)
        assert "inf " not in program.ok("stat", packed).decode() and json.loads(program.ok("stat", "--json", packed)), name
        program.ok("decompress", packed)
        assert (program.path / name).read_bytes() == original and not packed.exists(), name
        assert program.ok("decompress", stdin=program.ok("compress", stdin=original)) == original, name
    for options in (["--fast"], ["--best"], ["--codec", "thesis"], ["--codec", "plain"], ["--codec", "native"], ["-B", "1"], ["--block", "1000"], ["--seed", "7"], ["--no-verify"]):
        for name, text in texts()[:3] + texts()[-12:-10]:
            original = text.encode()
            packed = program.ok("compress", *options, stdin=original)
            assert program.ok("cat", stdin=packed) == original, (name, options)


def nexus(program: msa_cli.Program) -> None:
    """NEXUS comes back too; where its characters stand for others it is kept as a text, and read as what they stand for"""
    rows = evolved(6, 30, 2000)
    def text(words: str, shown: list[str]) -> str:
        matrix = "".join(f"  '{name}' {cells}\n" for name, cells in zip(rows.names, shown))
        return f"#NEXUS\n[by hand]\nbegin data;\n dimensions ntax=30 nchar=2000;\n format datatype=dna {words};\n matrix\n{matrix} ;\nend;\n"
    first = rows.rows[0]
    matched = [first] + ["".join("." if a == b else a for a, b in zip(row, first)) for row in rows.rows[1:]]
    for words, shown, codec, options in (("gap=- missing=?", rows.rows, "native", ["--codec", "native"]), ("matchchar=.", matched, "plain", [])):
        content = text(words, shown)
        packed = program.compressed("a.nex", content, *options)
        assert program.ok("cat", packed) == content.encode(), words
        report = json.loads(program.ok("stat", "--json", packed))
        assert report["text_format"] == "nexus" and report["compressed"]["codec"] == codec, report
        assert program.ok("extract", "--format", "fasta", "--width", "0", packed).decode() == fasta(rows), words
        packed.unlink()
    program.refuses("compress", "--codec", "native", program.file("b.nex", text("matchchar=.", matched)), message="has characters that stand for others")
    program.refuses("compress", program.file("c.nex", "#NEXUS\nbegin trees;\nend;\n"), message="c.nex: expected a block 'data' or 'characters'")


def block_formats(program: msa_cli.Program) -> None:
    """Stockholm, Clustal and A3M are read as what they say, and errors have their place"""
    rows = evolved(7, 30, 2000)
    for name, content, kind in (("a.sto", stockholm(rows, 80), "stockholm"), ("b.sto", stockholm(rows, 0), "stockholm"), ("a.aln", clustal(rows), "clustal")):
        packed = program.compressed(name, content, "--codec", "native")
        assert program.ok("cat", packed) == content.encode(), name
        assert program.ok("extract", "--format", "fasta", "--width", "0", packed).decode() == fasta(rows), name
        report = json.loads(program.ok("stat", "--json", packed))
        assert report["text_format"] == kind and report["compressed"]["codec"] == "native", report
        assert packed.stat().st_size < 2 * program.compressed("a.fa", fasta(rows)).stat().st_size, name
    program.refuses("compress", program.file("cut.sto", stockholm(rows, 80)[:-3]), message="cut.sto:802: the alignment does not end; expected '//'")
    program.refuses("stat", program.file("odd.aln", clustal(rows).replace("taxon_757.3 ", "taxon_other ", 1)), message="expected taxon 'taxon_other', as in the block before")
    a3m = ">a\nACGTAC\n>b\nACgtGT-C\n>c\naACGTACtt\n"
    packed = program.compressed("a.a3m", a3m)
    assert program.ok("extract", "--format", "fasta", packed).decode() == ">a\n.AC..GTAC..\n>b\n.ACgtGT-C..\n>c\naAC..GTACtt\n"
    program.refuses("compress", "--codec", "native", program.file("b.a3m", a3m), message="has characters that stand for others")


def sample_files(program: msa_cli.Program) -> None:
    """the sample files are compressed to less than half of their size"""
    for path in sorted(msa_cli.DATA.glob("*.phy")):
        packed = program.ok("compress", "-c", path)
        assert program.ok("decompress", stdin=packed) == path.read_bytes()
        assert len(packed) < path.stat().st_size / 2, path


def never_large(program: msa_cli.Program) -> None:
    """a text that no tree makes smaller is stored as plain text, and that is about as large as its entropy says"""
    dice = random.Random(11)
    rows = ["".join(dice.choices("ACDEFGHIKLMNPQRSTVWY0123456789!#$%&()*+-./", k=3000)) for _ in range(8)]
    text = fasta(Alignment([f"t{i}" for i in range(8)], rows))
    packed = program.ok("compress", stdin=text.encode())
    assert len(packed) < 0.8 * len(text), "expected at most 6.4 bits per character"
    copies = fasta(Alignment(["a", "b", "c"], [rows[0][:40] * 500] * 3))
    assert len(program.ok("compress", stdin=copies.encode())) < 500


def threads(program: msa_cli.Program) -> None:
    """the same bytes for any number of threads"""
    text = fasta(evolved(4, 40, 3000), 60).encode()
    expected = program.ok("compress", stdin=text)
    for count in ("0", "1", "2", "4"):
        assert program.ok("compress", "-T", count, stdin=text) == expected, count
        assert program.ok("cat", "-T", count, stdin=expected) == text, count


def cut(alignment: Alignment, sites: list[int], names: list[str]) -> Alignment:
    row_of = dict(zip(alignment.names, alignment.rows))
    return Alignment(names, ["".join(row_of[name][site - 1] for site in sites) for name in names])


def random_ranges(dice: random.Random, num_sites: int) -> tuple[str, list[int]]:
    """Ranges of distinct sites, in any order, and the sites."""
    items, sites, seen = [], [], set()
    for _ in range(dice.randrange(1, 6)):
        first = dice.randrange(1, num_sites + 1)
        last = min(num_sites, first + dice.choice([0, 0, 1, 5, 50, num_sites]))
        step = dice.choice([1, 1, 2, 3, 100])
        new = list(range(first, last + 1, step))
        if seen & set(new):
            continue
        seen |= set(new)
        sites += new
        items.append(str(first) if first == last else f"{first}-{last}" + (f"\\{step}" if step > 1 else ""))
    return dice.choice([",", ", "]).join(items), sites


def extracts(program: msa_cli.Program) -> None:
    """extract gives what cutting by hand gives"""
    dice = random.Random(6)
    for seed, options in ((1, ["-B", "16"]), (2, ["-B", "1"]), (3, []), (4, ["--codec", "thesis", "-B", "20"]), (5, ["--codec", "plain"])):
        alignment = evolved(seed, 14, 600)
        packed = program.compressed("e.fa", fasta(alignment, 60), *options)
        for _ in range(12):
            ranges, sites = random_ranges(dice, 600)
            assert program.ok("extract", "--sites", ranges, packed).decode() == fasta(cut(alignment, sites, alignment.names), 60), ranges
            names = dice.sample(alignment.names, dice.randrange(1, 14))
            listed = program.file("names.txt", dice.choice(["\n", "\r\n", "\n\n"]).join(names))
            part = cut(alignment, sites, names)
            assert program.ok("extract", "--sites", ranges, "--taxa", listed, "--width", "0", packed).decode() == fasta(part), ranges
            by_name = [word for name in names for word in ("--taxon", name)]
            assert program.ok("extract", *by_name, "--sites", ranges, "--format", "phylip", "--width", "0", packed).decode() == phylip(part), ranges
        whole = program.ok("extract", packed)
        assert whole == program.ok("cat", packed) == program.ok("extract", "-", stdin=packed.read_bytes())
        program.ok("extract", packed, "--sites", "2", "-o", program.path / "out.fa")
        assert (program.path / "out.fa").read_text() == fasta(cut(alignment, [2], alignment.names)) and packed.exists()
        (program.path / "out.fa").unlink()


def partitions(program: msa_cli.Program) -> None:
    """partitions are stored and can be extracted by name"""
    alignment = evolved(8, 10, 90)
    file = program.file("p.part", "GTR+G, first = 1-60\\3, 2-60\\3\nJC, third=3-60\\3\nHKY, rest = 61-90\n")
    packed = program.compressed("p.phy", phylip(alignment), "--partitions", str(file))
    sites = {"first": sorted([*range(1, 61, 3), *range(2, 61, 3)]), "third": list(range(3, 61, 3)), "rest": list(range(61, 91))}
    for name, wanted in sites.items():
        assert program.ok("extract", "--partition", name, packed).decode() == phylip(cut(alignment, wanted, alignment.names))
    stored = json.loads(program.ok("stat", "--json", packed))["compressed"]["partitions"]
    assert stored == [{"name": n, "model": m, "sites": len(sites[n])} for n, m in (("first", "GTR+G"), ("third", "JC"), ("rest", "HKY"))]
    program.refuses("extract", "--partition", "second", packed, message="expected one of first, third, rest")
    program.refuses("extract", "--partition", "first", program.compressed("q.phy", phylip(alignment)), message="none is stored")
    program.refuses("compress", "--partitions", program.file("bad.part", "GTR, a = 1-50\n"), program.file("r.phy", phylip(alignment)), message="bad.part")


def needed_blocks(program: msa_cli.Program) -> None:
    """extract reads only the blocks it needs: damage elsewhere does not matter to it"""
    alignment = evolved(9, 30, 2000)
    packed = program.compressed("n.fa", fasta(alignment), "-B", "50")
    good = packed.read_bytes()
    expected = fasta(cut(alignment, list(range(1, 11)), alignment.names)).encode()
    unharmed = 0
    for at in range(len(good) // 4, len(good), len(good) // 16):
        packed.write_bytes(good[:at] + bytes([good[at] ^ 4]) + good[at + 1:])
        program.refuses("verify", packed, message="n.fa.rgm")
        result = program.run("extract", "--sites", "1-10", packed)
        result.require(result.code == 2 or result.out == expected, "expected the right sites or an error")
        unharmed += result.code == 0
    assert unharmed >= 8, f"extract reads what it does not need: it failed for {12 - unharmed} of 12 damaged places"
    packed.write_bytes(good)
    told = program.run("extract", "--sites", "1-10", "-v", packed)
    told.require(" read" in told.err and told.out == expected, "expected to be told how much was read")


def formats(program: msa_cli.Program) -> None:
    """decompress and cat convert"""
    alignment = evolved(10, 8, 130)
    packed = program.compressed("f.phy", interleaved(alignment))
    assert program.ok("cat", "--format", "fasta", "--width", "50", packed).decode() == fasta(alignment, 50)
    assert program.ok("decompress", "-c", "--format", "phylip", packed).decode() == phylip(alignment)
    program.ok("decompress", "--format", "fasta", "-o", program.path / "f.fa", packed)
    assert (program.path / "f.fa").read_text() == fasta(alignment) and packed.exists()
    program.refuses("decompress", "--format", "fasta", packed, message="-o or -c")
    described = program.compressed("d.fa", fasta(alignment, 60, describe=lambda name: " a description"))
    assert program.ok("extract", "--taxon", alignment.names[3], described).decode() == \
        fasta(Alignment([alignment.names[3]], [alignment.rows[3]]), 60, describe=lambda name: " a description")
    assert program.ok("cat", "--format", "phylip", "--width", "0", described).decode() == phylip(alignment)
    strict = program.compressed("s.phy", "2 4\nHomo sap. ACGT\nPan trog. ACGA\n")
    program.refuses("cat", "--format", "fasta", strict, message="a blank in its name")


# ---- The numbers of stat, counted again.

def states_of(alignment: Alignment) -> dict[str, int]:
    letters = {c.upper() for row in alignment.rows for c in row}
    if letters <= set(DNA):
        return DNA
    protein = {c: 1 << i for i, c in enumerate(AMINO_ACIDS)}
    everything = (1 << 20) - 1
    protein |= {"B": protein["N"] | protein["D"], "Z": protein["Q"] | protein["E"], "J": protein["I"] | protein["L"]} | dict.fromkeys("XUO?-.~*!", everything)
    if letters <= set(protein):
        return protein
    found = sorted(letters - set("-?."))
    return {c: 1 << i for i, c in enumerate(found)} | dict.fromkeys("-?.", (1 << len(found)) - 1)


def recount(alignment: Alignment) -> dict[str, int]:
    masks = states_of(alignment)
    everything = masks["-"]
    columns = [tuple(masks[c.upper()] for c in column) for column in zip(*alignment.rows)]
    cells = [c for row in alignment.rows for c in row]
    count = dict.fromkeys(("constant_sites", "parsimony_informative_sites"), 0)
    for column in columns:
        common = everything
        for mask in column:
            common &= mask
        certain = [mask for mask in column if mask & (mask - 1) == 0]
        count["constant_sites"] += common != 0
        count["parsimony_informative_sites"] += sum(certain.count(mask) >= 2 for mask in set(certain)) >= 2
    unknown = [c for c in cells if masks[c.upper()] == everything and c != "-"]
    ambiguous = [c for c in cells if masks[c.upper()] & (masks[c.upper()] - 1) and masks[c.upper()] != everything]
    return count | {"taxa": len(alignment.rows), "sites": len(columns), "patterns": len(set(columns)), "gap_cells": cells.count("-"),
                    "unknown_cells": len(unknown), "ambiguous_cells": len(ambiguous)}


def parsimony(newick: str, alignment: Alignment) -> int:
    """The number of changes by Fitch's algorithm, by recursion over the text."""
    masks = states_of(alignment)
    rows = {name: [masks[c.upper()] for c in row] for name, row in zip(alignment.names, alignment.rows)}
    tokens = re.findall(r"[(),;]|'(?:[^']|'')*'|[^(),;']+", newick.strip())
    changes = 0

    def tree() -> list[int]:
        nonlocal changes
        token = tokens.pop(0)
        if token != "(":
            return rows.pop(token.strip("'").replace("''", "'"))
        states = tree()
        while tokens.pop(0) == ",":
            other = tree()
            changes += sum(a & b == 0 for a, b in zip(states, other))
            states = [a & b or a | b for a, b in zip(states, other)]
        return states

    tree()
    assert tokens == [";"] and not rows, "expected every taxon once"
    return changes


def statistics(program: msa_cli.Program) -> None:
    """stat --json gives what counting again gives, for texts and compressed files; tree prints the tree of these numbers"""
    ambiguous = Alignment(["a", "b'c", "d(e)", "f"], ["ACGTRYN-?.", "ACGARYNNNN", "acctkm----", "ACCTBVDHXO"])
    cases = {"dna": (evolved(12, 15, 257), "DNA"), "protein": (evolved(13, 9, 120, AMINO_ACIDS, "-X?"), "amino-acid"),
             "other": (evolved(14, 8, 65, "0123", "-?"), "other"), "ambiguous": (ambiguous, "DNA"), "one": (Alignment(["x"], ["ACGT"]), "DNA")}
    cases["primates"] = msa_cli.read_phylip(msa_cli.DATA / "primates.phy"), "DNA"
    for name, (alignment, alphabet) in cases.items():
        text = fasta(alignment, 60)
        file = program.file(name + ".fa", text)
        packed = program.path / (name + ".fa.rgm")
        program.ok("compress", "-k", "--codec", "native", file)
        plain, told = (json.loads(line) for line in program.ok("stat", "--json", file, packed).decode().splitlines())
        expected = recount(alignment)
        for report in (plain, told):
            got = {key: report[key] for key in expected}
            assert got == expected, f"{name}: {got}, expected {expected}"
            assert report["text_bytes"] == len(text) and report["text_format"] == "fasta"
            assert report["alphabet"] == alphabet
        assert plain["compressed"] is None and plain["parsimony_score"] is None
        coding = told["compressed"]
        size = packed.stat().st_size
        assert coding["bytes"] == size and coding["codec"] == "native" and coding["sites_per_block"] >= 1
        assert abs(coding["bits_per_taxon_and_site"] - 8 * size / expected["taxa"] / expected["sites"]) < 1e-9
        bits = {layer["name"]: layer["bits"] for layer in coding["layers"]}
        assert abs(sum(bits.values()) - 8 * size) < 1 and min(bits.values()) >= 0, bits
        parts = sum(layer["bits"] for layer in coding["block_layers"])
        assert abs(parts - bits["blocks"]) < 0.1 * bits["blocks"] + 64, f"{parts}, expected {bits['blocks']}"
        newick = program.ok("tree", packed).decode()
        assert newick.count("\n") == 1 and told["parsimony_score"] == parsimony(newick, alignment), name
    shown = program.ok("stat", *(program.path / f"{name}.fa.rgm" for name in ("dna", "protein"))).decode()
    for words in ("dna.fa.rgm: ", "FASTA text", "15\n", "257: ", "parsimony-informative", "amino-acid: ", "bits per taxon and site", "on the stored tree"):
        assert words in shown, f"expected '{words}' in:\n{shown}"
    text = program.ok("compress", "--codec", "plain", stdin=fasta(ambiguous).encode())
    assert json.loads(program.ok("stat", "--json", "-", stdin=text))["compressed"]["codec"] == "plain"
    program.refuses("tree", "-", stdin=text, message="holds no tree")


def trees(program: msa_cli.Program) -> None:
    """a tree that the user gives is the one that is stored"""
    alignment = evolved(15, 6, 300)
    a, b, c, d, e, f = alignment.names
    tree = program.file("t.nwk", f"(({a}:1,{b}:2):0.1,(({c},{d})90,{e}),{f});")
    packed = program.compressed("t.fa", fasta(alignment), "--tree", str(tree))
    stored = program.ok("tree", packed).decode()
    assert splits(stored, alignment.names) == splits(tree.read_text(), alignment.names)
    assert program.ok("cat", packed).decode() == fasta(alignment)
    program.refuses("compress", "--tree", program.file("u.nwk", f"({a},{b},{c});"), program.file("u.fa", fasta(alignment)), message="u.nwk")
    for codec in ("plain", "sparse"):
        program.refuses("compress", "--tree", tree, "--codec", codec, "-", message=f"--codec {codec}: stores no columns")


def splits(newick: str, names: list[str]) -> set[frozenset[str]]:
    open_groups, result = [], set()
    for token in re.findall(r"[(),;]|[^(),;]+", re.sub(r"\)[^(),;]*|:[^(),;]*", lambda m: m[0][0] if m[0][0] == ")" else "", newick.strip())):
        if token == "(":
            open_groups.append(set())
        elif token == ")":
            group = open_groups.pop()
            result.add(frozenset(group if names[0] not in group else set(names) - group))
            if open_groups:
                open_groups[-1] |= group
        elif token not in ",;":
            open_groups[-1].add(token)
    return {group for group in result if 1 < len(group) < len(names) - 1}


def many_rows(program: msa_cli.Program) -> None:
    """nearly equal genomes become sparse files, the same for any number of threads, from files, pipes and gzip; all commands take them"""
    alignment = surveyed(1, 1500, 12000)  # 18 MB: it is read in one pass
    text = fasta(alignment).encode()
    original = program.file("many.fa", text)
    packed = program.path / "many.fa.rgm"
    program.ok("compress", "-k", "-T", "1", original)
    for other in (program.ok("compress", "-c", "-T", "2", original), program.ok("compress", stdin=text), program.ok("compress", stdin=gzip.compress(text, 1)),
                  program.ok("compress", "-c", "--codec", "sparse", original)):
        assert other == packed.read_bytes()
    assert packed.stat().st_size < len(text) // 300
    assert program.ok("cat", packed) == text and program.ok("decompress", "-c", packed) == text
    assert program.ok("cat", "--width", "70", packed) == fasta(alignment, 70).encode()
    program.ok("verify", packed)
    program.ok("verify", "--deep", packed)
    report = json.loads(program.ok("stat", "--json", packed))
    assert report["compressed"]["codec"] == "sparse" and (report["taxa"], report["sites"]) == (1500, 12000)
    assert "sparse: differences between rows along a tree" in program.ok("stat", packed).decode()
    tree = program.ok("tree", packed).decode()
    assert sorted(re.findall(r"hCoV/[0-9/]*", tree)) == sorted(alignment.names) and tree.count("(") == tree.count(")")
    chosen = [1400, 3, 77]
    some = Alignment([alignment.names[i] for i in chosen], [alignment.rows[i] for i in chosen])
    taxa = [word for name in some.names for word in ("--taxon", name)]
    assert program.ok("extract", *taxa, packed).decode() == fasta(some)
    parts = Alignment(some.names, [row[99:200] + row[5000:5001] for row in some.rows])
    assert program.ok("extract", *taxa, "--sites", "100-200,5001", packed).decode() == fasta(parts)
    column = Alignment(alignment.names, [row[6000] for row in alignment.rows])
    assert program.ok("extract", "--sites", "6001", packed).decode() == fasta(column)
    program.refuses("extract", "--taxon", "nobody", packed, message="there is no taxon 'nobody'")


def few_genomes(program: msa_cli.Program) -> None:
    """smaller texts become sparse only if that is smaller; what is no text of nearly equal rows cannot be sparse"""
    alignment = surveyed(2, 300, 3000)
    packed = {codec: program.ok("compress", *(["--codec", codec] if codec else []), stdin=fasta(alignment, 60).encode()) for codec in ("", "native", "sparse")}
    assert len(packed[""]) == min(map(len, packed.values()))
    reports = []
    for each in packed.values():
        assert program.ok("cat", stdin=each).decode() == fasta(alignment, 60)
        reports.append(json.loads(program.ok("stat", "--json", "-", stdin=each)) | {"compressed": None, "parsimony_score": None})
    reports.append(json.loads(program.ok("stat", "--json", "-", stdin=fasta(alignment, 60).encode())))
    assert reports == [reports[0]] * 4 and reports[0]["patterns"] > 100 and reports[0]["unknown_cells"] > 0, reports
    for text in (phylip(alignment), fasta(evolved(3, 300, 3000, AMINO_ACIDS)), ">a\nACGT\n\n>b\nACGT\n"):
        program.refuses("compress", "--codec", "sparse", stdin=text.encode(), message="is no regular FASTA text of nearly equal rows")
    program.refuses("compress", "--codec", "sparse", stdin=b">a\nACGT\n>b\nACG\n", message="is no regular FASTA text of nearly equal rows")
    program.refuses("compress", stdin=b">a\nACGT\n>b\nACG\n", message="taxon 'b' has 3 sites")


def long_genomes(program: msa_cli.Program) -> None:
    """of few long genomes, stat counts what it counts of the same cells in another format, also of runs over the borders of its windows"""
    window = 1 << 20
    dice = random.Random(9)
    base = bytearray(dice.choices(b"ACGT", k=2 * window + 100))
    rows = [bytearray(base) for _ in range(4)]
    for number, row in enumerate(rows):
        for site in dice.choices(range(len(row)), k=2000):
            row[site] = dice.choice(b"ACGTNR-")
        for border in (window, 2 * window):
            row[border - 1 - number] = ord("A")
            row[border] = ord("CGTN"[number])
    rows[0][window - 50:2 * window + 20] = b"-" * (window + 70)  # over a whole window
    rows[1][window - 500:window] = b"-" * 500  # up to a border
    rows[2][window:window + 300] = b"N" * 300  # from a border on
    rows[3][2 * window - 100:2 * window + 100] = b"-" * 200
    alignment = Alignment(["a", "b", "c", "d"], [row.decode() for row in rows])
    reports = [json.loads(program.ok("stat", "--json", "-", stdin=text.encode())) for text in (fasta(alignment), phylip(alignment))]
    counts = [{key: report[key] for key in ("taxa", "sites", "patterns", "constant_sites", "parsimony_informative_sites", "gap_cells", "unknown_cells", "ambiguous_cells")}
              for report in reports]
    assert counts[0] == counts[1] and counts[0]["patterns"] > 50, counts


if __name__ == "__main__":
    sys.exit(msa_cli.main(round_trips, nexus, block_formats, sample_files, never_large, threads, extracts, partitions, needed_blocks, formats, statistics, trees, many_rows, few_genomes, long_genomes))
