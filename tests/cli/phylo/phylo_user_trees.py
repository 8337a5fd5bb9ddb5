#!/usr/bin/env python3
"""regraft-phylo takes the trees that people bring, says what it changed in them, and writes trees that other programs read."""
import math
import pathlib
import re
import sys

import phylo_job

try:
    import dendropy
except ImportError:
    dendropy = None

ROWS = {"a": "ACGTACGTACGTTGCA", "b": "ACGTACGAACGTTGGA", "c": "ACCTACGTACTTTGCA", "d": "ACCTACGTACTATGCC", "e": "AGCTACGTACTATGCC"}


class Case:
    def __init__(self, jobs: phylo_job.Jobs):
        self.jobs = jobs
        self.directory = pathlib.Path(jobs.directory.name)
        self.msa = self.write("five.fa", "".join(f">{name}\n{cells}\n" for name, cells in ROWS.items()))

    def write(self, name: str, text: str) -> str:
        path = self.directory / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def run(self, command: str, tree: str, *more: str, ranks: int = 1, model: str = "JC", msa: str = "") -> phylo_job.Result:
        found = self.jobs.run(ranks, [command, "--msa", msa or self.msa, "--model", model, "--tree", self.write("user.nwk", tree), *more])
        found.require(found.codes == [0] * ranks, f"{command} of {tree}")
        found.require(math.isfinite(found.report["log_likelihood"]), f"{command} of {tree}: expected a finite log-likelihood")
        return found


def told(found: phylo_job.Result, words: str) -> list[str]:
    return [warning for warning in found.report["warnings"] if words in warning]


def lengths(case: Case) -> None:
    """Lengths that the search does not allow become the nearest that it allows, with one warning"""
    usual = "((a:.1,b:.1):.1,c:.1,(d:.1,e:.1):.1);"
    for model in ("JC", "GTR+G"):
        best = case.run("evaluate", usual, model=model)
        assert not told(best, "beyond the limits")
        for length, count in (("0", 7), ("1000", 7), ("-1", 7), ("1e-300", 7), ("1e300", 7)):
            found = case.run("evaluate", usual.replace(".1", length), model=model)
            warnings = told(found, "beyond the limits")
            assert len(warnings) == 1 and f"{count} branch lengths beyond the limits, 1e-06 to 100" in warnings[0], warnings
            assert abs(found.report["log_likelihood"] - best.report["log_likelihood"]) < 0.01, f"{model}, lengths {length}: {found.report['log_likelihood']}, expected {best.report['log_likelihood']}"
            case.run("loglh", usual.replace(".1", length), model=model)
    one = told(case.run("loglh", "((a:0,b:.1):.1,c:.1,(d:.1,e:.1):.1);"), "beyond")
    assert len(one) == 1 and "user.nwk: 1 branch length beyond the limits" in one[0], one


def missing_lengths(case: Case) -> None:
    """Missing lengths are told where they matter: if others are there, or if lengths stay as they are"""
    for tree, count in (("((a:.1,b):.1,c:.1,(d:.1,e:.1):.1);", 1), ("((a,b),c:.1,(d:.1,e:.1):.1);", 3)):
        branches = "1 branch" if count == 1 else f"{count} branches"
        for command, verb in (("loglh", "taken"), ("evaluate", "started")):
            warnings = told(case.run(command, tree), "without a length")
            assert len(warnings) == 1 and f"user.nwk: {branches} without a length, {verb} at 0.1" in warnings[0], warnings
    bare = "((a,b),c,(d,e));"
    assert len(told(case.run("loglh", bare), "7 branches without a length")) == 1
    assert not told(case.run("evaluate", bare), "without a length")
    assert not told(case.run("loglh", "((a:.1,b:.1):.1,c:.1,(d:.1,e:.1):.1);"), "without a length")
    assert not told(case.run("loglh", "((a:.1,b:.1):.1,(c:.1,(d:.1,e:.1):.1):.1);"), "without a length")


def three_taxa(case: Case) -> None:
    """Three taxa have one tree, whose lengths can be optimised: under JC those of the pairs fit exactly"""
    msa = case.write("three.fa", ">a\nACGTACGTAC\n>b\nACGTACGTAA\n>c\nACGTACGTAC\n")
    found = case.run("evaluate", "(a,b,c);", msa=msa, ranks=2)
    fixed = case.run("loglh", "((a:.1,b:.1):.05,c:.05);", msa=msa, model="GTR+G4m")
    assert found.report["log_likelihood"] > fixed.report["log_likelihood"]
    lengths = [float(length) for length in re.findall(r":([\d.e-]+)", found.bits()[0])]
    # One of ten sites differs, all of them on b's branch.
    assert abs(max(lengths) - -0.75 * math.log(1 - 4 / 3 * 0.1)) < 1e-4 and sorted(lengths)[1] < 1e-5, lengths


