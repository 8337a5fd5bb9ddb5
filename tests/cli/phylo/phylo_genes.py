#!/usr/bin/env python3
"""genes: finds the tree of each partition, over the taxa that have data in it.

found   each tree is the one that a search on its gene alone finds; any number of ranks and groups; bad input
kills   the same bytes when ranks die while genes are searched, also all of a group, and after all ranks died
random  the same bytes with deaths that are drawn over all points of a job
"""
import collections
import pathlib
import re
import sys

import phylo_choice
import phylo_job

SITES = 300
ABSENT = {1: "e", 2: "ah"}  # taxa without data in some of the genes
MODELS = ("GTR+FC+G4m", "HKY+FC", "JC", "auto")
PLANS = [  # ranks, groups, plan: every rank in it must die
    (2, 1, "spr:before:0:3"),
    (3, 3, "commit:inside:1:2"),
    (4, 2, "commit:inside:2:1,commit:after:3:4"),
    (4, 4, "commit:before:0:2,recover:inside:2:0"),
]


def genes_of_data() -> list[dict[str, str]]:
    """Genes of the tree of phylo_choice, two of them without some taxa: one has gaps there, and one what is unknown."""
    genes = [phylo_choice.evolved(20 + i, SITES) for i in range(len(MODELS))]
    for i, taxa in ABSENT.items():
        genes[i].update(dict.fromkeys(taxa, ("-" if i == 1 else "N") * SITES))
    return genes


def arguments_of(folder: phylo_job.Folder) -> list[str]:
    genes = genes_of_data()
    alignment = folder.write("genes.phy", phylo_choice.phylip({name: "".join(gene[name] for gene in genes) for name in genes[0]}))
    lines = [f"{model}, gene{i + 1} = {i * SITES + 1}-{(i + 1) * SITES}\n" for i, model in enumerate(MODELS)]
    return ["genes", "--msa", alignment, "--partitions", folder.write("genes.part", "".join(lines)), "--effort", "fast"]


def trees_of(result: phylo_job.Result) -> list[str]:
    return pathlib.Path(f"{result.prefix}.geneTrees").read_text(encoding="utf-8").splitlines()


def files_of(result: phylo_job.Result) -> tuple:
    report = result.report
    models = pathlib.Path(f"{result.prefix}.bestModel").read_text(encoding="utf-8")
    replicates = pathlib.Path(f"{result.prefix}.geneBootstraps")
    return trees_of(result), models, replicates.read_text(encoding="utf-8") if replicates.exists() else "", [report[key] for key in ("bits", "genes", "partitions", "evaluations", "model_choice")]


def same(result: phylo_job.Result, reference: phylo_job.Result, name: str) -> None:
    result.require(result.report is not None and files_of(result) == files_of(reference), f"{name}: another result")
    print(f"{name}: same bytes, {len(result.killed())} died", flush=True)


def check_against_searches(jobs: phylo_job.Jobs, folder: phylo_job.Folder, result: phylo_job.Result) -> None:
    """A search on a gene alone, without the taxa that have no data, finds a tree that is as likely, and has the same topology."""
    for i, gene in enumerate(genes_of_data()):
        present = {name: row for name, row in gene.items() if name not in ABSENT.get(i, "")}
        found, tree = result.report["genes"][i], trees_of(result)[i]
        result.require(found["tree"] == tree and found["taxa"] == len(present) and set(re.findall("[a-h](?=:)", tree)) == set(present), f"gene {i}: {tree}")
        model = result.report["partitions"][i]["model"]
        alone = jobs.run(1, ["search", "--msa", folder.write(f"{i}.phy", phylo_choice.phylip(present)), "--model", model])
        difference = alone.report["log_likelihood"] - found["log_likelihood"]
        result.require(abs(difference) < 0.05, f"gene {i}: alone the log-likelihood differs by {difference}")
        both = folder.write(f"{i}.nwk", tree + "\n" + pathlib.Path(f"{alone.prefix}.bestTree").read_text(encoding="utf-8"))
        compared = jobs.run(1, ["rfdist", "--trees", both])
        distances = pathlib.Path(f"{compared.prefix}.rfDistances").read_text(encoding="utf-8").split()
        result.require(distances[2] == "0", f"gene {i}: expected the same tree, not a distance of {distances[2]}")


def clades_of(tree: str) -> tuple[dict[frozenset, str], frozenset]:
    """The labels of the inner edges of a tree in Newick, by the taxa on the side without the first one by name, and all taxa."""
    stack, closed, taxa = [], [], set()
    for token in re.findall(r"\(|\)[^:,();]*|[a-h](?=:)", tree):
        if token == "(":
            stack.append(set())
        elif token[0] == ")":
            closed.append((frozenset(stack.pop()), token[1:]))
            if stack:
                stack[-1] |= closed[-1][0]
        else:
            stack[-1].add(token)
            taxa.add(token)
    clades = {frozenset(taxa - clade if min(taxa) in clade else clade): label for clade, label in closed}
    return {clade: label for clade, label in clades.items() if 1 < len(clade) < len(taxa) - 1}, frozenset(taxa)


