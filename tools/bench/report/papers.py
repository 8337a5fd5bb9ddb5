"""Pictures that are drawn as papers draw theirs, so that they can be laid side by side. They show what the benchmarks measure anyway."""
import json
import pathlib
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import charts
from drawings import floors, programs
from results import Results

MANY_PES = 1 << 25
JOBS = (1024, 24576, MANY_PES)  # ranks; ReStore was measured on up to 24576
SHARES = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)  # of the ranks that have failed
LEAST_PROBABILITY = 1e-9  # that is drawn


@dataclass
class Figure:
    file: str  # its name without .svg
    title: str
    caption: str  # names the paper and its figure
    draw: Callable[[dict[str, Results]], str]  # empty if the results it needs are not there


def timed(run: floors.Run) -> tuple[float, float, float]:
    return tuple(run.counters[key] for key in ("s_per_call", "s_per_call_10th", "s_per_call_90th"))


def kept(results: Results, operation: str, variant: str) -> list[floors.Run]:
    """The runs of an operation on two copies, collective."""
    kind = (operation, variant, floors.MEAN_TRANSPORT, 2)
    return [run for run in floors.runs(results) if (run.operation, run.variant, run.transport, run.replicas) == kind]


def weak_scaling(found: dict[str, Results]) -> str:
    """A panel per operation of the store: time against the number of ranks, while each has the same number of bytes."""
    if "store" not in found:
        return ""
    operations = {"submit": "submit", "load_all": "load everything", "load_one": "load what one dead rank had",
                  "repair": "repair after one death"}
    largest = max((run.bytes for run in floors.runs(found["store"])), default=0)
    panels = []
    for operation, title in operations.items():
        panel = charts.Panel(title, f"ranks, {largest >> 20} MiB each")
        for variant, label in {"permuted_256K": "permuted ranges", "mod_k": "mod-k"}.items():
            panel.lines[label] = {str(run.pes): timed(run) for run in kept(found["store"], operation, variant) if run.bytes == largest}
        panel.lines["MPI alone"] = {str(run.pes): (run.counters["s_per_call"] / run.over_floor,)
                                    for run in kept(found["store"], operation, "permuted_256K") if run.bytes == largest}
        panels.append(panel)
    return charts.draw("Weak scaling of the store", panels, charts.short_time)


def from_files(found: dict[str, Results]) -> str:
    """Bytes per second of all ranks together: loads from the memory of other ranks, beside reading files."""
    if "store" not in found or "store_disk" not in found:
        return ""
    loads = kept(found["store"], "load_all", "permuted_256K")
    disk = [run for run in floors.runs(found["store_disk"]) if run.operation == "open"]
    both = {run.bytes for run in loads} & {run.bytes for run in disk}
    if not both:
        return ""
    panel = charts.Panel("all ranks together", f"ranks, {max(both) >> 20} MiB each")

    def add(label: str, runs: list[floors.Run], seconds: Callable[[floors.Run], float]) -> None:
        panel.lines[label] = {str(run.pes): (run.bytes * run.pes / seconds(run),) for run in runs if run.bytes == max(both)}

    add("load from the store", loads, lambda run: run.counters["s_per_call"])
    for variant, label in {"one_file": "one file", "file_each": "a file per rank"}.items():
        runs = [run for run in disk if run.variant == variant]
        add(f"open from {label}", runs, lambda run: run.counters["s_per_call"])
        add(f"plain read of {label}", runs, lambda run: run.counters["s_per_plain"])
    return charts.draw("Loading from memory and from files", [panel], lambda number: f"{number / 1e9:.3g} GB/s")


def commits(found: dict[str, Results]) -> str:
    """The time of a commit against its size, a panel per number of copies."""
    if "snapshot" not in found:
        return ""
    runs = [run for run in floors.runs(found["snapshot"]) if (run.operation, run.variant) == ("commit", "pairwise")]
    panels = []
    for replicas in sorted({run.replicas for run in runs}):
        panel = charts.Panel(f"{replicas} copies of the state", "ranks")
        for size in sorted({run.bytes for run in runs}):
            here = [run for run in runs if (run.replicas, run.bytes) == (replicas, size)]
            panel.lines[f"{size >> 20} MiB per rank"] = {str(run.pes): timed(run) for run in here}
            floor = {str(run.pes): (run.counters["s_per_call"] / run.over_floor,) for run in here}
            panel.lines[f"{size >> 20} MiB, memcpy and MPI alone"] = floor
        panels.append(panel)
    return charts.draw("The cost of a snapshot", panels, charts.short_time)


