"""Runs an example program as a job and says who died and what its last line was."""
import argparse
import pathlib
import re
import shlex
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
sys.path.insert(0, str(HERE.parent / "support"))
import launch  # noqa: E402
import run_mpi  # noqa: E402

KILLED = 137


class Failed(Exception):
    """What did not hold, and the job's output."""


class Result:
    def __init__(self, outcome: launch.Outcome, ranks: int):
        self.output = outcome.output.decode(errors="replace")
        self.cut_short = outcome.cut_short
        self.codes = [int(outcome.verdicts.get(rank, "exit -1").split()[1]) for rank in range(ranks)]

    def killed(self) -> set[int]:
        return {rank for rank, code in enumerate(self.codes) if code == KILLED}

    def hash(self) -> str:
        """What the program says last of its own; shells and mpirun may say behind it who died. A leader that dies as soon as it has said
        it makes the next one say it once more."""
        found = re.findall(r"^result ([0-9a-f]{16})$", self.output, re.M)
        self.require(len(set(found)) == 1, "expected a result")
        behind = self.output[self.output.rindex("result ") :].splitlines()[1:]
        self.require(not any(re.search(r" died in | steps in | blocks have ", line) for line in behind), "the result is not the last line")
        return found[0]

    def points(self) -> dict[str, int]:
        """How often rank 0 came to which point, from a run with --points."""
        return {name: int(times) for name, times in re.findall(r"^point (\S+) (\d+)", self.output, re.M)}

    def require(self, condition: bool, what: str) -> None:
        if not condition:
            raise Failed(f"{what}\nexit codes {self.codes} {self.cut_short}\n{self.output}")


class Program:
    """An example on the given MPI."""

    def __init__(self, args: argparse.Namespace):
        self.args = args

    def run(self, ranks: int, arguments: list[str], env: dict[str, str] | None = None, timeout: float = 60) -> Result:
        """timeout: seconds on a machine that does nothing else. env: also in the environment of the ranks."""
        words = [str(HERE.parent / "cli/say_exit.sh"), self.args.exe, *arguments]
        outcome = launch.run_watched(self.args.mpirun, ranks, words, timeout, env or {}, shlex.split(self.args.launcher))
        return Result(outcome, ranks)

    def survive(self, ranks: int, arguments: list[str], plan: str = "", env: dict[str, str] | None = None) -> Result:
        """A job whose survivors must succeed; nobody fails who is not killed."""
        result = self.run(ranks, [*arguments, "--fail", plan] if plan else arguments, env)
        name = f"{ranks} ranks, plan '{plan}'"
        result.require(not result.cut_short, name)
        result.require(set(result.codes) <= {0, KILLED}, f"{name}: a rank failed")
        return result


def processes(exe: str, mark: str) -> list[int]:
    """Those that run exe with NAME=VALUE in their environment."""
    found = []
    for process in pathlib.Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                same = (process / "cmdline").read_bytes().split(b"\0")[0] == exe.encode()
                if same and mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                    found.append(int(process.name))
            except OSError:
                pass  # gone already, or somebody else's
    return found


def victims(plan: str) -> set[int]:
    return {int(death.rsplit(":", 2)[1]) for death in plan.split(",") if death}


def arguments(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--launcher", default="")
    parser.add_argument("--canary", type=pathlib.Path)
    parser.add_argument("--exe", default="", help="the program")
    parser.add_argument("--options", type=shlex.split, default=[], help="of the program, in all jobs")
    return parser


def main(args: argparse.Namespace, test, needs_deaths: bool) -> int:
    skip = run_mpi.reason_to_skip(args.canary) if needs_deaths else ""
    if skip:
        print(f"SKIPPED: {skip}")
        return run_mpi.SKIPPED
    try:
        test(Program(args), args)
    except Failed as failure:
        print(failure)
        return 1
    return 0
