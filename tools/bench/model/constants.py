#!/usr/bin/env python3
"""constants.py RESULTS: writes the constants of a machine as JSON, for `regraft-plan simulate --constants FILE`, from the results of
benchmarks in a folder. What was not measured there is left out, and then the simulator takes its defaults."""
import json
import pathlib
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from drawings import floors
from results import Broken, Results, read

SOURCES = ["messages", "agree", "recovery", "scale", "store_disk"]  # the benchmarks that tell constants
AGREEMENTS_PER_SHRINK = 6  # which the simulator adds itself (apps/plan/input/network.hpp)
SURVIVOR_PLANS = {"directory_retain": "permuted", "reassign": "sites", "choose_range_senders": "of_the_dead", "repair_plan": "permuted",
                  "members": "after_shrink"}  # what a survivor plans after one death, by benchmark and family of `scale`


@dataclass
class Constant:
    name: str
    value: float
    how: str  # it was measured


@dataclass
class Line:
    """Seconds as a fixed part and a part for each rank."""

    fixed: float
    per_rank: float

    def at(self, ranks: int) -> float:
        return self.fixed + self.per_rank * ranks


def fitted(points: dict[int, float]) -> Line:
    """The line with the least squares of relative errors, so that small times count as much as large ones. No part of it is negative.
    points: seconds by ranks, at least two of them."""
    weights = {ranks: 1 / max(seconds, 1e-12)**2 for ranks, seconds in points.items()}
    total = sum(weights.values())
    x = sum(weights[ranks] * ranks for ranks in points) / total
    y = sum(weights[ranks] * seconds for ranks, seconds in points.items()) / total
    spread = sum(weights[ranks] * (ranks - x)**2 for ranks in points)
    slope = sum(weights[ranks] * (ranks - x) * (seconds - y) for ranks, seconds in points.items()) / spread
    if slope < 0:
        return Line(y, 0.0)
    if y < slope * x:
        both = sum(weights[ranks] * ranks * seconds for ranks, seconds in points.items())
        return Line(0.0, both / sum(weights[ranks] * ranks**2 for ranks in points))
    return Line(y - slope * x, slope)


def by_ranks(results: Results, algorithm: str, family: str) -> dict[int, float]:
    """The seconds of what was measured once for each number of ranks."""
    return {point.size: point.seconds for point in results.families.get(family, {}).get(algorithm, []) if point.finished}


def cores_of_a_node(results: Results) -> int:
    """The cores that the ranks of a node share; the fewest if nodes differ."""
    nodes = results.context.get("nodes_of_job", [])
    return min((int(node["cores"]) for node in nodes), default=int(results.context["num_cpus"]))


def num_nodes(results: Results) -> int:
    return max(1, len(results.context.get("nodes_of_job", [])))


def crowding(results: Results, ranks: int) -> float:
    """How many ranks share a core."""
    return max(1.0, ranks / num_nodes(results) / cores_of_a_node(results))


def uncrowded(results: Results, points: dict[int, float]) -> float | None:
    """The seconds on the most ranks that have a core each; on fewer there is more memory for each of them."""
    fitting = [ranks for ranks in points if crowding(results, ranks) <= 1]
    return points[max(fitting)] if fitting else None


def alpha(results: Results, family: str, partners: Callable[[int], float]) -> float | None:
    """The seconds of a message, without those of an empty exchange. partners: of each rank, by the number of ranks."""
    empty = by_ranks(results, "empty", "all")
    found = [(seconds - empty[ranks]) / partners(ranks) / crowding(results, ranks)
             for ranks, seconds in by_ranks(results, "small", family).items() if ranks in empty and partners(ranks) > 0]
    return max(0.0, statistics.median(found)) if found else None


def bandwidth(results: Results, algorithm: str, family: str, ranks_at_once: int = 1) -> float | None:
    """10^9 bytes per second."""
    seconds = uncrowded(results, by_ranks(results, algorithm, family))
    return ranks_at_once * int(results.context["large_bytes"]) / seconds / 1e9 if seconds else None


