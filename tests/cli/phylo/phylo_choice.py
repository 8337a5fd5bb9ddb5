#!/usr/bin/env python3
"""--model auto: finds the model that made the data, tells the truth about it, and goes on as if it had been given.

found       what is chosen, what is told of it, what follows; any number of ranks
restricted  --models, --rates and +ASC_: the choice is the best of models that are evaluated one by one
kills   the same bits when ranks die while models are chosen
"""
import math
import pathlib
import random
import sys

import phylo_job

PROTEIN_ROWS = ("MKVLAAGIVGLCAKAYWEHDRST", "MKVLASGIVGLCARAYWEHDKST", "MRILAAGLVGMCAKSYWDHDRTT", "MRILSAGLIGMCAKSFWDHNRTT", "MKVIAAGIVGLCSKAYFEHDRSA")
PLANS = [  # ranks, plan: every rank in it must die
    (2, "model_choice:before:0:0"),
    (3, "model_choice:inside:2:3"),
    (3, "model_choice:after:0:20"),
    (4, "model_choice:inside:1:5,model:inside:0:9,checkpoint:inside:3:5"),
    (5, "lengths:inside:0:20,recover:inside:3:0,model_choice:before:1:30"),
    (3, "model_choice:after:1:2,reduce:inside:2:700"),
]


def evolved(seed: int, num_sites: int) -> dict[str, str]:
    """Sequences of eight taxa under HKY, kappa 4, with rates from a gamma distribution, alpha 0.5."""
    source = random.Random(seed)
    frequencies, kappa, alpha = (0.35, 0.15, 0.2, 0.3), 4.0, 0.5  # of A, C, G, T
    beta = 1 / (1 - sum(f * f for f in frequencies) + 2 * (kappa - 1) * (frequencies[0] * frequencies[2] + frequencies[1] * frequencies[3]))
    tree = (((("a", "b"), "c"), ("d", "e")), (("f", "g"), "h"))

    def step(state: int, time: float) -> int:
        while (wait := source.expovariate(1.0)) < time * beta * (1 - frequencies[state] + (kappa - 1) * frequencies[(state + 2) % 4]):
            exits = [0 if other == state else frequencies[other] * (kappa if (other - state) % 4 == 2 else 1) for other in range(4)]
            time -= wait / (beta * sum(exits))
            state = source.choices(range(4), exits)[0]
        return state

    rows: dict[str, str] = {}

    def descend(node, state: int, rate: float) -> None:
        if isinstance(node, str):
            rows[node] = rows.get(node, "") + "ACGT"[state]
            return
        for child in node:
            descend(child, step(state, 0.15 * rate), rate)

    for _ in range(num_sites):
        descend(tree, source.choices(range(4), frequencies)[0], source.gammavariate(alpha, 1 / alpha))
    return rows


def phylip(rows: dict[str, str]) -> str:
    return f"{len(rows)} {len(next(iter(rows.values())))}\n" + "".join(f"{name} {row}\n" for name, row in rows.items())


def write_data(jobs: phylo_job.Jobs) -> tuple[pathlib.Path, pathlib.Path]:
    """DNA made by HKY+G; and the same followed by amino acids, in partitions."""
    directory = pathlib.Path(jobs.directory.name)
    dna = evolved(1, 2000)
    alignment = directory / "hky.phy"
    alignment.write_text(phylip(dna), encoding="utf-8")
    proteins = {name: row + (PROTEIN_ROWS[i % len(PROTEIN_ROWS)] * 3) for i, (name, row) in enumerate(dna.items())}
    mixed = directory / "mixed.phy"
    mixed.write_text(phylip(proteins), encoding="utf-8")
    end = 2000 + 3 * len(PROTEIN_ROWS[0])
    pathlib.Path(f"{mixed}.part").write_text(f"auto, dna = 1-1500\nK80+G4m, given = 1501-2000\nAUTO, protein = 2001-{end}\n", encoding="utf-8")
    return alignment, mixed


def result_of(report: dict) -> list:
    return [report[key] for key in ("log_likelihood", "bits", "tree", "partitions")]


