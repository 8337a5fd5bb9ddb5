#!/usr/bin/env python3
"""regraft-phylo test, and log-likelihoods and weights of sites.

values  p-values are what an independent computation from PREFIX.siteLH expects, also in degenerate cases; bad input is refused
kills   the same bytes on any number of ranks and groups, and whichever ranks die; if all die, the same command goes on
"""
import itertools
import json
import math
import pathlib
import random
import sys
from statistics import NormalDist

import phylo_choice
import phylo_job

NORMAL = NormalDist()
TRUE = "(((a,b),c),(d,e),((f,g),h));"  # as phylo_choice.evolved makes the data
NEAR = ["(((a,c),b),(d,e),((f,g),h));", "(((a,b),c),(d,e),((f,h),g));"]
FAR = "(((a,f),h),(d,c),((b,g),e));"
VALUES = ("bp", "kh", "sh", "weighted_kh", "weighted_sh", "elw", "au")
SIZES = [tenths / 10 for tenths in range(5, 15)]
PLANS = [  # ranks, groups, plan: every rank in it must die
    (2, 1, "tested:before:0:0"),
    (3, 1, "tested:inside:1:2"),
    (3, 1, "tested:after:2:0,tested:after:0:0"),
    (2, 1, "test:before:1:3"),
    (3, 1, "test:inside:0:11,test:inside:2:30"),
    (4, 1, "test:after:3:5"),
    (5, 1, "test:inside:0:4,test:before:1:9,test:after:2:40,reduce:inside:3:300"),
    (4, 1, "test:inside:1:7,recover:inside:0:0,tested:before:3:1"),
    (4, 2, "test:inside:0:3,test:before:2:8"),
    (4, 4, "test:inside:1:2,test:inside:2:5"),  # groups die out
    (5, 2, "derive:inside:4:0,tested:inside:3:3,commit:inside:0:12"),
    (3, 1, "gather_sites:before:0:0"),
    (3, 1, "gather_sites:inside:1:1,gather_sites:inside:0:1"),
    (4, 1, "gather_sites:after:3:3,output:inside:0:0"),
]


class Case(phylo_job.Folder):
    def test(self, msa: str, trees: str, *more: str, ranks: int = 1, model: str = "JC", **how) -> phylo_job.Result:
        words = ["test", "--msa", msa, *(["--model", model] if model else []), "--trees", trees, "--sitelh", *more]
        result = self.jobs.run(ranks, words, timeout=100, **how)
        result.require_survival(" ".join(words))
        return result


def sites_of(result: phylo_job.Result) -> list[list[float]]:
    """The values of PREFIX.siteLH, per tree."""
    head, *lines = pathlib.Path(f"{result.prefix}.siteLH").read_text(encoding="utf-8").splitlines()
    names = [line.split()[0] for line in lines]
    rows = [[float(word) for word in line.split()[1:]] for line in lines]
    result.require(names == [f"tree{i + 1}" for i in range(len(rows))], f"names of trees: {names}")
    result.require([int(word) for word in head.split()] == [len(rows), len(rows[0])] and len(set(map(len, rows))) == 1, f"expected as many values as '{head}' says")
    return rows


def near(result: phylo_job.Result, name: str, value: float, expected: float, tolerance: float) -> None:
    result.require(abs(value - expected) <= tolerance, f"{name}: {value}, expected {expected}, give or take {tolerance}")


def covariance(first: list[float], second: list[float]) -> float:
    """Returns the covariance of two trees' log-likelihoods in samples of all sites."""
    means = [math.fsum(row) / len(row) for row in (first, second)]
    return math.fsum((x - means[0]) * (y - means[1]) for x, y in zip(first, second))


def cholesky(rows: list[list[float]]) -> list[list[float]]:
    factor = [[0.0] * len(rows) for _ in rows]
    for i, j in itertools.product(range(len(rows)), repeat=2):
        rest = covariance(rows[i], rows[j]) - sum(factor[i][k] * factor[j][k] for k in range(min(i, j)))
        if i == j:
            factor[i][i] = math.sqrt(max(rest, 1e-9))
        elif j < i:
            factor[i][j] = rest / factor[j][j]
    return factor


def coefficients(shares: list[float]) -> tuple[float, float]:
    """d and c by weighted least squares on the quantiles of the shares."""
    usable = [(size, share) for size, share in zip(SIZES, shares) if 0.001 < share < 0.999]
    sums = [0.0] * 5
    for size, share in usable:
        z = NORMAL.inv_cdf(1 - share)
        weight = NORMAL.pdf(z) ** 2 / (share * (1 - share))
        root = math.sqrt(size)
        for i, term in enumerate((root * root, 1.0, 1 / size, root * z, z / root)):
            sums[i] += weight * term
    dd, dc, cc, dz, cz = sums
    determinant = dd * cc - dc * dc
    return (cc * dz - dc * cz) / determinant, (dd * cz - dc * dz) / determinant


