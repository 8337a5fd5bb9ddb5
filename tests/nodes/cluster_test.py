#!/usr/bin/env python3
"""The nodes of cluster.py: what they share, and what a peer sees when one crashes, loses its power, or is cut off for a while."""
import subprocess
import sys
import time

import cluster

RSH = [sys.executable, str(cluster.HERE / "rsh.py")]
# Connects to n1 and tells how the connection ends, or what arrives.
LISTEN = "import socket; s = socket.create_server(('', 4000)); c = s.accept()[0]; print('connected', flush=True); c.recv(1); import time; time.sleep(60)"
ASK = """
import socket, sys
s = socket.create_connection(('n1', 4000), timeout=5)
print('connected', flush=True)
s.settimeout(float(sys.argv[1]))
try: print('ended' if s.recv(1) == b'' else 'data')
except TimeoutError: print('silent')
except OSError as error: print('ended')
"""


def python(text: str, *words: str) -> list[str]:
    return [sys.executable, "-c", text, *words]


def expect(good: bool, what: str) -> None:
    if not good:
        sys.exit(f"expected {what}")
    print(f"as expected: {what}", flush=True)


def said(nodes: cluster.Cluster, node: int, *command: str) -> str:
    return nodes.run(node, list(command)).stdout.strip()


def connection(nodes: cluster.Cluster, patience: str) -> tuple[subprocess.Popen, subprocess.Popen]:
    """A process of n1, and one of n0 that is connected to it."""
    listener = nodes.start(1, python(LISTEN), stdout=subprocess.PIPE, text=True)
    asker = None
    while asker is None:
        asker = nodes.start(0, python(ASK, patience), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert asker.stdout and listener.stdout
        if asker.stdout.readline() != "connected\n":  # the listener has not started yet
            asker.wait()
            asker = None
    listener.stdout.readline()
    return listener, asker


def look_around(nodes: cluster.Cluster) -> None:
    expect([said(nodes, node, "hostname") for node in range(3)] == ["n0", "n1", "n2"], "that each node has its name")
    nodes.run(1, ["touch", "/tmp/mine", "/dev/shm/mine"])
    expect("mine" not in said(nodes, 2, "ls", "/tmp", "/dev/shm"), "that nodes do not share /tmp and /dev/shm")
    expect(said(nodes, 2, "ls", str(cluster.HERE)) != "", "that nodes share the checkout")
    shell = nodes.start(2, ["sleep", "77"])
    while not nodes.processes(2, "sleep"):
        time.sleep(0.01)
    expect(len(nodes.processes(2)) == 1 and not nodes.processes(1), "that a process is on one node only")
    expect("sleep" not in said(nodes, 1, "ps", "ax"), "that a node does not see the processes of another")
    shell.kill()


def remote_shell(nodes: cluster.Cluster) -> None:
    done = nodes.run(0, [*RSH, "-x", "n2", "hostname; echo problem >&2; exit 7"])
    expect(done.returncode == 7 and done.stdout == "n2\nproblem\n", "output and exit code of a remote command")
    expect(nodes.run(0, [*RSH, "n2", "kill -9 $$"]).returncode == 137, "the exit code of a remote command that was killed")
    large = nodes.run(0, [*RSH, "n2", "head -c 3000000 /dev/zero | tr '\\0' x"]).stdout
    expect(len(large) == 3000000, "all of a large output")
    left = nodes.run(0, [*RSH, "n2", "sleep 5 & echo started"], timeout=4)
    expect(left.stdout == "started\n", "that nobody waits for what a remote command leaves behind")


def lose(nodes: cluster.Cluster) -> None:
    listener, asker = connection(nodes, "20")
    begin = time.monotonic()
    nodes.crash(1)
    expect(asker.communicate()[0] == "ended\n" and time.monotonic() - begin < 10, "that peers hear of a crash")
    expect(nodes.run(0, [*RSH, "n1", "true"]).returncode == 255, "that nothing runs on a node that has crashed")
    listener.wait()

    nodes.boot(1)
    expect(said(nodes, 0, *RSH, "n1", "hostname") == "n1", "a node that was booted again")
    listener, asker = connection(nodes, "2")
    nodes.power_off(1)
    expect(asker.communicate()[0] == "silent\n", "silence from a node without power")
    listener.wait()

    nodes.boot(1)
    listener, asker = connection(nodes, "2")
    nodes.cut(1)
    expect(asker.communicate()[0] == "silent\n", "silence from a node that is cut off")
    expect(len(nodes.processes(1)) == 1, "that its processes live on")
    nodes.join(1)
    expect(said(nodes, 0, *RSH, "n1", "hostname") == "n1", "a node that was joined again")
    listener.kill()


def main() -> int:
    if skip := cluster.reason_to_skip():
        print(f"SKIPPED: {skip}")
        return cluster.SKIPPED
    with cluster.Cluster(3) as nodes:
        look_around(nodes)
        remote_shell(nodes)
        lose(nodes)
        inits = [node.init for node in nodes.nodes if node]
    expect(not any(cluster.pathlib.Path(f"/proc/{init}").exists() for init in inits), "that nothing of the nodes is left")
    return 0


if __name__ == "__main__":
    sys.exit(main())
