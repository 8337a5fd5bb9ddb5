"""Finds ranks that Open MPI keeps in a loop for ever."""
import contextlib
import ctypes
import dataclasses
import os
import pathlib
import platform
import re
import subprocess
import time

from regraft_run.processes import is_gone

WHY_CAUGHT = "waits in Open MPI for ever, for a message that a dying rank had begun to send; it is ended, and the others go on"


@dataclasses.dataclass
class Sight:
    """What was seen of a rank."""

    place: int = 0  # the address of the first instruction in a row of looks that found it in the same loop
    looks: int = 0  # how many these were
    has_run: int = 0  # nanoseconds until then
    due: float = 0  # when it is looked at again


class Caught:
    """Finds ranks that wait in Open MPI's queue in shared memory for ever, because another one died between the two instructions that
    append to this queue (docs/mpi/failure-model.md). Such a rank runs three instructions again and again and hears of nothing. After a
    death the others are looked at as by a debugger, which stops each for microseconds."""

    ENOUGH = 30  # looks in a row that find a rank in the same loop. A rank that waits as it should is somewhere else each time
    LOOP = 16  # bytes of instructions, at most
    STEP = 200_000  # nanoseconds; a rank that has run for less since the last look is not looked at
    PAUSE = 1  # seconds until the next look at a rank that was somewhere else
    LIBRARY = "libopen-pal"

    def __init__(self) -> None:
        self.after_a_death = False
        self.sights: dict[int, Sight] = {}

    def look(self, processes: list[int]) -> list[int]:
        """The ranks that are caught. processes: of all ranks that have not told their end."""
        living = [process for process in processes if not is_gone(process)]
        self.after_a_death |= len(living) < len(processes)
        return [process for process in living if self.is_caught(process)] if self.after_a_death else []

    def is_caught(self, process: int) -> bool:
        sight = self.sights.get(process, Sight())
        now, has_run = time.monotonic(), run_time(process)
        if now < sight.due or has_run < sight.has_run + self.STEP:
            return False
        place = instruction_of(process)
        again = place != 0 and abs(place - sight.place) < self.LOOP
        looks = sight.looks + 1 if again else 1
        self.sights[process] = Sight(sight.place if again else place, looks, has_run, now if again else now + self.PAUSE)
        return looks > self.ENOUGH and self.LIBRARY in library_at(process, place) and compares_with_free(process, place)


def can_look() -> bool:
    """Whether this system lets a process look at those that it has started."""
    with subprocess.Popen(["sleep", "60"]) as other:
        place = instruction_of(other.pid)
        other.kill()
    return place != 0


def run_time(process: int) -> int:
    """Nanoseconds for which its first thread has run."""
    try:
        return int(pathlib.Path(f"/proc/{process}/task/{process}/schedstat").read_text(encoding="ascii").split()[0])
    except (OSError, IndexError):
        return 0


def library_at(process: int, address: int) -> str:
    """The file that is mapped there."""
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{process}/maps").read_text(encoding="utf-8", errors="replace").splitlines():
            begin, end = (int(word, 16) for word in line.split()[0].split("-"))
            if begin <= address < end:
                return line.split()[-1]
    return ""


def compares_with_free(process: int, address: int) -> bool:
    """Whether an instruction near this one compares a register with -2, by which the queue says that there is no next message."""
    try:
        with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
            memory.seek(address - Caught.LOOP)
            code = memory.read(3 * Caught.LOOP)
    except OSError:
        return False
    if platform.machine() == "x86_64":
        return re.search(rb"[\x48\x49]\x83[\xf8-\xff]\xfe", code) is not None  # cmp $-2, %r..
    words = [int.from_bytes(code[i:i + 4], "little") for i in range(-address % 4, len(code) - 3, 4)]
    return any(word & 0xFFFFFC1F == 0xB100081F for word in words)  # cmn x.., #2


def instruction_of(process: int) -> int:
    """The address of the instruction at which its first thread is; 0 if it cannot be looked at."""
    seize, interrupt, get_registers, detach = 0x4206, 0x4207, 0x4204, 17  # requests of ptrace, <sys/ptrace.h>
    general_registers, event_stop, any_child = 1, 128, 0x40000000  # NT_PRSTATUS, PTRACE_EVENT_STOP, __WALL
    counter = {"x86_64": 16, "aarch64": 32}.get(platform.machine())  # which of the registers
    ptrace = ctypes.CDLL(None).ptrace
    ptrace.argtypes, ptrace.restype = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p], ctypes.c_long
    if counter is None or ptrace(seize, process, None, None) != 0:
        return 0
    pending = 0  # a signal that was about to be delivered
    try:
        ptrace(interrupt, process, None, None)
        _, status = os.waitpid(process, any_child)
        if not os.WIFSTOPPED(status):
            return 0
        pending = 0 if status >> 16 == event_stop else os.WSTOPSIG(status)
        registers = (ctypes.c_uint64 * 64)()
        vector = (ctypes.c_size_t * 2)(ctypes.addressof(registers), ctypes.sizeof(registers))
        known = ptrace(get_registers, process, general_registers, ctypes.addressof(vector)) == 0
        return registers[counter] if known else 0
    except ChildProcessError:
        return 0
    finally:
        ptrace(detach, process, None, pending)
