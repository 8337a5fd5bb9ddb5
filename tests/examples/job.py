"""Runs an example program as a job and tells which ranks died and what its last line was."""
import argparse
import pathlib
import re
import shlex
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import mpi_job  # noqa: E402
from mpi_job import KILLED, Failed  # noqa: E402, F401


class Result(mpi_job.Result):
    def hash(self) -> str:
        """The last line of the program; shells and mpirun may print behind it which ranks died. A leader that dies as soon as it has
        printed it makes the next one print it once more."""
        found = re.findall(r"^result ([0-9a-f]{16})$", self.output, re.M)
        self.require(len(set(found)) == 1, "expected a result")
        behind = self.output[self.output.rindex("result ") :].splitlines()[1:]
        self.require(not any(re.search(r" died in | steps in | blocks have ", line) for line in behind), "the result is not the last line")
        return found[0]

    def points(self) -> dict[str, int]:
        """How often rank 0 came to each point, from a run with --points."""
        return {name: int(times) for name, times in re.findall(r"^point (\S+) (\d+)", self.output, re.M)}


class Program:
    """An example on the given MPI."""

    def __init__(self, args: argparse.Namespace):
        self.args = args

    def run(self, ranks: int, arguments: list[str], env: dict[str, str] | None = None, timeout: float = 60) -> Result:
        """timeout: seconds on a machine that does nothing else. env: also in the environment of the ranks."""
        return Result(mpi_job.start(self.args, ranks, arguments, timeout, env or {}), ranks)

    def survive(self, ranks: int, arguments: list[str], plan: str = "", env: dict[str, str] | None = None) -> Result:
        """A job whose survivors must succeed: no rank fails, except those that are killed."""
        result = self.run(ranks, [*arguments, "--fail", plan] if plan else arguments, env)
        result.require_survival(f"{ranks} ranks, plan '{plan}'")
        return result


def processes(exe: str, mark: str) -> list[int]:
    """The processes that run exe with NAME=VALUE in their environment."""
    found = []
    for process in pathlib.Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                same = (process / "cmdline").read_bytes().split(b"\0")[0] == exe.encode()
                if same and mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                    found.append(int(process.name))
            except OSError:
                pass  # gone already, or a process of another user
    return found


def victims(plan: str) -> set[int]:
    return {int(death.rsplit(":", 2)[1]) for death in plan.split(",") if death}


def arguments(description: str) -> argparse.ArgumentParser:
    parser = mpi_job.arguments(description)
    parser.add_argument("--options", type=shlex.split, default=[], help="of the program, in all jobs")
    return parser


def main(args: argparse.Namespace, test, needs_deaths: bool) -> int:
    return mpi_job.main(args, lambda: test(Program(args), args), needs_deaths)
