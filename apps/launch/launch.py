#!/usr/bin/env python3
"""Starts MPI jobs whose ranks may die. The one place that knows mpirun's flags and settings.

regraft-run [OPTION]... [OPTION OF mpirun]... -n P [--] PROGRAM ARGS...

  --mpirun PATH        in place of the one that belongs to this installation
  --rank-library PATH  in place of this installation's library that is preloaded into the ranks and tells how they end
  --node-library PATH  in place of this installation's library that is preloaded into mpirun and lets the job outlive a node
  --node-timeout N     on several hosts: a node that is silent for N seconds is lost (default: 30)
  --settings           write what lets jobs survive as a parameter file of Open MPI, and stop
  --version, --help    write the version, or this text, and stop

All other options are mpirun's; `--` tells them from those of PROGRAM. Jobs on hosts that are named (--host, --hostfile, ...) or given
by a batch system may use the network and get no more ranks than cores. Any other job stays on this machine, with as many ranks
as you like.

A job on several hosts outlives the loss of nodes, except that of the node of mpirun, with the versions of Open MPI for which this was
tried. With others it says so when it starts.

Exit code: the highest of the ranks that came to MPI_Finalize. If none did, the highest that a rank exited with, or 1 if all were
killed. 2 if the command line is wrong, and 69 if a rank died before all ranks had left MPI_Init: there is no MPI yet that could
survive it, so the job is ended. MPI_Abort ends the job with its code. On several hosts the exit code is mpirun's.

Ctrl-C and SIGTERM go to the ranks, which may save their work; a second one ends the job. SIGUSR1 goes to the ranks, too.
"""
import contextlib
import ctypes
import dataclasses
import functools
import itertools
import os
import pathlib
import platform
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# The installation fills these in. Paths are relative to its prefix.
CONFIGURED_MPIRUN = "@MPIRUN@"
CONFIGURED_RANK_LIBRARY = "@LIBDIR@/libregraft_rank.so"
CONFIGURED_NODE_LIBRARY = "@LIBDIR@/libregraft_node_loss.so"
CONFIGURED_VERSION = "@VERSION@"

# mpirun itself fails to start about once in 400 launches, before any rank runs. This, and only this, is tried again.
LAUNCHER_FAULT = b"PMIx server's listener thread failed to start"
ATTEMPTS = 3
TRY_AGAIN = "mpirun failed to start (PMIx listener thread), trying again"

GRACE = 5.0  # seconds until a job is ended in which a rank has failed; other ranks may wait for that rank for ever

USAGE_ERROR = 2
DIED_IN_INIT = 69
MPIRUN_USAGE_ERROR = 213  # mpirun of Open MPI 5 exits with it if it does not understand its options
LOOK_EVERY = 0.1  # seconds between two looks at what ranks have told
LOOKS_BETWEEN_DEATHS = 10  # of so many looks, one looks whether ranks have died
WHY_CAUGHT = "waits in Open MPI for ever, for a message that a dying rank had begun to send; it is ended, and the others go on"


@dataclasses.dataclass(frozen=True)
class Setting:
    """A parameter of Open MPI (MCA) that has to have this value."""

    name: str
    value: str
    otherwise: str  # what happens with another value