def expected(rows: list[list[float]]) -> list[dict[str, float]]:
    """The values of all trees. Samples of few sites are drawn; those of many are normally distributed with the covariances of the sites."""
    few = 150
    draws = 5_000 if len(rows[0]) < few else 20_000
    columns = list(zip(*rows))
    source = random.Random(1)
    trees = range(len(rows))
    loglh = [math.fsum(row) for row in rows]
    factor = cholesky(rows)
    deviation = [[math.sqrt(max(covariance(a, a) + covariance(b, b) - 2 * covariance(a, b), 1e-9)) for b in rows] for a in rows]
    counts = [dict.fromkeys(VALUES, 0.0) for _ in rows]
    wins = [[0.0] * len(SIZES) for _ in rows]

    def draw(size: float) -> list[float]:
        """Log-likelihoods of a sample, without their means, relative to the root of the size."""
        if len(columns) < few:
            drawn = source.choices(columns, k=round(size * len(columns)))
            return [(sum(values) - size * loglh[i]) / math.sqrt(size) for i, values in enumerate(zip(*drawn))]
        normal = [source.gauss(0, 1) for _ in trees]
        return [sum(factor[i][k] * normal[k] for k in range(i + 1)) for i in trees]

    def rival(i: int, weighted: bool) -> int:
        return max((j for j in trees if j != i), key=lambda j: (loglh[j] - loglh[i]) / (deviation[i][j] if weighted else 1))

    def greatest(values: list[float], i: int) -> float:
        return max([0.0] + [(values[j] - values[i]) / deviation[i][j] for j in trees if j != i])

    for number, size in enumerate(SIZES):
        for _ in range(draws):
            noise = draw(size)
            sample = [size * loglh[i] + math.sqrt(size) * noise[i] for i in trees]
            wins[max(trees, key=lambda i: sample[i])][number] += 1 / draws
            if size != 1:
                continue
            total = math.fsum(math.exp(value - max(sample)) for value in sample)
            for i in trees:
                counts[i]["bp"] += (sample[i] == max(sample)) / draws
                counts[i]["elw"] += math.exp(sample[i] - max(sample)) / total / draws
                counts[i]["sh"] += (max(noise) - noise[i] >= max(loglh) - loglh[i]) / draws
                counts[i]["weighted_sh"] += (greatest(noise, i) >= greatest(loglh, i)) / draws
                for name, weighted in (("kh", False), ("weighted_kh", True)):
                    j = rival(i, weighted)
                    counts[i][name] += (noise[j] - noise[i] >= loglh[j] - loglh[i]) / draws
    for i in trees:
        if sum(0.001 < share < 0.999 for share in wins[i]) > 2:
            d, c = coefficients(wins[i])
            counts[i]["au"] = 1 - NORMAL.cdf(d - c)
    return counts


def compare(result: phylo_job.Result, rows: list[list[float]], tolerance: float) -> None:
    for i, (found, wanted) in enumerate(zip(result.report["tests"], expected(rows))):
        for name in VALUES:
            near(result, f"tree {i + 1}, {name}", found[name], wanted[name], tolerance)


def table_of(result: phylo_job.Result) -> list[dict[str, float]]:
    head, *lines = (line.split("\t") for line in pathlib.Path(f"{result.prefix}.test").read_text(encoding="utf-8").splitlines())
    return [dict(zip(head, map(float, line))) for line in lines]


def same_everywhere(result: phylo_job.Result) -> None:
    """The table, the report and the sites tell the same."""
    rows = sites_of(result)
    tests = result.report["tests"]
    best = max(test["log_likelihood"] for test in tests)
    names = {"log_likelihood": "log_likelihood", "difference": "difference", "wkh": "weighted_kh", "wsh": "weighted_sh", **{name: name for name in ("bp", "kh", "sh", "elw", "au", "au_error")}}
    for row, test, line in zip(rows, tests, table_of(result), strict=True):
        near(result, "sum of sites", math.fsum(row), test["log_likelihood"], 1e-7)
        near(result, "difference", test["difference"], best - test["log_likelihood"], 1e-9)
        for column, key in names.items():
            near(result, column, line[column], test[key], 1e-5 * max(1, abs(test[key])) if key != "log_likelihood" else 1e-9)
    near(result, "sum of bp", math.fsum(test["bp"] for test in tests), 1, 1e-9)
    near(result, "sum of elw", math.fsum(test["elw"] for test in tests), 1, 1e-9)
    result.require(result.report["log_likelihood"] == best, "expected the likeliest tree as the result")


