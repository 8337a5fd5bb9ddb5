"""The records of ranks on several hosts: each rank has a connection to the launcher (rank.h)."""
import contextlib
import fcntl
import pathlib
import random
import re
import resource
import secrets
import selectors
import socket
import struct
import threading
import time

from regraft_run.told import Notes, Rank, parse

SIOCGIFADDR = 0x8915  # <linux/sockios.h>: the IPv4 address of a network card
LINE = re.compile(r"(started|entered|finalized|exited|aborted|ended|quit) -?\d{1,10}|left")
NAME = re.compile(r"[^/\s]{1,256}\.\d{1,10}")
LONGEST = 512  # bytes of a line
ENOUGH = 10  # looks in a row at which a rank has not answered, until it is named
ASKS = 1000  # ranks that are asked at each look


def addresses() -> list[str]:
    """The IPv4 addresses of this host, by which others may reach it."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for _, card in socket.if_nameindex():
            with contextlib.suppress(OSError):  # it has no address
                answer = fcntl.ioctl(any_socket, SIOCGIFADDR, struct.pack("256s", card.encode()[:15]))
                found.append(socket.inet_ntoa(answer[20:24]))
    return [address for address in found if not address.startswith("127.")] or ["127.0.0.1"]


class Connections:
    """Listens to ranks in a thread of its own. A rank whose processes have all ended has no connection any more. Ranks end themselves when
    they lose the launcher."""

    def __init__(self, node_timeout: int, notes: pathlib.Path):
        """node_timeout: after so many seconds of silence a rank or the launcher is lost to the other one. notes: the file to which mpirun
        appends."""
        self.notes = notes
        self.key = secrets.token_hex(16)
        self.node_timeout = node_timeout
        self.texts: dict[str, str] = {}  # what ranks have told, by NAMESPACE.RANK
        self.open: dict[socket.socket, str] = {}  # the rank at the other end; empty: it has not said its name yet
        self.rest: dict[socket.socket, bytes] = {}  # the begin of a line whose end has not come
        self.unanswered: dict[socket.socket, int] = {}  # of those in MPI: at how many looks since it was asked; 0: it has answered
        self.lock = threading.RLock()  # a handler of signals may ask for ranks while this thread does
        self.listening = socket.create_server(("", 0), backlog=1024)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listening, selectors.EVENT_READ)
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        self.deserted_since = 0.0
        self.is_over = False
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def address(self) -> dict[str, str]:
        """The variable by which ranks know where to tell."""
        port = self.listening.getsockname()[1]
        return {"REGRAFT_LAUNCHER": f"{self.key} {self.node_timeout} {port} {' '.join(addresses())}"}

    def ranks(self) -> dict[str, Rank]:
        notes = Notes.read(self.notes)
        with self.lock:
            found = {name: parse(name, text) for name, text in self.texts.items()}
            connected = set(self.open.values())
        for name, rank in found.items():
            rank.process = 0
            rank.gone = not rank.left and name not in connected
        notes.add_to(found)
        # A rank that came to MPI_Init is connected as long as it lives. mpirun may hang without having noticed a loss.
        has_begun = any(rank.entered for rank in found.values())
        is_deserted = (bool(notes.died) or notes.daemon_lost or has_begun) and not any(connected)
        self.deserted_since = (self.deserted_since or time.monotonic()) if is_deserted else 0
        return found

    def daemon_lost(self) -> bool:
        """Whether mpirun has lost a daemon before ranks ran."""
        return Notes.read(self.notes).daemon_lost

    def deserted(self) -> float:
        """For how many seconds no rank has been there, although ranks have begun or ranks or daemons have been lost."""
        return time.monotonic() - self.deserted_since if self.deserted_since else 0

    def signal(self, number: int) -> None:
        """Sends a signal to the ranks that are in MPI."""
        with self.lock:
            for connection in self.open:
                with contextlib.suppress(OSError):
                    connection.send(f"signal {number}\n".encode())

    def silent(self) -> list[str]:
        """Says which ranks have not answered for a while although others have, and asks again. Each is named once, until it answers. Call
        it once a second."""
        with self.lock:
            waiting = [connection for connection, looks in self.unanswered.items() if looks > 0]
            if len(waiting) == len(self.unanswered):  # the launcher may have been stopped, too
                return [] if waiting else self.ask()
            for connection in waiting:
                self.unanswered[connection] += 1
            named = [self.name_silent(connection) for connection in waiting if self.unanswered[connection] == ENOUGH]
            self.ask()
            return named

    def ask(self) -> list[str]:
        """Asks ranks in MPI whether they are there."""
        answered = [connection for connection, looks in self.unanswered.items() if looks == 0]
        for connection in random.sample(answered, min(len(answered), ASKS)):
            with contextlib.suppress(OSError):
                connection.send(b"there?\n")
                self.unanswered[connection] = 1
        return []

    def name_silent(self, connection: socket.socket) -> str:
        name = self.open[connection]
        rank, place = parse(name, self.texts[name]), connection.getpeername()[0]
        return (f"rank {rank.number} is stopped, or {place} cannot be reached, and others may wait for it; "
                f"`kill -CONT {rank.process}` there lets it go on")

    def close(self) -> None:
        """Ranks that still live end themselves."""
        self.is_over = True
        with contextlib.suppress(OSError):
            socket.create_connection(self.listening.getsockname()[:2], timeout=1).close()  # wakes the thread
        self.thread.join()
        for connection in [*self.open, self.listening]:
            connection.close()
        self.selector.close()

    def listen(self) -> None:
        while not self.is_over:
            for key, _ in self.selector.select():
                if key.fileobj is self.listening:
                    self.accept()
                else:
                    self.receive(key.fileobj)

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            connection = self.listening.accept()[0]
            connection.settimeout(1)
            keep_alive(connection, self.node_timeout)
            with self.lock:
                self.open[connection], self.rest[connection] = "", b""
            self.selector.register(connection, selectors.EVENT_READ)

    def receive(self, connection: socket.socket) -> None:
        try:
            data = connection.recv(65536)
        except OSError:
            data = b""
        *lines, rest = (self.rest[connection] + data).split(b"\n")
        self.rest[connection] = rest
        is_good = all(self.understand(connection, line.decode("ascii", "replace")) for line in lines)
        if not data or not is_good or len(rest) > LONGEST:
            self.selector.unregister(connection)
            with self.lock:
                del self.open[connection], self.rest[connection]
                self.unanswered.pop(connection, None)
            connection.close()

    def understand(self, connection: socket.socket, line: str) -> bool:
        """Whether the line makes sense. The first one is `KEY NAMESPACE.RANK`; `?` asks for what the rank has told so far, and `here` is an
        answer."""
        name = self.open[connection]
        if not name:
            key, _, name = line.partition(" ")
            if not secrets.compare_digest(key.encode(), self.key.encode()) or not NAME.fullmatch(name):
                return False
            with self.lock:
                self.open[connection] = name
            return True
        if line == "?":
            with contextlib.suppress(OSError):
                connection.sendall(self.texts.get(name, "").encode() + b"\n")
            return True
        if line == "here":
            with self.lock:
                if connection in self.unanswered:
                    self.unanswered[connection] = 0
            return True
        if not LINE.fullmatch(line):
            return False
        with self.lock:
            self.texts[name] = self.texts.get(name, "") + line + "\n"
            if line.startswith("entered"):
                self.unanswered[connection] = 0
            elif line != "left":  # it ends, and may not answer any more
                self.unanswered.pop(connection, None)
        return True


def keep_alive(connection: socket.socket, timeout: int) -> None:
    """Ends the connection after so many seconds of silence."""
    probes, interval = 3, max(1, timeout // 6)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in ((socket.TCP_KEEPIDLE, max(1, timeout - probes * interval)), (socket.TCP_KEEPINTVL, interval),
                        (socket.TCP_KEEPCNT, probes), (socket.TCP_USER_TIMEOUT, 1000 * timeout)):
        connection.setsockopt(socket.IPPROTO_TCP, name, value)
