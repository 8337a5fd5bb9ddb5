#!/usr/bin/env python3
"""regraft-msa dedup leaves out equal rows and puts them back, and rename gives taxa other names and the old ones again. msa_dedup.py EXE"""
import gzip
import random
import sys

import msa_cli
from msa_cli import Alignment, evolved, fasta, phylip, stockholm
from msa_parts import genomes


def with_equals(alignment: Alignment, seed: int) -> Alignment:
    """Some rows once more, under other names, in any order."""
    dice = random.Random(seed)
    rows = list(zip(alignment.names, alignment.rows))
    rows += [(f"again_{i}", dice.choice(alignment.rows)) for i in range(len(rows))]
    dice.shuffle(rows)
    return Alignment([name for name, _ in rows], [row for _, row in rows])


def without_equals(alignment: Alignment) -> Alignment:
    first = {}
    for name, row in zip(alignment.names, alignment.rows):
        first.setdefault(row, name)
    return Alignment(list(first.values()), list(first))


def described(name: str) -> str:
    return f" length=1\tof {name}" if len(name) % 3 else ""


def there_and_back(program: msa_cli.Program) -> None:
    """What dedup leaves has no equal rows, and --put-back gives the same bytes again, of FASTA with its descriptions, PHYLIP, MAPLE, packed and .rgm"""
    for seed in range(4):
        alignment = with_equals(evolved(seed, 9, 60) if seed % 2 else genomes(seed, 40, 200), seed)
        few = without_equals(alignment)
        table = program.path / "equal.tsv"
        texts = {"a.fa": fasta(alignment, 50, describe=described), "b.fa": fasta(alignment, end="\r\n"), "c.phy": phylip(alignment)}
        if seed % 2 == 0:
            texts["d.maple"] = program.ok("cat", "--format", "maple", program.file("m.fa", fasta(alignment))).decode()
        for name, text in texts.items():
            path = program.file(name, text)
            archive = program.compressed(name + ".c", text)
            program.file(name, text)
            packed = program.path / (name + ".gz")
            packed.write_bytes(gzip.compress(text.encode()))
            for source in (path, archive, packed):
                result = program.run("dedup", "-f", "-o", program.path / "few", "--table", table, source)
                result.require(result.code == 0 and f"few: {len(few.names)} of {len(alignment.names)} taxa kept" in result.err, "expected what was done")
                in_fasta = program.ok("cat", "--format", "fasta", "--width", "0", program.path / "few").decode()
                assert [line.split()[0] for line in in_fasta.splitlines()[::2]] == [">" + taxon for taxon in few.names]
                assert [line.upper() for line in in_fasta.splitlines()[1::2]] == [row.upper() for row in few.rows]
                assert program.ok("dedup", "--put-back", table, program.path / "few").decode() == text, (seed, source)
            archive.unlink()
        lines = table.read_text().splitlines()
        assert lines[0] == "taxon\tkept\tdescription" and [line.split("\t")[0] for line in lines[1:]] == alignment.names
        kept_for = dict(line.split("\t")[:2] for line in lines[1:])
        row_of = dict(zip(alignment.names, alignment.rows))
        assert all(row_of[name].upper() == row_of[kept].upper() for name, kept in kept_for.items()) and set(kept_for.values()) == set(few.names)
    same = program.file("same.sto", stockholm(Alignment(["a", "b", "c"], ["AC-T", "ACGT", "AC-T"]), 3))
    assert program.ok("dedup", "--format", "fasta", "-", stdin=same.read_bytes()).decode() == ">a\nAC-T\n>b\nACGT\n"
    assert program.ok("dedup", program.file("one.fa", ">a\nacgt\n>b\nACGT\n")).decode() == ">a\nacgt\n>b\nACGT\n"
    sets = program.file("sets.nex", '#NEXUS\nbegin data; dimensions ntax=2 nchar=3; format datatype=standard symbols="012"; matrix\na 012\nb 0{12}1\n; end;\n')
    program.refuses("dedup", sets, message="taxon 'b', site 2: is a set of states, for which there is no character")
    result = program.run("dedup", program.file("one.fa", ">a\nAC\n>b\nAG\n"))
    result.require(result.err == "standard output: 2 of 2 taxa kept, no two sequences are equal\n", "expected that nothing goes")
    assert program.ok("dedup", program.file("bare.fa", ">a\n>b\n")).decode() == ">a\n"


