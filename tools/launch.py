#!/usr/bin/env python3
"""Starts MPI jobs whose ranks may die. The one place that knows mpirun's flags and settings.

regraft-run [--mpirun PATH] [OPTION OF mpirun]... -n P [--] PROGRAM ARGS...

Runs one job; the exit code is that of the ranks where they tell it (regraft-phylo does), else mpirun's. All options but --mpirun are mpirun's; `--` tells them from those of PROGRAM. Jobs on hosts
that are named (--host, --hostfile, ...) or given by a batch system may use the network and get no more ranks than cores; any
other stays on this machine, with as many ranks as you like. --settings writes the settings as a parameter file of Open MPI.
"""
import dataclasses
import functools
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

CONFIGURED_MPIRUN = "@MPIRUN@"  # filled in where this is installed as regraft-run

# mpirun itself fails to start about once in 400 launches, before any rank runs. This, and only this, is tried again.
LAUNCHER_FAULT = b"PMIx server's listener thread failed to start"
ATTEMPTS = 3
TRY_AGAIN = "mpirun failed to start (PMIx listener thread), trying again"

GRACE = 5.0  # seconds that the other ranks have after one has failed: they may wait for it for ever


@dataclasses.dataclass(frozen=True)
class Setting:
    """A parameter of Open MPI (MCA) that has to have this value."""

    name: str
    value: str
    otherwise: str  # what happens with another value


# What lets jobs survive in Open MPI 5. The parameter file that is installed and the warnings of the library are made from this.
SETTINGS = [
    Setting("async_mpi_finalize", "1", "MPI_Finalize waits for the dead"),
    # HAN swallows errors of the collectives it is made of; the others are excluded by --with-ft ulfm, whose list this one replaces.
    Setting("coll", "^han,hcoll,portals4", "these implementations of collectives swallow failures"),
    # A star. The help text of Open MPI 5.0.9 says that 2 is, but its code makes 2 a chain. In a chain or a tree, who has contributed
    # to an agreement and lost its parent waits for ever if the grandparent decides before it has noticed that death itself: 22 of 24
    # provoked deaths in a chain, 20 in the default tree, none in the star, where only the root has children.
    Setting("coll_ftagree_era_topology", "3", "survivors may wait in an agreement for ever"),
    # A ring. The default algorithms of 5.0.9 said MPI_SUCCESS and gave wrong data in 42 of 64 deaths. The library does not call it.
    Setting("coll_tuned_use_dynamic_rules", "1", "the next setting is ignored"),
    Setting("coll_tuned_allgatherv_algorithm", "3", "MPI_Allgatherv gives wrong data when a rank dies in it"),
]
ON_ONE_HOST = {
    "OMPI_MCA_btl": "self,sm",  # TCP reports failures less reliably
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # more ranks than cores
    # Who waits lets others run. Else two ranks on a host with two cores that does something else wait for each other by time slices:
    # 18 s instead of 0.2 s.
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMP_WAIT_POLICY": "passive",  # the same for threads
    "OMP_NUM_THREADS": "1",  # tests: the ranks are the parallelism
}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # containers

HOST_OPTIONS = {"host", "H", "hostfile", "machinefile", "default-hostfile", "rankfile", "dvm-uri", "dvm"}
BATCH_SYSTEMS = ["SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS", "LSB_MCPU_HOSTS", "PE_HOSTFILE"]  # variables by which Open MPI knows them


@functools.lru_cache
def flags(mpirun: str) -> tuple[str, ...]:
    """The flags without which this mpirun ends the job when a rank dies, or refuses more ranks than cores."""
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout
    if "Open MPI) 5" in version:
        return ("--with-ft", "ulfm")
    if "Open MPI" in version:
        return ("--oversubscribe",)  # no ULFM before version 5
    return ("-disable-auto-cleanup",) if "HYDRA" in version else ()


def command(mpirun: str, ranks: int, program: list[str]) -> list[str]:
    return [mpirun, *flags(mpirun), "-n", str(ranks), *program]


def environment(mpirun: str, tmpdir: str, one_host: bool = True) -> dict[str, str]:
    """What the caller has set already wins."""
    env = dict(os.environ)
    survival = {f"OMPI_MCA_{setting.name}": setting.value for setting in SETTINGS} if "ulfm" in flags(mpirun) else {}
    for name, value in {**AS_ROOT, **survival, **(ON_ONE_HOST if one_host else {})}.items():
        env.setdefault(name, value)
    if one_host:
        env["TMPDIR"] = tmpdir  # not there on other hosts
    env.setdefault("HOME", tmpdir)  # Open MPI does not start without one
    return env


def parameter_file() -> str:
    """For mpirun --tune FILE, which wants no blanks around '='."""
    lines = ["# What lets jobs survive in Open MPI 5: mpirun --with-ft ulfm --tune THIS-FILE ..., or append it to an openmpi-mca-params.conf."]
    for setting in SETTINGS:
        lines += [f"# Otherwise {setting.otherwise}.", f"{setting.name}={setting.value}"]
    return "\n".join(lines) + "\n"


def initialisers() -> str:
    """For lib/ft/settings.cpp."""
    return "".join(f'{{"{setting.name}", "{setting.value}", "{setting.otherwise}"}},\n' for setting in SETTINGS)


class JobDirectory(tempfile.TemporaryDirectory):
    """The TMPDIR of one launch: session files that killed jobs leave behind disturb later launches. Its path is short
    because sockets live in it."""

    def __init__(self):
        super().__init__(prefix="rg", dir="/tmp" if os.access("/tmp", os.W_OK) else None, ignore_cleanup_errors=True)