def usual(case: Case) -> None:
    """Two and four trees, of which some come close"""
    rows = phylo_choice.evolved(3, 600)
    msa = case.write("usual.phy", phylo_choice.phylip(rows))
    two = case.test(msa, case.write("two.nwk", TRUE + NEAR[0]), "--samples", "20000", model="HKY+FC+G4m")
    same_everywhere(two)
    compare(two, sites_of(two), 0.02)
    # Two trees in closed form: all p-values of the worse one are the same quantile.
    sites = sites_of(two)
    worse = 0 if two.report["tests"][0]["difference"] > 0 else 1
    deviation = math.sqrt(covariance(sites[0], sites[0]) + covariance(sites[1], sites[1]) - 2 * covariance(*sites))
    for name in ("bp", "kh", "sh", "weighted_kh", "weighted_sh", "au"):
        near(two, name, two.report["tests"][worse][name], 1 - NORMAL.cdf(two.report["tests"][worse]["difference"] / deviation), 0.02)
    several = case.test(msa, case.write("several.nwk", "\n".join([TRUE, *NEAR, FAR])), model="HKY+FC+G4m")
    same_everywhere(several)
    compare(several, sites_of(several), 0.03)
    few = case.write("few.phy", phylo_choice.phylip({name: row[:80] for name, row in rows.items()}))
    noisy = case.test(few, case.write("noisy.nwk", "\n".join([*NEAR, "(((b,c),a),(d,e),((f,g),h));", TRUE])))
    same_everywhere(noisy)
    compare(noisy, sites_of(noisy), 0.05)
    result = case.test(few, f"{case.directory}/noisy.nwk", "--seed", "2")
    result.require(result.report["tests"] != noisy.report["tests"], "expected other samples with another seed")
    # One model for all trees.
    fixed = case.test(msa, f"{case.directory}/several.nwk", model=f"{several.prefix}.bestModel")
    fixed.require([partition["fitted_model"] for partition in fixed.report["partitions"]] == [partition["fitted_model"] for partition in several.report["partitions"]], "expected the given model")
    near(fixed, "best tree", fixed.report["log_likelihood"], several.report["log_likelihood"], 0.01)


def partitions(case: Case) -> None:
    """Sites are drawn from each partition: what one partition has is never drawn for another"""
    rows = phylo_choice.evolved(4, 300)
    msa = case.write("parts.phy", phylo_choice.phylip(rows))
    parts = case.write("parts.part", "JC, x = 1-300\\3, 2-300\\3\nHKY+FC, y = 3-300\\3\n")
    for linkage in ("linked", "scaled", "unlinked"):
        result = case.test(msa, case.write("parts.nwk", "\n".join([TRUE, *NEAR])), "--partitions", parts, "--brlen", linkage, model="")
        same_everywhere(result)
        found = sites_of(result)
        # Within a partition, sites vary around the mean of the partition.
        centred = [[value - (math.fsum(values) / len(values)) for value in values] for row in found for values in (row,)]
        within = []
        for row in centred:
            mean = {last: math.fsum(row[i] for i in range(300) if (i % 3 == 2) == last) / (100 if last else 200) for last in (False, True)}
            total = math.fsum(found[len(within)]) / 300
            within.append([row[i] - mean[i % 3 == 2] + total for i in range(300)])
        compare(result, within, 0.05)


def left_out(case: Case) -> None:
    """Where sites that do not vary were left out, sites share the correction"""
    rows = phylo_choice.evolved(5, 400)
    varying = [i for i in range(400) if len({row[i] for row in rows.values()}) > 1]
    msa = case.write("varying.phy", phylo_choice.phylip({name: "".join(row[i] for i in varying) for name, row in rows.items()}))
    for model in ("JC+ASC_LEWIS", "JC+ASC_FELS{200}"):
        same_everywhere(case.test(msa, case.write("asc.nwk", TRUE + NEAR[1]), ranks=2, model=model))


