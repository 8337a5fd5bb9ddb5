#!/usr/bin/env python3
"""Profile mixtures and frequencies of sites: --pmsf, --site-frequencies.

values  posterior mean frequencies and likelihoods are what single classes and single sites give; bad files
kills   the same bytes on any number of ranks, whichever ranks die, and after all have died
"""
import math
import pathlib
import random
import sys

import phylo_job

FILES = ("sitefreq", "siteLH", "bestTree", "bestModel", "rate")


def alignment(path: str) -> dict[str, str]:
    """An interleaved PHYLIP file, in which only the first lines have names."""
    head, *lines = [line.split() for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]
    count = int(head[0])
    names = [words[0] for words in lines[:count]]
    rows = ["".join(words[1:]) for words in lines[:count]]
    for i, words in enumerate(lines[count:]):
        rows[i % count] += "".join(words)
    return dict(zip(names, rows))


def site_loglh(result: phylo_job.Result) -> list[float]:
    text = pathlib.Path(f"{result.prefix}.siteLH").read_text(encoding="utf-8")
    return [float(word) for word in text.splitlines()[1].split()[1:]]


def frequencies(result: phylo_job.Result) -> list[list[float]]:
    lines = [line.split() for line in pathlib.Path(f"{result.prefix}.sitefreq").read_text(encoding="utf-8").splitlines()]
    result.require([line[0] for line in lines] == [str(i + 1) for i in range(len(lines))], "expected the numbers of the sites")
    return [[float(word) for word in line[1:]] for line in lines]


class Case(phylo_job.Folder):
    def __init__(self, jobs: phylo_job.Jobs, protein: str):
        super().__init__(jobs)
        self.protein = protein
        self.tree = self.write("guide.nwk", "(" + ",".join(f"{name}:0.3" for name in alignment(protein)) + ");")

    def run(self, ranks: int, words: list[str], **how) -> phylo_job.Result:
        result = self.jobs.run(ranks, words, timeout=100, **how)
        result.require_survival(" ".join(words))
        return result

    def guide(self) -> str:
        """A resolved tree with lengths."""
        found = self.run(1, ["search", "--msa", self.protein, "--model", "LG+G4{0.8}", "--effort", "fast", "--starts", "pars{1}"])
        return f"{found.prefix}.bestTree"

    def loglh(self, model: str, tree: str, *more: str, msa: str = "") -> phylo_job.Result:
        return self.run(1, ["loglh", "--msa", msa or self.protein, "--model", model, "--tree", tree, "--sitelh", *more])


def profiles_alone(case: Case, tree: str) -> None:
    """Posterior means follow from the likelihoods under each class alone"""
    mixture = case.loglh("LG+C10+G4{0.8}", tree, "--pmsf", "--site-rates")
    found = frequencies(mixture)
    classes = []
    for c in range(10):
        alone = ["0"] * 10
        alone[c] = "1"
        result = case.loglh(f"LG+C10{{{'/'.join(alone)}}}+G4{{0.8}}", tree, "--pmsf")
        of_class = frequencies(result)
        same = all(abs(a - b) < 1e-12 for row in of_class for a, b in zip(row, of_class[0], strict=True))
        result.require(same, "expected the profile of the class everywhere")
        classes.append((of_class[0], site_loglh(result)))
    weights = [0.1191344178, 0.0874372456, 0.1037105070, 0.0922584809, 0.1070492801, 0.1329945166, 0.0538028458, 0.0691986212, 0.1319937434, 0.1024203429]
    for site, value in enumerate(site_loglh(mixture)):
        parts = [w * math.exp(loglh[site]) for w, (_, loglh) in zip(weights, classes)]
        mixture.require(abs(math.log(sum(parts) / sum(weights)) - value) < 1e-5, f"site {site}: {value}")
        for state in range(20):
            expected = sum(part * profile[state] for part, (profile, _) in zip(parts, classes)) / sum(parts)
            mixture.require(abs(found[site][state] - expected) < 1e-5, f"site {site}, state {state}: {found[site][state]}, expected {expected}")


def sites_alone(case: Case, tree: str) -> None:
    """Each site has the likelihood of a model with its frequencies"""
    guide = case.loglh("LG+C20+G4{0.8}+I{0.05}", tree, "--pmsf")
    table = f"{guide.prefix}.sitefreq"
    model = "LG+G4{0.8}+I{0.05}"
    whole = case.loglh(model, tree, "--site-frequencies", table)
    values = site_loglh(whole)
    draw = random.Random(1)
    for site in draw.sample(range(len(values)), 6):
        own = "/".join(map(repr, frequencies(guide)[site]))
        alone = case.loglh(f"LG+FU{{{own}}}+G4{{0.8}}+I{{0.05}}", tree)
        whole.require(abs(site_loglh(alone)[site] - values[site]) < 2e-6, f"site {site}: {values[site]}, alone {site_loglh(alone)[site]}")
    lines = pathlib.Path(table).read_text(encoding="utf-8").splitlines()
    draw.shuffle(lines)
    shuffled = case.loglh(model, tree, "--site-frequencies", case.write("shuffled.sitefreq", "\n".join(lines)))
    shuffled.require(site_loglh(shuffled) == values, "expected that the order of lines does not matter")
    plain = case.loglh(model, tree, "--site-frequencies", case.write("equal.sitefreq", "".join(f"{i + 1}{' 0.05' * 20}\n" for i in range(len(values)))))
    equal = case.loglh("LG+FE+G4{0.8}+I{0.05}", tree)
    plain.require(max(abs(a - b) for a, b in zip(site_loglh(plain), site_loglh(equal))) < 2e-6, "expected the likelihoods of equal frequencies")