def same(result: phylo_job.Result, reference: phylo_job.Result, name: str) -> None:
    result.require(result.bits() == reference.bits(), f"{name}: another result")
    result.require(result.report["model_choice"] == reference.report["model_choice"], f"{name}: another choice")
    print(f"{name}: same bits, {len(result.killed())} died", flush=True)


def check_nested(result: phylo_job.Result, choice: dict) -> None:
    """No model ends below one that it contains."""
    loglh = {candidate["model"]: candidate["log_likelihood"] for candidate in choice["candidates"]}
    for scheme in {name.split("+")[0] + ("+FC" if "+FC" in name else "") for name in loglh}:
        rates = [f"+R{k}" for k in range(2, 11)]
        pairs = [("", "+I"), ("+I", "+I+G4m"), ("+G4m", "+I+G4m"), ("+I", "+R2"), ("+G4m", "+R4"), ("+I+G4m", "+R5"), *zip(rates, rates[1:])]
        for special, general in ((scheme + a, scheme + b) for a, b in pairs):
            result.require(loglh.get(special, -math.inf) <= loglh.get(general, math.inf), f"{general} below {special}")


def check_table(result: phylo_job.Result, choice: dict, num_sites: int) -> None:
    """The scores are the criteria computed from the printed numbers; the chosen model has the lowest."""
    for candidate in choice["candidates"]:
        k, loglh = candidate["parameters"], candidate["log_likelihood"]
        expected = {"aic": 2 * k - 2 * loglh, "aicc": 2 * k - 2 * loglh + 2 * k * (k + 1) / max(num_sites - k - 1, 1), "bic": k * math.log(num_sites) - 2 * loglh}
        for key, value in expected.items():
            result.require(abs(candidate[key] - value) < 1e-6, f"{candidate['model']}: {key} is {candidate[key]}, expected {value}")
    check_nested(result, choice)
    key = choice["criterion"].lower()
    scores = [candidate[key] for candidate in choice["candidates"]]
    result.require(scores == sorted(scores), "expected the best candidates first")
    result.require(choice["chosen"] == choice["candidates"][0]["model"], "expected the lowest score to be chosen")
    result.require(abs(sum(candidate["weight"] for candidate in choice["candidates"]) - 1) < 1e-9, "expected weights of sum 1")
    names = [candidate["model"] for candidate in choice["candidates"]]
    result.require(len(set(names)) == len(names), "expected no candidate twice")


def default(jobs: phylo_job.Jobs, alignment: pathlib.Path, auto: phylo_job.Result) -> None:
    """Without --model a search does what it does with --model auto, and each continues a checkpoint of the other."""
    unsaid, said = ["search", "--msa", str(alignment)], ["search", "--msa", str(alignment), "--model", "auto"]
    without = jobs.run(1, unsaid)
    same(without, auto, "without --model")
    without.require("model auto, as no --model was given" in without.output, "expected that the log says why the model was chosen")
    auto.require("no --model was given" not in auto.output, "a model was given")
    for first, second in ((said, unsaid), (unsaid, said)):
        cut = jobs.run(1, [*first, "--time-limit", "0"])
        cut.require(cut.codes == [75], "expected that a time limit of 0 s stops the job with a checkpoint")
        resumed = jobs.run(1, second, prefix=cut.prefix)
        resumed.require("resumed from" in resumed.output, "expected that the checkpoint is continued")
        same(resumed, auto, f"{' '.join(second)}, continued")


