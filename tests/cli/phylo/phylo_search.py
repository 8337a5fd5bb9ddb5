#!/usr/bin/env python3
"""What searches can be asked for: start trees, constraints, outgroups, supports; the same bits on any number of ranks."""
import pathlib
import random
import re
import sys

import phylo_job

SEARCH = ["--model", "HKY+G4m", "--spr-radius", "2"]


def read(result: phylo_job.Result, name: str) -> str:
    return pathlib.Path(f"{result.prefix}.{name}").read_text(encoding="utf-8")


def splits(newick: str) -> set[frozenset[str]]:
    """The taxa on the side of each inner edge that does not have the alphabetically first taxon."""
    found, open_groups = [], [set()]
    for opening, closing, name in re.findall(r"(\()|(\)[^,();]*)|([^,();]+)", newick.split(";")[0]):
        if opening:
            open_groups.append(set())
        elif closing:
            group = open_groups.pop()
            found.append(group)
            open_groups[-1] |= group
        else:
            open_groups[-1].add(name.split(":")[0])
    everybody = open_groups[0]
    sides = [everybody - group if min(everybody) in group else group for group in found]
    return {frozenset(side) for side in sides if 1 < len(side) < len(everybody) - 1}


def several(jobs: phylo_job.Jobs, args) -> None:
    """The best of the starts counts, and each has the result that it has alone."""
    alone = jobs.run(1, ["search", "--msa", args.msa, *SEARCH, "--effort", "fast"])
    many = jobs.run(3, ["search", "--msa", args.msa, *SEARCH, "--effort", "fast", "--starts", "pars{2},rand{2}"])
    starts = many.report["starts"]
    many.require([start["start"] for start in starts] == ["parsimony 1", "parsimony 2", "random 1", "random 2"], "expected four starts")
    many.require(starts[0]["log_likelihood"] == alone.report["log_likelihood"], "expected that a start does not depend on others")
    many.require(many.report["log_likelihood"] == max(start["log_likelihood"] for start in starts), "expected the best")
    trees = read(many, "mlTrees").splitlines()
    many.require(len(trees) == 4 and trees[0] == read(alone, "bestTree").strip(), "expected the trees of all starts in their order")
    # Trees in a file are starts, too.
    file = pathlib.Path(jobs.directory.name, "starts.nwk")
    file.write_text("\n".join(trees[1:3]) + "\n", encoding="utf-8")
    again = jobs.run(2, ["search", "--msa", args.msa, *SEARCH, "--effort", "fast", "--tree", str(file), "--starts", "tree"])
    again.require([start["start"] for start in again.report["starts"]] == ["tree 1", "tree 2"], "expected the trees of the file")
    raxml = jobs.run(1, ["--msa", args.msa, *SEARCH, "--effort", "fast", "--tree", "pars{2},rand{2}"])
    raxml.require(read(raxml, "mlTrees") == read(many, "mlTrees"), "expected that --tree pars{2} means start trees")


def start_trees(jobs: phylo_job.Jobs, args) -> None:
    """The ranks of a group make start trees together, each from its own sites. Ranks that die meanwhile change nothing."""
    command = ["search", "--msa", args.msa, *SEARCH, "--effort", "fast", "--starts", "pars{2}", "--bs-trees", "2"]
    alone = jobs.run(1, command)
    plans = ["reduce:before:1:1", "reduce:inside:0:1", "reduce:after:3:2", "reduce:inside:2:7,reduce:after:0:12", "reduce:inside:1:4,reduce:inside:2:4",
             "reduce:inside:0:2,reduce:before:1:6,reduce:inside:3:3"]
    for plan in plans:
        other = jobs.with_deaths(4, [*command, "--groups", "1"], plan)
        other.require(other.bits() == alone.bits(), f"plan '{plan}': expected the same bits")
        during = [record["during"] for record in other.report["failures"]]
        other.require("start tree" in during, f"plan '{plan}': expected a death while a start tree is made, not {during}")


def automatic(jobs: phylo_job.Jobs, args) -> None:
    """The program chooses the number of starts, the same whichever ranks are there, also if all trees are bound."""
    command = ["search", "--msa", args.msa, *SEARCH, "--effort", "auto"]
    alone = jobs.run(1, command)
    starts = [start["log_likelihood"] for start in alone.report["starts"]]
    alone.require(1 <= len(starts) <= 10, "expected up to ten starts")
    alone.require(alone.report["log_likelihood"] >= max(starts) - 0.001, "expected the best or more")
    alone.require(0 <= alone.report["difficulty"] <= 1, "expected a difficulty")
    other = jobs.run(4, [*command, "--groups", "2", "--fail", "spr:inside:1:4,commit:after:0:9"])
    other.require(other.bits() == alone.bits() and other.killed() == {0, 1}, "expected the same bits")
    # The start tree of 12 taxa takes 10 sums; those after it are for the difficulty.
    plans = ["reduce:inside:1:11", "reduce:before:0:25,reduce:after:2:25", "reduce:after:1:40,reduce:inside:3:60", "reduce:inside:0:13,reduce:inside:1:30,reduce:before:2:60"]
    for plan in plans:
        other = jobs.with_deaths(4, [*command, "--groups", "1"], plan)
        other.require(other.bits() == alone.bits(), f"plan '{plan}': expected the same bits")
        during = {record["during"] for record in other.report["failures"]}
        other.require(during == {"start tree"}, f"plan '{plan}': expected deaths while the difficulty is found, not {during}")
    normal = jobs.run(1, command[:-1] + ["normal"])
    normal.require("difficulty" not in normal.report, "expected that nobody asks for the difficulty")


