#!/usr/bin/env python3
"""A cluster on one machine, for jobs that lose nodes: each node has a network, a host name, process ids, /tmp, /dev/shm and IPC objects of
its own, so that processes of two nodes reach each other by TCP only. The rest of the file system is shared. Root is needed.

cluster.py N COMMAND...   run COMMAND on node 0 of N nodes, which end with it; `rsh.py n1 COMMAND` runs there what it is told

In Python:
    with Cluster(4) as cluster:
        job = cluster.start(0, ["mpirun", "--host", cluster.hosts(2), ...])
        cluster.crash(3)

The nodes are n0, n1, ... All are gone when the Cluster is, however its process ends: they are processes that die with their parent.
"""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NETWORK = "10.77"
SKIPPED = 77
# Linux: the same network, names, mounts, IPC objects and process ids as node 0 has them.
NAMESPACES = ["--net", "--uts", "--mount", "--ipc", "--pid"]
# Variables for an mpirun on a node: it starts its daemons by rsh.py, and ranks that share cores let others go on.
FOR_MPI = {"PRTE_MCA_plm_ssh_agent": f"{sys.executable} {HERE / 'rsh.py'}", "OMPI_MCA_mpi_yield_when_idle": "1"}
DIES_WITH_PARENT = ["setpriv", "--pdeathsig", "KILL"]


def reason_to_skip() -> str:
    """Why no nodes can be made here; empty if they can."""
    if missing := [tool for tool in ("ip", "unshare", "nsenter", "setpriv") if not shutil.which(tool, path=search_path())]:
        return f"no {missing[0]}: iproute2 and util-linux are needed to make nodes"
    probe = ["unshare", *NAMESPACES, "--fork", "ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1"]
    done = subprocess.run(probe, env=environment(), capture_output=True, text=True, check=False)
    return f"no namespaces for nodes: {done.stderr.strip()}" if done.returncode else ""


def search_path() -> str:
    return os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"


def environment() -> dict[str, str]:
    return {**os.environ, "PATH": search_path()}


