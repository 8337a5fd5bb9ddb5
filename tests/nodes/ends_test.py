#!/usr/bin/env python3
"""Jobs over four nodes that cannot go on: each ends by name, with the exit code that belongs to it, and leaves no process on any node. A
restart gives the result of a job without deaths.

ends_test.py --mpirun PATH --node-library PATH --rank-library PATH --program STEPS
"""
import dataclasses
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable

import cluster
import jobs_test
from jobs_test import NODES, SILENCE, kill

LIMIT = 60  # seconds for a job
GONE = SILENCE + 15  # seconds until no process of it is left anywhere
# Rank 3 dies before MPI_Init, in the first start.
DIES_EARLY = """if [ "$OMPI_COMM_WORLD_RANK$REGRAFT_RESTART" = 30 ]; then kill -9 $$; fi; exec "$@" """


@dataclasses.dataclass
class End:
    """What happens to a job, and how it ends."""

    lose: Callable[[cluster.Cluster], object] = lambda nodes: None  # once all ranks are at work
    lose_at_start: Callable[[cluster.Cluster], object] = lambda nodes: None
    script: str = ""  # in place of the program, which it starts
    options: tuple[str, ...] = ()
    code: int | None = None  # None: nobody is left to say it
    says: str = ""
    result: bool = False  # the same as without deaths


def mpiruns(nodes: cluster.Cluster) -> list[int]:
    return nodes.processes(0, "mpirun") + nodes.processes(0, "prterun")  # it changes its name


def crash_of_node_2(nodes: cluster.Cluster) -> None:
    nodes.crash(2)
    kill(mpiruns(nodes))


def wait_for(found: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT
    while not found() and time.monotonic() < end:
        time.sleep(0.001)


def crash_before_ranks(seconds: float) -> Callable[[cluster.Cluster], None]:
    """Node 2 crashes so many seconds after mpirun has a daemon there, which connects to it in the first .03 s."""
    def crash(nodes: cluster.Cluster) -> None:
        wait_for(lambda: nodes.processes(2, "prted"))
        time.sleep(seconds)
        nodes.crash(2)

    return crash


def power_before_daemons(nodes: cluster.Cluster) -> None:
    """Node 2 falls silent before mpirun has a daemon there."""
    wait_for(lambda: mpiruns(nodes))
    nodes.power_off(2)


ENDS = {
    "nothing": End(code=0, result=True),
    "early": End(script=DIES_EARLY, code=69, says="rank 3 died before all ranks had left MPI_Init"),
    "early-restart": End(script=DIES_EARLY, options=("--restarts", "1"), code=0, says="starts again on n0:2, n1:2, n2:2, n3:2 (restart 1 of 1)", result=True),
    **{f"crash-before-ranks{i}-restart": End(lose_at_start=crash_before_ranks(.01 * i), options=("--restarts", "1"), code=0, result=True,
                                             says="starts again on n0:2, n1:2, n3:2 (restart 1 of 1)") for i in range(4)},
    "power-before-daemons-restart": End(lose_at_start=power_before_daemons, options=("--restarts", "1"), code=0, result=True,
                                        says="starts again on n0:2, n1:2, n3:2 (restart 1 of 1)"),
    "mpirun": End(lambda nodes: kill(mpiruns(nodes)), code=1, says="mpirun was killed by SIGKILL; the job is ended"),
    "mpirun-restart": End(lambda nodes: kill(mpiruns(nodes)), options=("--restarts", "2"), code=0, result=True,
                          says="starts again on n0:2, n1:2, n2:2, n3:2 (restart 1 of 2)"),
    "mpirun-and-node-restart": End(crash_of_node_2, options=("--restarts", "1"), code=0, result=True,
                                   says="starts again on n0:2, n1:2, n3:2 (restart 1 of 1)"),
    "all-ranks-restart": End(lambda nodes: [kill(nodes.processes(node, "steps")) for node in range(NODES)], options=("--restarts", "1"), code=0,
                             says="restart 1 of 1", result=True),
    "stop": End(lambda nodes: [os.kill(process, signal.SIGTERM) for process in launchers(nodes)], code=128 + signal.SIGTERM),
    "launcher": End(lambda nodes: kill(launchers(nodes))),
    "node-of-mpirun": End(lambda nodes: nodes.crash(0)),
    "power-of-node-of-mpirun": End(lambda nodes: nodes.power_off(0)),
}


def launchers(nodes: cluster.Cluster) -> list[int]:
    """regraft-run itself."""
    return [process for process in nodes.processes(0) if b"launch.py" in open(f"/proc/{process}/cmdline", "rb").read()]


def left(nodes: cluster.Cluster, names: Iterable[str] = ("mpirun", "prterun", "prted", "steps")) -> list[str]:
    """Processes of a job on the nodes that live."""
    return [f"n{node}: {name}" for node in range(len(nodes.nodes)) if nodes.is_alive(node)
            for name in names
            if nodes.processes(node, name)]


def one_job(nodes: cluster.Cluster, args, name: str, end: End) -> tuple[str, list[str]]:
    """The result of a job, and what is wrong with the job."""
    program = ["sh", "-c", end.script, "sh", args.program, jobs_test.STEPS] if end.script else None
    job = jobs_test.start(nodes, args, list(end.options), program)
    assert job.stdout
    text, wrong = "", []
    end.lose_at_start(nodes)
    while "at work" not in text and (line := job.stdout.readline()):
        text += line
    end.lose(nodes)
    begin = time.monotonic()
    try:
        text += job.communicate(timeout=LIMIT)[0]
    except subprocess.TimeoutExpired:
        wrong.append("hung")
    ended = time.monotonic() - begin
    while left(nodes) and time.monotonic() - begin - ended < GONE:
        time.sleep(0.1)
    print(f"{name}: ended after {ended:.1f} s with {job.poll()}, no process left after {time.monotonic() - begin:.1f} s\n{text}", flush=True)
    wrong += [f"{what} is left" for what in left(nodes)]
    for node in range(NODES):
        kill(nodes.processes(node)) if nodes.is_alive(node) and node != 0 else None
        nodes.boot(node) if not nodes.is_alive(node) else nodes.join(node)
    if job.poll() is None:
        job.kill()
    code = job.wait()
    found = re.search(r"^result (\S+) from", jobs_test.lines(text), re.M)
    if end.code is not None and code != end.code:
        wrong.append(f"exit code {code} instead of {end.code}")
    if end.says not in text:
        wrong.append(f"it does not say: {end.says}")
    if bool(found) != end.result:
        wrong.append("no result" if end.result else "a result")
    return (found[1] if found else ""), wrong


def main() -> int:
    parser = jobs_test.arguments(__doc__ or "")
    parser.add_argument("ends", nargs="*", help=", ".join(ENDS))
    args = parser.parse_args()
    if skip := cluster.reason_to_skip():
        print(f"SKIPPED: {skip}")
        return cluster.SKIPPED
    bad, results = [], set()
    with cluster.Cluster(NODES, jobs_test.folders(args)) as nodes:
        for name in args.ends or ENDS:
            result, wrong = one_job(nodes, args, name, ENDS[name])
            bad += [f"{name}: {what}" for what in wrong]
            results |= {result} if result else set()
    if len(results) > 1:
        bad.append(f"results differ: {sorted(results)}")
    print("\n".join(bad) or f"{len(args.ends or ENDS)} jobs ended as they should")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