# Jobs survive in Open MPI 5 with these. The parameter file that is installed and the warnings of the library are made from this list.
SETTINGS = [
    Setting("async_mpi_finalize", "1", "MPI_Finalize waits for the dead"),
    # HAN swallows errors of the collectives it is made of. --with-ft ulfm excludes the other two, but this list replaces its list.
    Setting("coll", "^han,hcoll,portals4", "these implementations of collectives swallow failures"),
    # 3 is a star. The help text of Open MPI 5.0.9 says that 2 is one, but its code makes 2 a chain. In a chain or a tree, a rank that has
    # contributed to an agreement and has lost its parent waits for ever if the grandparent decides before it notices that death. This
    # happened in 22 of 24 provoked deaths in a chain and in 20 in the default tree. It did not happen in the star, where only the root
    # has children.
    Setting("coll_ftagree_era_topology", "3", "survivors may wait in an agreement for ever"),
    # 3 is a ring. The default algorithms of 5.0.9 returned MPI_SUCCESS and wrong data in 42 of 64 deaths. The library does not call
    # MPI_Allgatherv, but programs may.
    Setting("coll_tuned_use_dynamic_rules", "1", "the next setting is ignored"),
    Setting("coll_tuned_allgatherv_algorithm", "3", "MPI_Allgatherv gives wrong data when a rank dies in it"),
]
ON_ONE_HOST = {
    "OMPI_MCA_btl": "self,sm",  # TCP reports failures less reliably
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # more ranks than cores
    # A waiting rank lets others run. Otherwise two ranks on two cores that another program uses, too, wait for each other's time slices:
    # 18 s instead of 0.2 s.
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMP_WAIT_POLICY": "passive",  # the same for threads
    # GCC's threads spin for microseconds before they sleep. If they slept at once, waking them would cost three times the work.
    "GOMP_SPINCOUNT": "1000",
    "OMP_NUM_THREADS": "1",  # in tests the ranks are the parallelism
}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # jobs in containers often run as root

HOST_OPTIONS = {"host", "H", "hostfile", "machinefile", "default-hostfile", "rankfile", "dvm-uri", "dvm"}
OUTLIVES_NODES = ["5.0.9"]  # the versions of Open MPI with which tests/nodes has seen jobs go on without a node
NODE_TIMEOUT = 30  # seconds

BATCH_SYSTEMS = ["SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS", "LSB_MCPU_HOSTS", "PE_HOSTFILE"]  # Open MPI knows them by these variables


@functools.lru_cache
def version(mpirun: str) -> str:
    """How mpirun names itself: "mpirun (Open MPI) 5.0.9"."""
    return subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout


def flags(mpirun: str) -> tuple[str, ...]:
    """The flags without which this mpirun ends the job when a rank dies, or refuses more ranks than cores."""
    if "Open MPI) 5" in version(mpirun):
        return ("--with-ft", "ulfm")
    if "Open MPI" in version(mpirun):
        return ("--oversubscribe",)  # no ULFM before version 5
    return ("-disable-auto-cleanup",) if "HYDRA" in version(mpirun) else ()


def output(mpirun: str, words: list[str]) -> tuple[str, ...]:
    """Asks for output that is passed on as it comes, unless the caller says how. Open MPI 5.0.9 ends its help texts on stderr with a NUL
    byte. It buffers what is not a whole line and puts it before the next bytes of that rank, even if these are for stdout."""
    return ("--output", ":raw") if "ulfm" in flags(mpirun) and "output" not in options(words) else ()


def command(mpirun: str, ranks: int, program: list[str]) -> list[str]:
    return [mpirun, *flags(mpirun), *output(mpirun, []), "-n", str(ranks), *program]


def environment(mpirun: str, tmpdir: str, one_host: bool = True) -> dict[str, str]:
    """The environment of a job. A variable that the caller has set keeps its value."""
    env = dict(os.environ)
    survival = {f"OMPI_MCA_{setting.name}": setting.value for setting in SETTINGS} if "ulfm" in flags(mpirun) else {}
    for name, value in {**AS_ROOT, **survival, **(ON_ONE_HOST if one_host else {})}.items():
        env.setdefault(name, value)
    if one_host:
        env["TMPDIR"] = tmpdir  # other hosts do not have this folder
    env.setdefault("HOME", tmpdir)  # Open MPI does not start without one
    return env


