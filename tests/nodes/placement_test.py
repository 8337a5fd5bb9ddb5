#!/usr/bin/env python3
"""Data in the store, over four nodes with two ranks each that are dealt to the nodes in turn: with two replicas nothing is lost with any one
node, with three with any two at once. After a repair the same holds for one node more.

placement_test.py --mpirun PATH --node-library PATH --rank-library PATH --program SPREAD
"""
import argparse
import itertools
import pathlib
import re
import subprocess
import sys

import cluster

sys.path.insert(0, str(cluster.ROOT / "apps/launch"))
import launch

NODES, RANKS_OF_A_NODE = 4, 2
STEPS = "400"
LIMIT = 60  # seconds for a job
# The node of mpirun, node 0, must live. Replicas, nodes that are lost at once, and nodes that are lost after the repair.
CASES = [(2, [1], [2]), (2, [2], []), (2, [3], []), *[(3, list(two), []) for two in itertools.combinations([1, 2, 3], 2)]]


def start(nodes: cluster.Cluster, args: argparse.Namespace, replicas: int) -> subprocess.Popen:
    words = [sys.executable, launch.__file__, "--mpirun", args.mpirun, "--node-library", args.node_library, "--rank-library",
             args.rank_library, "--host", nodes.hosts(RANKS_OF_A_NODE), "--map-by", "node", "-n", str(NODES * RANKS_OF_A_NODE), "--", args.program, str(replicas), STEPS]
    return nodes.start(0, words, cluster.FOR_MPI, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def one_job(nodes: cluster.Cluster, args: argparse.Namespace, case: tuple[int, list[int], list[int]]) -> str:
    """What is wrong with a job."""
    replicas, first, second = case
    job = start(nodes, args, replicas)
    assert job.stdout
    text = ""
    for lost, sign in ((first, "at work"), (second, "died:")):
        while lost and sign not in text and (line := job.stdout.readline()):
            text += line
        for node in lost:
            nodes.crash(node)
    try:
        text += job.communicate(timeout=LIMIT)[0]
    except subprocess.TimeoutExpired:
        job.kill()
        text += job.communicate()[0] + "hung\n"
    print(f"{replicas} replicas, without nodes {first} and then {second}\n{text}", flush=True)
    for node in range(NODES):
        if not nodes.is_alive(node):
            nodes.boot(node)
    found = re.findall(r"^\d+ died: (\d+) lost, (\d+) wrong", text, re.M)
    survivors = (NODES - len(first) - len(second)) * RANKS_OF_A_NODE
    if f"result from {survivors} of" not in text:
        return "no result of the survivors"
    return "" if found and all(numbers == ("0", "0") for numbers in found) else f"lost and wrong: {found}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--mpirun", "--node-library", "--rank-library", "--program"):
        parser.add_argument(name, required=True)
    args = parser.parse_args()
    if skip := cluster.reason_to_skip():
        print(f"SKIPPED: {skip}")
        return cluster.SKIPPED
    with cluster.Cluster(NODES, [pathlib.Path(args.program).parent, pathlib.Path(args.mpirun).parents[2]]) as nodes:
        bad = [f"{case}: {problem}" for case in CASES if (problem := one_job(nodes, args, case))]
    print("\n".join(bad) or f"{len(CASES)} jobs lost nothing")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
