#!/usr/bin/env python3
"""regraft-plan loss: its probabilities are those of counting in whole numbers, its simulation fits them. plan_loss.py EXE"""
import itertools
import math
import sys
import xml.etree.ElementTree
from fractions import Fraction

import plan_cli


def mod_k_holders(ranks: int, replicas: int) -> list[set[int]]:
    k = ranks // replicas
    return [set(range(group, ranks, k)) for group in range(k)]


def shifted_holders(ranks: int, replicas: int) -> list[set[int]]:
    """The sets of holders for pairwise, and for permuted up to the order of blocks."""
    return [{(home + copy * ranks // replicas) % ranks for copy in range(replicas)} for home in range(ranks)]


def survival_by_subsets(units: int, holders: list[set[int]]) -> list[Fraction]:
    """For each number of failures: the share of all choices that leave every set a member."""
    sets = [sum(1 << unit for unit in group) for group in holders]
    alive = [0] * (units + 1)
    for failed in range(1 << units):
        alive[failed.bit_count()] += all(failed & group != group for group in sets)
    return [Fraction(count, math.comb(units, failures)) for failures, count in enumerate(alive)]


def survival_by_polynomial(units: int, sizes: list[int]) -> list[Fraction]:
    """The same for disjoint groups of these sizes that cover everything: the product of (1 + x)^size - x^size."""
    product = [1]
    for size in sizes:
        group = [math.comb(size, k) for k in range(size)]
        longer = [0] * (len(product) + size - 1)
        for i, a in enumerate(product):
            for j, b in enumerate(group):
                longer[i + j] += a * b
        product = longer
    return [Fraction(product[f] if f < len(product) else 0, math.comb(units, f)) for f in range(units + 1)]


def near(computed: float, exact: Fraction, relative: float = 1e-12) -> bool:
    return abs(Fraction(computed) - exact) <= Fraction(relative) * exact


def quantile(survival: list[Fraction], q: float) -> int:
    return next(failures for failures, alive in enumerate(survival) if 1 - alive >= Fraction(str(q)))


def check_computed(computed: dict, survival: list[Fraction]) -> None:
    units = len(survival) - 1
    for entry in computed["probabilities"]:
        exact = survival[entry["failures"]]
        assert near(entry["survival"], exact) and near(entry["loss"], 1 - exact), (entry, float(exact))
        assert entry["fraction"] == entry["failures"] / units
    assert near(computed["mean_failures"], sum(survival))
    hits = sum(alive * units / (units - failures) for failures, alive in enumerate(survival[:-1]))
    assert near(computed["mean_hits"], hits)
    assert [entry["q"] for entry in computed["quantiles"]] == [0.01, 0.1, 0.5, 0.9]
    for entry in computed["quantiles"]:
        assert entry["failures"] == quantile(survival, entry["q"]), entry
        assert entry["fraction"] == entry["failures"] / units


def check_simulated(simulated: dict, survival: list[Fraction], trials: int) -> None:
    mean = sum(survival)
    assert abs(simulated["mean_failures"] - mean) <= 4.5 * simulated["standard_error"], (simulated, float(mean))
    for entry in simulated["probabilities"]:
        exact = float(1 - survival[entry["failures"]])
        assert abs(entry["loss"] - exact) <= 4.5 * math.sqrt(exact * (1 - exact) / trials), (entry, exact)
    assert survival[simulated["fewest"]] < 1 and survival[simulated["most"] - 1] > 0


def by_replicas(plan: dict) -> dict[int, dict]:
    return {entry["replicas"]: entry for entry in plan["safety"]}


def mod_k(program: plan_cli.Program) -> None:
    """mod-k is computed exactly, even with groups of two sizes"""
    for ranks in (4, 7, 10, 50, 121, 400):
        plan = program.json("loss", "-p", str(ranks), "--failures", f"0-{ranks}", "-r", "1-4")
        assert (plan["ranks"], plan["units"], plan["unit"], plan["placement"]) == (ranks, ranks, "rank", "mod-k")
        assert [entry["replicas"] for entry in plan["safety"]] == [1, 2, 3, 4]
        for entry in plan["safety"]:
            sizes = [len(group) for group in mod_k_holders(ranks, entry["replicas"])]
            groups = [{"size": size, "count": sizes.count(size)} for size in sorted(set(sizes), reverse=True)]
            assert entry["computed"]["groups"] == groups and entry["simulated"] is None
            assert len(entry["computed"]["probabilities"]) == ranks + 1
            check_computed(entry["computed"], survival_by_polynomial(ranks, sizes))


def nodes(program: plan_cli.Program) -> None:
    """nodes of ranks fail together"""
    for ranks, size in ((24, 2), (26, 2), (27, 3), (12, 12), (40, 10)):
        plan = program.json("loss", "-p", str(ranks), "--node-size", str(size), "--failures", "1", "-r", "1-3")
        units = math.ceil(ranks / size)
        assert (plan["unit"], plan["units"], plan["node_size"]) == ("node", units, size)
        for entry in plan["safety"]:
            holders = [{rank // size for rank in group} for group in mod_k_holders(ranks, entry["replicas"])]
            assert (entry["computed"] is not None) == (ranks // entry["replicas"] % size == 0)
            if entry["computed"]:
                check_computed(entry["computed"], survival_by_subsets(units, holders))


def simulations(program: plan_cli.Program) -> None:
    """simulated values fit the true ones, for every placement"""
    trials = 5000
    for placement, ranks in itertools.product(("mod-k", "pairwise", "permuted"), (6, 11, 13)):
        plan = program.json("loss", "-p", str(ranks), "--failures", f"0-{ranks}", "--placement", placement,
                            "--simulate", str(trials), "--seed", "5")
        assert (plan["trials"], plan["seed"], plan["placement"]) == (trials, 5, placement)
        for entry in plan["safety"]:
            replicas = entry["replicas"]
            holders = mod_k_holders(ranks, replicas) if placement == "mod-k" else shifted_holders(ranks, replicas)
            survival = survival_by_subsets(ranks, holders)
            check_simulated(entry["simulated"], survival, trials)
            assert (entry["computed"] is not None) == (placement == "mod-k" or ranks % replicas == 0)
            if entry["computed"]:
                check_computed(entry["computed"], survival)
    # Each copy is on another node; where nodes are alike, that is as if nodes were ranks.
    plan = program.json("loss", "-p", "96", "--node-size", "4", "--placement", "node-aware", "--failures", "0-24",
                        "--simulate", str(trials))
    for entry in plan["safety"]:
        survival = survival_by_polynomial(24, [entry["replicas"]] * (24 // entry["replicas"]))
        check_computed(entry["computed"], survival)
        check_simulated(entry["simulated"], survival, trials)
    uneven = by_replicas(program.json("loss", "-p", "97", "--node-size", "4", "--placement", "node-aware", "--simulate", "1000"))
    for replicas, entry in uneven.items():
        assert entry["computed"] is None and entry["simulated"]["fewest"] >= replicas


def literature(program: plan_cli.Program) -> None:
    """known numbers come out"""
    largest = by_replicas(program.json("loss", "-p", "33554432", "--fraction", "0.01"))[4]["computed"]
    assert round(largest["mean_failures"], 1) == 565130.2 and round(largest["probabilities"][0]["loss"], 4) == 0.0805
    assert round(largest["quantiles"][0]["fraction"], 5) == 0.00588
    small = by_replicas(program.json("loss", "-p", "384"))[3]["computed"]
    assert round(small["mean_failures"], 5) == 68.09991 and round(small["mean_hits"], 5) == 75.93016
    assert round(by_replicas(program.json("loss", "-p", "512"))[3]["computed"]["mean_failures"], 3) == 82.852


def seeds(program: plan_cli.Program) -> None:
    """same seed, same bytes; another seed, other trials"""
    command = ["loss", "-p", "1000", "--placement", "pairwise", "--simulate", "500"]
    one, again, other = (program.run(*command, *seed, "--json", "-").out for seed in ([], ["--seed", "1"], ["--seed", "2"]))
    assert one == again != other
    assert program.text(*command) == program.text(*command)
    assert "seed" in program.text(*command)


def texts(program: plan_cli.Program) -> None:
    """the text has the numbers of the JSON, and tells what is missing"""
    text = program.text("loss", "-p", "33554432", "--fraction", "0.01,0.02", "--failures", "1000")
    for words in ("2 replicas            3 replicas            4 replicas", "565130.19 (1.684 %)", "197414 (0.5883 %)", "0.08046", "335544         1 %",
                  "1000   0.00298 %", "1 - 1.39e-05", "mean with re-hits"):
        assert words in text, f"expected '{words}' in:\n{text}"
    assert "closed form" not in text and "simulated" not in text
    lines = [line for line in text.splitlines() if "replicas" in line or "%" in line]
    assert len({len(line) for line in lines}) == 1, f"columns are not aligned:\n{text}"

    overlapping = program.text("loss", "-p", "1000", "--node-size", "24", "-r", "3")
    assert "overlap" in overlapping and "--simulate" in overlapping and "  -\n" in overlapping
    simulated = program.text("loss", "-p", "1000", "--node-size", "24", "-r", "3", "--simulate", "100")
    assert "this is simulated" in simulated and "~" in simulated and "100 trials, seed 1" in simulated
    assert "2 replicas" in program.text("loss", "-p", "2") and "3 replicas" not in program.text("loss", "-p", "2")
    assert "1 replica\n" in program.text("loss", "-p", "1")


def figures(program: plan_cli.Program) -> None:
    """a drawing that XML readers take, and the same numbers in the JSON"""
    command = ["loss", "-p", "4096", "-r", "2-6", "--simulate", "50"]
    target = program.path / "loss.svg"
    assert "mean" in program.text(*command, "--svg", str(target))
    root = xml.etree.ElementTree.fromstring(target.read_text())
    name = "{http://www.w3.org/2000/svg}"
    assert root.tag == name + "svg"
    assert len(root.findall(name + "polyline")) == len(root.findall(name + "polygon")) == len(root.findall(name + "circle")) == 5
    words = ["".join(text.itertext()) for text in root.findall(name + "text")]
    for expected in ("6 replicas", "225", "100 %", "ranks", "failed ranks when data is lost"):
        assert expected in words, f"expected '{expected}' among {words}"
    assert program.run(*command, "--svg", "-").out == target.read_text()
    assert "circle" not in program.run("loss", "-p", "4096", "--svg", "-").out

    curves = program.json(*command)["curves"]
    assert [curve["replicas"] for curve in curves] == [2, 3, 4, 5, 6]
    for curve in curves:
        assert [point["units"] for point in curve["points"]] == [2**i for i in range(8, 26)]
        parts = [point["mean_failures"] / point["units"] for point in curve["points"]]
        assert parts == sorted(parts, reverse=True), "expected that larger jobs survive a smaller part"
        assert all(point["tenth"] < point["mean_failures"] < point["nine_tenths"] for point in curve["points"])


ERRORS = [  # arguments after "loss", words of the message
    ([], "--ranks is required"),
    (["-p", "0"], "--ranks: '0', expected a whole number from 1"),
    (["-p", "67108865"], "expected a whole number from 1 to 67108864"),
    (["-p", "-5"], "--ranks: '-5'"),
    (["-p", "10", "-r", "0"], "--replicas: 0, expected 1 or more"),
    (["-p", "10", "-r", "11"], "--replicas: '11' is not a number of replicas or a range of them, expected numbers from 0 to 10"),
    (["-p", "100000", "-r", "65"], "expected numbers from 0 to 64"),
    (["-p", "10", "-r", "2,x"], "--replicas: 'x'"),
    (["-p", "10", "-r", ""], "--replicas: the value is empty"),
    (["-p", "10", "--failures", "11"], "--failures: '11' is not a number of failures"),
    (["-p", "10", "--node-size", "5", "--failures", "3"], "expected numbers from 0 to 2"),
    (["-p", "100000", "--failures", "0-5000"], "5001 numbers of failures, expected at most 1000"),
    (["-p", "10", "--fraction", "1.5"], "--fraction: '1.5', expected numbers from 0 to 1"),
    (["-p", "10", "--fraction", "-0.5"], "--fraction"),
    (["-p", "10", "--fraction", "nan"], "--fraction: 'nan'"),
    (["-p", "10", "--fraction", "0.1,"], "--fraction: ''"),
    (["-p", "10", "--fraction", "1 %"], "--fraction: '1 %'"),
    (["-p", "10", "--simulate", "0"], "--simulate: '0', expected a whole number from 1"),
    (["-p", "67108864", "-r", "5", "--simulate", "1"], "--simulate: 67108864 ranks with 5 replicas"),
    (["-p", "10", "--seed", "-1"], "--seed"),
    (["-p", "10", "--node-size", "0"], "--node-size"),
    (["-p", "10", "--placement", "random"], "--placement"),
    (["-p", "10", "--svg", ""], "--svg"),
]


def errors(program: plan_cli.Program) -> None:
    """every mistake is told"""
    for arguments, message in ERRORS:
        program.refuses("loss", *arguments, message=message)
    both = program.run("loss", "-p", "10", "--svg", "-", "--json", "-")
    both.require(both.code == 2 and "standard output is for --json already" in both.err and not both.out, "expected to be refused")


def outputs(program: plan_cli.Program) -> None:
    """JSON and SVG appear whole or not at all"""
    command = ["loss", "-p", "1000"]
    plan_cli.check_json_files(program, *command)
    plan_cli.check_standard_output(program, *command)
    plan_cli.check_usage(program, *command)
    unwritable = program.run(*command, "--svg", str(program.path))
    unwritable.require(unwritable.code == 1 and "cannot be written: Is a directory" in unwritable.err and not unwritable.out, "expected exit code 1")
    assert "MNFTI" in program.text("loss", "--help")


if __name__ == "__main__":
    sys.exit(plan_cli.main(mod_k, nodes, simulations, literature, seeds, texts, figures, errors, outputs))
