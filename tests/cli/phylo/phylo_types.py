#!/usr/bin/env python3
"""Binary and multistate data, and corrections for sites that were left out: likelihoods are compared with pruning in Python, and
searches end with the same bits on any number of ranks."""
import math
import pathlib
import random
import sys

import phylo_job

SYMBOLS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,/:;<=>@[\\]^_{|}~"
TREE = "((a:0.1,b:0.25):0.05,(c:0.3,d:0.02):0.4,e:0.15);"
TAXA = "abcde"


def evolved(taxa: int, sites: int, states: int, seed: int) -> list[list[int]]:
    """Rows of states, of taxa that split off from each other and changed after that."""
    draw = random.Random(seed)
    rows = [[draw.randrange(states) for _ in range(sites)]]
    while len(rows) < taxa:
        parent = draw.randrange(len(rows))
        rows.append(rows[parent])
        for i in (parent, -1):
            rows[i] = [draw.randrange(states) if draw.random() < 0.12 else state for state in rows[i]]
    return rows


def spelt(rows: list[list[int]], seed: int, symbols: str = SYMBOLS) -> list[str]:
    """The rows in symbols, some in lower case, some cells without data."""
    draw = random.Random(seed)
    def cell(state: int) -> str:
        kind = draw.random()
        return draw.choice("-?.") if kind < 0.03 else symbols[state].lower() if kind < 0.3 else symbols[state]
    return ["".join(map(cell, row)) for row in rows]


def varying(rows: list[str]) -> list[str]:
    """The rows without columns that may show one state."""
    columns = [column for column in zip(*rows) if len(set("".join(column).upper()) - set("-?.")) > 1]
    return ["".join(row) for row in zip(*columns)]


def phylip(rows: list[str], names: str | None = None) -> str:
    names = names or [f"t{i}" for i in range(len(rows))]
    return f"{len(rows)} {len(rows[0])}\n" + "".join(f"{name} {row}\n" for name, row in zip(names, rows))


def column_likelihood(column: str, states: int) -> float:
    """The likelihood on TREE if all changes are equally likely (Lewis 2001)."""
    def along(below: list[float], length: float) -> list[float]:
        decay = math.exp(-length * states / (states - 1))
        return [decay * x + (1 - decay) * sum(below) / states for x in below]

    def tip(taxon: str) -> list[float]:
        symbol = column[TAXA.index(taxon)].upper()
        return [1.0 if symbol in "-?." or symbol == SYMBOLS[s] else 0.0 for s in range(states)]

    def joined(*branches: tuple[list[float], float]) -> list[float]:
        return [math.prod(values) for values in zip(*(along(below, length) for below, length in branches))]

    left = joined((tip("a"), 0.1), (tip("b"), 0.25))
    right = joined((tip("c"), 0.3), (tip("d"), 0.02))
    return sum(joined((left, 0.05), (right, 0.4), (tip("e"), 0.15))) / states


def likelihoods(jobs: phylo_job.Jobs, _) -> None:
    directory = pathlib.Path(jobs.directory.name)
    tree = directory / "five.nwk"
    tree.write_text(TREE, encoding="utf-8")
    for states, model in ((2, "BIN+FE"), (2, "MULTI2_MK"), (5, "MULTI5_MK"), (36, "MULTI36_JC"), (64, "MULTI64_MK")):
        rows = varying(spelt(evolved(5, 150, states, states), states))
        alignment = directory / "five.phy"
        alignment.write_text(phylip(rows, TAXA), encoding="utf-8")
        data = sum(math.log(column_likelihood("".join(column), states)) for column in zip(*rows))
        constant = [column_likelihood(SYMBOLS[s] * 5, states) for s in range(states)]
        numbers = [s * 7 % 5 for s in range(states)]
        expected = {
            "": data,
            "+ASC_LEWIS": data - len(rows[0]) * math.log1p(-sum(constant)),
            "+ASC_FELS{40}": data + 40 * math.log(sum(constant)),
            f"+ASC_STAM{{{'/'.join(map(str, numbers))}}}": data + sum(n * math.log(x) for n, x in zip(numbers, constant)),
        }
        for ranks, (correction, value) in enumerate(expected.items(), 1):
            result = jobs.run(ranks, ["loglh", "--msa", str(alignment), "--tree", str(tree), "--model", model + correction])
            result.require(result.codes == [0] * ranks, model + correction)
            found = result.report["log_likelihood"]
            result.require(abs(found - value) < 1e-9 * abs(value), f"{model}{correction}: {found}, expected {value}")
            print(f"{model}{correction}: {found}")


