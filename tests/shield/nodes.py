#!/usr/bin/env python3
"""Jobs over nodes under the shield that a rank beside the launcher, or on another node, ends: with the exit code of that end.

nodes.py --mpirun PATH --node-library PATH --rank-library PATH --program POLICIES --shield LIBRARY
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "nodes"))
import cluster  # noqa: E402
import jobs_test  # noqa: E402

NODES, LIMIT = 3, 60
HOSTS = ["n0:1,n1:1,n2:1", "n0:2,n1:1"]  # rank 1 is on another node than the launcher, and on the same
# What rank 1 does; the exit code, and what is said.
ENDS = {"abort 7": (7, "MPI_Abort"), "fatal 0": (6, "errors are fatal"), "session": (4, "a session has no MPI_COMM_WORLD")}


def one_job(nodes: cluster.Cluster, args, what: str, hosts: str) -> str:
    """What is wrong with a job on these hosts."""
    code, says = ENDS[what]
    job = jobs_test.start(nodes, args, ["--bind-to", "none"], [args.program, *what.split()], hosts, NODES, args.shield)
    try:
        text = job.communicate(timeout=LIMIT)[0]
    except subprocess.TimeoutExpired:
        jobs_test.kill(nodes.processes(0))
        return f"hung\n{job.communicate()[0]}"
    print(f"{what} on {hosts}: {job.returncode}\n{text}", flush=True)
    wrong = [f"exit code {job.returncode} instead of {code}"] if job.returncode != code else []
    if what == "session" and "the program's own" in text:
        wrong.append("the shield's exit code is said to be the program's")
    wrong += [f"it does not say: {says}"] if says not in text else []
    return ", ".join(wrong + (["all ranks are said to have died"] if "all ranks have died" in text else []))


def main() -> int:
    parser = jobs_test.arguments(__doc__ or "")
    parser.add_argument("--shield", required=True)
    args = parser.parse_args()
    if skip := cluster.reason_to_skip():
        print(f"SKIPPED: {skip}")
        return cluster.SKIPPED
    with cluster.Cluster(NODES, [*jobs_test.folders(args), pathlib.Path(args.shield).parent]) as nodes:
        bad = [f"{what} on {hosts}: {wrong}" for what in ENDS for hosts in HOSTS if (wrong := one_job(nodes, args, what, hosts))]
    print(*bad, sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
