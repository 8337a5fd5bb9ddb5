#!/usr/bin/env python3
"""The laboratory on several nodes: it takes the ranks that --host gives, says what each node is, and measures messages within nodes and
between them. On one machine it is as ever.

bench_test.py --mpirun PATH --programs FOLDER
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import cluster

NODES, RANKS_OF_A_NODE = 2, 2
BETWEEN = {"alpha_between_us", "between_gbps", "node_gbps"}


class Laboratory:
    def __init__(self, nodes: cluster.Cluster, args: argparse.Namespace, folder: pathlib.Path):
        self.nodes, self.args, self.folder = nodes, args, folder

    def run(self, results: str, *words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess:
        command = [sys.executable, str(cluster.ROOT / "tools/bench/bench.py"), "--programs", self.args.programs, "--mpirun", self.args.mpirun,
                   "--results", str(self.folder / results), "--build", str(self.folder), "--short", *words]
        done = self.nodes.run(0, command, cluster.FOR_MPI | (env or {}), timeout=600)
        print(done.stdout, done.stderr, flush=True)
        return done

    def results(self, name: str) -> dict:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))


def on_nodes(laboratory: Laboratory, nodes: cluster.Cluster) -> None:
    done = laboratory.run("nodes", "--host", nodes.hosts(RANKS_OF_A_NODE), "messages", "agree")
    assert done.returncode == 0, done.returncode
    for name in ("messages", "agree"):
        told = laboratory.results(f"nodes/{name}.json")
        described = told["context"]["nodes_of_job"]
        assert [node["host"] for node in described] == ["n0", "n1"], described
        assert all(node["cores"] >= 1 and node["memory_bytes"] > 0 and node["load"] >= 0 for node in described), described
        sizes = {int(line["name"].partition("/pes:")[2].partition("/")[0]) for line in told["benchmarks"]}
        assert sizes == {NODES, NODES * RANKS_OF_A_NODE}, sizes
        assert not any("error" in line for line in told["benchmarks"])
    # With one rank on each node there is nothing within a node.
    kinds = {line["name"].partition("/pes:")[0] for line in laboratory.results("nodes/messages.json")["benchmarks"] if "/pes:2/" in line["name"]}
    assert kinds == {"empty/all", "small/between", "large/between", "lone/between", "copy/all", "fresh/all"}, kinds
    constants = laboratory.results("nodes/report/constants.json")
    assert constants.keys() >= BETWEEN | {"within_gbps", "agreement_us"} and "2 nodes" in constants["machine"], constants
    page = (laboratory.folder / "nodes/report/report.md").read_text(encoding="utf-8")
    assert "| n0 |" in page and "| n1 |" in page


def by_a_batch_system(laboratory: Laboratory) -> None:
    """PBS names its hosts in a file, a line for each slot."""
    file = laboratory.folder / "hosts"
    file.write_text("n0\nn0\nn1\nn1\n", encoding="ascii")
    done = laboratory.run("batch", "agree", env={"PBS_NODEFILE": str(file), "PBS_JOBID": "1.n0", "PBS_ENVIRONMENT": "PBS_BATCH"})
    assert done.returncode == 0 and len(laboratory.results("batch/agree.json")["context"]["nodes_of_job"]) == NODES


def refusals(laboratory: Laboratory) -> None:
    done = laboratory.run("refused", "--host", "n0,n1", "agree")
    assert done.returncode == 1 and "Expected n0:N after --host" in done.stderr, done
    done = laboratory.run("refused", "--host", "n0:2,n1:2", "recovery")
    assert done.returncode == 2 and "measured on one machine only" in done.stderr, done
    assert not list((laboratory.folder / "refused").glob("*.json"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--programs", required=True)
    args = parser.parse_args()
    if skip := cluster.reason_to_skip():
        print(f"SKIPPED: {skip}")
        return cluster.SKIPPED
    with tempfile.TemporaryDirectory(dir=pathlib.Path(args.programs).parent) as name:
        folder = pathlib.Path(name)
        with cluster.Cluster(NODES, [pathlib.Path(args.programs).parent, pathlib.Path(args.mpirun).parents[2]]) as nodes:
            laboratory = Laboratory(nodes, args, folder)
            on_nodes(laboratory, nodes)
            by_a_batch_system(laboratory)
            refusals(laboratory)
        done = subprocess.run([sys.executable, str(cluster.ROOT / "tools/bench/bench.py"), "--programs", args.programs, "--mpirun", args.mpirun,
                               "--results", str(folder / "one"), "--build", name, "--short", "agree"], env=dict(os.environ), check=False)
        assert done.returncode == 0 and "nodes_of_job" not in laboratory.results("one/agree.json")["context"]
    print("measured on nodes, and on one machine")
    return 0


if __name__ == "__main__":
    sys.exit(main())