def degenerate(case: Case) -> None:
    """One tree, equal trees, trees that no site tells apart, few sites, many samples and one"""
    msa = case.write("small.phy", phylo_choice.phylip({name: row[:12] for name, row in phylo_choice.evolved(6, 12).items()}))
    one = case.test(msa, case.write("one.nwk", TRUE), "--samples", "100")
    same_everywhere(one)
    one.require("has one tree, and tests compare it with others" in " ".join(one.output.split()), "expected a warning")
    one.require(all(one.report["tests"][0][name] == 1 for name in VALUES), f"one tree: {one.report['tests']}")
    twins = case.test(msa, case.write("twins.nwk", "((a,b),((f,g),h),(c,(d,e)));" + NEAR[0] + "(((b,a):.3,c),((f,g),h):1,(d,e));" + TRUE), "--samples", "1000")
    same_everywhere(twins)
    first, _, third, fourth = twins.report["tests"]
    twins.require(third == fourth and first != third, "expected equal results of equal trees")
    told = [warning for warning in twins.report["warnings"] if "has the topology of tree" in warning]
    twins.require(len(told) == 1 and "twins.nwk: tree 4 has the topology of tree 3" in told[0], f"warnings: {told}")
    # No site tells how a, b and c, which are equal, are related: all these trees are as good.
    same = {name: "ACGTTGCA" if name in "abc" else row[:8] for name, row in phylo_choice.evolved(7, 8).items()}
    alike = case.test(case.write("alike.phy", phylo_choice.phylip(same)), case.write("alike.nwk", TRUE + NEAR[0] + "(((b,c),a),(d,e),((f,g),h));"), "--samples", "500")
    same_everywhere(alike)
    for test in alike.report["tests"]:
        near(alike, "bp", test["bp"], 1 / 3, 0.001)
        near(alike, "elw", test["elw"], 1 / 3, 0.01)
        alike.require(all(test[name] == 1 for name in ("kh", "sh", "weighted_kh", "weighted_sh", "au")), f"expected that none is rejected: {test}")
    single = case.test(case.write("single.phy", "4 1\na A\nb A\nc C\nd C\n"), case.write("single.nwk", "((a,b),(c,d));((a,c),(b,d));"), "--samples", "1")
    same_everywhere(single)
    single.require([test["au"] for test in single.report["tests"]] == [1, 0], f"one site, one sample: {single.report['tests']}")


def sites(case: Case) -> None:
    """Sites are written in the order of the alignment, also by evaluate, loglh and search"""
    rows = phylo_choice.evolved(8, 90)
    forth, back = (case.write(f"{name}.phy", phylo_choice.phylip({taxon: row[::step] for taxon, row in rows.items()})) for name, step in (("forth", 1), ("back", -1)))
    parts = case.write("sites.part", "GTR+FC+G4m, x = 1-90\\2\nJC, y = 2-90\\2\n")
    tree = case.write("sites.nwk", TRUE)
    for command, more in (("evaluate", ["--model", "JC+G"]), ("loglh", ["--model", "JC+R3"]), ("evaluate", ["--partitions", parts])):
        results = [case.jobs.run(ranks, [command, "--msa", msa, "--tree", tree, "--sitelh", *more]) for ranks, msa in ((1, forth), (3, back))]
        values = [sites_of(result)[0] for result in results]
        near(results[0], "sum", math.fsum(values[0]), results[0].report["log_likelihood"], 1e-8)
        if "--model" in more:
            results[1].require(values[0] == values[1][::-1], f"{command} {more}: expected the reverse of a reversed alignment")
        for i, j in itertools.combinations(range(0, 90, 2), 2):
            if all(row[i] == row[j] for row in rows.values()):
                results[0].require(values[0][i] == values[0][j], f"expected equal values of equal sites {i} and {j}")
    found = case.jobs.run(2, ["--sitelh", "--msa", forth, "--model", "JC", "--tree", tree])
    searched = case.jobs.run(1, ["search", "--msa", forth, "--model", "JC", "--sitelh", "--seed", "3"])
    for result in (found, searched):
        near(result, "sum", math.fsum(sites_of(result)[0]), result.report["log_likelihood"], 1e-8)
    plain = case.jobs.run(1, ["evaluate", "--msa", forth, "--model", "JC", "--tree", tree, "--redo"], prefix=found.prefix)
    plain.require(not pathlib.Path(f"{found.prefix}.siteLH").exists(), "expected that no file of an earlier job remains")


def refusals(case: Case) -> None:
    msa = case.write("good.phy", phylo_choice.phylip(phylo_choice.evolved(9, 20)))
    for name, text, says in (("missing.nwk", TRUE + "\n(((a,b),c),(d,e),(f,g));", "missing.nwk:2:1: "), ("unknown.nwk", TRUE + "\n" + TRUE.replace("g", "x"), "unknown.nwk:2:"),
                             ("cut.nwk", TRUE + "\n(((a,b),c),(d", "cut.nwk:2:"), ("empty.nwk", "", "empty.nwk")):
        for ranks in (1, 2):
            result = case.jobs.run(ranks, ["test", "--msa", msa, "--model", "JC", "--trees", case.write(name, text)])
            result.require(result.codes == [2] * ranks and says in result.output, f"{name}: expected exit code 2 and '{says}'")
            result.require(not list(result.prefix.parent.glob(f"{result.prefix.name}.*")), f"{name}: expected no output")
    for words, says in (([], "--trees is required"), (["--trees", "x", "--samples", "0"], "--samples"), (["--trees", "x", "--samples", "many"], "--samples")):
        result = case.jobs.run(1, ["test", "--msa", msa, "--model", "JC", *words])
        result.require(result.codes == [2] and says in result.output, f"{words}: expected '{says}'")


