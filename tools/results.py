"""What Google Benchmark wrote, as points: per family of inputs and algorithm, time against size.

Benchmarks are named ALGORITHM/FAMILY/SIZE:N/...; the context of the JSON names the clock (`clock`: real_time, the default, or
cpu_time) and what algorithms are called (`labels`: "algorithm=label,...").
"""
import json
import pathlib
import re
from dataclasses import dataclass, field

HOW_MEASURED = {"manual_time", "real_time", "process_time"}
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


@dataclass
class Point:
    size: int
    seconds: float
    finished: bool = True  # otherwise seconds is when it was stopped
    run: dict = field(default_factory=dict)

    @property
    def arguments(self) -> str:
        """The name without algorithm and family."""
        return self.run["run_name"].split("/", 2)[2]

    @property
    def settings(self) -> list[str]:
        """The arguments without the size and what only says how often and by which clock it was measured."""
        return [word for word in self.arguments.split("/")[1:] if word not in HOW_MEASURED and not word.startswith("iterations:")]


@dataclass
class Results:
    context: dict
    size_name: str = ""
    families: dict[str, dict[str, list[Point]]] = field(default_factory=dict)  # family -> algorithm -> points by size

    def label(self, algorithm: str) -> str:
        labels = dict(pair.split("=", 1) for pair in self.context.get("labels", "").split(",") if pair)
        return labels.get(algorithm, algorithm)


def read(path: pathlib.Path) -> Results:
    """The medians where there are repetitions. Benchmarks that are named otherwise are left out."""
    content = json.loads(path.read_text(encoding="utf-8"))
    results = Results(content["context"])
    clock = results.context.get("clock", "real_time")
    runs = {run["run_name"]: run for run in content["benchmarks"] if run.get("run_type") != "aggregate"}
    runs |= {run["run_name"]: run for run in content["benchmarks"] if run.get("aggregate_name") == "median"}
    for name, run in runs.items():
        if not (found := re.fullmatch(r"([^/]+)/([^/]+)/(\w+):(\d+)(/.*)?", name)):
            continue
        algorithm, family, results.size_name, size = found.group(1, 2, 3, 4)
        points = results.families.setdefault(family, {}).setdefault(algorithm, [])
        if not run.get("error_occurred"):
            points.append(Point(int(size), run[clock] * SECONDS[run["time_unit"]], True, run))
        elif stopped := re.fullmatch(r"did not finish (\d+) \w+ in (\d+) s", run["error_message"]):
            if int(stopped.group(1)) == int(size):  # otherwise it was not even tried
                points.append(Point(int(size), float(stopped.group(2)), False, run))
    for algorithms in results.families.values():
        for points in algorithms.values():
            points.sort(key=lambda point: point.size)
    return results


def in_words(seconds: float) -> str:
    unit, factor = next(((name, size) for name, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)) if seconds >= size), ("ns", 1e-9))
    return f"{seconds / factor:.3g} {unit}"
