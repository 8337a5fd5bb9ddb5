"""Jobs in the foreground, for people."""
import collections
import contextlib
import dataclasses
import itertools
import math
import os
import pathlib
import secrets
import select
import signal
import subprocess
import sys
import threading
import time

from regraft_run import guardian, hosts, openmpi
from regraft_run.caught import WHY_CAUGHT, Caught
from regraft_run.connections import Connections
from regraft_run.folders import Folders, job_folders
from regraft_run.processes import end_session, is_gone, kill, kill_job, say, to_stderr
from regraft_run.stopped import Stopped
from regraft_run.told import DIED_IN_INIT, Files, Rank, code_of_ranks, hopeless, is_lost, may_never_begin

USAGE_ERROR = 2
STOPPED_AS_PLANNED = 75  # EX_TEMPFAIL: the program has stopped in time, and goes on when it is started again
GRACE = 5.0  # seconds in which a job may end by itself
LOOK_EVERY = 0.1  # seconds between two looks at what ranks have told
LOOKS_BETWEEN_DEATHS = 10  # of so many looks, one looks whether ranks have died
NOTES = "notes"  # the name of the file of mpirun
STOP_TIMEOUT = 300  # seconds
DESERTED = 30.0  # seconds in which mpirun may end when something was lost and no rank is there any more, or yet
# An id that all starts of a job in the same allocation share.
BATCH_JOBS = ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"]


@dataclasses.dataclass
class Options:
    rank_library: str = ""  # preloaded into ranks. Without it they do not tell their exit codes
    node_library: str = ""  # preloaded into mpirun. Without it the loss of a node ends the job, and early deaths of ranks are not noted
    node_timeout: int = openmpi.NODE_TIMEOUT  # seconds of silence after which a node is lost
    restarts: int = 0  # how often a job that is lost starts again
    resume: bool = False  # the first start goes on from what an earlier job of this name has kept
    name: str = ""  # of the job; empty: that of the batch system, or a random one
    ranks_tell: bool = False  # what they do, even without the rank library
    stop_timeout: int = STOP_TIMEOUT  # seconds in which ranks have to end after SIGTERM


@dataclasses.dataclass
class End:
    """How a job has ended."""

    code: int
    by_shield: bool = False  # a rank on another host has told so


def run(mpirun: str, words: list[str], options: Options) -> End:
    """Runs a job that has the streams of this process. Starts it again if it is lost."""
    if wrong := openmpi.complaint(words):
        say(wrong)
        return End(USAGE_ERROR)
    name = job_id(options, words) or random_name()
    signals = Signals()
    for start in itertools.count():
        job = start_once(mpirun, words, options, {"REGRAFT_JOB": name, "REGRAFT_RESTART": str(start + options.resume)}, signals)
        if not job.has_failed or start == options.restarts:
            return job.end
        left, where = on_hosts_that_answer(words)
        if signals.stop:
            return End(128 + signals.stop)
        if not job.is_lost and (job.has_begun or left == words):
            return job.end
        words = left
        if not words:
            say("no host answers any more")
            return job.end
        say(f"the job is lost and starts again{where} (restart {start + 1} of {options.restarts})")
    raise AssertionError


def job_id(options: Options, words: list[str]) -> str:
    """The name of the job, or its number in the batch system with the name of the program, as a batch job may run several; empty if it has
    neither. The library makes the same name (job_of_environment)."""
    number = next((os.environ[name] for name in BATCH_JOBS if os.environ.get(name)), "")
    program = openmpi.program_and_arguments(words)[:1]
    return options.name or "-".join(filter(None, [number, *map(os.path.basename, program)] if number else []))


def random_name() -> str:
    return secrets.token_hex(8)


def on_hosts_that_answer(words: list[str]) -> tuple[list[str], str]:
    """The command line, and where it starts ranks. Empty if no host answers."""
    named = hosts.hosts_of(words)
    if not named:
        return words, ""
    left = hosts.that_answer(named)
    where = f" on {', '.join(map(str, left))}"
    if left == named:
        return words, where
    return (hosts.words_for(left, words) if left else []), where