def numbers_of(result: phylo_job.Result) -> list:
    """All results."""
    keys = ("partitions", "sites", "patterns", "tests", "supports", "model_choice", "ultrafast_bootstrap")
    return [result.bits()[:2], *(result.report.get(key) for key in keys)]


def weights(case: Case) -> None:
    """A weight does what repeated columns do: same bits of all results. A weight of 0 leaves a column out"""
    source = random.Random(10)
    rows = phylo_choice.evolved(10, 60)
    msa = case.write("weights.phy", phylo_choice.phylip(rows))
    tree, trees = case.write("weights.nwk", TRUE), case.write("weighed.nwk", TRUE + NEAR[0] + NEAR[1])
    for name, least in (("some", 1), ("zero", 0)):
        numbers = [source.choice((least, 1, 2, 7)) for _ in range(60)]
        file = case.write(f"{name}.weights", "".join(str(number) + source.choice((" ", "\n", "\t", "\r\n")) for number in numbers))
        repeated = {taxon: "".join(cell * number for cell, number in zip(row, numbers)) for taxon, row in rows.items()}
        expanded = case.write(f"{name}.phy", phylo_choice.phylip(repeated))
        parts = [case.write(f"{name}{i}.part", f"HKY+FC+I, x = 1-{cut}\nJC+G, y = {cut + 1}-{end}\n") for i, (cut, end) in enumerate(((25, 60), (sum(numbers[:25]), sum(numbers))))]
        jobs = [(["evaluate", "--tree", tree, "--model", "GTR+FC+I+G4m"],) * 2, tuple(["loglh", "--tree", tree, "--partitions", part] for part in parts)]
        jobs += [(["search", "--model", "HKY+FC+G", "--bs-trees", "3", "--alrt", "50", "--starts", "pars{1}"],) * 2, (["test", "--trees", trees, "--model", "JC", "--samples", "500"],) * 2]
        jobs.append((["evaluate", "--tree", tree, "--model", "auto"],) * 2)
        for number, (words, plain) in enumerate(jobs):
            found = case.jobs.run(1 + number % 3, [*words, "--msa", msa, "--site-weights", file, "--sitelh"])
            wanted = case.jobs.run(1, [*plain, "--msa", expanded])
            found.require(found.report is not None and wanted.report is not None, f"{words}: expected results")
            found.require(numbers_of(found) == numbers_of(wanted), f"{words}: expected the bits of repeated columns")
            values = sites_of(found)
            near(found, "weighted sum", math.fsum(value * number for value, number in zip(values[0], numbers)), (found.report.get("tests") or [found.report])[0]["log_likelihood"], 1e-7)
    huge = case.jobs.run(1, ["loglh", "--tree", tree, "--model", "JC", "--msa", msa, "--site-weights", case.write("huge.weights", "71000000 " * 60)])
    once = case.jobs.run(1, ["loglh", "--tree", tree, "--model", "JC", "--msa", msa])
    near(huge, "large weights", huge.report["log_likelihood"] / 71e6, once.report["log_likelihood"], 1e-6)


def findings_of(result: phylo_job.Result, report: pathlib.Path) -> list:
    """What check has found, without the numbers and places of sites, which repeated columns change."""
    found = json.loads(report.read_text(encoding="utf-8"))
    texts = [(one["severity"], one["check"], "" if one["check"] in ("gap-sites", "ascertainment") else one["text"]) for one in found["findings"]]
    counts = [found[key] for key in ("taxa", "sites", "can_be_searched", "partitions", "same_sequences", "taxa_without_data")]
    return [result.codes, texts, counts]


