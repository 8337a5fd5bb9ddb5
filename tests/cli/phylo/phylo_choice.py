#!/usr/bin/env python3
"""--model auto: finds the model that made the data, tells the truth about it, and goes on as if it had been given.

found  what is chosen, what is told of it, what follows; any number of ranks
kills  the same bits when ranks die while models are chosen
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
    (5, "branches:inside:0:40,recover:inside:3:0,model_choice:before:1:30"),
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
    parser.add_argument("mode", choices=("found", "kills"))
    parsed = parser.parse_args()
    sys.exit(phylo_job.main(parsed, {"found": found, "kills": kills}[parsed.mode], needs_deaths=parsed.mode == "kills"))