def write_partitioned(directory: pathlib.Path) -> list[str]:
    """DNA, binary and multistate data of nine taxa, and the options that name them."""
    parts = [spelt(evolved(9, 200, 4, 1), 1, "ACGT"), varying(spelt(evolved(9, 150, 2, 2), 2)), varying(spelt(evolved(9, 100, 6, 3), 3))]
    alignment, partitions = directory / "types.phy", directory / "types.part"
    alignment.write_text(phylip(["".join(row) for row in zip(*parts)]), encoding="utf-8")
    ends = [sum(len(part[0]) for part in parts[: i + 1]) for i in range(3)]
    partitions.write_text(f"HKY+FC+G4m, dna = 1-{ends[0]}\nBIN+FO+ASC_LEWIS, bin = {ends[0] + 1}-{ends[1]}\n"
                          f"MULTI6_GTR+FC+G2m+ASC_FELS{{30}}, multi = {ends[1] + 1}-{ends[2]}\n", encoding="utf-8")
    return ["--msa", str(alignment), "--partitions", str(partitions)]


def searches(jobs: phylo_job.Jobs, _) -> None:
    directory = pathlib.Path(jobs.directory.name)
    files = write_partitioned(directory)
    command = ["search", *files, "--spr-radius", "2"]
    reference = jobs.run(1, command)
    reference.require(reference.codes == [0], "search")
    for ranks in (2, 5):
        result = jobs.run(ranks, command)
        result.require(result.bits() == reference.bits(), f"{ranks} ranks: another result")
    again = jobs.run(3, ["loglh", "--msa", files[1], "--model", f"{reference.prefix}.bestModel", "--tree", f"{reference.prefix}.bestTree"])
    again.require(again.report["log_likelihood"] == reference.report["log_likelihood"], "expected the same likelihood of the written model")


def scalers(jobs: phylo_job.Jobs, args) -> None:
    """A given scaler is kept; that of the other partition is free."""
    partitions = pathlib.Path(jobs.directory.name, "scaled.part")
    partitions.write_text("JC+B{2.5}, a = 1-400\nJC, b = 401-898\n", encoding="utf-8")
    found = jobs.run(2, ["search", "--msa", args.msa, "--partitions", str(partitions), "--spr-radius", "1"])
    found.require(found.codes == [0, 0], "search")
    models = pathlib.Path(f"{found.prefix}.bestModel").read_text(encoding="utf-8").splitlines()
    found.require("+BU{2.5}," in models[0] and "+BU{" in models[1] and "+BU{1}" not in models[1], f"{models}")


def checks(jobs: phylo_job.Jobs, _) -> None:
    directory = pathlib.Path(jobs.directory.name)
    rows = spelt(evolved(6, 60, 2, 9), 9)
    constant = next(i for i, column in enumerate(zip(*rows)) if len(set(column) - set("-?.")) < 2)
    alignment = directory / "bin.phy"
    alignment.write_text(phylip(rows), encoding="utf-8")
    guessed = jobs.run(1, ["check", "--msa", str(alignment)])
    guessed.require(guessed.codes == [0] and "BIN+FC+G4m fits" in guessed.output, "expected a model of binary data")
    for command in ("check", "search"):
        refused = jobs.run(2, [command, "--msa", str(alignment), "--model", "BIN+ASC_LEWIS"])
        refused.require(refused.codes == [2, 2], "expected that sites that do not vary are refused")
        refused.require(f"bin.phy:2:{constant + 4}: the model corrects for sites" in " ".join(refused.output.split()), "expected the first site")
        refused.require(f"the first is site {constant + 1}" in " ".join(refused.output.split()), "expected its number")
    alignment.write_text(phylip(varying(rows)), encoding="utf-8")
    accepted = jobs.run(2, ["check", "--msa", str(alignment), "--model", "BIN+ASC_LEWIS"])
    accepted.require(accepted.codes == [0, 0], "expected that others are accepted")
    alignment.write_text(phylip(spelt(evolved(6, 60, 7, 9), 9)), encoding="utf-8")
    guessed = jobs.run(1, ["check", "--msa", str(alignment)])
    guessed.require("MULTI7_MK+G4m fits" in guessed.output, "expected a model of seven states")


def all_cases(jobs: phylo_job.Jobs, args) -> None:
    likelihoods(jobs, args)
    searches(jobs, args)
    scalers(jobs, args)
    checks(jobs, args)


if __name__ == "__main__":
    sys.exit(phylo_job.main(phylo_job.arguments(__doc__).parse_args(), all_cases, needs_deaths=False))
