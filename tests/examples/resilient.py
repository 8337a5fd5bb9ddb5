#!/usr/bin/env python3
"""A step of docs/mpi/resilient.md survives what the guide says, and has the result of plain MPI: resilient.py --steps FOLDER --exe STEP ... JOB...

A JOB is RANKS or RANKS=PLAN, and exactly the ranks must die that the plan names. A death of the plan that begins with ! must not happen:
its rank does not come to that point so often.
"""
import os
import pathlib
import re
import shutil
import sys

import job

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/mpi/resilient.md"
KEPT = pathlib.Path("/dev/shm")  # where power4 keeps its files


def eigenvalue(result: job.Result) -> str:
    """What the program printed. A leader that dies as soon as it has printed makes the next one print, too."""
    found = set(re.findall(r"^eigenvalue (\S+)$", result.output, re.M))
    result.require(len(found) == 1, "expected one eigenvalue")
    return found.pop()


def run(args, exe: pathlib.Path, ranks: int, plan: str) -> job.Result:
    """The job's name is that of this process, so that what the dead have kept can be removed."""
    args.exe = str(exe)
    name = f"resilient-{os.getpid()}"
    try:
        result = job.Program(args).run(ranks, [plan] if plan else [], {"REGRAFT_JOB": name})
    finally:
        shutil.rmtree(KEPT / f"regraft-{name}", ignore_errors=True)
    result.require_survival(f"{exe.name}, {ranks} ranks, plan '{plan}'")
    return result


def survives(args) -> None:
    exe = pathlib.Path(args.exe)
    expected = eigenvalue(run(args, args.steps / "power1", 1, ""))
    if f"`eigenvalue {expected}`" not in PAGE.read_text(encoding="utf-8"):
        raise job.Failed(f"{PAGE} does not say that the eigenvalue is {expected}")
    in_plain_mpi = f"{float(expected):.12g}"  # its sum depends on the number of ranks, so power0 prints fewer digits
    for text in args.jobs:
        ranks, _, deaths = text.partition("=")
        victims = {victim for death in deaths.split(",") if not death.startswith("!") for victim in job.victims(death)}
        result = run(args, exe, int(ranks), deaths.replace("!", ""))
        result.require(result.killed() == victims, f"{text}: expected the deaths of {sorted(victims)}")
        found = eigenvalue(result)
        right = in_plain_mpi if exe.name == "power0" else expected
        result.require(found == right, f"{text}: another eigenvalue than {right}")
        print(f"{text}: {found}", flush=True)
    args.exe = str(exe)
    if exe.name != "power0":
        refuses(args, "reduce:0", "resilient", "failure plan: 'reduce:0': expected")
    if exe.name == "power4":
        refuses(args, "", "", "REGRAFT_JOB is not set, expected")


def refuses(args, plan: str, job_name: str, what: str) -> None:
    """Two ranks end with exit code 2 and say what is wrong."""
    result = job.Program(args).run(2, [plan] if plan else [], {"REGRAFT_JOB": job_name})
    result.require(result.codes == [2, 2] and what in result.output and "eigenvalue" not in result.output, f"expected '{what}' and exit code 2")


if __name__ == "__main__":
    parser = job.arguments(__doc__)
    parser.add_argument("--steps", required=True, type=pathlib.Path, help="the folder of power0, power1, ...")
    parser.add_argument("jobs", nargs="+", metavar="JOB")
    parsed = parser.parse_args()
    sys.exit(job.main(parsed, lambda _, arguments: survives(arguments), needs_deaths=any("=" in text for text in parsed.jobs)))