def mini_checkpoints(found: dict[str, Results]) -> str:
    """The share of a tree search that goes to keeping its state, by the interval between checkpoints on disk."""
    if "phylo-checkpoints" not in found:
        return ""
    panels = []
    for family, intervals in found["phylo-checkpoints"].families.items():
        taxa = family.removeprefix("sim_")
        names = [name.replace("_", " ") for name in intervals]
        panel = charts.Panel(f"a search of {taxa} taxa" if taxa.isdigit() else family, "checkpoints on disk", positions=names)
        shares = {name.replace("_", " "): sorted(point.run["commits_s"] / point.run["search_s"] for point in points)
                  for name, points in intervals.items()}
        panel.lines["in memory and on disk"] = {name: (statistics.median(of_runs), of_runs[0], of_runs[-1])
                                                for name, of_runs in shares.items()}
        panels.append(panel)
    return charts.draw("The share of a search that keeps its state", panels, lambda share: f"{100 * share:.3g} %")


def overheads_of_programs(found: dict[str, Results]) -> str:
    return programs.draw(found["programs"], "What surviving costs programs") if "programs" in found else ""


def loss(program: pathlib.Path | None) -> str:
    """The picture that regraft-plan draws of data loss; empty without the program."""
    if not program:
        return ""
    done = subprocess.run([str(program), "loss", "-p", str(MANY_PES), "--svg", "-"], capture_output=True, text=True, check=False)
    begin = done.stdout.find("<svg")
    return done.stdout[begin:] if done.returncode == 0 and begin >= 0 else ""


def loss_probability(program: pathlib.Path | None) -> str:
    """A panel per number of ranks: the probability that data is lost, against the share of ranks that have failed."""
    panels = []
    for ranks in JOBS if program else ():
        failures = [round(share * ranks) for share in SHARES]
        numbers = ",".join(map(str, sorted(set(failures) - {0})))
        words = [str(program), "loss", "-p", str(ranks), "--failures", numbers, "--json", "-"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            return ""
        panel = charts.Panel(f"{ranks:,} ranks", "ranks that have failed", positions=[f"{100 * share:g} %" for share in SHARES])
        for safety in json.loads(done.stdout)["safety"]:
            losses = {entry["failures"]: entry["loss"] for entry in safety["computed"]["probabilities"]}
            panel.lines[f"{safety['replicas']} copies"] = {
                position: (losses[number],) for position, number in zip(panel.positions, failures)
                if losses.get(number, 0) >= LEAST_PROBABILITY}
        panels.append(panel)
    return charts.draw("The probability that data is lost", panels, lambda number: f"{number:g}")


def figures(plan: pathlib.Path | None) -> list[Figure]:
    """All pictures. plan: regraft-plan."""
    return [
        Figure("loss", "How many failures lose data", "As figure 3 of ReStore (Huebner et al. 2022): the share of all ranks that fail, in "
               "random order, until some block has lost all its copies, by the number of ranks and of copies. It is computed and not "
               "simulated (docs/mpi/loss.md).", lambda _: loss(plan)),
        Figure("loss_probability", "The probability that failures lose data", "The same model as in figure 3 of ReStore: after so many "
               "ranks have failed, in random order, the probability that some block has lost all its copies. Probabilities below 1e-9 are "
               "not drawn.",
               lambda _: loss_probability(plan)),
        Figure("weak_scaling", "Weak scaling of submit and load", "As figure 4b of ReStore: each rank has the same number of bytes, so a "
               "flat line is perfect scaling where each rank has a core and a network of its own. Here all ranks share this machine's "
               "cores and memory, and so do those of the floor.",
               weak_scaling),
        Figure("programs", "k-means with failures, and the interval of checkpoints", "On the left as figure 5 of ReStore: what k-means "
               "takes longer with copies of its input, and with deaths. In the middle and on the right as figures 4 to 8 of Kohl et al. "
               "(2019): what checkpoints cost by their interval, and one of them by its size.", overheads_of_programs),
        Figure("files", "Loading from the store and from files", "As figure 7 of ReStore: the same bytes from the memory of other ranks, "
               "and from files. The files of this machine may be in its memory already, so a parallel file system is much slower than "
               "what is shown.", from_files),
        Figure("mini_checkpoints", "The share of mini-checkpoints in a tree search", "As figure 3 of FT-RAxML-NG (Huebner et al. 2021): "
               "what part of the time of a search goes to commits, which every rank keeps, and to checkpoints on disk at three intervals. "
               "Thick pale lines go from the least to the most of all runs.", mini_checkpoints),
        Figure("commits", "The cost of a checkpoint", "As figures 4 to 6 of Kohl et al. (2019): the time of a commit, which each rank "
               "keeps itself and at its partners, beside its floor. Thick pale lines are the 10th to 90th percentile.", commits),
    ]
