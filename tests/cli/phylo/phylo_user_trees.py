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
    for option in ("--bs-trees", "--ufboot"):
        refused = case.jobs.run(1, ["evaluate", "--msa", msa, "--model", "JC", "--tree", case.write("three.nwk", "(a,b,c);"), option, "10"])
        refused.require(refused.codes == [2] and "3 taxa, expected at least 4" in refused.output, f"{option}: expected that trees of three taxa are not searched")
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
    assert [round(start["length"], 6) for start in together[0].report["starts"]] == [float(line[3]) for line in lines], together[0].report["starts"]
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
    assert all(abs(a - b) <= 2 for a, b in zip(values[0], searched)) and min(values[1]) < min(values[0]) and sum(values[1]) < sum(values[0]), (values, searched)


def labels_of(path: str) -> dict[frozenset, float]:
    """The label of each inner edge of a tree in Newick, by the taxa on the side without the first taxon by name."""
    text = pathlib.Path(path).read_text(encoding="utf-8").strip()
    stack, closed, all_taxa = [], [], set()
    for token in re.findall(r"\(|\)[^:,();]*|[^,:();]+(?=[:,)])|:[^,()]*", text):
        if token == "(":
            stack.append(set())
        elif token.startswith(")"):
            below = stack.pop()
            closed.append((frozenset(below), token[1:]))
            if stack:
                stack[-1] |= below
        elif not token.startswith(":"):
            stack[-1].add(token)
            all_taxa.add(token)
    first = min(all_taxa)
    return {frozenset(all_taxa - clade if first in clade else clade): float(label) for clade, label in closed if label}


def bootstrapped_trees(case: Case) -> None:
    """Both bootstraps search other trees: a given tree has the supports that it would have as the result of a search, and an edge that is not in the data has none"""
    jobs, msa = case.jobs, ["--msa", case.jobs.args.msa, "--model", "HKY+FC+G4m", "--ufboot", "300", "--bs-trees", "60"]
    found = jobs.run(1, ["search", *msa, "--starts", "pars{1}"])
    found.require(found.codes == [0], "expected a search")
    given = jobs.run(1, ["evaluate", *msa, "--tree", f"{found.prefix}.bestTree"])
    again = jobs.run(3, ["evaluate", *msa, "--tree", f"{found.prefix}.bestTree", "--groups", "2"])
    again.require(again.bits() == given.bits(), "expected the same bits on three ranks")
    for extension, most in ((".support", 6), (".supportUltrafast", 6)):
        searched, evaluated = labels_of(f"{found.prefix}{extension}"), labels_of(f"{given.prefix}{extension}")
        given.require(searched.keys() == evaluated.keys() and len(searched) == 9, f"{extension}: expected the same splits")
        worst = max(abs(searched[split] - evaluated[split]) for split in searched)
        given.require(worst <= most, f"{extension}: {evaluated}, expected about {searched}")
    for extension, count in ((".bootstraps", 60), (".ufboot", 300)):
        lines = pathlib.Path(f"{given.prefix}{extension}").read_text(encoding="utf-8").splitlines()
        given.require(len(lines) == count, f"expected {count} trees in {extension}")
    # Exchange two taxa that are far from each other: splits between them are in no good tree.
    text = pathlib.Path(f"{found.prefix}.bestTree").read_text(encoding="utf-8")
    wrong = text.replace("Gorilla", "?").replace("M_sylvanus", "Gorilla").replace("?", "M_sylvanus")
    other = jobs.run(1, ["evaluate", *msa, "--tree", case.write("wrong.nwk", wrong)])
    for extension in (".support", ".supportUltrafast"):
        right, supports = labels_of(f"{found.prefix}{extension}"), labels_of(f"{other.prefix}{extension}")
        for split, support in supports.items():
            expected = right.get(split, 0)
            other.require(abs(support - expected) <= 8, f"{extension}: {support} for {sorted(split)}, expected about {expected}")
        other.require(min(supports.values()) <= 1, f"{extension}: expected wrong splits")
    refused = jobs.run(1, ["evaluate", *msa, "--tree", f"{found.prefix}.bestTree", "--all"])
    refused.require(refused.codes == [2] and "--all" in refused.output, "expected that only search has --all")


