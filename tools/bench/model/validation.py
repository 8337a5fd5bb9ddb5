"""How well the simulator predicts what was measured. regraft-plan simulate computes, with the constants of this machine, what the
benchmarks of the store, of snapshots and of recoveries have measured, on as many ranks and bytes."""
import functools
import json
import pathlib
import subprocess
import sys
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from drawings import floors, recoveries
from model.constants import num_nodes
from results import Results, in_words

BLOCK_BYTES = 64  # as in the benchmark of the store
GOAL = 2.0  # a prediction is good if it is at most so many times too long or too short


@dataclass
class Prediction:
    operation: str
    ranks: int
    size: str  # in words
    measured: float  # seconds
    predicted: float

    @property
    def ratio(self) -> float:
        return self.predicted / self.measured

    @property
    def is_good(self) -> bool:
        return 1 / GOAL <= self.ratio <= GOAL


class Simulator:
    """regraft-plan simulate with constants of one machine."""

    def __init__(self, program: pathlib.Path, constants: pathlib.Path):
        self.program, self.constants = program, constants
        self.one_death = functools.cache(self.play)  # several operations are parts of the same life

    def play(self, ranks: int, nodes: int, input_bytes: int, state_bytes: int) -> dict:
        """What happens in a job in which the last rank dies: the seconds of submit, commit, load, repair, shrink."""
        words = ["simulate", "-p", str(ranks), "--node-size", str(-(-ranks // nodes)), "-r", "2", "--placement", "mod-k", "--constants",
                 str(self.constants), "--block-bytes", str(BLOCK_BYTES), "--blocks-per-rank", str(max(1, input_bytes // BLOCK_BYTES)),
                 "--state-bytes", str(state_bytes), "--apart", "rank", "--interval", "60", "--trace", "-", "--json", "-"]
        done = subprocess.run([str(self.program), *words], input=f"0.5 rank {ranks - 1}\n", capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{self.program} {' '.join(words)}: {done.stderr}")
        told = json.loads(done.stdout)
        life = told["candidates"][0]["lives"][0]
        seconds = told["life"][0]["seconds"]
        seconds["repair"] += seconds["plan"]  # the benchmark's repair finds out first what is to be repaired, and each rank does
        return {**seconds, "submit": life["submit_seconds"], "commit": life["commit_seconds"] / life["commits"]}


def largest(runs: list[floors.Run]) -> dict[int, floors.Run]:
    """The run with the most bytes, by ranks."""
    found: dict[int, floors.Run] = {}
    for run in sorted(runs, key=lambda run: run.bytes):
        found[run.pes] = run
    return found


def of_variant(results: Results, variant: str, operation: str) -> list[floors.Run]:
    kind = (operation, variant, floors.MEAN_TRANSPORT, 2)
    return [run for run in floors.runs(results) if (run.operation, run.variant, run.transport, run.replicas) == kind and run.pes > 2]


def predictions(found: dict[str, Results], simulator: Simulator) -> list[Prediction]:
    """Operations that were measured, and what the simulator says of them."""
    result = []
    for benchmark, variant, operations in (("store", "mod_k", {"first_submit": "submit", "load_one_known": "load", "repair": "repair"}),
                                           ("snapshot", "pairwise", {"commit": "commit"})):
        for operation, part in operations.items() if benchmark in found else ():
            for ranks, run in sorted(largest(of_variant(found[benchmark], variant, operation)).items()):
                is_state = benchmark == "snapshot"
                told = simulator.one_death(ranks, num_nodes(found[benchmark]), 0 if is_state else run.bytes, run.bytes if is_state else 0)
                result.append(Prediction(part, ranks, f"{run.bytes >> 20} MiB per rank", run.counters["s_per_call"], told[part]))
    if "recovery" in found:
        family = next(iter(found["recovery"].families), "")
        for ranks in recoveries.numbers_of_pes(found["recovery"], family) if family else ():
            if ranks > 2 and (point := recoveries.point(found["recovery"], family, ranks, "shrink")):
                told = simulator.one_death(ranks, 1, 0, 0)
                result.append(Prediction("shrink", ranks, "", point.seconds, told["shrink"]))
    return result


HEAD = ["operation", "ranks", "bytes", "measured", "predicted", "predicted / measured"]


def rows(made: list[Prediction]) -> list[list[str]]:
    return [[one.operation, str(one.ranks), one.size, in_words(one.measured), in_words(one.predicted),
             f"{one.ratio:.2f}" + ("" if one.is_good else " (off)")] for one in made]


def verdict(made: list[Prediction]) -> str:
    good = [one for one in made if one.is_good]
    distances = [max(one.ratio, 1 / one.ratio) for one in made]
    worst = max(made, key=lambda one: max(one.ratio, 1 / one.ratio))
    return (f"{len(good)} of {len(made)} predictions are within a factor of {GOAL:g}; on average they are "
            f"{floors.geometric_mean(distances):.2f} times too long or too short, and at most {max(distances):.2f} times "
            f"({worst.operation} on {worst.ranks} ranks).")
