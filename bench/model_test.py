#!/usr/bin/env python3
"""model_test.py REGRAFT_PLAN: the constants of a machine are found in results that were made from them, and what regraft-plan simulate says
with them is compared with what was measured."""
import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "tools/bench"), str(ROOT / "tools/bench/report")]
from model import constants, validation  # noqa: E402
from results import Results, read  # noqa: E402

BYTES = 4 << 20
MADE = {"alpha_within_us": 1.5, "within_gbps": 4.0, "alpha_between_us": 20.0, "between_gbps": 1.25, "node_gbps": 2.0, "memory_gbps": 10.0,
        "fresh_gbps": 2.5, "cores_per_node": 4, "exchange_us": 3.0, "exchange_us_per_rank": 0.25, "agreement_us": 5.0,
        "agreement_us_per_rank": 2.0, "shrink_us": 400.0, "shrink_us_per_rank": 50.0, "notice_ms": 20.0, "plan_us": 100.0,
        "plan_us_per_rank": 0.5, "disk_gbps": 0.5}


def file_of(folder: pathlib.Path, name: str, context: dict, times: dict[str, float], counters: dict | None = None) -> None:
    """Writes results. times: microseconds by the names of benchmarks."""
    lines = [{"name": key, "n": 1, "median": time, "unit": "us", **{k: v(time) for k, v in (counters or {}).items()}}
             for key, time in times.items()]
    (folder / f"{name}.json").write_text(json.dumps({"context": {"num_cpus": 4, "cpu": "made", **context}, "benchmarks": lines}))


def messages(nodes: int) -> dict[str, float]:
    """On 4 cores of each node: microseconds of exchanges."""
    large = {"within": BYTES / MADE["within_gbps"] / 1e3, "lone": BYTES / MADE["between_gbps"] / 1e3,
             "copy": BYTES / MADE["memory_gbps"] / 1e3, "fresh": BYTES / MADE["fresh_gbps"] / 1e3}
    times = {}
    for ranks in (2 * nodes, 4 * nodes, 16 * nodes):
        each = ranks // nodes
        crowding = max(1.0, each / 4)
        empty = MADE["exchange_us"] + ranks * MADE["exchange_us_per_rank"]
        times[f"empty/all/pes:{ranks}"] = empty
        times[f"small/within/pes:{ranks}"] = empty + crowding * (each - 1) * MADE["alpha_within_us"]
        times[f"large/within/pes:{ranks}"] = crowding * large["within"]
        times[f"copy/all/pes:{ranks}"] = crowding * large["copy"]
        times[f"fresh/all/pes:{ranks}"] = crowding * large["fresh"]
        if nodes > 1:
            times[f"small/between/pes:{ranks}"] = empty + crowding * (ranks - each) * MADE["alpha_between_us"]
            times[f"lone/between/pes:{ranks}"] = large["lone"]
            times[f"large/between/pes:{ranks}"] = each * BYTES / MADE["node_gbps"] / 1e3
    return times


def write(folder: pathlib.Path, nodes: int) -> None:
    described = [{"host": f"n{node}", "cores": 4} for node in range(nodes)] if nodes > 1 else []
    file_of(folder, "messages", {"large_bytes": str(BYTES), "nodes_of_job": described}, messages(nodes))

    def agreement(ranks: int) -> float:
        return MADE["agreement_us"] + ranks * MADE["agreement_us_per_rank"]

    sizes = (2, 4, 8, 16)
    file_of(folder, "agree", {}, {f"agree/all/pes:{ranks}": agreement(ranks) for ranks in sizes})
    recovery = {}
    for ranks in sizes:
        shrink = MADE["shrink_us"] + (ranks - 1) * MADE["shrink_us_per_rank"] + 6 * agreement(ranks - 1)
        recovery |= {f"shrink/one_dies_1_MiB/pes:{ranks}": shrink, f"detection/one_dies_1_MiB/pes:{ranks}": 1e3 * MADE["notice_ms"],
                     f"total/one_dies_1_MiB/pes:{ranks}": 1e5}
    file_of(folder, "recovery", {"drawing": "recovery"}, recovery)
    parts = len(constants.SURVIVOR_PLANS)
    plans = {f"{algorithm}/{family}/pes:{ranks}/dead:1": (MADE["plan_us"] + ranks * MADE["plan_us_per_rank"]) / parts
             for ranks in (1000, 10000) for algorithm, family in constants.SURVIVOR_PLANS.items()}
    file_of(folder, "scale", {}, plans)
    file_of(folder, "store_disk", {}, {f"save/one_file/bytes:{BYTES}/pes:4/replicas:1/collective": 4 * BYTES / MADE["disk_gbps"] / 1e3},
            {"s_per_call": lambda time: time / 1e6, "over_floor": lambda _: 1.0})


def results(folder: pathlib.Path) -> dict[str, Results]:
    return {file.stem: read(file) for file in sorted(folder.glob("*.json"))}


def finds_what_was_made(nodes: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder, nodes)
        found = {one.name: one.value for one in constants.measured(results(folder))}
        wanted = {key: value for key, value in MADE.items() if nodes > 1 or "between" not in key and key != "node_gbps"}
        assert found.keys() == wanted.keys(), found.keys() ^ wanted.keys()
        bad = {key: (found[key], value) for key, value in wanted.items() if abs(found[key] - value) > 1e-3 * value}
        assert not bad, bad


def predicts_what_it_made(plan: pathlib.Path) -> None:
    """Shrinks were made from constants by the formula of the simulator, so it says the same; ten times as long is noticed."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder, 1)
        found = results(folder)
        file = folder / "constants"
        file.write_text(constants.text(constants.measured(found), "made"))
        simulator = validation.Simulator(plan, file)
        made = validation.predictions(found, simulator)
        assert [one.ranks for one in made] == [4, 8, 16] and all(abs(one.ratio - 1) < 1e-3 for one in made), made
        for point in found["recovery"].families["one_dies_1_MiB"]["shrink"]:
            point.seconds *= 10
        assert not any(one.is_good for one in validation.predictions(found, simulator))


def lines_are_never_negative() -> None:
    assert constants.fitted({2: 1.0, 4: 2.0, 8: 4.0}) == constants.Line(0.0, 0.5)
    falling = constants.fitted({2: 4.0, 4: 2.0, 8: 1.0})
    assert falling.per_rank == 0 and 1 <= falling.fixed <= 4
    steep = constants.fitted({2: 1.0, 4: 5.0, 8: 14.0})
    assert steep.fixed == 0 and steep.per_rank > 0


def main() -> None:
    for nodes in (1, 3):
        finds_what_was_made(nodes)
    lines_are_never_negative()
    predicts_what_it_made(pathlib.Path(sys.argv[1]))
    print("all constants are found")


if __name__ == "__main__":
    main()
