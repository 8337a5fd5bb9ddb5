#!/usr/bin/env python3
"""rustworkx_rounds.py FOLDER: measures rustworkx.graph_bipartite_edge_color on what `schedule_bench --write-edges=FOLDER` wrote there.

Prints runs as Google Benchmark does, rustworkx/FAMILY/edges:N/pes:P/threads:1. The time does not include building the graph. An answer is
an error if it is no colouring of all edges with as many colours as the largest degree. rustworkx accepts parallel edges.
"""
import argparse
import array
import collections
import json
import multiprocessing
import pathlib
import sys
import time

import rustworkx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import bench_tool


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--limit", type=int, default=20, help="seconds after which a repetition is stopped")
    args = parser.parse_args()
    runs = [run for file in sorted(args.folder.iterdir()) for run in measure(file, args.repetitions, args.limit)]
    json.dump({"context": {"rustworkx": rustworkx.__version__}, "benchmarks": runs}, sys.stdout)
    return 0


def measure(file: pathlib.Path, repetitions: int, limit: int) -> list[dict]:
    """The runs of all repetitions, or one that is an error."""
    family, num_edges, num_pes = file.name.rsplit("_", 2)
    name = f"rustworkx/{family}/edges:{num_edges}/pes:{num_pes}/threads:1"
    runs = []
    # rustworkx runs in a process of its own, because it cannot be stopped in another way.
    with multiprocessing.Pool(1) as pool:
        for _ in range(repetitions):
            try:
                run = pool.apply_async(colour, (file, int(num_pes))).get(limit)
            except multiprocessing.TimeoutError:
                run = {"error_occurred": True, "error_message": f"did not finish {num_edges} edges in {limit} s",
                       "real_time": 0.0, "cpu_time": 0.0}
            runs.append(bench_tool.record(name, "ms", **run))
            if "error_occurred" in run:
                return runs[-1:]
    return runs


def colour(file: pathlib.Path, num_pes: int) -> dict:
    """The milliseconds and counters of a run, or its error."""
    ends = array.array("I", file.read_bytes())
    edges = [(left, num_pes + right) for left, right in zip(ends[::2], ends[1::2])]
    graph = rustworkx.PyGraph(multigraph=True)
    graph.add_nodes_from(range(2 * num_pes))
    graph.add_edges_from_no_data(edges)
    wall, cpu = time.perf_counter(), time.process_time()
    found = rustworkx.graph_bipartite_edge_color(graph)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    colours = dict(found.items())
    degree = max(collections.Counter(end for edge in edges for end in edge).values())
    rounds = len(set(colours.values()))
    run = {"real_time": wall * 1e3, "cpu_time": cpu * 1e3, "Delta": degree, "rounds": rounds}
    if not is_proper(edges, colours) or rounds != degree:
        run |= {"error_occurred": True, "error_message": "not a colouring with as many colours as the largest degree"}
    return run


def is_proper(edges: list[tuple[int, int]], colours: dict[int, int]) -> bool:
    """Whether every edge has a colour and no two edges that share an end have the same one."""
    if sorted(colours) != list(range(len(edges))):
        return False
    return len({(end, colours[i]) for i, edge in enumerate(edges) for end in edge}) == 2 * len(edges)


if __name__ == "__main__":
    sys.exit(main())
