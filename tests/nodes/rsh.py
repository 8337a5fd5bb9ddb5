#!/usr/bin/env python3
"""The remote shell of the nodes of cluster.py, in place of ssh.

rsh.py [-OPTION]... HOST WORD...   run a command on a host by its shell. Output and exit code are those of the command; 255 if there is no
                                   connection, or none any more
rsh.py serve                       write `ready` and run what others send

A command and its output go through one connection. After the output comes END and one byte, the exit code.
"""
import os
import socket
import socketserver
import subprocess
import sys
import threading

PORT = 2222
END = b"\0exit "
NO_CONNECTION = 255


class Session(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        command = self.rfile.read(int(self.rfile.readline())).decode()
        child = subprocess.Popen(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 cwd="/", env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}, start_new_session=True)
        assert child.stdout
        threading.Thread(target=self.pass_on, args=(child.stdout,), daemon=True).start()
        code = child.wait()
        self.passed_on.wait(0.2)  # what a daemon writes that the command leaves behind is not waited for
        with self.lock:
            self.wfile.write(END + bytes([code if code >= 0 else 128 - code]))

    def setup(self) -> None:
        super().setup()
        self.lock = threading.Lock()
        self.passed_on = threading.Event()

    def pass_on(self, output) -> None:
        try:
            while chunk := output.read1(65536):
                with self.lock:
                    self.wfile.write(chunk)
        except (OSError, ValueError):
            pass  # the connection has ended
        self.passed_on.set()


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


def run(host: str, command: bytes) -> int:
    try:
        with socket.create_connection((host, PORT), timeout=10) as connection:
            connection.settimeout(None)
            connection.sendall(b"%d\n" % len(command) + command)
            rest = b""
            while chunk := connection.recv(65536):
                rest += chunk
                if len(rest) > len(END) and rest[-len(END) - 1:-1] == END:
                    os.write(1, rest[:-len(END) - 1])
                    return rest[-1]
                os.write(1, rest[:-len(END) - 1])
                rest = rest[-len(END) - 1:]
        problem = "the connection was lost"
    except OSError as error:
        problem = str(error)
    print(f"rsh to {host}: {problem}", file=sys.stderr)
    return NO_CONNECTION


def main(words: list[str]) -> int:
    while words and words[0].startswith("-"):
        words = words[1:]
    if words == ["serve"]:
        with Server(("", PORT), Session) as server:
            print("ready", flush=True)
            server.serve_forever()
    if len(words) < 2:
        print((__doc__ or "").strip())
        return 2
    return run(words[0], " ".join(words[1:]).encode())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