def found(jobs: phylo_job.Jobs, _) -> None:
    alignment, mixed = write_data(jobs)
    auto = jobs.run(1, ["search", "--msa", str(alignment), "--model", "auto"])
    auto.require(auto.codes == [0], "expected a search")
    (choice,) = auto.report["model_choice"]
    auto.require(choice["chosen"] == "HKY+FC+G4m" and choice["criterion"] == "BIC", f"expected HKY+FC+G4m, found {choice['chosen']}")
    auto.require("HKY+FC+G4m of " in auto.output, "expected the chosen model in the log")
    auto.require(auto.report["partitions"][0]["model"] == "HKY+FC+G4m", "expected the chosen model in JSON")
    check_table(auto, choice, 2000)

    # A model that was tried has about the log-likelihood that the table shows, on the same tree.
    tree = ["--tree", f"{auto.prefix}.bestTree"]
    evaluated = jobs.run(2, ["evaluate", "--msa", str(alignment), "--model", "Auto", *tree])
    given = jobs.run(1, ["evaluate", "--msa", str(alignment), "--model", "HKY+FC+G4m", *tree])
    given.require(result_of(evaluated.report) == result_of(given.report), "expected the bits of the model given by name")
    in_table = evaluated.report["model_choice"][0]["candidates"][0]["log_likelihood"]
    evaluated.require(abs(in_table - given.report["log_likelihood"]) < 0.2, f"{in_table} in the table")
    searched = jobs.run(1, ["search", "--msa", str(alignment), "--model", "HKY+FC+G4m"])
    searched.require(result_of(searched.report) == result_of(auto.report), "expected the bits of the search with that model")
    again = jobs.run(1, ["evaluate", "--msa", str(alignment), "--model", f"{auto.prefix}.bestModel", *tree])
    again.require(again.codes == [0], "expected that PREFIX.bestModel can be used")

    for criterion in ("aic", "aicc"):
        other = jobs.run(1, ["loglh", "--msa", str(alignment), "--model", "auto", "--criterion", criterion, *tree])
        (choice,) = other.report["model_choice"]
        other.require(choice["criterion"].lower() == criterion, f"expected {criterion}")
        check_table(other, choice, 2000)

    partitioned = ["--msa", str(mixed), "--partitions", f"{mixed}.part"]
    for linkage in ("scaled", "unlinked"):
        reference = jobs.run(1, ["evaluate", *partitioned, *tree, "--brlen", linkage])
        reference.require(reference.codes == [0], linkage)
        reference.require([c["partition"] for c in reference.report["model_choice"]] == ["dna", "protein"], "expected a choice for two partitions")
        reference.require(reference.report["partitions"][1]["model"] == "K80+G4m", "expected that a given model stays")
        for choice, num_sites in zip(reference.report["model_choice"], (1500, 3 * len(PROTEIN_ROWS[0]))):
            check_table(reference, choice, num_sites)
        same(jobs.run(3, ["evaluate", *partitioned, *tree, "--brlen", linkage]), reference, f"3 ranks, {linkage}")
    checked = jobs.run(1, ["check", *partitioned])
    checked.require(checked.codes == [0] and "AUTO" in checked.output, "expected that auto can be checked")
    wrong = jobs.run(2, ["search", "--msa", str(alignment), "--model", "auto", "--criterion", "best"])
    wrong.require(wrong.codes == [2, 2] and "--criterion" in wrong.output, "expected a refusal of an unknown criterion")
    for ranks in (2, 3):
        same(jobs.run(ranks, ["search", "--msa", str(alignment), "--model", "auto"]), auto, f"{ranks} ranks")
    default(jobs, alignment, auto)


PARAMETERS = {"JC": 0, "HKY+FC": 4, "GTR+FC": 8, "LG": 0, "LG+FC": 19, "Q.pfam": 0, "Q.pfam+FC": 19, "Q.bird": 0, "Q.bird+FC": 19, "": 0, "+I": 1, "+G4m": 1, "+R2": 2}


def check_best(jobs: phylo_job.Jobs, evaluate: list[str], chosen: str, schemes: list[str], rates: list[str], num_sites: int, num_taxa: int) -> None:
    """The chosen model has the lowest BIC of all, each of which is evaluated by itself. evaluate: the arguments but for the model."""
    bic = {}
    for scheme in schemes:
        for suffix in rates:
            kind = suffix.replace("+ASC_LEWIS", "")
            given = jobs.run(1, [*evaluate, "--model", scheme + suffix])
            given.require(given.codes == [0], f"expected that {scheme + suffix} can be evaluated")
            k = PARAMETERS[scheme] + PARAMETERS[kind] + 2 * num_taxa - 3
            bic[scheme + suffix] = k * math.log(num_sites) - 2 * given.report["log_likelihood"]
    given.require(min(bic, key=bic.__getitem__) == chosen, f"{chosen} was chosen, but these are the values of BIC: {bic}")