def many_taxa(jobs: phylo_job.Jobs) -> None:
    """Lengths of large trees are optimised by passes, and models together with the scale. Ranks that die in these change nothing."""
    draw = random.Random(1)
    rows = [draw.choices("ACGT", k=12)]
    while len(rows) < 1050:
        rows.append([draw.choice("ACGT") if draw.random() < 0.05 else symbol for symbol in rows[draw.randrange(len(rows))]])
    msa = pathlib.Path(jobs.directory.name, "many.fa")
    msa.write_text("".join(f">t{i}\n{''.join(row)}\n" for i, row in enumerate(rows)), encoding="utf-8")
    command = ["search", "--msa", str(msa), "--model", "HKY+G4m", "--spr-radius", "1", "--starts", "pars{1}", "--effort", "fast"]
    alone = jobs.run(1, command)
    alone.require(alone.report["points_reached"]["branches:inside"] > 100, "expected passes")
    alone.require("lengths:inside" not in alone.report["points_reached"], "expected no gradients")
    for plan in ("branches:before:1:1,branches:inside:2:9", "branches:inside:0:1,branches:after:1:2", "model:before:0:1,spr:inside:1:900", "branches:inside:1:60,model:inside:2:2,spr:after:0:4000"):
        other = jobs.with_deaths(4, command, plan)
        other.require(other.bits() == alone.bits(), f"plan '{plan}': expected the same bits")


def constraints(jobs: phylo_job.Jobs, args) -> None:
    free = jobs.run(1, ["search", "--msa", args.msa, *SEARCH])
    names = sorted(re.findall(r"[A-Z][A-Za-z_]+", read(free, "bestTree")))
    # No search would find these.
    wanted = {frozenset({names[1], names[6]}), frozenset({names[2], names[9], names[4]})}
    free.require(not wanted & splits(read(free, "bestTree")), "expected that the constraint says something")
    constraint = pathlib.Path(jobs.directory.name, "constraint.nwk")
    constraint.write_text("(" + ",".join(f"({','.join(sorted(group))})" for group in wanted) + f",{names[0]},{names[3]});", encoding="utf-8")
    command = ["search", "--msa", args.msa, *SEARCH, "--constraint", str(constraint), "--starts", "pars{2}", "--bs-trees", "2"]
    bound = jobs.run(1, command)
    for tree in [read(bound, "bestTree"), *read(bound, "mlTrees").splitlines(), *read(bound, "bootstraps").splitlines()]:
        kept = [frozenset(split & {names[i] for i in (0, 1, 2, 3, 4, 6, 9)}) for split in splits(tree)]
        bound.require(all(group in kept for group in wanted), f"expected that the constraint is kept in {tree}")
    bound.require(bound.report["log_likelihood"] < free.report["log_likelihood"], "expected that freedom is worth something")
    other = jobs.run(4, [*command, "--groups", "2", "--fail", "spr:inside:1:4"])
    other.require(other.bits() == bound.bits() and other.killed() == {1}, "expected the same bits")


def outgroups(jobs: phylo_job.Jobs, args) -> None:
    free = jobs.run(1, ["search", "--msa", args.msa, *SEARCH])
    group = min(splits(read(free, "bestTree")), key=lambda split: (len(split), sorted(split)))
    rooted = jobs.run(1, ["search", "--msa", args.msa, *SEARCH, "--outgroup", ",".join(group)])
    tree = read(rooted, "bestTree")
    rooted.require(rooted.report["log_likelihood"] == free.report["log_likelihood"], "expected the same result")
    rooted.require(splits(tree) == splits(read(free, "bestTree")), "expected the same tree")
    # The outgroup is a child of the root.
    depth, child, children = 0, "", []
    for character in tree.strip().rstrip(";")[1:-1] + ",":
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            children.append(child)
            child = ""
        else:
            child += character
    rooted.require(any(set(re.findall(r"[A-Z][A-Za-z_]+", c)) == group for c in children), f"expected {group} at the root of {tree}")
    odd = sorted(set(re.findall(r"[A-Z][A-Za-z_]+", tree)) - group)[:1] + [min(group)]
    if frozenset(odd) not in splits(tree):
        split = jobs.run(2, ["search", "--msa", args.msa, *SEARCH, "--outgroup", ",".join(odd)])
        split.require("the outgroup is no clade" in split.output and split.codes == [0, 0], "expected a warning")