def bad_files(case: Case, tree: str) -> None:
    """Bad files are told with their place"""
    sites = len(next(iter(alignment(case.protein).values())))
    good = [f"{i + 1}{' 0.05' * 20}" for i in range(sites)]
    own = ["0.06", "0.04", *["0.05"] * 18]
    rows = {name: row[:-1] + row[0] for name, row in alignment(case.protein).items()}  # the last column is the first one again
    twice = case.write("twice.phy", f"{len(rows)} {sites}\n" + "".join(f"{name} {row}\n" for name, row in rows.items()))
    for lines, expected in (
            (good[:-1], f"bad.sitefreq: has no line for site {sites}, expected one for each of {sites} sites"),
            ([*good[:2], good[0], *good[3:]], "bad.sitefreq:3:1: is the second line of site 1"),
            (["0" + good[0][1:], *good[1:]], f"bad.sitefreq:1:1: '0', expected the number of a site, from 1 to {sites}"),
            ([good[0][:-5], *good[1:]], "bad.sitefreq:1:1: has fewer than 20 frequencies"),
            ([good[0].replace("0.05", "x", 1), *good[1:]], "bad.sitefreq:1:3: 'x', expected a frequency"),
            ([good[0].replace("0.05", "0.5", 1), *good[1:]], "bad.sitefreq:1:1: gives frequencies whose sum is 1.45"),
            ([*good[:-1], f"{sites} {' '.join(own)}"], f"bad.sitefreq:{sites}:1: gives site {sites} other frequencies than site 1")):
        table = case.write("bad.sitefreq", "\n".join(lines) + "\n")
        result = case.jobs.run(1, ["loglh", "--msa", twice, "--model", "LG", "--tree", tree, "--site-frequencies", table])
        result.require(result.report is None and expected in result.output, f"expected '{expected}'")
    table = case.write("good.sitefreq", "\n".join(good) + "\n")
    for model, more, expected in (
            ("LG+F", ["--site-frequencies", table], "model 'LG+F' has frequencies"),
            ("LG+C20", ["--site-frequencies", table], "model 'LG+C20' is a mixture"),
            ("auto", ["--site-frequencies", table], "the model is to be chosen"),
            ("LG", ["--pmsf"], "model 'LG' has no profiles")):
        result = case.jobs.run(1, ["loglh", "--msa", twice, "--model", model, "--tree", tree, *more])
        result.require(result.report is None and expected in result.output, f"expected '{expected}'")


def optimised_weights(case: Case, tree: str) -> None:
    """Optimised weights are a model that can be given, and better than those published"""
    values = []
    for model in ("LG+C10+G4", "LG+C10Opt+G4", "LG+C10+F+G4"):
        result = case.run(1, ["evaluate", "--msa", case.protein, "--model", model, "--tree", tree])
        again = case.run(1, ["loglh", "--msa", case.protein, "--model", f"{result.prefix}.bestModel", "--tree", f"{result.prefix}.bestTree"])
        values.append(result.report["log_likelihood"])
        again.require(abs(again.report["log_likelihood"] - values[-1]) < 1e-6, f"{model}: {values[-1]}, from its model {again.report['log_likelihood']}")
    again.require(values[0] < values[1] < values[2], f"expected that each model is better than the one before: {values}")


def values(jobs: phylo_job.Jobs, args) -> None:
    case = Case(jobs, args.protein)
    tree = case.guide()
    for test in (profiles_alone, sites_alone, bad_files, optimised_weights):
        test(case, tree)
        print(f"{test.__name__}: as expected", flush=True)


def bytes_of(result: phylo_job.Result, extensions: tuple[str, ...]) -> list[bytes]:
    found = []
    for name in extensions:
        path = pathlib.Path(f"{result.prefix}.{name}")
        result.require(path.exists(), f"expected .{name}")
        found.append(path.read_bytes().replace(result.prefix.name.encode(), b"job"))  # the head of .rate has its name
    return found


def kills(jobs: phylo_job.Jobs, args) -> None:
    case = Case(jobs, args.protein)
    tree = case.guide()
    first = ["evaluate", "--msa", args.protein, "--model", "LG+C10+F+G4", "--tree", tree, "--pmsf", "--sitelh", "--site-rates"]
    guide = case.run(1, first)
    second = ["search", "--msa", args.protein, "--model", "LG+G4+I", "--starts", "pars{1}", "--effort", "fast", "--sitelh", "--site-rates",
              "--site-frequencies", f"{guide.prefix}.sitefreq"]
    for words, extensions, point in ((first, FILES, "model:inside"), (second, FILES[1:], "branches:inside")):
        reference = bytes_of(case.run(1, words), extensions)
        for ranks, more, plan in ((3, ["--threads", "2"], ""), (2, ["--memory", "10"], ""), (3, [], "gather_sites:inside:0:0"), (3, [], f"{point}:1:1,recover:inside:2:0")):
            result = case.run(ranks, [*words, *more], plan=plan)
            result.require(bytes_of(result, extensions) == reference, f"{ranks} ranks, {more}, '{plan}': other bytes")
            result.require(result.killed() == phylo_job.victims(plan), f"'{plan}': other deaths")
        dead = jobs.run(2, [*words, "--checkpoint-interval", "0"], plan=f"{point}:0:2,{point}:1:2", timeout=100)
        dead.require(dead.killed() == {0, 1} and dead.report is None, "expected that all die")
        again = case.run(3, words, prefix=dead.prefix)
        again.require(bytes_of(again, extensions) == reference, "went on to another result")
        print(f"{words[0]}: same bytes", flush=True)


if __name__ == "__main__":
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("--protein", required=True, help="small alignment of amino acids")
    parser.add_argument("mode", choices=["values", "kills"])
    options = parser.parse_args()
    sys.exit(phylo_job.main(options, {"values": values, "kills": kills}[options.mode], options.mode == "kills"))