def of_messages(results: Results) -> Iterator[Constant]:
    nodes = num_nodes(results)
    quiet = "a core each"
    within = alpha(results, "within", lambda ranks: ranks / nodes - 1)
    between = alpha(results, "between", lambda ranks: ranks - ranks / nodes)
    most = max((ranks for ranks in by_ranks(results, "large", "between") if crowding(results, ranks) <= 1), default=nodes)
    for name, value, how in (
            ("alpha_within_us", within and within * 1e6, "`messages`: small, within a node, without an empty exchange"),
            ("within_gbps", bandwidth(results, "large", "within"), f"`messages`: large, within a node, ranks with {quiet}"),
            ("alpha_between_us", between and between * 1e6, "`messages`: small, between nodes, without an empty exchange"),
            ("between_gbps", bandwidth(results, "lone", "between"), "`messages`: large, from one rank of each node"),
            ("node_gbps", bandwidth(results, "large", "between", most // nodes), "`messages`: large, from all ranks of each node"),
            ("memory_gbps", bandwidth(results, "copy", "all"), f"`messages`: memcpy by all ranks, with {quiet}"),
            ("fresh_gbps", bandwidth(results, "fresh", "all"), f"`messages`: new memory by all ranks, with {quiet}")):
        if value is not None:
            yield Constant(name, value, how)
    yield Constant("cores_per_node", cores_of_a_node(results), "what the system says")
    yield from of_line("exchange", by_ranks(results, "empty", "all"), "`messages`: an exchange in which nobody sends")


def of_line(name: str, points: dict[int, float], how: str) -> Iterator[Constant]:
    if len(points) < 2:
        return
    line = fitted(points)
    how += f", on {', '.join(map(str, sorted(points)))} ranks"
    yield Constant(f"{name}_us", line.fixed * 1e6, how)
    yield Constant(f"{name}_us_per_rank", line.per_rank * 1e6, how)


def of_recoveries(recovery: Results, agreement: Line | None) -> Iterator[Constant]:
    family = next(iter(recovery.families), "")
    shrinks = by_ranks(recovery, "shrink", family)
    if agreement:
        beside = {ranks - 1: max(0.0, seconds - AGREEMENTS_PER_SHRINK * agreement.at(ranks - 1)) for ranks, seconds in shrinks.items()}
        yield from of_line("shrink", beside, f"`recovery`: shrink, without {AGREEMENTS_PER_SHRINK} agreements, after the death of a rank")
    if notices := by_ranks(recovery, "detection", family):
        yield Constant("notice_ms", statistics.median(notices.values()) * 1e3, "`recovery`: detection, the median of all numbers of ranks")


def of_plans(scale: Results) -> dict[int, float]:
    """The seconds of all that a survivor plans after one death, by ranks."""
    found: list[dict[int, float]] = []
    for algorithm, family in SURVIVOR_PLANS.items():
        points = scale.families.get(family, {}).get(algorithm, [])
        found.append({point.size: point.seconds for point in points if "dead:1" in point.settings})
    return {ranks: sum(times[ranks] for times in found) for ranks in found[0] if all(ranks in times for times in found)}


def of_disk(disk: Results) -> Iterator[Constant]:
    saves = [run for run in floors.runs(disk) if run.operation == "save"]
    if saves:
        shown = max(saves, key=lambda run: (run.bytes * run.pes, -run.counters["s_per_call"]))
        yield Constant("disk_gbps", shown.bytes * shown.pes / shown.counters["s_per_call"] / 1e9,
                       f"`store_disk`: {shown.pes} ranks save {shown.bytes >> 20} MiB each")


def measured(found: dict[str, Results]) -> list[Constant]:
    """The constants that results tell, by the names of benchmarks."""
    constants: list[Constant] = []
    agreements = by_ranks(found["agree"], "agree", "all") if "agree" in found else {}
    if "messages" in found:
        constants += of_messages(found["messages"])
    constants += of_line("agreement", agreements, "`agree`: an agreement")
    if "recovery" in found:
        constants += of_recoveries(found["recovery"], fitted(agreements) if len(agreements) > 1 else None)
    if "scale" in found:
        constants += of_line("plan", of_plans(found["scale"]), "`scale`: all that a survivor plans after one death")
    if "store_disk" in found:
        constants += of_disk(found["store_disk"])
    return [Constant(one.name, float(f"{one.value:.4g}"), one.how) for one in constants]


def text(constants: list[Constant], machine: str) -> str:
    """The file that --constants reads."""
    return json.dumps({"machine": machine, **{one.name: one.value for one in constants}}, indent=1) + "\n"


def machine_in_words(found: dict[str, Results]) -> str:
    context = next(iter(found.values())).context
    nodes = max(num_nodes(results) for results in found.values())
    words = [str(context.get("cpu", "")), f"{nodes} nodes" if nodes > 1 else "", f"{cores_of_a_node(next(iter(found.values())))} cores"]
    return ", ".join(word for word in [*words, str(context.get("mpi", "")), str(context.get("date", ""))[:10]] if word)


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = {file.stem: read(file) for file in sorted(pathlib.Path(sys.argv[1]).glob("*.json"))}
    constants = measured(found)
    if not constants:
        sys.exit(f"{sys.argv[1]}: no results that tell a constant are there: {', '.join(SOURCES)}")
    print(text(constants, machine_in_words(found)), end="")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as problem:
        sys.exit(str(problem))
