#!/usr/bin/env python3
"""Starts MPI jobs whose ranks may die. The one place that knows mpirun's flags and settings.

launch.py --mpirun PATH -n P PROGRAM ARGS... runs one job; the exit code is mpirun's.
"""
import argparse
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

# mpirun itself fails to start about once in 400 launches, before any rank runs. This, and only this, is tried again.
LAUNCHER_FAULT = b"PMIx server's listener thread failed to start"
ATTEMPTS = 3
TRY_AGAIN = "mpirun failed to start (PMIx listener thread), trying again"

GRACE = 5.0  # seconds that the other ranks have after one has failed: they may wait for it for ever

# What lets jobs survive in Open MPI 5. What the caller has set already wins.
OPEN_MPI_5 = {
    "OMPI_MCA_async_mpi_finalize": "1",  # else MPI_Finalize hangs on a fence with the dead
    "OMPI_MCA_coll": "^han",  # HAN swallows errors of the collectives it is made of
    # A star. The help text of Open MPI 5.0.9 says that 2 is, but its code makes 2 a chain. In a chain or a tree, who has contributed
    # to an agreement and lost its parent waits for ever if the grandparent decides before it has noticed that death itself: 22 of 24
    # provoked deaths in a chain, 20 in the default tree, none in the star, where only the root has children.
    "OMPI_MCA_coll_ftagree_era_topology": "3",
    "OMPI_MCA_btl": "self,sm",  # jobs here run on one node, and TCP reports failures less reliably
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # more ranks than cores
}
ALWAYS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",  # containers
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMP_NUM_THREADS": "1",  # the ranks are the parallelism
}


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


def environment(mpirun: str, tmpdir: str) -> dict[str, str]:
    env = dict(os.environ)
    for name, value in {**ALWAYS, **(OPEN_MPI_5 if "ulfm" in flags(mpirun) else {})}.items():
        env.setdefault(name, value)
    env["TMPDIR"] = tmpdir
    env.setdefault("HOME", tmpdir)  # Open MPI does not start without one
    return env


class JobDirectory(tempfile.TemporaryDirectory):
    """The TMPDIR of one launch: session files that killed jobs leave behind disturb later launches. Its path is short
    because sockets live in it."""

    def __init__(self):
        super().__init__(prefix="rg", dir="/tmp" if os.access("/tmp", os.W_OK) else None, ignore_cleanup_errors=True)


# --- in the foreground, for people ---------------------------------------------------------------------------------------


def run(mpirun: str, ranks: int, program: list[str]) -> int:
    """Runs a job whose streams are ours. Signals sent to us go to mpirun, which passes them on to the ranks."""
    for attempt in range(1, ATTEMPTS + 1):
        with JobDirectory() as tmpdir:
            env = environment(mpirun, tmpdir)
            if sys.stderr.isatty():
                env.setdefault("REGRAFT_PROGRESS", "1")  # ranks write into pipes of mpirun and cannot see the terminal
            job = subprocess.Popen(command(mpirun, ranks, program), env=env, stderr=subprocess.PIPE)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches mpirun too: same foreground group
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, lambda received, _, job=job: job.send_signal(received))
            fault = threading.Event()
            copier = threading.Thread(target=copy_stderr, args=(job.stderr, fault), daemon=True)
            copier.start()
            code = job.wait()
            copier.join(timeout=5)
        if not fault.is_set() or attempt == ATTEMPTS:
            return code if code >= 0 else 128 - code
        print(TRY_AGAIN, file=sys.stderr)
    raise AssertionError


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
    launcher: used in place of mpirun and its flags if not empty."""
    words = [*launcher, "-n", str(ranks), *program] if launcher else command(mpirun, ranks, program)
    for _ in range(ATTEMPTS):
        with JobDirectory() as tmpdir, tempfile.TemporaryFile() as log:
            verdicts = pathlib.Path(tmpdir, "verdicts")
            verdicts.mkdir()
            env = {**environment(mpirun, tmpdir), **extra_env, "REGRAFT_VERDICTS": str(verdicts)}
            job = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
            try:
                cut_short = watch(job, verdicts, timeout)
            finally:
                kill_job(job, verdicts)
            log.seek(0)
            outcome = Outcome(read_verdicts(verdicts), job.wait(), log.read(), cut_short)
        if LAUNCHER_FAULT not in outcome.output:
            break
        print(TRY_AGAIN)
    return outcome


def watch(job: subprocess.Popen, verdicts: pathlib.Path, timeout: float) -> str:
    deadline, reason = time.monotonic() + timeout, f"hung: killed after {timeout:g} s"
    failed = False
    while job.poll() is None:
        if time.monotonic() > deadline:
            return reason
        if not failed and any(verdict.startswith("fail") for verdict in read_verdicts(verdicts).values()):
            failed = True
            deadline, reason = min(deadline, time.monotonic() + GRACE), f"killed {GRACE:g} s after a rank had failed"
        time.sleep(0.02)
    return ""


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpirun", default=shutil.which("mpirun"), help="default: the first on PATH")
    parser.add_argument("-n", type=int, required=True, help="number of ranks")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if not args.mpirun or not args.program:
        parser.error("no program given" if args.mpirun else "no mpirun found")
    return run(args.mpirun, args.n, args.program)


if __name__ == "__main__":
    sys.exit(main())