def start_once(mpirun: str, words: list[str], options: Options, variables: dict[str, str], signals: "Signals") -> "Job":
    """Starts mpirun, again if it does not come to start ranks. Returns the job when it has ended."""
    for attempt in range(1, openmpi.ATTEMPTS + 1):
        with job_folders() as folders:
            variables["REGRAFT_LAUNCH"] = folders.tmp
            guardian.of_this_process().watch(f"REGRAFT_LAUNCH={folders.tmp}")
            job = Job(mpirun, words, options, variables, folders, signals)
            job.wait()
        guardian.of_this_process().forget()
        if job.has_failed and not job.has_begun:
            hosts.end_daemons([host for host in job.hosts if host not in job.silent], job.mpirun.pid)
        if not job.fault.is_set() or attempt == openmpi.ATTEMPTS or signals.stop:
            return job
        with to_stderr():
            print(openmpi.TRY_AGAIN, file=sys.stderr, flush=True)
    raise AssertionError


class Job:
    """One start of mpirun."""

    # After wait():
    end: End
    has_begun: bool  # whether any rank came to MPI_Init
    has_failed: bool
    is_lost: bool  # it has failed because ranks have died

    def __init__(self, mpirun: str, words: list[str], options: Options, variables: dict[str, str], folders: Folders, signals: "Signals"):
        self.options = options
        self.signals = signals
        self.was_asked = False  # to stop
        self.term_until = math.inf  # when it has to have ended because of a SIGTERM
        self.one_host = not (openmpi.names_hosts(words) or any(name in os.environ for name in openmpi.BATCH_SYSTEMS))
        self.hosts = [] if self.one_host else hosts.hosts_of(words)
        self.silent: list[hosts.Host] = []  # those that were found not to answer
        self.survives = "ulfm" in openmpi.flags(mpirun)
        folder = pathlib.Path(folders.tmp)
        by_files = self.one_host or not self.survives
        self.told = Files(folder / "ranks", folder / NOTES) if by_files else Connections(options.node_timeout, folder / NOTES)
        self.variable = f"REGRAFT_LAUNCH={folders.tmp}"
        env = openmpi.environment(mpirun, folders, self.one_host)
        for_ranks = variables | (self.told.address() if self.survives else {})
        env |= for_ranks
        if self.survives:
            env["REGRAFT_LOST_RANKS"] = str(folder / NOTES)
            if not self.one_host:
                openmpi.outlive_nodes(mpirun, options.node_library, options.node_timeout, env)
            elif options.node_library:
                env["LD_PRELOAD"] = openmpi.preload(options.node_library, env)
        if self.one_host and "OMP_NUM_THREADS" not in os.environ:
            env["OMP_NUM_THREADS"] = str(max(1, (os.cpu_count() or 1) // openmpi.number_of_ranks(words)))
        if sys.stderr.isatty():
            env.setdefault("REGRAFT_PROGRESS", "1")  # ranks write into pipes of mpirun and cannot see the terminal
        command = [mpirun, *openmpi.flags(mpirun), *openmpi.output(mpirun, words), *self.exports(mpirun, for_ranks), *words]
        # The job has a session of its own, so that Ctrl-C reaches this process only. mpirun would end the job.
        self.mpirun = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, start_new_session=True,
                                       stdin=subprocess.PIPE if sys.stdin.isatty() else None)
        if self.mpirun.stdin:
            threading.Thread(target=copy_terminal, args=(self.mpirun.stdin,), daemon=True).start()
        self.fault = threading.Event()  # mpirun has failed to start
        self.copier = threading.Thread(target=copy_stderr, args=(self.mpirun.stderr, self.fault), daemon=True)
        self.copier.start()

    def exports(self, mpirun: str, for_ranks: dict[str, str]) -> list[str]:
        """Options by which mpirun gives ranks their environment."""
        if "Open MPI" not in openmpi.version(mpirun):
            return []  # ranks get all of it
        words = [] if self.one_host else [word for name in for_ranks for word in ("-x", name)]
        if self.survives and self.options.rank_library:
            words += ["-x", f"LD_PRELOAD={openmpi.preload(self.options.rank_library, os.environ)}"]
        return words

    def wait(self) -> None:
        """Waits for the end of the job."""
        ended_with = self.follow()
        if not self.one_host:
            end_session(self.mpirun)
        self.copier.join(timeout=5)
        ranks = list(self.told.ranks().values())
        self.told.close()
        self.has_begun = any(rank.entered for rank in ranks)
        if self.signals.stop and not any(rank.end for rank in ranks):
            code = 128 + self.signals.stop
        else:  # ranks tell their ends by the rank library, or by the shield
            code = ended_with or code_of_ranks(ranks if self.has_begun or self.options.rank_library else [], self.mpirun.wait())
        # mpirun ends with such a code, too, if it loses a daemon that has connected before ranks run.
        if code in openmpi.USAGE_ERRORS and not ranks and not self.told.daemon_lost():
            code = USAGE_ERROR
        self.end = End(code, any(rank.end == "ended" for rank in ranks))
        self.has_failed = not self.signals.stop and code not in (0, USAGE_ERROR)
        if self.survives:
            self.is_lost = self.has_failed and (ended_with == DIED_IN_INIT or is_lost(ranks))
        else:  # Ranks tell nothing. MPICH joins their codes by OR, and that of a killed one is 9: one bit tells nothing, either.
            self.is_lost = self.has_failed and code != STOPPED_AS_PLANNED

    def follow(self) -> int:
        """Waits for the end of mpirun. If no rank can go on, it ends the job and returns its exit code; else 0."""
        exited: set[str] = set()
        caught, stopped = Caught(), Stopped()
        look_at_hosts = time.monotonic() + self.options.node_timeout
        for turn in itertools.count():
            self.answer_signals()
            is_over = self.mpirun.poll() is not None  # asked before the ranks, so that the last look sees the end of each
            ranks = self.told.ranks()
            for name, rank in ranks.items():
                if rank.end == "exited" and name not in exited:
                    exited.add(name)
                    say(f"rank {rank.number} ended by exit({rank.code}) without MPI_Finalize: to the others it is dead")
            if is_over:
                self.after_mpirun()
                return 0
            verdict = hopeless(list(ranks.values()))
            if verdict:
                code, why = verdict
                say(f"{why}; the job is ended")
                self.stop()
                return code
            if (self.options.rank_library or self.options.ranks_tell) and self.told.deserted() > DESERTED:
                all_have_ended = bool(ranks) and all(rank.end for rank in ranks.values())
                why = "all ranks have ended" if all_have_ended else "ranks or hosts were lost, no other rank is there"
                say(f"{why}, and mpirun does not end; the job is ended")
                self.stop()
                return 0 if any(rank.end for rank in ranks.values()) else DIED_IN_INIT
            if self.term_until < time.monotonic():
                say(f"{living(ranks)} not ended {self.options.stop_timeout} s after SIGTERM; the job is ended")
                self.stop()
                return 128 + signal.SIGTERM
            if time.monotonic() > look_at_hosts and may_never_begin(list(ranks.values())):
                if self.find_silent_hosts():
                    self.stop()
                    return DIED_IN_INIT
                look_at_hosts = time.monotonic() + self.options.node_timeout
            if caught.after_a_death or turn % LOOKS_BETWEEN_DEATHS == 0:
                end_caught(caught, ranks)
            if turn % LOOKS_BETWEEN_DEATHS == 0:
                name_stopped(stopped, ranks)
                for sentence in self.told.silent():
                    say(sentence)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.mpirun.wait(LOOK_EVERY)

    def answer_signals(self) -> None:
        """SIGTSTP (Ctrl-Z) stops the ranks, by mpirun, and this process. SIGHUP and SIGUSR1 go to mpirun, which ends the job at SIGHUP and
        passes SIGUSR1 on to the ranks."""
        while self.signals.received:
            number = self.signals.received.popleft()
            if number in (signal.SIGINT, signal.SIGTERM):
                self.ask_to_stop(number)
                continue
            self.mpirun.send_signal(number)
            if number == signal.SIGTSTP:
                os.kill(os.getpid(), signal.SIGSTOP)
                self.mpirun.send_signal(signal.SIGCONT)

    def ask_to_stop(self, number: int) -> None:
        """The first SIGINT (Ctrl-C) or SIGTERM goes to the ranks, which may save their work. The second one goes to mpirun, which ends the
        job. So does the first one if a rank is not at work yet. After SIGTERM, the job has a time to end."""
        asked_before, self.was_asked = self.was_asked, True
        if number == signal.SIGTERM:
            self.term_until = min(self.term_until, time.monotonic() + self.options.stop_timeout)
        ranks = list(self.told.ranks().values())
        if asked_before or not ranks or not all(rank.left for rank in ranks):
            self.mpirun.send_signal(number)
            return
        self.told.signal(number)
        if number == signal.SIGINT:
            say("the ranks are asked to stop; Ctrl-C again ends the job at once")

    def find_silent_hosts(self) -> bool:
        """Asks all hosts, as mpirun waits for ever for a daemon on a host that falls silent before all ranks run."""
        answering = hosts.that_answer(self.hosts)
        self.silent = [host for host in self.hosts if host not in answering]
        if self.silent:
            say(f"no rank is in MPI, and {', '.join(host.name for host in self.silent)} cannot be reached; the job is ended")
        return bool(self.silent)

    def after_mpirun(self) -> None:
        """Says so if mpirun was killed, and ends ranks that it has left."""
        if self.mpirun.returncode < 0 and not self.signals.stop:
            say(f"mpirun was killed by {signal.Signals(-self.mpirun.returncode).name}; the job is ended")
            kill_job(self.mpirun, self.variable)

    def stop(self) -> None:
        self.mpirun.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.mpirun.wait(GRACE)
        kill_job(self.mpirun, self.variable)
        self.mpirun.wait()


def end_caught(caught: Caught, ranks: dict[str, Rank]) -> None:
    at_work = {rank.process: rank for rank in ranks.values() if rank.process and rank.left and not rank.end}
    for process in caught.look(list(at_work)):
        say(f"rank {at_work[process].number} {WHY_CAUGHT}")
        kill(process)


def name_stopped(stopped: Stopped, ranks: dict[str, Rank]) -> None:
    at_work = {rank.process: rank for rank in ranks.values() if rank.process and not rank.end and not is_gone(rank.process)}
    for process in stopped.look(list(at_work)):
        say(f"rank {at_work[process].number} is stopped, and others may wait for it; `kill -CONT {process}` lets it go on")


def living(ranks: dict[str, Rank]) -> str:
    """Which ranks have, as the begin of a sentence."""
    numbers = sorted({rank.number for rank in ranks.values() if not rank.end and not (rank.gone or rank.process and is_gone(rank.process))})
    return f"rank {numbers[0]} has" if len(numbers) == 1 else f"ranks {', '.join(map(str, numbers))} have" if numbers else "mpirun has"


class Signals:
    """Notes the signals that this process receives; a job answers them between two looks at its ranks. Python calls a handler anywhere,
    also within an import, where little can be done."""

    def __init__(self) -> None:
        self.stop = 0  # the last SIGINT or SIGTERM; 0: there was none
        self.received: collections.deque[int] = collections.deque()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGTSTP, signal.SIGHUP, signal.SIGUSR1):
            if signal.getsignal(number) != signal.SIG_IGN:  # nohup lets a job ignore SIGHUP, and a shell SIGINT if it was started with &
                signal.signal(number, self.note)

    def note(self, number: int, _frame: object) -> None:
        self.received.append(number)
        if number in (signal.SIGINT, signal.SIGTERM):
            self.stop = number


def copy_stderr(source, fault: threading.Event) -> None:
    tail = b""
    while chunk := source.read1(65536):  # also if nobody reads it any more: mpirun would wait until its pipe has room
        with to_stderr():
            sys.stderr.buffer.write(chunk)
            sys.stderr.buffer.flush()
        tail = tail[-200:] + chunk
        if openmpi.LAUNCHER_FAULT in tail:
            fault.set()


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
