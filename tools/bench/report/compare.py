#!/usr/bin/env python3
"""compare.py OLD NEW: compares results of benchmarks, by how the time of each has changed: NEW / OLD, so that 2 is twice as slow.

OLD and NEW are folders of results, or single files. A change is named only if noise does not explain it: the repetitions of the one (10th
to 90th percentile) must all be on one side of those of the other, and the medians must differ by at least --least percent. A benchmark with
one repetition is compared and never named. The spread within one run does not show what differs from run to run, such as other programs on
the machine: `./run bench --compare-build DIR` runs two builds by turns, and then the medians of all turns must be on one side.
"""
import argparse
import math
import pathlib
import re
import statistics
import sys
from dataclasses import dataclass, field

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from results import SECONDS, Broken, in_words, lines

LEAST = 3.0  # percent
EXACT = ("b", "rounds", "bytes", "bytes_with_names", "bits_per_cell")  # counters that no noise changes
LISTED = 40  # rows of the table


@dataclass
class Sample:
    """The times of one benchmark, in seconds."""

    median: float
    low: float
    high: float
    judged: bool  # whether low and high come from more than one repetition
    counters: dict = field(default_factory=dict)


@dataclass
class Change:
    benchmark: str
    name: str
    old: Sample
    new: Sample
    ratio: float
    low: float
    high: float
    is_real: bool  # noise does not explain it

    @property
    def verdict(self) -> str:
        return "" if not self.is_real else "slower" if self.ratio > 1 else "faster"


def plain_name(name: str) -> str:
    """The name without what says how often something was measured."""
    return re.sub(r"/(iterations|repetition):\d+|/(manual|real|process)_time", "", name)


def files(place: pathlib.Path) -> dict[str, pathlib.Path]:
    """Results by the names of benchmarks."""
    found = {file.stem: file for file in sorted(place.glob("*.json"))} if place.is_dir() else {place.stem: place}
    if not found or not all(file.is_file() for file in found.values()):
        raise Broken(f"{place}: no results of benchmarks (NAME.json) are there")
    return found


def sample(runs: list[dict]) -> Sample:
    """runs: all lines of the same name, such as those of jobs that each have a line."""
    counters = {key: runs[0][key] for key in EXACT if key in runs[0] and len(runs) == 1}
    if len(runs) > 1:
        times = [run["median"] * SECONDS[run["unit"]] for run in runs]
        return Sample(statistics.median(times), min(times), max(times), True, counters)
    run = runs[0]
    if run["n"] == 1 and "s_per_call_10th" in run:
        return Sample(run["s_per_call"], run["s_per_call_10th"], run["s_per_call_90th"], True, counters)
    unit = SECONDS[run["unit"]]
    median = run["median"] * unit
    return Sample(median, run.get("p10", run["median"]) * unit, run.get("p90", run["median"]) * unit, run["n"] > 1, counters)


@dataclass
class Samples:
    """All benchmarks that finished."""

    times: dict[tuple[str, str], Sample]  # by the name of the file and that of the benchmark
    contexts: list[dict]  # of the files


def samples(place: pathlib.Path, names: list[str] | None = None) -> Samples:
    """Reads a file, or the files of a folder. names: only these."""
    found: dict[tuple[str, str], list[dict]] = {}
    contexts = []
    for stem, file in files(place).items():
        if names is not None and stem not in names:
            continue
        context, runs = lines(file)
        contexts.append(context)
        for run in runs:
            if "error" not in run and run["median"] > 0:
                found.setdefault((stem, plain_name(run["name"])), []).append(run)
    return Samples({key: sample(runs) for key, runs in found.items()}, contexts)


def of_one_run(old: Sample, new: Sample, least: float) -> tuple[float, float, float, bool]:
    """The ratio, the least and the most that it may be, and whether noise does not explain it."""
    ratio, low, high = new.median / old.median, new.low / old.high, new.high / old.low
    return ratio, low, high, old.judged and new.judged and (low > 1 or high < 1) and differs(ratio, least)


def of_turns(old: list[Sample], new: list[Sample], least: float) -> tuple[float, float, float, bool]:
    """The same of medians by turns: the ratio is the median of those of neighbours."""
    ratios = [after.median / before.median for before, after in zip(old, new)]
    befores, afters = [one.median for one in old], [one.median for one in new]
    apart = min(afters) > max(befores) or max(afters) < min(befores)
    ratio = statistics.median(ratios)
    return ratio, min(ratios), max(ratios), len(ratios) > 2 and apart and differs(ratio, least)


def differs(ratio: float, least: float) -> bool:
    return abs(math.log(ratio)) >= math.log1p(least / 100) * (1 - 1e-9)


def by_chance(turns: int) -> float:
    """The probability that all medians of one build are on one side of those of the other although both are equally fast."""
    return 2 / math.comb(2 * turns, turns)


@dataclass
class Comparison:
    changes: list[Change]
    only_old: list[str]
    only_new: list[str]
    contexts: tuple[list[dict], list[dict]]  # of the old and of the new results
    least: float
    turns: int  # 1: two runs are compared

    def named(self) -> list[Change]:
        return sorted((change for change in self.changes if change.is_real), key=lambda change: -abs(math.log(change.ratio)))