def any_weights(case: Case) -> None:
    """Random weights do what repeated columns do, also to what is checked: sites and taxa without data, equal rows, constant sites, +ASC"""
    tree = case.write("any.nwk", TRUE)
    for seed in range(6):
        source = random.Random(seed)
        rows = {taxon: "".join(source.choice("-N?") if source.random() < 0.1 else cell for cell in row) for taxon, row in phylo_choice.evolved(seed, 50).items()}
        names = sorted(rows)
        rows = {taxon: row + "".join("A--"[i % 3] for i in range(12)) for taxon, row in rows.items()}  # constant sites, and some of gaps alone
        numbers = [source.choice((0, 1, 2, 3)) for _ in range(62)]
        if seed % 2 == 0:  # data of one taxon are left out, two become equal, and only sites that vary are left
            numbers[40:] = [0] * 22
            rows[names[0]] = "-" * 40 + rows[names[0]][40:]
            rows[names[1]] = rows[names[2]][:40] + rows[names[1]][40:]
            for site in range(40):
                if len({row[site] for row in rows.values()} - set("-N?")) < 2:
                    numbers[site] = 0
        msa, file = case.write(f"any{seed}.phy", phylo_choice.phylip(rows)), case.write(f"any{seed}.weights", " ".join(map(str, numbers)))
        expanded = case.write(f"all{seed}.phy", phylo_choice.phylip({taxon: "".join(cell * number for cell, number in zip(row, numbers)) for taxon, row in rows.items()}))
        model = "GTR+FC+G4m+ASC_LEWIS" if seed % 2 == 0 else "GTR+FC+I+G4m"
        for words in (["--model", model], []):
            reports = [case.directory / f"any{seed}.{len(words)}.{i}.json" for i in range(2)]
            found = case.jobs.run(1, ["check", "--msa", msa, "--site-weights", file, "--json", str(reports[0]), *words])
            wanted = case.jobs.run(1, ["check", "--msa", expanded, "--json", str(reports[1]), *words])
            found.require(findings_of(found, reports[0]) == findings_of(wanted, reports[1]), f"seed {seed}: expected the findings of repeated columns:\n{wanted.output}")
        for words in (["evaluate", "--tree", tree, "--model", model], ["search", "--model", model, "--bs-trees", "2", "--ufboot", "1000", "--starts", "pars{1},rand{1}"], ["evaluate", "--tree", tree, "--model", "auto", "--criterion", "aicc"]):
            found, wanted = case.jobs.run(1 + seed % 2, [*words, "--msa", msa, "--site-weights", file]), case.jobs.run(1, [*words, "--msa", expanded])
            found.require(found.report is not None and wanted.report is not None, f"seed {seed}, {words}: expected results")
            found.require(numbers_of(found) == numbers_of(wanted), f"seed {seed}, {words}: expected the bits of repeated columns")
            if seed % 2 == 0:
                found.require(f"without data, only gaps, which may stand anywhere in the tree: '{names[0]}'" in found.output, "expected a warning of a taxon without data")
    refused = case.jobs.run(1, ["check", "--msa", msa, "--site-weights", file, "--model", "JC+ASC_LEWIS"])
    refused.require(refused.codes == [2] and "the model corrects for sites that do not vary" in refused.output, "expected that constant sites with a weight are refused")


def weighted_partitions(case: Case) -> None:
    """Weights do what repeated columns do in all numbers of genes and merge, and where partitions are scaled by their lengths"""
    source = random.Random(4)
    rows, tree = phylo_choice.evolved(4, 240), case.write("weighted.nwk", TRUE)
    numbers = [source.choice((0, 1, 1, 2, 3)) for _ in range(240)]
    file, msa = case.write("partitions.weights", " ".join(map(str, numbers))), case.write("weighted.phy", phylo_choice.phylip(rows))
    expanded = case.write("repeated.phy", phylo_choice.phylip({taxon: "".join(cell * number for cell, number in zip(row, numbers)) for taxon, row in rows.items()}))
    ends = [0, 60, 120, 180, 240]
    schemes = []
    for cuts in (ends, [sum(numbers[:end]) for end in ends]):
        ranges = [f"{first + 1}-{last}" for first, last in itertools.pairwise(cuts)]
        scaled = "#nexus\nbegin sets;\n" + "".join(f"charset p{i} = {part};\n" for i, part in enumerate(ranges)) + "charpartition x = " + ", ".join(f"HKY+F:p{i}{{{i + 1}}}" for i in range(4)) + ";\nend;\n"
        texts = {"genes": "GTR+FC+G4m", "merge": "auto", "loglh": ""}
        schemes.append({command: case.write(f"{command}{cuts[1]}.part", "".join(f"{model}, p{i} = {part}\n" for i, part in enumerate(ranges)) if model else scaled) for command, model in texts.items()})
    for command, more in (("genes", []), ("merge", []), ("loglh", ["--tree", tree])):
        found = case.jobs.run(1, [command, *more, "--msa", msa, "--partitions", schemes[0][command], "--site-weights", file])
        wanted = case.jobs.run(1, [command, *more, "--msa", expanded, "--partitions", schemes[1][command]])
        found.require(found.report is not None and wanted.report is not None, f"{command}: expected results")
        keys = set(found.report) - {"job", "msa", "seconds", "checkpoints"}
        differing = [key for key in sorted(keys) if found.report[key] != wanted.report.get(key)]
        found.require(not differing, f"{command}: expected the numbers of repeated columns, also in {differing}")


