#!/usr/bin/env python3
"""Says whether an MPI survives: runs jobs of tests/support/canary.cpp, in which ranks are killed, until one goes wrong.

canary.py MODE --mpirun PATH --exe CANARY: the exit code is 0 if all jobs were good, else 77 (skip, with the reason). With
REGRAFT_CANARY=required it is 1 in place of 77. ./run sets this, because it has chosen an MPI that passed.
"""
import argparse
import json
import os
import pathlib
import sys
import typing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/launch"))
from regraft_run import watched

RANKS = [16, 8, 4]  # of the jobs, in turn; with more ranks there are more messages in flight
TIMEOUT = 15  # seconds; a good job takes half a second
# The same in turn. A hang counts only if it has come with each of these limits: a single one may be the fault of a busy machine.
PATIENCE = [TIMEOUT, 4 * TIMEOUT, 4 * TIMEOUT]
SKIPPED = 77
MODES = ["collectives", "point-to-point"]


class Failed(Exception):
    """A job did not end as it should."""

    def __init__(self, job: str, symptom: str, hung: bool):
        super().__init__(f"{job}: {symptom}")
        self.hung = hung


def patiently(judge: typing.Callable[[float], typing.Any], hangs: list[str]) -> typing.Any:
    """What judge(timeout) returns. If a job hangs, all jobs are repeated with more time. Each hang is added to hangs, with how busy the
    machine was."""
    for timeout in PATIENCE[:-1]:
        try:
            return judge(timeout)
        except Failed as failure:
            if not failure.hung:
                raise
            hangs.append(f"{failure}, while {os.getloadavg()[0]:.0f} processes wanted {os.cpu_count()} cores")
    return judge(PATIENCE[-1])


def check(mpirun: str, exe: str, mode: str, jobs: int, timeout: float = TIMEOUT) -> None:
    """Throws Failed for the first job that does not end with exactly one survivor that found nothing wrong."""
    for seed in range(jobs):
        ranks = RANKS[seed % len(RANKS)]
        outcome = watched.run_watched(mpirun, ranks, [exe, mode, str(seed)], timeout, {}, [])
        if len(outcome.verdicts) != 1 or outcome.cut_short:
            raise Failed(f"{mode}, {ranks} ranks, seed {seed}", symptom(outcome), outcome.cut_short.startswith("hung"))


def symptom(outcome: watched.Outcome) -> str:
    """The line of the output that is most likely to name the cause."""
    if outcome.cut_short:
        return outcome.cut_short
    lines = outcome.output.decode(errors="replace").splitlines()
    for clue in ["request freed", "Signal:", "rror"]:
        for line in lines:
            if clue in line:
                return line.strip()[-100:]
    return f"{len(outcome.verdicts)} ranks say that they are the last survivor, launcher exited with {outcome.exit_code}"


def reason_to_skip(result: pathlib.Path | None) -> str:
    """Why real deaths cannot be tested on this MPI, according to the file of a run with --result. Empty if they can."""
    if result is None or not result.exists():
        return ""
    said = json.loads(result.read_text(encoding="utf-8"))
    return "" if said["passed"] else f"the canary found that this MPI does not survive: {said['reason']}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--exe", required=True)
    parser.add_argument("--jobs", type=int, default=6)
    parser.add_argument("--result", type=pathlib.Path, help="write the outcome as JSON, for other tests")
    args = parser.parse_args()
    reason = ""
    try:
        check(args.mpirun, args.exe, args.mode, args.jobs)
    except Failed as failure:
        reason = str(failure)
    if args.result:
        args.result.write_text(json.dumps({"passed": not reason, "reason": reason}), encoding="utf-8")
    if not reason:
        print(f"{args.mode}: {args.jobs} jobs shrank to one survivor")
        return 0
    print("SKIPPED: this MPI does not survive deaths:", reason)
    return 1 if os.environ.get("REGRAFT_CANARY") == "required" else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