class Cluster:
    def __init__(self, nodes: int, shared: list[pathlib.Path] | None = None):
        """shared: folders that all nodes see although they are below /tmp. The checkout is always one of them."""
        self.shared = [ROOT, *(shared or [])]
        self.nodes: list[Node | None] = [None] * nodes
        self.switch = subprocess.Popen([*DIES_WITH_PARENT, "unshare", "--net", "sleep", "infinity"], env=environment())
        while os.readlink(f"/proc/{self.switch.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        self._on_switch("add", "bridge", "type", "bridge")
        self._on_switch("set", "bridge", "up")
        for node in range(nodes):
            self.boot(node)

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for node in self.nodes:
            if node:
                node.end()
        self.switch.kill()
        self.switch.wait()

    def hosts(self, slots: int, nodes: list[int] | None = None) -> str:
        """For mpirun --host: the nodes, each with as many slots."""
        return ",".join(f"n{node}:{slots}" for node in (nodes if nodes is not None else range(len(self.nodes))))

    def address(self, node: int) -> str:
        return f"{NETWORK}.{node // 200}.{node % 200 + 10}"

    @staticmethod
    def card(node: int) -> str:
        """The hardware address of its network card. Peers remember it, also when the node boots again."""
        return f"02:00:00:00:{node // 256:02x}:{node % 256:02x}"

    def start(self, node: int, command: list[str], env: dict[str, str] | None = None, **options) -> subprocess.Popen:
        """Starts a command on a node; options: of Popen."""
        return subprocess.Popen(self._at(node).inside(command), env={**environment(), **(env or {})}, **options)

    def run(self, node: int, command: list[str], env: dict[str, str] | None = None, timeout: float = 60) -> subprocess.CompletedProcess:
        return subprocess.run(self._at(node).inside(command), env={**environment(), **(env or {})}, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=timeout, check=False)

    def processes(self, node: int, name: str = "") -> list[int]:
        """What runs on a node, without its first processes; name: only processes of this name. Ids are those of this machine."""
        return self._at(node).processes(name)

    def is_alive(self, node: int) -> bool:
        return self._at(node).outer.poll() is None

    def crash(self, node: int) -> None:
        """All processes of the node die at once. Its kernel lives, and tells the peers that connections have ended."""
        self._at(node).kill()

    def power_off(self, node: int) -> None:
        """The node is silent from now on."""
        self.cut(node)
        self._at(node).kill()

    def cut(self, node: int) -> None:
        """Nothing reaches the node or comes from it. Its processes live on."""
        self._on_switch("set", f"port{node}", "down")

    def join(self, node: int) -> None:
        self._on_switch("set", f"port{node}", "up")

    def boot(self, node: int) -> None:
        """Makes a node, also in place of one that has crashed. Returns when its remote shell listens."""
        if before := self.nodes[node]:
            before.end()
            self._on_switch("delete", f"port{node}", may_fail=True)  # it goes with the node's network, but only a moment later
        made = Node(node, [f"{self.address(other)} n{other}" for other in range(len(self.nodes))], self.shared)
        self.nodes[node] = made
        self._on_switch("add", f"port{node}", "type", "veth", "peer", "name", "eth0", "address", self.card(node), "netns",
                        str(made.init))
        self._on_switch("set", f"port{node}", "master", "bridge", "up")
        lines = ["link set lo up", f"address add {self.address(node)}/16 dev eth0", "link set eth0 up"]
        subprocess.run(made.inside(["ip", "-batch", "-"]), env=environment(), input="\n".join(lines), text=True, check=True)

    def _at(self, node: int) -> "Node":
        found = self.nodes[node]
        assert found, f"node {node} was never booted"
        return found

    def _on_switch(self, *words: str, may_fail: bool = False) -> None:
        subprocess.run(["nsenter", "-t", str(self.switch.pid), "--net", "ip", "link", *words], env=environment(), check=not may_fail,
                       stderr=subprocess.DEVNULL if may_fail else None)


class Node:
    """The processes of a node. Its network outlives them, so that peers are answered as by a kernel without these processes."""

    def __init__(self, number: int, hosts: list[str], shared: list[pathlib.Path]):
        words = [*DIES_WITH_PARENT, "unshare", *NAMESPACES, "--fork", "--kill-child=KILL", "--mount-proc", "--propagation", "private",
                 sys.executable, str(HERE / "init.py"), str(number), ",".join(hosts), *map(str, shared)]
        self.outer = subprocess.Popen(words, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True)
        assert self.outer.stdout
        if (line := self.outer.stdout.readline()) != "ready\n":
            raise RuntimeError(f"node {number} did not start: {line}{self.outer.stdout.read()}")
        self.init = int(pathlib.Path(f"/proc/{self.outer.pid}/task/{self.outer.pid}/children").read_text(encoding="ascii"))
        self.network = os.open(f"/proc/{self.init}/ns/net", os.O_RDONLY)
        self.ids = os.readlink(f"/proc/{self.init}/ns/pid")

    def inside(self, command: list[str]) -> list[str]:
        return ["nsenter", "-t", str(self.init), *NAMESPACES, "--", *command]

    def processes(self, name: str) -> list[int]:
        found = []
        for process in pathlib.Path("/proc").iterdir():
            if process.name.isdigit() and int(process.name) != self.init:
                with contextlib.suppress(OSError):
                    here = os.readlink(process / "ns/pid") == self.ids and b"rsh.py\0serve" not in (process / "cmdline").read_bytes()
                    if here and name in ("", (process / "comm").read_text(encoding="utf-8").strip()):
                        found.append(int(process.name))
        return sorted(found)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):  # all processes of its ids die with the first of them
            os.kill(self.init, signal.SIGKILL)
        self.outer.wait()

    def end(self) -> None:
        self.kill()
        if self.outer.stdout:
            self.outer.stdout.close()
        os.close(self.network)


def main(words: list[str]) -> int:
    if len(words) < 2 or not words[0].isdigit():
        print((__doc__ or "").strip())
        return 2
    if skip := reason_to_skip():
        print(f"SKIPPED: {skip}")
        return SKIPPED
    with Cluster(int(words[0]), [pathlib.Path.cwd()]) as cluster:
        return cluster.start(0, words[1:]).wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