def constant_sites(case: Case) -> None:
    """--constant-sites does what appended columns do, also with weights; results of single sites are those of the alignment"""
    rows = phylo_choice.evolved(7, 150)
    kept = [i for i in range(150) if len({row[i] for row in rows.values()}) > 1]
    rows = {taxon: "".join(row[i] for i in kept) for taxon, row in rows.items()}
    msa, tree = case.write("variable.phy", phylo_choice.phylip(rows)), case.write("variable.nwk", TRUE)
    weights_file = case.write("variable.weights", " ".join(str(i % 3) for i in range(len(kept))))
    for counts, weighted in (((60, 31, 40, 55), False), ((7, 0, 1, 0), True), ((0, 0, 0, 0), False)):
        option = ["--constant-sites", ",".join(map(str, counts))]
        words = [*option, "--site-weights", weights_file] if weighted else option
        constant = "".join(base * count for base, count in zip("ACGT", counts))
        expanded = {taxon: "".join(cell * (i % 3 if weighted else 1) for i, cell in enumerate(row)) + constant for taxon, row in rows.items()}
        appended = case.write("appended.phy", phylo_choice.phylip(expanded))
        reports = [case.directory / f"constant{weighted}{counts[0]}.{i}.json" for i in range(2)]
        found, wanted = (case.jobs.run(1, ["check", "--msa", *more, "--json", str(report)]) for more, report in zip(([msa, *words], [appended]), reports))
        found.require(findings_of(found, reports[0]) == findings_of(wanted, reports[1]), f"{counts}: expected the findings of appended columns")
        says = "all sites vary; if constant ones were left out, as from lists of SNPs, branches come out too"
        found.require((says in found.output) == (sum(counts) == 0), f"{counts}: expected the warning without constant sites, and only there")
        for ranks, job in enumerate((["evaluate", "--tree", tree, "--model", "GTR+FC+I+G4m"], ["evaluate", "--tree", tree, "--model", "auto"], ["search", "--model", "HKY+FC+G", "--bs-trees", "2", "--ufboot", "1000"]), 1):
            found, wanted = case.jobs.run(ranks, [*job, "--msa", msa, *words, "--sitelh"]), case.jobs.run(1, [*job, "--msa", appended])
            found.require(found.report is not None and wanted.report is not None, f"{counts}, {job}: expected results")
            found.require(numbers_of(found) == numbers_of(wanted), f"{counts}, {job}: expected the bits of appended columns")
            found.require(len(sites_of(found)[0]) == len(kept), f"{counts}: expected values of the sites of the alignment")
    two = case.write("two.part", f"JC, x = 1-10\nJC, y = 11-{len(kept)}\n")
    protein = case.write("protein.phy", "4 4\na MKLV\nb MELV\nc MKLI\nd MEFI\n")
    weights_file = case.write("large.weights", "4294967295" + " 0" * (len(kept) - 1))
    says = "'{}', expected four whole numbers with commas"
    for words, message in ((["1,2,3"], says.format("1,2,3")), (["1,2,3,4,5"], says.format("1,2,3,4,5")), (["1,2,3,"], says.format("1,2,3,")), (["1,2,3,-4"], says.format("1,2,3,-4")), (["1,2,3,4294967296"], "4294967296', expected"),
                           (["1,2,3,4", "--partitions", two], "--constant-sites: there are 2 partitions"), (["1,1,1,1", "--site-weights", weights_file], "there are more than 4294967295"),
                           (["1,2,3,4", "--model", "JC+ASC_LEWIS"], "--constant-sites: model 'JC+ASC_LEWIS' corrects for the same sites"), (["1,2,3,4", "--reduced", "x"], "has other sites than --constant-sites")):
        result = case.jobs.run(2, ["check", "--msa", msa, "--constant-sites", *words])
        result.require(result.codes == [2, 2] and message in result.output, f"{words}: expected '{message}'")
    for model, message in (([], "model 'LG+G4m' is for amino-acid data; expected a model of DNA"), (["--model", "auto"], "but these look like amino-acid data")):
        result = case.jobs.run(1, ["check", "--msa", protein, "--constant-sites", "1,2,3,4", *model])
        result.require(result.codes == [2] and message in result.output, f"{model}: expected '{message}'")