def check_refusals(jobs: phylo_job.Jobs, folder: phylo_job.Folder, dna: str, mixed: pathlib.Path) -> None:
    auto = ["search", "--msa", dna]
    by_part = ["search", "--msa", str(mixed), "--partitions", f"{mixed}.part"]
    varying = folder.write("varying.phy", "4 8\na ACGTACGT\nb CGTAACGA\nc ACGGCATT\nd CATTCCGA\n")
    cases = [
        ([*auto, "--models", "HKYY"], "--models: 'HKYY' is no candidate, expected names such as HKY, LG or LG+FC, or patterns such as Q.*; the nearest is HKY"),
        ([*auto, "--models", "Q.berd,HKY"], "'Q.berd' is no candidate"),
        ([*auto, "--models", "LG4X"], "'LG4X' is no candidate"),
        ([*auto, "--models", "HKY+FO"], "'HKY+FO' is no candidate"),
        ([*auto, "--models", "HKY+G4"], "'HKY+G4' is no candidate"),
        ([*auto, "--models", "zz*"], "'zz*' is no candidate"),
        ([*auto, "--models", "HKY,,JC"], "--models: a word is empty"),
        ([*auto, "--models", "LG,mt*"], "--models LG,mt*: none of them is for DNA, which partition all has; expected some, such as HKY"),
        ([*by_part, "--models", "HKY"], "none of them is for amino acids, which partition protein has"),
        *(([*auto, "--rates", word], f"--rates: '{word}' says nothing about rates") for word in ("X", "I+R", "G1", "R17", "G{0.5}", "IC", "G+G", "E+G", "+", "I+", "FO", "ASC_LEWIS")),
        ([*auto, "--rates", "G,"], "--rates: a word is empty"),
        ([*auto, "--model", "JC", "--rates", "G"], "--rates: no model is to be chosen, expected --model auto"),
        ([*auto, "--model", "JC", "--models", "JC"], "--models: no model is to be chosen"),
        ([*auto, "--model", "auto+G4"], "model 'auto+G4' has '+G4', but what is to be chosen takes only +ASC_LEWIS"),
        ([*auto, "--model", "auto+ASC_LEWIS"], "the model corrects for sites that do not vary"),
        (["search", "--msa", varying, "--model", "auto+ASC_LEWIS", "--rates", "I,I+G"], "--rates I,I+G: partition all has +ASC_LEWIS, with which no site may be invariable"),
    ]
    for arguments, said in cases:
        refused = jobs.run(1, arguments)
        refused.require(refused.codes == [2] and said in refused.output, f"{arguments}: expected a refusal with '{said}'")
        refused.require(not list(refused.prefix.parent.glob(f"{refused.prefix.name}.*")), "expected no output")


