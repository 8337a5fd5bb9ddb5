#!/usr/bin/env python3
"""init.py NUMBER HOSTS SHARED...: the first process of a node of cluster.py, in namespaces of its own. It makes the node's folders, starts
its remote shell, which writes `ready`, and reaps processes that have lost their parent."""
import os
import pathlib
import socket
import subprocess
import sys

OWN = ["/tmp", "/dev/shm", "/run"]  # empty on each node when it starts


def mount(*words: str, keep: tuple[int, ...] = ()) -> None:
    subprocess.run(["mount", *words], check=True, pass_fds=keep)


def main(number: str, hosts: list[str], shared: list[str]) -> None:
    socket.sethostname(f"n{number}")
    in_sight = {path: os.open(path, os.O_PATH) for path in shared if any(pathlib.Path(path).is_relative_to(own) for own in OWN)}
    for own in OWN:
        mount("-t", "tmpfs", "-o", "mode=1777", "tmpfs", own)
    for path, folder in in_sight.items():
        os.makedirs(path, exist_ok=True)
        mount("--no-canonicalize", "--bind", f"/proc/self/fd/{folder}", path, keep=(folder,))
    names = pathlib.Path("/run/hosts")
    names.write_text("".join(f"{line}\n" for line in ["127.0.0.1 localhost", *hosts]), encoding="ascii")
    mount("--bind", str(names), "/etc/hosts")
    subprocess.Popen([sys.executable, str(pathlib.Path(__file__).with_name("rsh.py")), "serve"])
    while True:
        os.wait()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2].split(","), sys.argv[3:])
