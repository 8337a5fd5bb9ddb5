#!/usr/bin/env python3
"""Jobs over four nodes, two ranks on each, of which ranks or nodes are lost: the survivors finish, with the same result.

jobs_test.py --mpirun PATH --node-library PATH --rank-library PATH --program STEPS [LOSS...]    LOSS: a name of LOSSES; without one: all
"""
import argparse
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import cluster

sys.path.insert(0, str(cluster.ROOT / "apps/launch"))
import launch

NODES, RANKS_OF_A_NODE = 4, 2
STEPS = "300"
SILENCE = 5  # seconds after which a silent node is lost
LIMIT = 60  # seconds for a job

# What is lost while all ranks are at work, and how many ranks go with it.
LOSSES = {
    "nothing": (lambda nodes: None, 0),
    "rank": (lambda nodes: kill(nodes.processes(2, "steps")[:1]), 1),
    "ranks-of-a-node": (lambda nodes: kill(nodes.processes(1, "steps")), 2),
    "ranks-then-daemon": (lambda nodes: (kill(nodes.processes(1, "steps")), kill(nodes.processes(1, "prted"))), 2),
    "daemon": (lambda nodes: kill(nodes.processes(2, "prted")), 2),
    "daemon-and-ranks": (lambda nodes: kill(nodes.processes(3, "prted") + nodes.processes(3, "steps")), 2),
    "crash": (lambda nodes: nodes.crash(2), 2),
    "crash-of-two": (lambda nodes: (nodes.crash(1), nodes.crash(3)), 4),
    "rank-then-crash": (lambda nodes: (kill(nodes.processes(0, "steps")[:1]), time.sleep(0.3), nodes.crash(2)), 3),
    "power": (lambda nodes: nodes.power_off(3), 2),
    "cut": (lambda nodes: nodes.cut(1), 2),
    "short-cut": (lambda nodes: (nodes.cut(1), time.sleep(1), nodes.join(1)), 0),
}


def kill(processes: list[int]) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def start(nodes: cluster.Cluster, args: argparse.Namespace, options: list[str] | None = None, program: list[str] | None = None,
          hosts: str = "", ranks: int = NODES * RANKS_OF_A_NODE, shield: str = "") -> subprocess.Popen:
    """options: of regraft-run. program: in place of `steps`. hosts: as mpirun names them, all nodes if empty. shield: its library; empty: the
    program runs without."""
    launcher = [str(cluster.ROOT / "apps/launch/shield.py"), "--library", shield] if shield else [launch.__file__, "--rank-library", args.rank_library]
    words = [sys.executable, *launcher, "--mpirun", args.mpirun, "--node-library", args.node_library, "--node-timeout", str(SILENCE),
             *(options or []), "--host", hosts or nodes.hosts(RANKS_OF_A_NODE), "-n", str(ranks), "--", *(program or [args.program, STEPS])]
    return nodes.start(0, words, cluster.FOR_MPI, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def lines(text: str) -> str:
    """The text as lines. A NUL byte ends help texts of Open MPI, and what others print follows it at once."""
    return text.replace("\0", "\n")


def one_job(nodes: cluster.Cluster, args: argparse.Namespace, loss: str) -> tuple[str, str]:
    """The result of a job, and what is wrong with the job."""
    lose, num_lost = LOSSES[loss]
    job = start(nodes, args)
    assert job.stdout
    begin, text = time.monotonic(), ""
    while "at work" not in text and (line := job.stdout.readline()):
        text += line
    lose(nodes)
    lost_at = time.monotonic()
    try:
        text += job.communicate(timeout=LIMIT)[0]
        hung = False
    except subprocess.TimeoutExpired as expired:
        text += (expired.output or b"").decode() if isinstance(expired.output, bytes) else expired.output or ""
        hung = True
    print(f"{loss}: started in {lost_at - begin:.1f} s, ended {time.monotonic() - lost_at:.1f} s after the loss\n{text}", flush=True)
    for node in range(NODES):
        nodes.join(node)
        kill(nodes.processes(node)) if nodes.is_alive(node) else nodes.boot(node)
    code = job.wait()
    found = re.search(r"^result (\S+) from (\d+) of", lines(text), re.M)
    if hung or not found:
        return "", "hung" if hung else "no result"
    if code != 0:
        return "", f"exit code {code}"
    survivors = NODES * RANKS_OF_A_NODE - num_lost
    return found[1], "" if int(found[2]) == survivors else f"{found[2]} survivors instead of {survivors}"


def arguments(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--node-library", required=True)
    parser.add_argument("--rank-library", required=True)
    parser.add_argument("--program", required=True)
    return parser


def folders(args: argparse.Namespace) -> list[pathlib.Path]:
    """What all nodes see."""
    return [pathlib.Path(args.program).parent, pathlib.Path(args.mpirun).parents[2]]


def main() -> int:
    parser = arguments(__doc__ or "")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("losses", nargs="*", help=", ".join(LOSSES))
    args = parser.parse_args()
    if skip := cluster.reason_to_skip():
        print(f"SKIPPED: {skip}")
        return cluster.SKIPPED
    losses = (args.losses or list(LOSSES)) * args.repeat
    bad, results = [], set()
    with cluster.Cluster(NODES, folders(args)) as nodes:
        for loss in losses:
            result, problem = one_job(nodes, args, loss)
            results.add(result)
            bad += [f"{loss}: {problem}"] if problem else []
    if len(results) != 1:
        bad.append(f"results differ: {sorted(results)}")
    print("\n".join(bad) or f"{len(losses)} jobs, one result")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