def compare(olds: list[Samples], news: list[Samples], least: float = LEAST) -> Comparison:
    """olds, news: one each, or one for each turn."""
    old_keys, new_keys = (set.intersection(*(set(turn.times) for turn in turns)) for turns in (olds, news))
    changes = []
    for key in (key for key in news[0].times if key in old_keys & new_keys):
        old, new = [turn.times[key] for turn in olds], [turn.times[key] for turn in news]
        found = of_turns(old, new, least) if len(old) > 1 else of_one_run(old[0], new[0], least)
        changes.append(Change(*key, middle(old), middle(new), *found))
    contexts = tuple([context for turn in turns for context in turn.contexts] for turns in (olds, news))
    only_old, only_new = (["/".join(key) for key in sorted(keys)] for keys in (old_keys - new_keys, new_keys - old_keys))
    return Comparison(changes, only_old, only_new, contexts, least, len(olds))


def middle(turns: list[Sample]) -> Sample:
    medians = [turn.median for turn in turns]
    return turns[0] if len(turns) == 1 else Sample(statistics.median(medians), min(medians), max(medians), True, turns[0].counters)


# --- text ---------------------------------------------------------------------------------------------------------------


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] + ["--:"] * (len(head) - 1), *rows)]


def markdown(comparison: Comparison) -> list[str]:
    """The lines of a section: what has changed by benchmark, then each change that noise does not explain."""
    old, new = comparison.contexts
    text = [f"Old: {origin(old)}", f"New: {origin(new)}", "", how_judged(comparison), ""]
    text += table(["benchmark", "compared", "ratio", "slower", "faster", "one repetition"], list(by_benchmark(comparison)))
    named = comparison.named()
    text += ["", f"**{len(named)} of {len(comparison.changes)}** have changed by more than noise explains" + (":" if named else "."), ""]
    if named:
        text += table(["benchmark", "old", "new", "ratio", "from", "to", ""],
                      [[f"{change.benchmark}: `{change.name}`", in_words(change.old.median), in_words(change.new.median),
                        *(f"{number:.2f}" for number in (change.ratio, change.low, change.high)), change.verdict]
                       for change in named[:LISTED]])
        text += ["", f"{len(named) - LISTED} more are not shown."] if len(named) > LISTED else []
    text += exact_changes(comparison)
    for where, names in (("old", comparison.only_old), ("new", comparison.only_new)):
        if names:
            text += ["", f"Only among the {where} results: {len(names)}, such as `{names[0]}`."]
    return text


def how_judged(comparison: Comparison) -> str:
    if comparison.turns > 1:
        expected = by_chance(comparison.turns) * len(comparison.changes)
        return (f"A ratio is new / old, the median of {comparison.turns} turns, in which both builds ran one after the other; from and to "
                f"are the least and the most of a turn. A change is named if the medians of all turns are on one side and differ by at "
                f"least {comparison.least:g} %. If both builds were equally fast, at most about {expected:.1f} would be named by chance.")
    return (f"A ratio is new / old, of medians; from and to are the least and the most that the spread of both allows. A change is named "
            f"if the 10th to 90th percentiles do not overlap and the medians differ by at least {comparison.least:g} %. One run each "
            f"cannot show what "
            "differs from run to run; `--compare-build` runs two builds by turns.")


def origin(contexts: list[dict]) -> str:
    """The commits and machines of results, and how busy the machine was."""
    def all_of(key: str) -> str:
        return ", ".join(dict.fromkeys(str(context[key]) for context in contexts if context.get(key)))

    loads = [context["load"] for context in contexts if "load" in context]
    others = [context["cores_of_others"] for context in contexts if "cores_of_others" in context]
    busy = f", load {min(loads):.1f} to {max(loads):.1f}" if loads else ""
    busy += f", other programs used up to {max(others):.1f} cores" if others else ""
    return f"commit {all_of('commit') or 'unknown'}, {all_of('cpu') or 'unknown CPU'}{busy or ', load unknown'}."


def by_benchmark(comparison: Comparison):
    for benchmark in dict.fromkeys(change.benchmark for change in comparison.changes):
        here = [change for change in comparison.changes if change.benchmark == benchmark]
        mean = math.exp(sum(math.log(change.ratio) for change in here) / len(here))
        single = sum(not (change.old.judged and change.new.judged) for change in here)
        slower, faster = (sum(change.verdict == verdict for change in here) for verdict in ("slower", "faster"))
        yield [benchmark, str(len(here)), f"{mean:.3f}", str(slower), str(faster), str(single)]


def exact_changes(comparison: Comparison) -> list[str]:
    """What has changed beside times, and is no noise."""
    rows = [[f"{change.benchmark}: `{change.name}`", key, f"{change.old.counters[key]:g}", f"{change.new.counters[key]:g}"]
            for change in comparison.changes for key in EXACT
            if key in change.old.counters and key in change.new.counters and change.old.counters[key] != change.new.counters[key]]
    if not rows:
        return []
    more = [f"{len(rows) - LISTED} more are not shown."] if len(rows) > LISTED else []
    what = "These have changed, too, and noise does not change them:"
    return ["", what, "", *table(["benchmark", "", "old", "new"], rows[:LISTED]), *more]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--least", type=float, default=LEAST, metavar="PERCENT", help=f"smaller changes are not named (default: {LEAST:g})")
    args = parser.parse_args()
    print("\n".join(markdown(compare([samples(args.old)], [samples(args.new)], args.least))))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as problem:
        sys.exit(str(problem))