def fixed_lengths(case: Case) -> None:
    """The lengths of the tree stay to the last digit, for all partitions, and the model is the best for them"""
    tree = "((a:0.2,b:0.03):0.05,c:0.3,(d:0.125,e:12.5):0.4);"
    wanted = sorted((0.2, 0.03, 0.05, 0.3, 0.125, 12.5, 0.4))
    parts = case.write("parts.part", "K80+G4m, one = 1-8\nHKY+FC, two = 9-16\n")
    for more in ([], ["--partitions", parts], ["--partitions", parts, "--brlen", "unlinked"], ["--partitions", parts, "--brlen", "linked"]):
        found = case.jobs.run(2, ["evaluate", "--msa", case.msa, *([] if more else ["--model", "K80"]), "--tree", case.write("user.nwk", tree), "--fix-lengths", *more])
        found.require(found.codes == [0, 0], f"expected an evaluation with {more}")
        lengths = [float(length) for length in re.findall(r":([\d.e-]+)", found.bits()[0])]
        found.require(sorted(lengths) == wanted, f"{lengths}, expected {wanted}")
        found.require(all(partition.get("branch_scaler", 1) == 1 for partition in found.report["partitions"]), "expected that no scaler changes them")
    primates = case.jobs.args.msa
    free = case.jobs.run(1, ["search", "--msa", primates, "--model", "K80", "--starts", "pars{1}"])
    tree = re.sub(r":[\d.e-]+", ":0.1", free.bits()[0])
    fixed = case.run("evaluate", tree, "--fix-lengths", model="K80", msa=primates)
    rates = re.search(r"K80\{([\d.e-]+)/([\d.e-]+)", fixed.report["partitions"][0]["fitted_model"])
    values = [case.run("loglh", tree, model=f"K80{{{float(rates[1]) * factor}/{rates[2]}}}", msa=primates).report["log_likelihood"] for factor in (0.8, 1, 1.25)]
    fixed.require(abs(values[1] - fixed.report["log_likelihood"]) < 1e-6 and max(values) == values[1], f"{values}: expected the best model for these lengths")
    fixed.require(fixed.report["log_likelihood"] < free.report["log_likelihood"] - 0.1, "expected a lower likelihood than with free lengths")
    bare = case.jobs.run(1, ["evaluate", "--msa", case.msa, "--model", "JC", "--tree", case.write("bare.nwk", "((a:1,b:1),c:1,(d:1,e):1);"), "--fix-lengths"])
    bare.require(bare.codes == [2] and "bare.nwk: lacks 2 branch lengths, which --fix-lengths keeps; expected all" in bare.output, "expected a refusal")


def collapsed(case: Case) -> None:
    """Short inner branches are left out of the trees that are written, and nothing else changes"""
    rows = {"a": "AAAACCCCGGGGTTTT", "b": "AAAACCCCGGGGTTTA", "c": "AAAACCCCGGGGTTAT", "d": "CAAACCCCGGGATATT", "e": "CAAACCCCGGGATATT"}
    msa = case.write("short.fa", "".join(f">{name}\n{cells}\n" for name, cells in rows.items()))
    tree = "((a:.1,b:.1):.1,c:.1,(d:.1,e:.1):.1);"
    usual = case.run("evaluate", tree, "--alrt", "100", msa=msa)
    lengths = re.findall(r"\)\d*:([\d.e-]+)", usual.bits()[0])
    assert len(lengths) == 2, usual.bits()[0]
    short, long = sorted(map(float, lengths))
    assert short < 2e-6 < long, (short, long)
    found = case.run("evaluate", tree, "--alrt", "100", "--collapse", "2e-6", msa=msa, ranks=2)
    text = found.bits()[0].strip()
    assert text.count("(") == 2 and found.report["log_likelihood"] == usual.report["log_likelihood"], text
    all_lengths, left = ([float(length) for length in re.findall(r":([\d.e-]+)", tree)] for tree in (usual.bits()[0], text))
    all_lengths.remove(short)
    assert sorted(left) == sorted(all_lengths), text
    star = case.run("evaluate", tree, "--collapse", "100", msa=msa)
    assert star.bits()[0].count("(") == 1, star.bits()[0]
    several = case.run("evaluate", f"{tree}\n((a,d),b,(c,e));", "--collapse", "2e-6", msa=msa)
    lines = pathlib.Path(f"{several.prefix}.mlTrees").read_text(encoding="utf-8").splitlines()
    assert lines[0].count("(") == 2, lines
    rooted = case.jobs.run(1, ["search", "--msa", msa, "--model", "JC", "--outgroup", "d,e", "--collapse", "100", "--bs-trees", "3"])
    rooted.require(rooted.codes == [0], "expected a search")
    text = rooted.bits()[0]
    rooted.require(text.count("(") == 2 and re.search(r"\((d|e):[^(),]*,(d|e):[^(),]*\)", text) is not None, f"{text}: expected that the outgroup stays a clade")
    rooted.require(all(line.count("(") <= 2 for line in pathlib.Path(f"{rooted.prefix}.bootstraps").read_text(encoding="utf-8").splitlines()), "expected the same of replicates")
    wrong = case.jobs.run(1, ["search", "--msa", msa, "--model", "JC", "--collapse", "-1"])
    wrong.require(wrong.codes == [2] and "--collapse" in wrong.output, "expected a refusal")


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
    for test in (lengths, missing_lengths, three_taxa, polytomies, several_trees, supported_trees, bootstrapped_trees, fixed_lengths, collapsed, names, odd_gaps):
        test(case)


if __name__ == "__main__":
    sys.exit(phylo_job.main(phylo_job.arguments(__doc__).parse_args(), all_cases, needs_deaths=False))
