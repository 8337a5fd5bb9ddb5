"""What tests that start a program as an MPI job have in common: how each rank ended, and what was required of that."""
import argparse
import pathlib
import shlex
import sys

HERE = pathlib.Path(__file__).resolve().parent
LAUNCH = HERE.parents[1] / "apps/launch/launch.py"
sys.path.insert(0, str(LAUNCH.parent))
import run_mpi  # noqa: E402
from regraft_run import watched  # noqa: E402

KILLED = 137
SAY_EXIT = HERE.parent / "cli/say_exit.sh"


class Failed(Exception):
    """Tells what did not hold, and the job's output."""


class Result:
    def __init__(self, outcome: watched.Outcome, ranks: int):
        self.output = outcome.output.decode(errors="replace")
        self.cut_short = outcome.cut_short
        self.codes = [int(outcome.verdicts.get(rank, "exit -1").split()[1]) for rank in range(ranks)]

    def killed(self) -> set[int]:
        return {rank for rank, code in enumerate(self.codes) if code == KILLED}

    def require(self, condition: bool, what: str) -> None:
        if not condition:
            raise Failed(f"{what}\nexit codes {self.codes} {self.cut_short}\n{self.output}")

    def require_survival(self, what: str) -> None:
        """Requires that no rank fails, except those that are killed."""
        self.require(not self.cut_short, what)
        self.require(set(self.codes) <= {0, KILLED}, f"{what}: a rank failed")


def start(args: argparse.Namespace, ranks: int, arguments: list[str], timeout: float, env: dict[str, str]) -> watched.Outcome:
    """A single rank needs no mpirun. timeout: seconds on a machine that does nothing else. env: variables for the ranks, besides the
    environment."""
    launcher = None if ranks == 1 and not args.launcher else shlex.split(args.launcher)
    return watched.run_watched(args.mpirun, ranks, [str(SAY_EXIT), args.exe, *arguments], timeout, env, launcher)


def arguments(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--launcher", default="")
    parser.add_argument("--canary", type=pathlib.Path)
    parser.add_argument("--exe", default="", help="the program")
    return parser


def main(args: argparse.Namespace, test, needs_deaths: bool) -> int:
    """The exit code of a test that raises Failed if something does not hold."""
    skip = run_mpi.reason_to_skip(args.canary) if needs_deaths else ""
    if skip:
        print(f"SKIPPED: {skip}")
        return run_mpi.SKIPPED
    try:
        test()
    except Failed as failure:
        print(failure)
        return 1
    return 0
