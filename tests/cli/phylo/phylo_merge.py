#!/usr/bin/env python3
"""merge: finds the groups of genes that made the data, tells the truth about them, and writes a partition file that can be used.

found  what is merged, what is told of it; any number of ranks; bad input
kills  the same bytes when ranks die while partitions are merged
"""
import math
import pathlib
import sys

import phylo_choice
import phylo_job

GENES = 4
SITES = 300
PLANS = [  # ranks, plan: every rank in it must die
    (2, "merge:before:0:0"),
    (3, "merge:inside:2:9"),
    (4, "merge:after:3:4,merge:inside:1:6,commit:inside:0:9"),
    (3, "commit:inside:1:8,recover:inside:2:0"),
]


def write_data(jobs: phylo_job.Jobs) -> phylo_job.Folder:
    """Four genes: the first and the third as phylo_choice makes them, the others with A, C and G as C, G and A."""
    folder = phylo_job.Folder(jobs)
    exchanged = str.maketrans("ACG", "CGA")
    genes = [phylo_choice.evolved(10 + i, SITES) for i in range(GENES)]
    rows = {name: "".join(gene[name].translate(exchanged) if i % 2 == 1 else gene[name] for i, gene in enumerate(genes)) for name in genes[0]}
    folder.write("genes.phy", phylo_choice.phylip(rows))
    for model in ("GTR+FC+G4m", "auto"):
        lines = [f"{model}, gene{i + 1} = {i * SITES + 1}-{(i + 1) * SITES}" for i in range(GENES)]
        folder.write(f"{model}.part", "\n".join(lines) + "\n")
    folder.write("different.part", "".join(f"{model}, gene{i} = {i * 600 + 1}-{i * 600 + 600}\n" for i, model in enumerate(("JC", "HKY+FC"))))
    return folder


def arguments_of(folder: phylo_job.Folder, partitions: str, *more: str) -> list[str]:
    path = folder.directory
    return ["merge", "--msa", str(path / "genes.phy"), "--partitions", str(path / partitions), *more]


def files_of(result: phylo_job.Result) -> tuple:
    return pathlib.Path(f"{result.prefix}.bestScheme").read_bytes(), result.report["merging"], *result.bits()


def same(result: phylo_job.Result, reference: phylo_job.Result, name: str) -> None:
    result.require(result.report is not None and files_of(result) == files_of(reference), f"{name}: another result")
    print(f"{name}: same bytes, {len(result.killed())} died", flush=True)


def check_values(result: phylo_job.Result) -> None:
    """The scores are the criteria computed from the printed numbers, and each merge lowers BIC."""
    merging = result.report["merging"]
    schemes = [merging["given"], *merging["merges"], merging["best"]]
    for scheme in schemes:
        k, loglh, n = scheme["parameters"], scheme["log_likelihood"], GENES * SITES
        for key, value in {"aic": 2 * k - 2 * loglh, "bic": k * math.log(n) - 2 * loglh}.items():
            result.require(abs(scheme[key] - value) < 1e-6, f"{key} is {scheme[key]}, expected {value}")
    key = merging["criterion"].lower()
    scores = [scheme[key] for scheme in schemes]
    result.require(scores == sorted(scores, reverse=True), "expected that no merge raises the criterion")
    result.require(len(merging["scheme"]) == GENES - len(merging["merges"]) == merging["best"]["subsets"], "expected a subset less for each merge")