def bad_tables(program: msa_cli.Program) -> None:
    """A table that does not fit is told with its line"""
    few = program.file("few.fa", ">a\nAC\n>b\nGT\n")
    for text, message in (("a\ta\n", "is no table that dedup --table has written"), ("", "is no table that dedup --table has written"),
                          ("taxon\tkept\na\ta\nc\td\n", "t.tsv:3: there is no taxon 'd' in "), ("taxon\tkept\na\ta\nb\tb\n\na\tb\n", "t.tsv:5: taxon 'a' is on line 2 already"),
                          ("taxon\tkept\na\n", "t.tsv:2: expected two names with a tab between them"), ("taxon\tkept\na\ta\n", "t.tsv: has no taxon 'b', which ")):
        program.refuses("dedup", "--put-back", program.file("t.tsv", text), few, message=message)
    program.refuses("dedup", "--put-back", program.path / "t.tsv", "--table", program.path / "x", few, message="excludes")
    program.refuses("dedup", "--put-back", "-", "-", message="is standard input, and so is FILE")
    program.refuses("dedup", "--table", few, few, message="few.fa")
    program.refuses("dedup", "--table", "-", few, message="--table -: is standard output, and so is the alignment")
    program.refuses("dedup", program.file("empty.fa", ""), message="empty.fa: the file is empty")
    program.refuses("dedup", program.file("bad.fa", ">a\nACGT\n>b\nACG\n"), message="bad.fa:3:1: taxon 'b' has 3 sites")


def names(program: msa_cli.Program) -> None:
    """rename and rename --back, of texts with descriptions and of .rgm; taxa may exchange names"""
    for seed in range(3):
        alignment = evolved(seed, 11, 50) if seed else genomes(1, 30, 100)
        dice = random.Random(seed)
        chosen = dice.sample(alignment.names, 6)
        new = dict(zip(chosen, [chosen[1], chosen[0], "x", "a_very_long_name_of_a_taxon_é", "y|1", "z"]))
        table = program.file("names.tsv", "\r\n\n".join(f"{old}\t{name}" for old, name in new.items()))
        other = Alignment([new.get(name, name) for name in alignment.names], alignment.rows)
        for text, expected in ((fasta(alignment, 20), fasta(other, 20)), (phylip(alignment), None)):
            for source in (program.compressed("s", text), program.file("s", text)):
                result = program.run("rename", "--table", table, source)
                result.require(result.code == 0 and f"standard output: 6 of {len(alignment.names)} taxa renamed" in result.err, "expected what was done")
                assert expected is None or result.out.decode() == expected
                assert program.ok("rename", "--table", table, "--back", "-", stdin=result.out).decode() == text
    # Names with blanks, which only NEXUS has, get others, so that they can be written.
    blank = program.file("b.nex", "#NEXUS\nbegin data; dimensions ntax=2 nchar=3; format datatype=dna; matrix\na ACG\n'b c' ACT\n; end;\n")
    program.refuses("rename", "--table", program.file("t", "a\tb"), blank, message="taxon 'b c' has a blank in its name, so it can only be written as it was read; rename gives it another one")
    assert program.ok("rename", "--table", program.file("t", "b c\tb"), "--format", "fasta", blank).decode() == ">a\nACG\n>b\nACT\n"
    one = program.file("one.fa", ">a first\nAC\n")
    assert program.ok("rename", "--table", program.file("t", "a\tb"), one).decode() == ">b first\nAC\n"


def bad_names(program: msa_cli.Program) -> None:
    """Names that are not there, twice, or taken are told with the line of the table"""
    file = program.file("abc.fa", ">a\nAC\n>b\nGT\n>c\nGG\n")
    for text, message in (("a\tx\nd\ty\n", "t.tsv:2: there is no taxon 'd' in "), ("a\tx\na\ty\n", "t.tsv:2: taxon 'a' has a new name on line 1 already"),
                          ("\na\tx\nb\tx\n", "t.tsv:3: 'x' is the new name of a taxon on line 2, too"), ("c\ta\n", "t.tsv:1: 'a' is the name of another taxon, which keeps it"),
                          ("a\tb\n", "t.tsv:1: 'b' is the name of another taxon, which keeps it"), ("a\n", "t.tsv:1: expected an old name, a tab and a new name"),
                          ("a\t\n", "t.tsv:1: there is no new name for 'a'"), ("a\tx y\n", "t.tsv:1: 'x y' has a blank, a tab or a control character"), ("a\tx\ty\n", "t.tsv:1: 'x\\x09y' has a blank, a tab or a control character"),
                          ("", "t.tsv: there are no names"), ("a\t\x01\n", "t.tsv:1: '\\x01' has a blank, a tab or a control"), (b"a\t\xff\n", "t.tsv")):
        program.refuses("rename", "--table", program.file("t.tsv", text), file, message=message)
    program.refuses("rename", file, message="--table is required")
    program.refuses("rename", "--table", "-", "-", message="is standard input, and so is FILE")
    program.refuses("rename", "--table", program.path / "none.tsv", file, message="none.tsv: cannot be read")
    program.refuses("rename", "-f", "-o", program.path / "t.tsv", "--table", program.path / "t.tsv", file, message="t.tsv")


if __name__ == "__main__":
    sys.exit(msa_cli.main(there_and_back, bad_tables, names, bad_names))
