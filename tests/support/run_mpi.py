#!/usr/bin/env python3
"""Runs one MPI test and judges it by what each rank says, not by mpirun's exit code.

With fault tolerance mpirun exits 0 whoever dies and whyever, so a crash would pass. Here every rank of the job writes
a verdict file (mpi_main.cpp), and the silent ranks must be exactly the victims that the test announced.

Exit codes: 0 passed, 1 failed, 77 skipped (with the reason).
"""
import argparse
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import launch  # noqa: E402

GRACE = 5.0  # seconds that the other ranks have after one has failed: they may wait for it for ever


class Outcome:
    def __init__(self, verdicts: dict[int, str], code: int | None, output: bytes, cut: str):
        self.verdicts, self.code, self.output, self.cut = verdicts, code, output, cut


def run_once(command: list[str], env: dict[str, str], timeout: float) -> Outcome:
    """One launch, in its own session, with its own directories. Nothing of it is left behind."""
    with launch.TemporaryHome() as tmpdir, tempfile.TemporaryFile() as log:
        verdicts = os.path.join(tmpdir, "verdicts")
        os.mkdir(verdicts)
        env = dict(env, TMPDIR=tmpdir, REGRAFT_VERDICTS=verdicts)
        job = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        deadline, cut = time.monotonic() + timeout, ""
        while job.poll() is None:
            if time.monotonic() > deadline:
                cut = cut or f"hang: killed after {timeout:g} s"
                break
            if not cut and any(v.startswith("fail") for v in read_verdicts(verdicts).values()):
                deadline, cut = min(deadline, time.monotonic() + GRACE), f"killed {GRACE:g} s after a rank had failed"
            time.sleep(0.02)
        else:
            cut = ""
        kill_job(job, verdicts)
        log.seek(0)
        return Outcome(read_verdicts(verdicts), job.wait(), log.read(), cut)


def read_verdicts(directory: str) -> dict[int, str]:
    files = [file for file in pathlib.Path(directory).iterdir() if file.name.isdigit()]
    return {int(file.name): file.read_text(encoding="utf-8").strip() for file in files}


def kill_job(job: subprocess.Popen, marker: str) -> None:
    """Kills what is left of a job. Ranks have process groups of their own, but they all carry our directory's name."""
    if job.poll() is None:
        job.kill()
    for process in pathlib.Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            try:
                if f"REGRAFT_VERDICTS={marker}".encode() in (process / "environ").read_bytes().split(b"\0"):
                    os.kill(int(process.name), signal.SIGKILL)
            except (OSError, ProcessLookupError):
                pass  # gone already, or not ours


def judge(outcome: Outcome, ranks: int, victims: set[int]) -> list[str]:
    """What is wrong with this job; empty if nothing."""
    bad = []
    for rank in range(ranks):
        verdict = outcome.verdicts.get(rank, "silent")
        if rank in victims:
            if verdict != "silent":
                bad.append(f"rank {rank}: should have died, but says: {verdict}")
        elif verdict == "pass 0":
            bad.append(f"rank {rank}: ran no test")
        elif not verdict.startswith("pass "):
            bad.append(f"rank {rank}: {'died or never finished, which nobody planned' if verdict == 'silent' else verdict}")
    if outcome.cut:
        silent = [rank for rank in range(ranks) if rank not in outcome.verdicts]
        bad.append(f"{outcome.cut}; silent ranks: {silent or 'none'}")
    elif not victims and outcome.code != 0:
        bad.append(f"the launcher exited with {outcome.code}")
    return bad


def rank_set(text: str) -> set[int]:
    return {int(rank) for rank in text.split(",") if rank}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, required=True, help="number of ranks")
    parser.add_argument("--victims", type=rank_set, default=set(), help="ranks that must die, e.g. 1,3")
    parser.add_argument("--fail", default="", help="failure plan for the ranks: point:rank:occurrence,...")
    parser.add_argument("--simulated", action="store_true", help="failures are simulated: needs no ULFM")
    parser.add_argument("--timeout", type=float, default=50, help="seconds; shorter than Meson's, so that we can say who hangs")
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--launcher", default="", help="command to use instead of mpirun and its usual flags")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    program = args.program[1:] if args.program[:1] == ["--"] else args.program

    command = launch.command(args.mpirun, args.n, program)
    if args.launcher:
        command = [*shlex.split(args.launcher), "-n", str(args.n), *program]
    env = launch.environment(args.mpirun, "/tmp")
    env["REGRAFT_FAIL"] = args.fail
    env["GTEST_COLOR"] = "no"  # ranks see a terminal that mpirun makes up

    for _ in range(launch.ATTEMPTS):
        outcome = run_once(command, env, args.timeout)
        if launch.LAUNCHER_FAULT not in outcome.output:
            break
        print("mpirun failed to start (listener thread), trying again")
    sys.stdout.flush()
    sys.stdout.buffer.write(outcome.output)
    bad = judge(outcome, args.n, args.victims)
    print("\n".join(bad) or f"{args.n - len(args.victims)} ranks passed, {len(args.victims)} died as planned")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