def outlive_nodes(mpirun: str, libraries: "Libraries", env: dict[str, str]) -> None:
    """Adds to the environment of mpirun what lets a job go on when a node is lost, except that of mpirun."""
    known = re.search(r"Open MPI\) ([\d.]+)", version(mpirun))
    if not libraries.node or not known or known[1] not in OUTLIVES_NODES:
        why = f"Open MPI {', '.join(OUTLIVES_NODES)} is needed to go on" if libraries.node else "libregraft_node_loss.so is not there"
        say(f"the job ends if a node is lost: {why}")
        return
    env["LD_PRELOAD"] = ":".join(filter(None, [libraries.node, env.get("LD_PRELOAD")]))
    env["REGRAFT_NODE_TIMEOUT"] = str(libraries.node_timeout)
    probes, interval = 3, max(1, libraries.node_timeout // 6)
    for name, value in {"time": max(1, libraries.node_timeout - probes * interval), "intvl": interval, "probes": probes}.items():
        env.setdefault(f"PRTE_MCA_oob_tcp_keepalive_{name}", str(value))


def parameter_file() -> str:
    """The text of a parameter file for mpirun --tune FILE, which allows no blanks around '='."""
    lines = ["# Jobs survive in Open MPI 5 with these settings: mpirun --with-ft ulfm --tune THIS-FILE ...",
             "# Or append this file to an openmpi-mca-params.conf."]
    for setting in SETTINGS:
        lines += [f"# Otherwise {setting.otherwise}.", f"{setting.name}={setting.value}"]
    return "\n".join(lines) + "\n"


def initialisers() -> str:
    """The settings as initialisers in C++, for lib/ft/settings.cpp."""
    return "".join(f'{{"{setting.name}", "{setting.value}", "{setting.otherwise}"}},\n' for setting in SETTINGS)


class JobDirectory(tempfile.TemporaryDirectory):
    """The TMPDIR of one launch. Session files that a killed job leaves behind would disturb later launches. The path is short because
    sockets live in it."""

    def __init__(self):
        super().__init__(prefix="rg", dir="/tmp" if os.access("/tmp", os.W_OK) else None, ignore_cleanup_errors=True)


# --- in the foreground, for people ---------------------------------------------------------------------------------------


@dataclasses.dataclass
class Libraries:
    """What is preloaded."""

    rank: str = ""  # into ranks. Without it they do not tell their exit codes; they may tell where they are, as they do under the shield
    node: str = ""  # into mpirun. Without it the loss of a node ends the job
    node_timeout: int = NODE_TIMEOUT  # seconds of silence after which a node is lost


def run(mpirun: str, words: list[str], libraries: Libraries) -> int:
    """Runs a job that has the streams of this process, and returns its exit code."""
    one_host = not (names_hosts(words) or any(name in os.environ for name in BATCH_SYSTEMS))
    for attempt in range(1, ATTEMPTS + 1):
        with JobDirectory() as tmpdir:
            env = environment(mpirun, tmpdir, one_host)
            preload = []
            told = pathlib.Path(tmpdir, "ranks")
            told.mkdir()
            if one_host and "ulfm" in flags(mpirun):
                env["REGRAFT_RANKS"] = str(told)
                if libraries.rank:
                    preload = ["-x", f"LD_PRELOAD={':'.join(filter(None, [libraries.rank, os.environ.get('LD_PRELOAD')]))}"]
            elif "ulfm" in flags(mpirun):
                outlive_nodes(mpirun, libraries, env)
            if one_host and "OMP_NUM_THREADS" not in os.environ:
                env["OMP_NUM_THREADS"] = str(max(1, (os.cpu_count() or 1) // number_of_ranks(words)))
            if sys.stderr.isatty():
                env.setdefault("REGRAFT_PROGRESS", "1")  # ranks write into pipes of mpirun and cannot see the terminal
            # The job has a session of its own, so that Ctrl-C reaches this process only. mpirun would end the job.
            job = subprocess.Popen([mpirun, *flags(mpirun), *output(mpirun, words), *preload, *words], env=env, stderr=subprocess.PIPE,
                                   start_new_session=True, stdin=subprocess.PIPE if sys.stdin.isatty() else None)
            if job.stdin:
                threading.Thread(target=copy_terminal, args=(job.stdin,), daemon=True).start()
            signals = Signals(job, told)
            fault = threading.Event()
            copier = threading.Thread(target=copy_stderr, args=(job.stderr, fault), daemon=True)
            copier.start()
            ended_with = follow(job, told)
            if not one_host:
                end_session(job)
            copier.join(timeout=5)
            ranks = list(read_ranks(told).values())
            code = ended_with or code_of_ranks(ranks if libraries.rank else [], job.wait())
            if signals.stop and not any(rank.end for rank in ranks):
                code = 128 + signals.stop
            if code == MPIRUN_USAGE_ERROR and not ranks:
                code = USAGE_ERROR
        if not fault.is_set() or attempt == ATTEMPTS:
            return code
        print(TRY_AGAIN, file=sys.stderr)
    raise AssertionError


class Signals:
    """Passes on the signals that this process receives. The first SIGINT (Ctrl-C) or SIGTERM goes to the ranks, which may save their work.
    The second one goes to mpirun, which ends the job. So does the first one if a rank is not at work yet. SIGHUP and SIGUSR1 go to mpirun,
    which ends the job at SIGHUP and passes SIGUSR1 on to the ranks."""

    def __init__(self, job: subprocess.Popen, told: pathlib.Path):
        self.job = job
        self.told = told
        self.stop = 0  # the last SIGINT or SIGTERM; 0: there was none
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # a shell lets a job that was started with & ignore it
            signal.signal(signal.SIGINT, self.ask_to_stop)
        signal.signal(signal.SIGTERM, self.ask_to_stop)
        signal.signal(signal.SIGTSTP, self.pause)
        for number in (signal.SIGHUP, signal.SIGUSR1):
            signal.signal(number, lambda received, _: job.send_signal(received))

    def ask_to_stop(self, number: int, _frame: object) -> None:
        asked_before, self.stop = self.stop != 0, number
        ranks = list(read_ranks(self.told).values())
        if asked_before or not ranks or not all(rank.left for rank in ranks):
            self.job.send_signal(number)
            return
        for rank in ranks:
            if not rank.end:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(rank.process, number)
        if number == signal.SIGINT:
            say("the ranks are asked to stop; Ctrl-C again ends the job at once")

    def pause(self, number: int, _frame: object) -> None:
        """Stops the ranks, by mpirun, and this process (Ctrl-Z)."""
        self.job.send_signal(number)
        os.kill(os.getpid(), signal.SIGSTOP)
        self.job.send_signal(signal.SIGCONT)


@dataclasses.dataclass
class Rank:
    """What a rank has told by the file that rank.h describes."""

    number: int
    process: int = 0
    entered: bool = False
    left: bool = False
    end: str = ""  # finalized, exited, aborted or quit; empty: it has not ended
    code: int = 0
    gone: bool = False  # its process ended while it was not known to be at work


def is_gone(process: int) -> bool:
    return not pathlib.Path("/proc", str(process)).exists()


def read_rank(file: pathlib.Path) -> Rank:
    rank = parse_rank(file)
    if rank.process and not rank.left and is_gone(rank.process):  # once at work, a rank tells its end itself or is survived
        rank = parse_rank(file)  # it may have told more between the two looks
        rank.gone = True
    return rank


def parse_rank(file: pathlib.Path) -> Rank:
    rank = Rank(int(file.name.rpartition(".")[2]))
    for line in file.read_text(encoding="ascii").splitlines():
        what, _, number = line.partition(" ")
        if what in ("started", "entered"):
            rank.process = int(number)
            rank.entered |= what == "entered"
        elif what == "left":
            rank.left = True
        elif not rank.end:
            rank.end, rank.code = what, int(number)
    return rank


def read_ranks(folder: pathlib.Path) -> dict[str, Rank]:
    """The ranks by the names of their files."""
    return {file.name: read_rank(file) for file in sorted(folder.iterdir())}


def follow(job: subprocess.Popen, told: pathlib.Path) -> int:
    """Waits for the end of a job. If no rank can go on, it ends the job and returns its exit code; else 0."""
    exited: set[str] = set()
    caught = Caught()
    for turn in itertools.count():
        is_over = job.poll() is not None  # asked before the files are read, so that the last look sees the end of each rank
        ranks = read_ranks(told)
        for name, rank in ranks.items():
            if rank.end == "exited" and name not in exited:
                exited.add(name)
                say(f"rank {rank.number} ended by exit({rank.code}) without MPI_Finalize: to the others it is dead")
        if is_over:
            return 0
        verdict = hopeless(list(ranks.values()))
        if verdict:
            code, why = verdict
            say(f"{why}; the job is ended")
            end_job(job, told)
            return code
        at_work = {rank.process: rank for rank in ranks.values() if rank.left and not rank.end}
        if caught.after_a_death or turn % LOOKS_BETWEEN_DEATHS == 0:
            for process in caught.look(list(at_work)):
                say(f"rank {at_work[process].number} {WHY_CAUGHT}")
                kill(process)
        try:
            job.wait(LOOK_EVERY)
        except subprocess.TimeoutExpired:
            pass


@dataclasses.dataclass
class Sight:
    """What was seen of a rank."""

    place: int = 0  # the address of the first instruction in a row of looks that found it in the same loop
    looks: int = 0  # how many these were
    has_run: int = 0  # nanoseconds until then
    due: float = 0  # when it is looked at again


class Caught:
    """Finds ranks that wait in Open MPI's queue in shared memory for ever, because another one died between the two instructions that
    append to this queue (docs/failure-model.md). Such a rank runs three instructions again and again and hears of nothing. After a death
    the others are looked at as by a debugger, which stops each for microseconds."""

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


def kill(process: int) -> None:
    with contextlib.suppress(OSError):  # it has ended already, or belongs to another user
        os.kill(process, signal.SIGKILL)


def hopeless(ranks: list[Rank]) -> tuple[int, str] | None:
    """The exit code and the reason if the ranks cannot go on; None if they can."""
    for rank in ranks:
        if rank.end == "aborted":
            return rank.code or 1, f"rank {rank.number} called MPI_Abort with {rank.code}"
    if any(rank.entered and not rank.left for rank in ranks):
        for rank in ranks:
            if rank.gone and not rank.left:
                why = f"rank {rank.number} died before all ranks had left MPI_Init, and the others would wait for it for ever"
                return DIED_IN_INIT, why
    return None


def end_job(job: subprocess.Popen, told: pathlib.Path) -> None:
    job.terminate()
    try:
        job.wait(GRACE)
    except subprocess.TimeoutExpired:
        pass
    kill_job(job, f"REGRAFT_RANKS={told}")
    job.wait()


def code_of_ranks(ranks: list[Rank], code_of_mpirun: int) -> int:
    """The exit code of a job: that of ranks that came to MPI_Finalize, else that of ranks that exited, else 1."""
    if not any(rank.entered for rank in ranks) and (not ranks or code_of_mpirun != 0 or any(rank.end for rank in ranks)):
        return code_of_mpirun if code_of_mpirun >= 0 else 128 - code_of_mpirun
    for end in ("finalized", "exited"):
        if codes := [rank.code for rank in ranks if rank.end == end]:
            return max(codes) if end == "finalized" else max(codes) or 1
    say("all ranks have died")
    return 1


def say(text: str) -> None:
    print(f"regraft-run: {text}", file=sys.stderr, flush=True)


def number_of_ranks(words: list[str]) -> int:
    """The number that mpirun is given by -n or another name of this option; 1 if it is given none."""
    for option, number in zip(words, words[1:]):
        if option in ("-n", "-np", "--n", "--np", "-c") and number.isdigit():
            return max(1, int(number))
    return 1


def options(words: list[str]) -> set[str]:
    """The names of mpirun's options. They end at '--' or at the program, the first word that neither is an option nor follows one."""
    found = set()
    before = ""
    for word in words:
        if word == "--" or not (word.startswith("-") or before.startswith("-")):
            break
        if word.startswith("-"):
            found.add(word.lstrip("-").split("=")[0])
        before = word
    return found


def names_hosts(words: list[str]) -> bool:
    """Whether mpirun is told on which hosts to run."""
    return not HOST_OPTIONS.isdisjoint(options(words))


def copy_terminal(target) -> None:
    """Copies what is typed to the job, while this process is in the foreground. In the background, a process that reads from a terminal
    is stopped."""
    with contextlib.suppress(OSError), target:
        while True:
            if os.tcgetpgrp(sys.stdin.fileno()) != os.getpgrp():
                time.sleep(LOOK_EVERY)
            elif select.select([sys.stdin], [], [], LOOK_EVERY)[0]:
                piece = os.read(sys.stdin.fileno(), 65536)
                if not piece:
                    return
                target.write(piece)
                target.flush()


def copy_stderr(source, fault: threading.Event) -> None:
    tail = b""
    while chunk := source.read1(65536):
        sys.stderr.buffer.write(chunk)
        sys.stderr.buffer.flush()
        tail = tail[-200:] + chunk
        if LAUNCHER_FAULT in tail:
            fault.set()


# --- in the background, for tests: every rank that lives to the end writes a verdict -------------------------------------


@dataclasses.dataclass
class Outcome:
    verdicts: dict[int, str]  # by rank, e.g. "pass 3"; a rank that is missing was silent
    exit_code: int
    output: bytes
    cut_short: str  # why the job was killed; empty if it ended by itself


def run_watched(mpirun: str, ranks: int, program: list[str], timeout: float, extra_env: dict[str, str], launcher: list[str]) -> Outcome:
    """Runs a job in a session of its own and collects the verdicts. Nothing of it is left behind, whatever happens.
    timeout: seconds on a machine that does nothing else. launcher: used in place of mpirun and its flags if not empty."""
    words = [*launcher, "-n", str(ranks), *program] if launcher else command(mpirun, ranks, program)
    for _ in range(ATTEMPTS):
        with JobDirectory() as tmpdir, tempfile.TemporaryFile() as log:
            verdicts = pathlib.Path(tmpdir, "verdicts")
            verdicts.mkdir()
            env = {**environment(mpirun, tmpdir), **extra_env, "REGRAFT_VERDICTS": str(verdicts)}
            job = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
            try:
                cut_short = watch(job, ranks, verdicts, timeout)
            finally:
                kill_job(job, f"REGRAFT_VERDICTS={verdicts}")
            log.seek(0)
            outcome = Outcome(read_verdicts(verdicts), job.wait(), log.read(), cut_short)
        if LAUNCHER_FAULT not in outcome.output:
            break
        print(TRY_AGAIN)
    return outcome


def watch(job: subprocess.Popen, ranks: int, verdicts: pathlib.Path, timeout: float) -> str:
    """Waits for the end of a job, or for its timeout, in seconds of a machine that does nothing else. Returns why the job has to be killed;
    empty if it has ended."""
    left, reason = timeout, f"hung: killed after {timeout:g} s"
    failed = False
    caught, processes = Caught(), []
    before = time.monotonic()
    for turn in itertools.count():
        if job.poll() is not None:
            break
        if turn % 50 == 0:  # each second
            processes = sorted({*processes, *processes_with(f"REGRAFT_VERDICTS={verdicts}")})
        if turn % (5 if caught.after_a_death else 50) == 0:
            for process in caught.look(processes):
                say(f"a rank {WHY_CAUGHT}")
                kill(process)
        now = time.monotonic()
        left -= (now - before) / slowdown(ranks)
        before = now
        if left < 0:
            return reason
        if not failed and any(verdict.startswith("fail") for verdict in read_verdicts(verdicts).values()):
            failed = True
            left, reason = min(left, GRACE), f"killed {GRACE:g} s after a rank had failed"
        time.sleep(0.02)
    return ""


def slowdown(ranks: int) -> float:
    """A lower bound of the time that a job takes now, over its time on an idle machine. A job waits for its slowest rank at every step. So
    what counts is how many processes are before that rank in the queue for a core, and not the job's share of the cores."""
    runnable = int(pathlib.Path("/proc/loadavg").read_text(encoding="ascii").split()[3].split("/")[0])
    cores = os.cpu_count() or 1
    return 1 + max(0, runnable - max(ranks, cores)) / cores


def read_verdicts(directory: pathlib.Path) -> dict[int, str]:
    return {int(file.name): file.read_text(encoding="utf-8").strip() for file in directory.iterdir() if file.name.isdigit()}


def kill_job(job: subprocess.Popen, variable: str) -> None:
    """Kills what is left of a job."""
    if job.poll() is None:
        job.kill()
    for process in processes_with(variable):
        kill(process)


def processes_with(variable: str) -> list[int]:
    """Processes of a job. Ranks have process groups of their own, but all carry this variable in their environment."""
    found = []
    for process in pathlib.Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):  # the process has ended already, or belongs to another user
                if variable.encode() in (process / "environ").read_bytes().split(b"\0"):
                    found.append(int(process.name))
    return found


def end_session(job: subprocess.Popen) -> None:
    """Ends what an mpirun that is over has left in its session: remote shells to nodes that were lost, which would keep our output open."""
    for process in pathlib.Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                if os.getsid(int(process.name)) == job.pid:
                    os.kill(int(process.name), signal.SIGTERM)


def find_mpirun() -> str | None:
    """The mpirun that the library was built for, else the first one on PATH."""
    configured = str(pathlib.Path(__file__).resolve().parent.parent / CONFIGURED_MPIRUN)
    return configured if CONFIGURED_MPIRUN and os.access(configured, os.X_OK) else shutil.which("mpirun")


def find_library(named: str, configured: str) -> str:
    """The absolute path of a library: the one that is named, else that of this installation; empty if there is none."""
    library = pathlib.Path(named) if named else pathlib.Path(__file__).resolve().parent.parent / configured
    return str(library.absolute()) if named or library.is_file() else ""


def checked_mpirun(named: str) -> str:
    """The path of an mpirun that can be run. If there is none, this process ends."""
    mpirun = named or find_mpirun()
    if mpirun and shutil.which(mpirun):
        return mpirun
    say(f"cannot run {mpirun}" if mpirun else "no mpirun found: name it by --mpirun PATH")
    sys.exit(USAGE_ERROR)


def main(words: list[str]) -> int:
    if words[:1] in (["-h"], ["--help"], []):
        print(__doc__.strip())
        return 0 if words else USAGE_ERROR
    named = {"--mpirun": "", "--rank-library": "", "--node-library": "", "--node-timeout": str(NODE_TIMEOUT)}
    while words and words[0] in named:
        if len(words) < 2 or not words[1]:
            say(f"{words[0]}: expected a {'number' if words[0] == '--node-timeout' else 'path'} after it")
            return USAGE_ERROR
        named[words[0]], words = words[1], words[2:]
    texts = {"--settings": parameter_file, "--initialisers": initialisers, "--version": lambda: f"regraft-run {CONFIGURED_VERSION}\n"}
    if words and words[0] in texts:
        print(texts[words[0]](), end="")
        return 0
    if not named["--node-timeout"].isdigit() or int(named["--node-timeout"]) == 0:
        say(f"--node-timeout: expected seconds, at least 1, not '{named['--node-timeout']}'")
        return USAGE_ERROR
    libraries = Libraries(find_library(named["--rank-library"], CONFIGURED_RANK_LIBRARY),
                          find_library(named["--node-library"], CONFIGURED_NODE_LIBRARY), int(named["--node-timeout"]))
    return run(checked_mpirun(named["--mpirun"]), words, libraries)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
