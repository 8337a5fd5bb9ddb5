"""Reads the results that compact.py writes. They become points, time against size, for each family of inputs and each algorithm.

A benchmark is named ALGORITHM/FAMILY/SIZE:N/... The context of the JSON names the clock (`clock`: real_time, the default, or cpu_time) and
what algorithms are called in text (`labels`: "algorithm=label,...").
"""
import json
import pathlib
import re
from dataclasses import dataclass, field

HOW_MEASURED = {"manual_time", "real_time", "process_time"}
STOPPED = "did not finish"  # an error that begins so is a measurement
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


# Names in results that say too little in a picture.
FAMILIES = {"of_the_dead": "input of the dead", "rollback": "input of a rollback", "sites": "sites of the dead", "mod_k": "mod-k",
            "node_aware": "node-aware", "pair_of_1_GiB": "a pair sends 1 GiB"}
SIZES = {"pes": "ranks"}


class Broken(Exception):
    """A file is not what it should be. The message names it."""


@dataclass
class Point:
    size: int
    seconds: float
    finished: bool = True  # otherwise seconds is when it was stopped
    run: dict = field(default_factory=dict)  # the line, with its counters

    @property
    def arguments(self) -> str:
        """The name without the algorithm and the family."""
        return self.run["name"].split("/", 2)[2]

    @property
    def settings(self) -> list[str]:
        """The arguments without the size, the clock and the number of iterations."""
        return [word for word in self.arguments.split("/")[1:] if word not in HOW_MEASURED and not word.startswith("iterations:")]


@dataclass
class Results:
    context: dict
    size_name: str = ""
    families: dict[str, dict[str, list[Point]]] = field(default_factory=dict)  # family -> algorithm -> points by size

    @property
    def size_words(self) -> str:
        return SIZES.get(self.size_name, self.size_name.replace("_", " "))

    def label(self, algorithm: str) -> str:
        labels = dict(pair.split("=", 1) for pair in self.context.get("labels", "").split(",") if pair)
        return labels.get(algorithm, algorithm)


def family_in_words(family: str) -> str:
    """What a family of inputs is called in a picture."""
    if found := re.fullmatch(r"(?:erasure_)?(\d+)_(\d+)", family):
        return f"erasure code {found[1]} + {found[2]}"
    if found := re.fullmatch(r"permuted_(\d+)K", family):
        return f"permuted, {found[1]} KiB"
    return FAMILIES.get(family, family.replace("_", " "))


def load(path: pathlib.Path) -> dict:
    """The content of a file that has a context and a list of benchmarks, compact or raw."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise Broken(f"{path} is not JSON: {problem}") from problem
    if not (isinstance(content, dict) and isinstance(content.get("context"), dict) and isinstance(content.get("benchmarks"), list)):
        raise Broken(f"{path} has no context and list of benchmarks")
    return content


def lines(path: pathlib.Path) -> tuple[dict, list[dict]]:
    """The context and the lines of results that compact.py has written."""
    content = load(path)
    for number, line in enumerate(content["benchmarks"], 1):
        if not isinstance(line, dict) or not {"name", "n"} <= line.keys() or not ("error" in line or {"median", "unit"} <= line.keys()):
            raise Broken(f"{path}: benchmark {number} is no line of results; "
                         "tools/bench/compact.py makes results from the output of Google Benchmark")
    return content["context"], content["benchmarks"]


def read(path: pathlib.Path) -> Results:
    """Reads results. Benchmarks with other names are left out."""
    context, benchmarks = lines(path)
    results = Results(context)
    for run in benchmarks:
        if not (found := re.fullmatch(r"([^/]+)/([^/]+)/(\w+):(\d+)(/.*)?", run["name"])):
            continue
        algorithm, family, results.size_name, size = found.group(1, 2, 3, 4)
        points = results.families.setdefault(family, {}).setdefault(algorithm, [])
        if "error" not in run:
            points.append(Point(int(size), run["median"] * SECONDS[run["unit"]], True, run))
        elif stopped := re.fullmatch(STOPPED + r" (\d+) \w+ in (\d+) s", run["error"]):
            if int(stopped.group(1)) == int(size):  # otherwise it was not even tried
                points.append(Point(int(size), float(stopped.group(2)), False, run))
    for algorithms in results.families.values():
        for points in algorithms.values():
            points.sort(key=lambda point: point.size)
    return results


def in_words(seconds: float) -> str:
    unit, factor = next(((name, size) for name, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)) if seconds >= size), ("ns", 1e-9))
    return f"{seconds / factor:.3g} {unit}"
