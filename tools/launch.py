#!/usr/bin/env python3
"""Starts MPI jobs whose ranks may die. The one place that knows mpirun's flags and settings.

launch.py --mpirun PATH -n P PROGRAM ARGS... runs one job; the exit code is mpirun's.
"""
import argparse
import functools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

# mpirun itself fails to start about once in 400 launches, before any rank runs. This, and only this, is tried again.
LAUNCHER_FAULT = b"PMIx server's listener thread failed to start"
ATTEMPTS = 3

# What survives failures in Open MPI 5; what the caller has set already wins.
SETTINGS = {
    "OMPI_MCA_async_mpi_finalize": "1",  # else MPI_Finalize hangs on a fence with the dead
    "OMPI_MCA_coll": "^han",  # HAN swallows errors of the collectives it is made of
    "OMPI_MCA_btl": "self,sm",  # jobs here run on one node, and TCP reports failures less reliably
    "OMPI_ALLOW_RUN_AS_ROOT": "1",  # containers
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # more ranks than cores
    "OMP_NUM_THREADS": "1",  # the ranks are the parallelism
}


@functools.lru_cache
def flags(mpirun: str) -> tuple[str, ...]:
    """The flags without which this mpirun ends the job when a rank dies, or refuses more ranks than cores."""
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout
    if "Open MPI) 5" in version:
        return ("--with-ft", "ulfm")
    if "Open MPI" in version:
        return ("--oversubscribe",)  # no ULFM in version 4
    return ("-disable-auto-cleanup",) if "HYDRA" in version else ()


def command(mpirun: str, ranks: int, program: list[str]) -> list[str]:
    return [mpirun, *flags(mpirun), "-n", str(ranks), *program]


class TemporaryHome(tempfile.TemporaryDirectory):
    """A TMPDIR for one launch: killed jobs leave session files behind, which disturb later ones. The path is short
    because sockets live in it."""

    def __init__(self):
        super().__init__(prefix="rg", dir="/tmp" if os.access("/tmp", os.W_OK) else None, ignore_cleanup_errors=True)


def environment(mpirun: str, tmpdir: str) -> dict[str, str]:
    env = dict(os.environ)
    settings = SETTINGS if "--with-ft" in flags(mpirun) else {k: v for k, v in SETTINGS.items() if "MCA" not in k}
    for name, value in settings.items():
        env.setdefault(name, value)
    env["TMPDIR"] = tmpdir
    env.setdefault("HOME", tmpdir)  # Open MPI does not start without one
    return env


def run(mpirun: str, ranks: int, program: list[str]) -> int:
    """Runs a job in the foreground; its streams are ours. Signals sent to us go to mpirun, which passes them on."""
    for attempt in range(1, ATTEMPTS + 1):
        with TemporaryHome() as tmpdir:
            env = environment(mpirun, tmpdir)
            if sys.stderr.isatty():
                env.setdefault("REGRAFT_PROGRESS", "1")  # ranks write into pipes of mpirun and cannot see the terminal
            job = subprocess.Popen(command(mpirun, ranks, program), env=env, stderr=subprocess.PIPE)
            # Ctrl-C reaches mpirun without us: it is in the same foreground group.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, lambda received, _: job.send_signal(received))
            fault = threading.Event()
            copier = threading.Thread(target=copy_stderr, args=(job.stderr, fault), daemon=True)
            copier.start()
            code = job.wait()
            copier.join(timeout=5)
        if not fault.is_set() or attempt == ATTEMPTS:
            return code if code >= 0 else 128 - code
        print("launch.py: mpirun failed to start (listener thread), trying again", file=sys.stderr)
    raise AssertionError


def copy_stderr(source, fault: threading.Event) -> None:
    tail = b""
    while chunk := source.read1(65536):
        sys.stderr.buffer.write(chunk)
        sys.stderr.buffer.flush()
        tail = tail[-200:] + chunk
        if LAUNCHER_FAULT in tail:
            fault.set()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpirun", default=shutil.which("mpirun"), help="default: the first on PATH")
    parser.add_argument("-n", type=int, required=True, help="number of ranks")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if not args.program:
        parser.error("no program given")
    return run(args.mpirun, args.n, args.program)


if __name__ == "__main__":
    sys.exit(main())