def bootstrap(jobs: phylo_job.Jobs, folder: phylo_job.Folder, arguments: list[str], plain: phylo_job.Result) -> None:
    """Replicates of each gene, counted again here, and compared with those of a search on the gene alone; also if genes are drawn."""
    count, genes = 20, len(MODELS)
    found = jobs.run(1, [*arguments, "--bs-trees", str(count)])
    found.require(found.codes == [0] and found.report["bootstrap"] == {"replicates": count, "sampling": "sites"}, "expected replicates")
    replicates = pathlib.Path(f"{found.prefix}.geneBootstraps").read_text(encoding="utf-8").splitlines()
    found.require(len(replicates) == count * genes, f"{len(replicates)} trees of replicates")
    found.require([re.sub(r"\)\d+:", "):", tree) for tree in trees_of(found)] == trees_of(plain), "expected the gene trees as without replicates")
    for gene, tree in enumerate(trees_of(found)):
        labels, taxa = clades_of(tree)
        splits = [clades_of(replicate) for replicate in replicates[gene::genes]]
        found.require(all(of_replicate == taxa for _, of_replicate in splits), f"gene {gene}: expected replicates of the same taxa")
        counted = {clade: f"{round(100 * sum(clade in clades for clades, _ in splits) / count)}" for clade in labels}
        found.require(labels == counted, f"gene {gene}: supports {labels}, counted {counted}")
        found.require(len(set(replicates[gene::genes])) == count, f"gene {gene}: expected that replicates differ")
    alone = jobs.run(1, ["search", "--msa", folder.write("first.phy", phylo_choice.phylip(genes_of_data()[0])), "--model", MODELS[0], "--bs-trees", "60"])
    text = pathlib.Path(f"{alone.prefix}.support").read_text(encoding="utf-8")
    for clade, label in clades_of(text)[0].items():
        mine = clades_of(trees_of(found)[0])[0].get(clade)
        found.require(mine is not None and abs(int(mine) - int(label)) <= 35, f"support {mine} of {sorted(clade)}, alone it has {label}")
    same(jobs.run(3, [*arguments, "--bs-trees", str(count), "--groups", "2"]), found, "3 ranks, replicates")

    drawn = jobs.run(1, [*arguments, "--bs-trees", str(count), "--sampling", "genesites"])
    drawn.require(drawn.codes == [0] and trees_of(drawn) == trees_of(plain), "expected gene trees without supports")
    replicates = [clades_of(tree)[1] for tree in pathlib.Path(f"{drawn.prefix}.geneBootstraps").read_text(encoding="utf-8").splitlines()]
    drawn.require(len(replicates) == count * genes, f"{len(replicates)} trees of drawn genes")
    everything = frozenset("abcdefgh")
    kinds = collections.Counter(taxa for taxa in replicates)
    drawn.require(kinds.keys() == {everything, everything - {"e"}, everything - {"a", "h"}}, f"expected the taxa of genes, found {kinds}")
    # Two of four genes have all taxa. 20 is more than four standard deviations.
    drawn.require(abs(kinds[everything] - count * genes / 2) < 20, f"expected that genes are equally likely: {kinds}")
    per_replicate = {tuple(sorted(map(len, replicates[i:i + genes]))) for i in range(0, len(replicates), genes)}
    drawn.require(len(per_replicate) > 1, "expected other genes in other replicates")
    same(jobs.run(2, [*arguments, "--bs-trees", str(count), "--sampling", "genesites"]), drawn, "2 ranks, drawn genes")

    short = jobs.run(1, [*arguments, "--bs-trees", "2", "--collapse", "100"])
    written = trees_of(short) + pathlib.Path(f"{short.prefix}.geneBootstraps").read_text(encoding="utf-8").splitlines()
    short.require(len(written) == 3 * genes and all(tree.count("(") == 1 for tree in written), "expected stars")
    for more, said in ((["--sampling", "genesites"], "--sampling: is of replicates, expected also --bs-trees N"),
                       (["--bs-trees", "2", "--sampling", "genes"], "--sampling"),
                       (["--bs-trees", "auto"], "--bs-trees"),
                       (["--bs-trees", "0"], "--bs-trees")):
        refused = jobs.run(1, [*arguments, *more])
        refused.require(refused.codes == [2] and said in refused.output, f"{more}: expected a refusal")
        refused.require(not list(refused.prefix.parent.glob(f"{refused.prefix.name}.*")), "expected no output")