def supports(jobs: phylo_job.Jobs, args) -> None:
    """The labels are those that follow from the replicates."""
    result = jobs.run(3, ["search", "--msa", args.msa, *SEARCH, "--bs-trees", "8", "--ufboot", "40", "--alrt", "50"])
    replicates = [splits(line) for line in read(result, "bootstraps").splitlines()]
    result.require(len(replicates) == 8 and result.report["bootstrap"]["replicates"] == 8, "expected 8 replicates")
    labels = sorted(int(label) for label in re.findall(r"\)(\d+):", read(result, "support")))
    counted = sorted(round(100 * sum(split in tree for tree in replicates) / 8 + 1e-9) for split in splits(read(result, "bestTree")))
    result.require(labels == counted, f"supports {labels}, expected {counted}")
    ultrafast = [splits(line) for line in read(result, "ufboot").splitlines()]
    result.require(len(ultrafast) == 40, "expected 40 trees of the ultrafast bootstrap")
    said = result.report["ultrafast_bootstrap"]
    result.require(said["converged"] == (said["halves_correlation"] >= 0.99), "expected that it has converged if the halves agree")
    result.require(("these suffice" if said["converged"] else "more are needed") in result.output, "expected that the log says so, too")
    labels = sorted(int(label) for label in re.findall(r"\)(\d+):", read(result, "supportUltrafast")))
    counted = sorted(round(100 * sum(split in tree for tree in ultrafast) / 40 + 1e-9) for split in splits(read(result, "bestTree")))
    result.require(labels == counted, f"ultrafast supports {labels}, expected {counted}")
    alrt = [int(label) for label in re.findall(r"\)(\d+):", read(result, "supportAlrt"))]
    result.require(len(alrt) == len(labels) and all(0 <= a <= 100 for a in alrt) and max(alrt) > 90, f"odd SH-aLRT {alrt}")
    together = re.findall(r"\)([^:;,()]*)(?=:)", read(result, "bestTree"))
    apart = [re.findall(r"\)(\d*)(?=:)", read(result, name)) for name in ("supportAlrt", "supportUltrafast", "support")]
    result.require(together == ["/".join(labels) if labels[0] else "" for labels in zip(*apart)], f"expected all supports in the tree, found {together}")
    drawing = read(result, "svg")
    shown = re.findall(r'class="support"[^>]*>([^<]*)<|<title>([^<]*)</title></circle>', drawing)
    result.require(sorted(a or b for a, b in shown) == sorted(label for label in together if label), f"expected all supports in the drawing, found {shown}")
    result.require("blue: SH-aLRT support in percent / percentage of ultrafast" in drawing, "expected that the drawing says what the numbers are")
    again = jobs.run(1, ["loglh", "--msa", args.msa, "--model", f"{result.prefix}.bestModel", "--tree", f"{result.prefix}.bestTree"])
    again.require(again.codes == [0], "expected that a tree with supports can be read")
    until = jobs.run(2, ["search", "--msa", args.msa, *SEARCH, "--bs-trees", "auto{100}"])
    until.require(until.report["bootstrap"]["replicates"] in (50, 100), "expected a multiple of 50")
    until.require(until.report["bootstrap"]["converged"] or until.report["bootstrap"]["replicates"] == 100, "expected that it goes on until it converges")


def files_are_named(jobs: phylo_job.Jobs, args) -> None:
    """The last line names all files there are, and no others."""
    for more in ([], ["--starts", "rand{2}"], ["--bs-trees", "3"], ["--alrt", "20", "--profile"], ["--ufboot", "10"]):
        result = jobs.run(2, ["search", "--msa", args.msa, *SEARCH, *more])
        named = set(re.findall(r"\.[a-zA-Z.]+", result.output.strip().splitlines()[-1].removeprefix(f"  in {result.prefix}")))
        written = {file.name.removeprefix(result.prefix.name) for file in result.prefix.parent.glob(f"{result.prefix.name}.*")}
        result.require(named == written, f"{more}: named {sorted(named)}, written {sorted(written)}")


def all_cases(jobs: phylo_job.Jobs, args) -> None:
    several(jobs, args)
    start_trees(jobs, args)
    automatic(jobs, args)
    many_taxa(jobs)
    constraints(jobs, args)
    outgroups(jobs, args)
    supports(jobs, args)
    files_are_named(jobs, args)


if __name__ == "__main__":
    sys.exit(phylo_job.main(phylo_job.arguments(__doc__).parse_args(), all_cases, needs_deaths=True))