def polytomies(case: Case) -> None:
    """Nodes with many children are resolved at random by the seed, alike on all ranks, with one warning"""
    star = "(a:.1,b:.1,c:.1,d:.1,e:.1);"
    trees = set()
    for seed in range(1, 13):
        found = case.run("loglh", star, "--seed", str(seed))
        warnings = told(found, "more than two children")
        assert len(warnings) == 1 and f"1 node with more than two children, resolved at random by --seed {seed}" in warnings[0], warnings
        trees.add(found.bits()[0])
    assert len(trees) > 2, "expected different trees for different seeds"
    alone, several = (case.run("search", star + "((a,b,c),(d,e));", "--seed", "5", "--starts", "tree", ranks=ranks) for ranks in (1, 3))
    assert alone.bits() == several.bits()
    assert len(told(several, "2 nodes with more than two children")) == 1, several.report["warnings"]
    constraint = case.write("constraint.nwk", "((a,d),b,c,e);")
    found = case.run("search", "((a,d),b,(c,e));", "--constraint", constraint, "--starts", "tree")
    assert "(a:" in found.bits()[0] and not told(found, "more than two children"), "a constraint may have nodes with many children"


def several_trees(case: Case) -> None:
    """Each tree of a file is evaluated, as if it were alone, and its topology stays"""
    trees = ["((a:1,c:1):1,b:1,(d:1,e:1):1);", "((a:1,b:1):1,c:1,(d:1,e:1):1);", "((a:1,b:1):1,d:1,(c:1,e:1):1);"]
    alone = [case.run("evaluate", tree) for tree in trees]
    together = [case.run("evaluate", "\n".join(trees), "--sitelh", ranks=ranks) for ranks in (1, 3)]
    assert together[0].bits() == together[1].bits()
    tables = [pathlib.Path(f"{found.prefix}.treeTable").read_text(encoding="utf-8") for found in together]
    assert tables[0] == tables[1], tables
    head, *lines = [line.split("\t") for line in tables[0].splitlines()]
    assert head == ["tree", "log_likelihood", "difference", "length"] and [line[0] for line in lines] == ["1", "2", "3"], tables[0]
    loglh = [found.report["log_likelihood"] for found in alone]
    assert [float(line[1]) for line in lines] == loglh and together[0].report["log_likelihood"] == max(loglh), (tables[0], loglh)
    written = pathlib.Path(f"{together[0].prefix}.mlTrees").read_text(encoding="utf-8").splitlines()
    assert written == [found.bits()[0].strip() for found in alone], written
    for tree, line in zip(written, lines):
        assert abs(float(line[2]) - (max(loglh) - float(line[1]))) < 1e-5, line
        assert abs(float(line[3]) - sum(map(float, re.findall(r":([\d.e-]+)", tree)))) < 1e-5, (tree, line)
    sites = pathlib.Path(f"{together[0].prefix}.siteLH").read_text(encoding="utf-8").split()
    assert sites[:2] == ["3", "16"], sites


def supported_trees(case: Case) -> None:
    """SH-aLRT supports the edges of a given tree as those of the same tree in a search, and hardly those of another"""
    found = case.run("search", "((a,b),c,(d,e));", "--starts", "tree", "--alrt", "200")
    best = found.bits()[0]
    values = []
    for tree in best, "((a,d),b,(c,e));":
        given = case.run("evaluate", tree, "--alrt", "200", ranks=2)
        text = pathlib.Path(f"{given.prefix}.supportAlrt").read_text(encoding="utf-8")
        values.append([int(label) for label in re.findall(r"\)(\d+):", text)])
        assert len(values[-1]) == 2, text
    text = pathlib.Path(f"{found.prefix}.supportAlrt").read_text(encoding="utf-8")
    searched = [int(label) for label in re.findall(r"\)(\d+):", text)]
    assert all(abs(a - b) <= 2 for a, b in zip(values[0], searched)) and max(values[1]) < max(values[0]), (values, searched)


def names(case: Case) -> None:
    """Names with characters that mean something in Newick are quoted, and read back"""
    odd = ['"quoted"', "two words", "(brackets)[]", "a:b,c;d", "it's_{here}=1"]
    quoted = ["'" + name.replace("'", "''") + "'" for name in odd]
    rows = "".join(f"{name} {cells}\n" for name, cells in zip(quoted, ROWS.values()))
    msa = case.write("odd.nex", f"#nexus\nbegin data;\ndimensions ntax=5 nchar=16;\nformat datatype=dna;\nmatrix\n{rows};\nend;\n")
    first = case.run("search", "(" + ",".join(quoted) + ");", "--starts", "tree", msa=msa)
    text = first.bits()[0]
    assert all(name in text for name in quoted), text
    again = case.run("loglh", text, msa=msa)
    assert again.bits()[0] == text
    if dendropy:
        tree = dendropy.Tree.get(data=text, schema="newick")
        assert sorted(taxon.label for taxon in tree.taxon_namespace) == sorted(odd)


def odd_gaps(case: Case) -> None:
    """Dots, stars and exclamation marks in DNA are told with their place"""
    for symbol in ".*!":
        path = case.write("dots.fa", "".join(f">{name}\n{cells[:5]}{symbol if name > 'b' else cells[5]}{cells[6:]}\n" for name, cells in ROWS.items()))
        found = case.jobs.run(1, ["check", "--msa", path, "--model", "JC"])
        line = " ".join(found.output.split())
        found.require(found.codes == [0] and f"warning {path}:6:6: " in line and f"'{symbol}' (3 cells)" in line, f"expected that '{symbol}' is told")


def all_cases(jobs: phylo_job.Jobs, _) -> None:
    case = Case(jobs)
    for test in (lengths, missing_lengths, three_taxa, polytomies, several_trees, supported_trees, names, odd_gaps):
        test(case)


if __name__ == "__main__":
    sys.exit(phylo_job.main(phylo_job.arguments(__doc__).parse_args(), all_cases, needs_deaths=False))