def restricted(jobs: phylo_job.Jobs, args) -> None:
    folder = phylo_job.Folder(jobs)
    _, mixed = write_data(jobs)
    rows = evolved(2, 500)
    dna = folder.write("dna.phy", phylip(rows))
    tree = folder.write("dna.nwk", "((((a,b),c),(d,e)),((f,g),h));")
    by_hand = ["evaluate", "--msa", dna, "--tree", tree]
    for rates in ("E,I,G", "+G,I,e"):
        few = jobs.run(1, [*by_hand, "--model", "DNA", "--models", "gtr,HKY,JC", "--rates", rates])
        few.require(few.report is not None, "expected a choice among few models")
        (choice,) = few.report["model_choice"]
        check_table(few, choice, 500)
        names = {candidate["model"] for candidate in choice["candidates"]}
        few.require(names <= {scheme + suffix for scheme in ("GTR+FC", "HKY+FC", "JC") for suffix in ("", "+I", "+G4m")}, f"expected no others, found {names}")
    check_best(jobs, by_hand, choice["chosen"], ["GTR+FC", "HKY+FC", "JC"], ["", "+I", "+G4m"], 500, 8)

    # Sites that do not vary are left out, and the model knows it.
    varying = [site for site in zip(*rows.values()) if len(set(site)) > 1]
    snps = folder.write("snps.phy", phylip(dict(zip(rows, map("".join, zip(*varying))))))
    by_hand = ["evaluate", "--msa", snps, "--tree", tree]
    for model, suffix in (("auto+ASC_LEWIS", "+ASC_LEWIS"), ("MFP+ASC", "+ASC_LEWIS"), ("DNA+asc_fels{40}", "+ASC_FELS{40}")):
        corrected = jobs.run(2, [*by_hand, "--model", model, "--models", "HKY,JC", "--rates", "G,E,I,R2"])
        corrected.require(corrected.codes == [0, 0], f"expected a choice with {suffix}")
        (choice,) = corrected.report["model_choice"]
        check_table(corrected, choice, len(varying))
        corrected.require(all(candidate["model"].endswith(suffix) and "+I" not in candidate["model"] for candidate in choice["candidates"]), "expected the same correction in all")
        if suffix == "+ASC_LEWIS":
            check_best(jobs, by_hand, choice["chosen"], ["HKY+FC", "JC"], [rates + suffix for rates in ("", "+G4m", "+R2")], len(varying), 8)

    globins = pathlib.Path(args.msa).parent / "globins.phy"
    protein = jobs.run(1, ["search", "--msa", str(globins), "--models", "LG,Q.pfam,Q.b*", "--rates", "E,G"])
    protein.require(protein.codes == [0], "expected a search with a model of amino acids")
    (choice,) = protein.report["model_choice"]
    tried = {candidate["model"] for candidate in choice["candidates"]}
    protein.require("Q.bird+G4m" in tried and "LG+FC+G4m" in tried and "Q.pfam_gb+G4m" not in tried, f"expected what the pattern says, found {tried}")
    check_best(jobs, ["evaluate", "--msa", str(globins), "--tree", f"{protein.prefix}.bestTree"], choice["chosen"],
               ["LG", "LG+FC", "Q.pfam", "Q.pfam+FC", "Q.bird", "Q.bird+FC"], ["", "+G4m"], 128, 7)

    # Each partition has its own part of the candidates, and merging takes the first of them.
    parts = ["--msa", str(mixed), "--partitions", f"{mixed}.part", "--models", "K80,LG+FC", "--rates", "E,G"]
    both = jobs.run(2, ["evaluate", *parts, "--tree", tree])
    both.require(both.codes == [0, 0], "expected a choice for two partitions")
    chosen = {choice["partition"]: {candidate["model"] for candidate in choice["candidates"]} for choice in both.report["model_choice"]}
    both.require(chosen == {"dna": {"K80", "K80+G4m"}, "protein": {"LG+FC", "LG+FC+G4m"}}, f"found {chosen}")
    halves = folder.write("halves.part", "auto, left = 1-250\nAUTO, right = 251-500\n")
    merged = jobs.run(1, ["merge", "--msa", dna, "--partitions", halves, "--models", "K80,JC", "--rates", "E"])
    merged.require(merged.codes == [0] and [p["model"] for p in merged.report["partitions"]] == ["K80", "K80"], "expected K80 for merging")
    stopped = jobs.run(1, ["search", "--msa", dna, "--models", "HKY,JC", "--time-limit", "0"])
    other = jobs.run(1, ["search", "--msa", dna, "--models", "HKY"], prefix=stopped.prefix)
    other.require(stopped.codes == [75] and other.codes == [2], "expected that a checkpoint of other candidates is not continued")
    check_refusals(jobs, folder, dna, mixed)


def kills(jobs: phylo_job.Jobs, _) -> None:
    _, mixed = write_data(jobs)
    arguments = ["search", "--msa", str(mixed), "--partitions", f"{mixed}.part", "--spr-radius", "1"]
    reference = jobs.run(1, arguments)
    for ranks, plan in PLANS:
        result = jobs.with_deaths(ranks, arguments, plan)
        result.require("model choice" in result.report["failures"][0]["during"], "expected the first death during the choice")
        same(result, reference, f"{ranks} ranks, {plan}")


if __name__ == "__main__":
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("mode", choices=("found", "restricted", "kills"))
    parsed = parser.parse_args()
    sys.exit(phylo_job.main(parsed, {"found": found, "restricted": restricted, "kills": kills}[parsed.mode], needs_deaths=parsed.mode == "kills"))