def found(jobs: phylo_job.Jobs, _) -> None:
    folder = write_data(jobs)
    scheme = "GTR+FC+G4m, gene1+gene3 = 1-300, 601-900\nGTR+FC+G4m, gene2+gene4 = 301-600, 901-1200\n"
    for linkage in ("linked", "scaled", "unlinked"):
        arguments = arguments_of(folder, "GTR+FC+G4m.part", "--brlen", linkage)
        reference = jobs.run(1, arguments)
        reference.require(reference.codes == [0], linkage)
        text = pathlib.Path(f"{reference.prefix}.bestScheme").read_text(encoding="utf-8")
        reference.require(text == scheme, f"{linkage}: found\n{text}")
        reference.require("4 partitions became 2 subsets" in reference.output, "expected the scheme in the log")
        check_values(reference)
        for ranks in (2, 3):
            same(jobs.run(ranks, [*arguments, "--threads", str(ranks - 1)]), reference, f"{ranks} ranks, {linkage}")
        # The scheme can be used, and has the likelihood that was told.
        tree = f"{reference.prefix}.bestTree"
        data = ["--msa", str(folder.directory / "genes.phy"), "--partitions", f"{reference.prefix}.bestScheme"]
        alone = jobs.run(1, ["evaluate", *data, "--brlen", linkage, "--tree", tree])
        alone.require(alone.codes == [0], "expected a partition file")
        difference = alone.report["log_likelihood"] - reference.report["merging"]["best"]["log_likelihood"]
        alone.require(abs(difference) < 0.02, f"{linkage}: alone the log-likelihood differs by {difference}")

    given = folder.write("given.nwk", pathlib.Path(tree).read_text(encoding="utf-8"))
    automatic = jobs.run(2, arguments_of(folder, "auto.part", "--tree", given, "--criterion", "aicc"))
    text = pathlib.Path(f"{automatic.prefix}.bestScheme").read_text(encoding="utf-8")
    automatic.require(text == scheme.replace("GTR+FC+G4m", "auto"), f"found\n{text}")
    check_values(automatic)
    automatic.require(automatic.report["merging"]["criterion"] == "AICc" and "model_choice" not in automatic.report, "expected no choice of models")
    few = jobs.run(1, arguments_of(folder, "GTR+FC+G4m.part", "--merge-share", "1"))
    few.require(few.report["merging"]["unions_tried"] < reference.report["merging"]["unions_tried"], "expected that fewer unions are tried")
    apart = jobs.run(1, arguments_of(folder, "different.part"))
    apart.require(apart.report["merging"]["unions_tried"] == 0 and len(apart.report["merging"]["scheme"]) == 2, "expected different models apart")

    alignment = ["--msa", str(folder.directory / "genes.phy")]
    for arguments, said in ((arguments_of(folder, "GTR+FC+G4m.part", "--merge-share", "0"), "--merge-share"),
                            (arguments_of(folder, "GTR+FC+G4m.part", "--merge-share", "nan"), "--merge-share"),
                            (arguments_of(folder, "GTR+FC+G4m.part", "--merge-share", "101"), "--merge-share"),
                            (["merge", *alignment, "--model", "GTR"], "--partitions"),
                            (arguments_of(folder, "missing.part"), "missing.part")):
        refused = jobs.run(1, arguments)
        refused.require(refused.codes == [2] and said in refused.output, f"{arguments}: expected a refusal")
        refused.require(not list(refused.prefix.parent.glob(f"{refused.prefix.name}.*")), "expected no output")


def kills(jobs: phylo_job.Jobs, _) -> None:
    folder = write_data(jobs)
    for linkage in ("scaled", "unlinked"):
        arguments = arguments_of(folder, "GTR+FC+G4m.part", "--brlen", linkage)
        reference = jobs.run(1, arguments)
        for ranks, plan in PLANS:
            result = jobs.with_deaths(ranks, arguments, plan)
            if plan.startswith("merge"):
                result.require("merging" in result.report["failures"][0]["during"], "expected the first death while partitions are merged")
            same(result, reference, f"{ranks} ranks, {linkage}, {plan}")


if __name__ == "__main__":
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("mode", choices=("found", "kills"))
    parsed = parser.parse_args()
    sys.exit(phylo_job.main(parsed, {"found": found, "kills": kills}[parsed.mode], needs_deaths=parsed.mode == "kills"))