def found(jobs: phylo_job.Jobs, _) -> None:
    folder = phylo_job.Folder(jobs)
    arguments = arguments_of(folder)
    reference = jobs.run(1, arguments)
    reference.require(reference.codes == [0], "expected trees")
    reference.require(not pathlib.Path(f"{reference.prefix}.bestTree").exists() and reference.report["tree"] is None, "expected no tree of all genes")
    check_against_searches(jobs, folder, reference)
    for ranks, groups in ((2, 0), (3, 1), (4, 4)):
        same(jobs.run(ranks, [*arguments, "--groups", str(groups)]), reference, f"{ranks} ranks, {groups} groups")
    bootstrap(jobs, folder, arguments, reference)
    # The models are a partition file, and the trees are those that concordance takes.
    again = jobs.run(1, ["genes", "--msa", arguments[2], "--partitions", f"{reference.prefix}.bestModel", "--effort", "fast"])
    again.require(again.codes == [0] and len(trees_of(again)) == len(MODELS), "expected a partition file")
    whole = folder.write("whole.nwk", "(((((a,b),c),(d,e)),(f,g)),h);\n")
    concordance = jobs.run(1, ["concordance", "--tree", whole, "--gene-trees", f"{reference.prefix}.geneTrees"])
    concordance.require(concordance.codes == [0], "expected gene trees")

    few = folder.write("few.phy", phylo_choice.phylip({name: "ACGTAC" if name in "abc" else "ACG---" for name in "abcdefgh"}))
    parts = folder.write("few.part", "JC, first = 1-3\nJC, second = 4-6\n")
    for bad, said in ((["genes", "--msa", few, "--partitions", parts], "few.part: partition 'second' has data of 3 taxa, expected at least 4"),
                      (["genes", "--msa", few, "--model", "JC"], "--partitions is needed"),
                      ([*arguments, "--tree", whole], "--tree"),
                      ([*arguments, "--brlen", "linked"], "--brlen")):
        refused = jobs.run(2, bad)
        refused.require(set(refused.codes) == {2} and said in refused.output, f"{bad}: expected a refusal")
        refused.require(not list(refused.prefix.parent.glob(f"{refused.prefix.name}.*")), "expected no output")


def kills(jobs: phylo_job.Jobs, _) -> None:
    folder = phylo_job.Folder(jobs)
    arguments = [*arguments_of(folder), "--bs-trees", "2"]
    reference = jobs.run(1, arguments)
    for ranks, groups, plan in PLANS:
        result = jobs.run(ranks, [*arguments, "--groups", str(groups), "--fail", plan])
        result.require_survival(plan)
        result.require(result.killed() == phylo_job.victims(plan), f"'{plan}': expected other deaths")
        same(result, reference, f"{ranks} ranks, {groups} groups, {plan}")
    prefix = folder.directory / "again"
    lost = jobs.run(2, [*arguments, "--checkpoint-interval", "0", "--fail", "commit:after:0:6,commit:after:1:6"], prefix=prefix)
    lost.require(lost.report is None, "expected that all ranks die")
    continued = jobs.run(3, [*arguments, "--checkpoint-interval", "0"], prefix=prefix)
    continued.require(continued.report is not None and continued.report["resumed_from"] is not None, "expected a checkpoint")
    same(continued, reference, "after all ranks died")


def random_plans(jobs: phylo_job.Jobs, args) -> None:
    """Deaths that are drawn over all points of a job, on 2 to 8 ranks in one group or several."""
    arguments = [*arguments_of(phylo_job.Folder(jobs)), "--bs-trees", "2", "--sampling", "genesites"]
    reference = jobs.run(1, arguments)
    for seed in range(args.first, args.first + args.count):
        ranks = (2, 3, 4, 5, 8)[seed % 5]
        groups = 1 + seed // 5 % ranks
        result = jobs.run(ranks, [*arguments, "--groups", str(groups), "--fail", f"random:{seed}:{1 + seed % min(ranks - 1, 4)}"])
        result.require_survival(f"seed {seed}")
        drawn = re.search(r"drawn: --fail (\S+)", result.output)
        result.require(drawn is not None and result.killed() <= phylo_job.victims(drawn[1]), f"seed {seed}: a rank died that was not drawn")
        same(result, reference, f"{ranks} ranks, {groups} groups, seed {seed}: {drawn[1]}")


if __name__ == "__main__":
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("mode", choices=("found", "kills", "random"))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    parsed = parser.parse_args()
    test = {"found": found, "kills": kills, "random": random_plans}[parsed.mode]
    sys.exit(phylo_job.main(parsed, test, needs_deaths=parsed.mode != "found"))
