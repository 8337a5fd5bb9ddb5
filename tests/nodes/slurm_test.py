#!/usr/bin/env python3
"""Jobs in an allocation of Slurm, over four nodes with two ranks each: one is left alone, one loses a rank, one loses a node. All end with
the same result. Slurm is Debian's (slurm.py).

slurm_test.py --mpirun PATH --node-library PATH --rank-library PATH --program STEPS
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import cluster
import slurm
from jobs_test import LIMIT, NODES, RANKS_OF_A_NODE, STEPS, arguments, folders, kill

sys.path.insert(0, str(cluster.ROOT / "apps/launch"))
import launch

# What is lost while all ranks are at work, and how many ranks go with it.
LOSSES = {
    "nothing": (lambda nodes: None, 0),
    "rank": (lambda nodes: kill(nodes.processes(2, "steps")[:1]), 1),
    "node": (lambda nodes: nodes.crash(2), 2),
}


def start(nodes: cluster.Cluster, system: slurm.Slurm, args: argparse.Namespace) -> subprocess.Popen:
    allocation = ["salloc", f"--nodes={NODES}", f"--ntasks-per-node={RANKS_OF_A_NODE}", "--no-kill"]
    job = [sys.executable, launch.__file__, "--mpirun", args.mpirun, "--node-library", args.node_library, "--rank-library",
           args.rank_library, "--node-timeout", "5", "--bind-to", "none", "-n", str(NODES * RANKS_OF_A_NODE), "--", args.program, STEPS]
    env = {**system.env, "OMPI_MCA_mpi_yield_when_idle": "1"}
    return nodes.start(0, [*allocation, *job], env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def one_job(nodes: cluster.Cluster, system: slurm.Slurm, args: argparse.Namespace, loss: str) -> tuple[str, str]:
    """The result of a job, and what is wrong with the job."""
    lose, num_lost = LOSSES[loss]
    job = start(nodes, system, args)
    assert job.stdout
    text = ""
    while "at work" not in text and (line := job.stdout.readline()):
        text += line
    lose(nodes)
    lost_at = time.monotonic()
    try:
        text += job.communicate(timeout=LIMIT)[0]
    except subprocess.TimeoutExpired:
        job.kill()
        text += job.communicate()[0]
        text += "hung\n"
    print(f"{loss}: ended {time.monotonic() - lost_at:.1f} s after the loss\n{text}", flush=True)
    for node in range(NODES):
        if not nodes.is_alive(node):
            nodes.boot(node)
            system.boot(node)
    system.wait_until_idle()
    found = re.search(r"^result (\S+) from (\d+) of", text, re.M)
    survivors = NODES * RANKS_OF_A_NODE - num_lost
    if not found or job.returncode != 0:
        return "", f"no result, exit code {job.returncode}"
    return found[1], "" if int(found[2]) == survivors else f"{found[2]} survivors instead of {survivors}"


def main() -> int:
    args = arguments(__doc__ or "").parse_args()
    if skip := slurm.reason_to_skip():
        print(f"SKIPPED: {skip}")
        return cluster.SKIPPED
    bad, results = [], set()
    with tempfile.TemporaryDirectory(prefix="slurm") as name:
        folder = pathlib.Path(name)
        with cluster.Cluster(NODES, [folder, *folders(args)]) as nodes, slurm.Slurm(nodes, folder) as system:
            for loss in LOSSES:
                result, problem = one_job(nodes, system, args, loss)
                results.add(result)
                bad += [f"{loss}: {problem}"] if problem else []
    if len(results) != 1:
        bad.append(f"results differ: {sorted(results)}")
    print("\n".join(bad) or f"{len(LOSSES)} jobs, one result")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