def refused_weights(case: Case) -> None:
    """Each error of a file of weights is told with its place"""
    msa = case.write("refused.phy", phylo_choice.phylip(phylo_choice.evolved(10, 60)))
    tree = case.write("refused.nwk", TRUE)
    halves = case.write("halves.part", "JC, x = 1-30\nJC, y = 31-60\n")
    for text, says, more in (("1 " * 59, "x.weights:1:119: has fewer than 60 weights", []), ("1\n" * 61, "x.weights:61:1: has more than 60 weights", []),
                             ("1 1\n1 -2" + " 1" * 56, "x.weights:2:3: '-2', expected the weight of a site", []), ("1 " * 59 + "1.5", "x.weights:1:119: '1.5', expected", []),
                             ("4294967295 " * 60, "x.weights:1:12: weights add up to more than 4294967295", []), ("", "x.weights:1:1: has fewer", []),
                             ("1 " * 30 + "0 " * 30, "x.weights: all sites of partition y have weight 0", ["--partitions", halves])):
        file = case.write("x.weights", text)
        for command in (["check"], ["loglh", "--tree", tree]):
            result = case.jobs.run(2, [*command, "--msa", msa, "--site-weights", file, *(more or ["--model", "JC"])])
            result.require(result.codes == [2, 2] and says in result.output, f"{command}, {text[:20]}: expected '{says}'")
    result = case.jobs.run(1, ["loglh", "--tree", tree, "--msa", msa, "--model", "JC", "--site-weights", f"{case.directory}/none.weights"])
    result.require(result.codes == [2] and "none.weights: cannot be" in result.output, "expected that a missing file is told")


def values(jobs: phylo_job.Jobs, _) -> None:
    case = Case(jobs)
    for test in (usual, partitions, left_out, degenerate, sites, weights, any_weights, weighted_partitions, constant_sites, refused_weights, refusals):
        test(case)
        print(f"{test.__name__}: as expected", flush=True)


def bytes_of(result: phylo_job.Result) -> list:
    files = [pathlib.Path(f"{result.prefix}.{name}").read_bytes() for name in ("test", "siteLH", "mlTrees", "bestTree", "bestModel")]
    return [*result.bits(), result.report["tests"], *files]


def kills(jobs: phylo_job.Jobs, args) -> None:
    case = Case(jobs)
    trees = case.write("trees.nwk", "\n".join([TRUE, *NEAR, FAR]))
    msa = case.write("msa.phy", phylo_choice.phylip(phylo_choice.evolved(3, 200)))
    more = ["--samples", "1000"]
    reference = case.test(msa, trees, *more, model="HKY+G4m")
    for ranks, groups in ((2, 1), (3, 3), (4, 2), (5, 1), (5, 5)):
        result = case.test(msa, trees, *more, "--groups", str(groups), "--threads", str(ranks), ranks=ranks, model="HKY+G4m")
        result.require(bytes_of(result) == bytes_of(reference), f"{ranks} ranks, {groups} groups: other bytes")
    for ranks, groups, plan in PLANS:
        name = f"{ranks} ranks, {groups} groups, {plan}"
        result = case.test(msa, trees, *more, "--groups", str(groups), ranks=ranks, model="HKY+G4m", plan=plan)
        victims = phylo_job.victims(plan)
        result.require(result.killed() == victims, f"{name}: expected the deaths of {sorted(victims)}")
        result.require(bytes_of(result) == bytes_of(reference), f"{name}: other bytes")
        print(f"{name}: same bytes, {len(victims)} died", flush=True)
    # What no survivor holds is read again with its weights.
    words = ["evaluate", "--msa", msa, "--model", "HKY+G4m", "--tree", case.write("one.nwk", TRUE), "--site-weights", case.write("weights", "3 0 1 5 " * 50)]
    undisturbed, lost = jobs.run(1, words), jobs.run(3, [*words, "--replicas", "1"], plan="model:inside:1:0")
    lost.require(lost.killed() == {1} and lost.report["failures"][0]["blocks_reread"] > 0, "expected that lost sites are read again")
    lost.require(lost.bits() == undisturbed.bits(), "weights: other bits after a death")
    for point, occurrence in (("tested:inside", 2), ("test:inside", 17), ("gather_sites:inside", 1)):
        plan = ",".join(f"{point}:{rank}:{occurrence}" for rank in (0, 1))
        killed = jobs.run(2, ["test", "--msa", msa, "--model", "HKY+G4m", "--trees", trees, "--sitelh", *more, "--checkpoint-interval", "0"], plan=plan)
        killed.require(killed.killed() == {0, 1} and killed.report is None, f"{plan}: expected that all die")
        again = case.test(msa, trees, *more, ranks=3, model="HKY+G4m", prefix=killed.prefix)
        again.require("resumed from" in again.output and bytes_of(again) == bytes_of(reference), f"{plan}: another result")
        print(f"{plan}: went on, same bytes", flush=True)


if __name__ == "__main__":
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("mode", choices=["values", "kills"])
    options = parser.parse_args()
    sys.exit(phylo_job.main(options, {"values": values, "kills": kills}[options.mode], options.mode == "kills"))