# --- in the foreground, for people ---------------------------------------------------------------------------------------


def run(mpirun: str, words: list[str]) -> int:
    """Runs a job whose streams are ours. Signals sent to us go to mpirun, which passes SIGUSR1 on to the ranks and ends the job at
    SIGTERM and SIGHUP."""
    one_host = not (names_hosts(words) or any(name in os.environ for name in BATCH_SYSTEMS))
    for attempt in range(1, ATTEMPTS + 1):
        with JobDirectory() as tmpdir:
            env = environment(mpirun, tmpdir, one_host)
            codes = pathlib.Path(tmpdir, "exit-codes")
            codes.mkdir()
            if one_host:
                env["REGRAFT_EXIT_CODES"] = str(codes)
            if one_host and "OMP_NUM_THREADS" not in os.environ:
                env["OMP_NUM_THREADS"] = str(max(1, (os.cpu_count() or 1) // number_of_ranks(words)))
            if sys.stderr.isatty():
                env.setdefault("REGRAFT_PROGRESS", "1")  # ranks write into pipes of mpirun and cannot see the terminal
            job = subprocess.Popen([mpirun, *flags(mpirun), *words], env=env, stderr=subprocess.PIPE)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches mpirun too: same foreground group
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
                signal.signal(number, lambda received, _, job=job: job.send_signal(received))
            fault = threading.Event()
            copier = threading.Thread(target=copy_stderr, args=(job.stderr, fault), daemon=True)
            copier.start()
            code = job.wait()
            copier.join(timeout=5)
            code = code_of_ranks(codes, code if code >= 0 else 128 - code)
        if not fault.is_set() or attempt == ATTEMPTS:
            return code
        print(TRY_AGAIN, file=sys.stderr)
    raise AssertionError


def code_of_ranks(codes: pathlib.Path, otherwise: int) -> int:
    """The highest code of the ranks that lived to their end; 1 if ranks were to tell it and all have died."""
    told = [file.read_text(encoding="ascii") for file in codes.iterdir()]
    if not told:
        return otherwise
    if not any(told):
        print("regraft-run: all ranks have died", file=sys.stderr)
        return 1
    return max(int(code) for code in told if code)


def number_of_ranks(words: list[str]) -> int:
    """What mpirun is told by -n or one of its other names; 1 if it is told nothing."""
    for option, number in zip(words, words[1:]):
        if option in ("-n", "-np", "--n", "--np", "-c") and number.isdigit():
            return max(1, int(number))
    return 1


def names_hosts(words: list[str]) -> bool:
    """Whether mpirun is told where to run. Its options end at '--' or at the program, which neither is one nor follows one."""
    before = ""
    for word in words:
        if word == "--" or not (word.startswith("-") or before.startswith("-")):
            return False
        if word.startswith("-") and word.lstrip("-").split("=")[0] in HOST_OPTIONS:
            return True
        before = word
    return False


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
                kill_job(job, verdicts)
            log.seek(0)
            outcome = Outcome(read_verdicts(verdicts), job.wait(), log.read(), cut_short)
        if LAUNCHER_FAULT not in outcome.output:
            break
        print(TRY_AGAIN)
    return outcome


def watch(job: subprocess.Popen, ranks: int, verdicts: pathlib.Path, timeout: float) -> str:
    """Waits for the end of a job. Its seconds are those of a machine that does nothing else: others slow it down, not us."""
    left, reason = timeout, f"hung: killed after {timeout:g} s"
    failed = False
    before = time.monotonic()
    while job.poll() is None:
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
    """How much longer things take now, at least, than if the job's processes alone wanted to run. A job waits for the slowest of its
    ranks at every step, so not the share of the cores counts but how many are before it in the queue."""
    runnable = int(pathlib.Path("/proc/loadavg").read_text(encoding="ascii").split()[3].split("/")[0])
    cores = os.cpu_count() or 1
    return 1 + max(0, runnable - max(ranks, cores)) / cores


def read_verdicts(directory: pathlib.Path) -> dict[int, str]:
    return {int(file.name): file.read_text(encoding="utf-8").strip() for file in directory.iterdir() if file.name.isdigit()}


def kill_job(job: subprocess.Popen, verdicts: pathlib.Path) -> None:
    """Kills what is left of a job. Ranks have process groups of their own, but all carry our directory in their environment."""
    if job.poll() is None:
        job.kill()
    mark = f"REGRAFT_VERDICTS={verdicts}".encode()
    for process in pathlib.Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    os.kill(int(process.name), signal.SIGKILL)
            except OSError:
                pass  # gone already, or somebody else's


def find_mpirun() -> str | None:
    """The one that the library was built for, else the first on PATH."""
    return CONFIGURED_MPIRUN if os.access(CONFIGURED_MPIRUN, os.X_OK) else shutil.which("mpirun")


def main(words: list[str]) -> int:
    if words[:1] in (["-h"], ["--help"], []):
        print(__doc__.strip())
        return 0 if words else 2
    for option, text in {"--settings": parameter_file, "--initialisers": initialisers}.items():
        if words[0] == option:
            print(text(), end="")
            return 0
    if words[0] == "--mpirun" and len(words) > 1:
        mpirun, words = words[1], words[2:]
    else:
        mpirun = find_mpirun()
    if not mpirun or not shutil.which(mpirun):
        sys.exit(f"regraft-run: {f'cannot run {mpirun}' if mpirun else 'no mpirun found: name it by --mpirun PATH'}")
    return run(mpirun, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
