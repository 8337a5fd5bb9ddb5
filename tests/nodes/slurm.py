#!/usr/bin/env python3
"""Slurm on the nodes of cluster.py, with Debian's packages: its controller on node 0, its daemon on each node.

    with Cluster(4, [folder]) as cluster, Slurm(cluster, folder) as slurm:
        job = cluster.start(0, ["salloc", "--nodes=4", "--no-kill", ...], slurm.env)
"""
import pathlib
import shutil
import subprocess
import time

import cluster

TOOLS = ["slurmctld", "slurmd", "salloc", "scancel", "sinfo"]
SILENCE = 20  # seconds after which the controller takes a silent node for lost
CORES = 4  # of a node, whatever this machine has
CONFIGURATION = """ClusterName=nodes
SlurmctldHost=n0
SlurmUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation=/tmp/slurmctld
SlurmdSpoolDir=/tmp/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdTimeout={silence}
KillWait=5
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=n[0-{last}] CPUs={cores}
PartitionName=all Nodes=ALL Default=YES
"""
CGROUPS = "CgroupPlugin=cgroup/v1\nCgroupMountpoint=/tmp/cgroup\n"  # Slurm looks for them although it uses none


def reason_to_skip() -> str:
    """Why Slurm cannot run here; empty if it can."""
    missing = [tool for tool in TOOLS if not shutil.which(tool, path=cluster.search_path())]
    return f"no {missing[0]}: Debian's packages slurmctld, slurmd and slurm-client are needed" if missing else cluster.reason_to_skip()


class Slurm:
    def __init__(self, nodes: cluster.Cluster, folder: pathlib.Path):
        """folder: for its configuration and logs; all nodes see it."""
        self.nodes = nodes
        self.folder = folder
        self.daemons: list[subprocess.Popen] = []
        text = CONFIGURATION.format(folder=folder, silence=SILENCE, last=len(nodes.nodes) - 1, cores=CORES)
        (folder / "slurm.conf").write_text(text, encoding="ascii")
        (folder / "cgroup.conf").write_text(CGROUPS, encoding="ascii")
        self.env = {"SLURM_CONF": str(folder / "slurm.conf")}
        self._start(0, "mkdir -p /tmp/slurmctld && exec slurmctld -D -c")
        for node in range(len(nodes.nodes)):
            self.boot(node)
        self.wait_until_idle()

    def __enter__(self) -> "Slurm":
        return self

    def __exit__(self, *_: object) -> None:
        for daemon in self.daemons:
            daemon.kill()
            daemon.wait()

    def boot(self, node: int) -> None:
        """Starts the daemon of a node, also of one that was booted again."""
        self._start(node, f"mkdir -p /tmp/slurmd /tmp/cgroup && exec slurmd -D -N n{node}")

    def wait_until_idle(self, patience: float = 60) -> None:
        """Waits until no job is left and all nodes are there."""
        end = time.monotonic() + patience
        while (states := self.states()) != {"idle"}:
            if time.monotonic() > end:
                raise RuntimeError(f"the nodes are not idle: {states}\n{(self.folder / 'slurmctld.log').read_text(encoding='utf-8')}")
            time.sleep(0.2)

    def states(self) -> set[str]:
        return set(self.nodes.run(0, ["sinfo", "--noheader", "--format=%T"], self.env).stdout.split())

    def _start(self, node: int, command: str) -> None:
        with open(self.folder / f"n{node}.out", "ab") as out:
            self.daemons.append(self.nodes.start(node, ["sh", "-c", command], self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out))
