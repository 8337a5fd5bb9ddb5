"""Runs regraft-phylo as a job and says how each rank ended and what came out."""
import argparse
import json
import pathlib
import shlex
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
sys.path.insert(0, str(HERE.parent / "support"))
import launch  # noqa: E402
import run_mpi  # noqa: E402

KILLED = 137


class Failed(Exception):
    """What did not hold, and the job's output."""


class Result:
    def __init__(self, outcome: launch.Outcome, ranks: int, prefix: pathlib.Path):
        self.output = outcome.output.decode(errors="replace")
        self.cut_short = outcome.cut_short
        self.codes = [int(outcome.verdicts.get(rank, "exit -1").split()[1]) for rank in range(ranks)]
        self.prefix = prefix
        report = pathlib.Path(f"{prefix}.json")
        self.report = json.loads(report.read_text(encoding="utf-8")) if report.exists() else None

    def killed(self) -> set[int]:
        return {rank for rank, code in enumerate(self.codes) if code == KILLED}

    def bits(self) -> tuple[str, str, str]:
        """The result, to be compared to the last bit: the tree, the 17 digits of its log-likelihood, all parameters."""
        tree = pathlib.Path(f"{self.prefix}.bestTree").read_text(encoding="utf-8")
        line = next(line for line in pathlib.Path(f"{self.prefix}.json").read_text(encoding="utf-8").splitlines() if "log_likelihood" in line)
        parameters = json.loads(pathlib.Path(f"{self.prefix}.json").read_text(encoding="utf-8"))
        return tree, line, json.dumps([parameters["partitions"], parameters["evaluations"]])

    def require(self, condition: bool, what: str) -> None:
        if not condition:
            raise Failed(f"{what}\nexit codes {self.codes} {self.cut_short}\n{self.output}")


class Jobs:
    """regraft-phylo on the given MPI, with output files in a directory of their own."""

    def __init__(self, args: argparse.Namespace):
        self.args = args
        self.directory = tempfile.TemporaryDirectory(prefix="rg")
        self.count = 0

    def run(self, ranks: int, arguments: list[str], timeout: float = 50, prefix: pathlib.Path | None = None, plan: str = "") -> Result:
        self.count += 1
        prefix = prefix or pathlib.Path(self.directory.name, f"job{self.count}")
        named = [] if arguments[:1] == ["check"] else ["--prefix", str(prefix)]
        program = [str(HERE / "say_exit.sh"), self.args.exe, *arguments, *named]
        launcher = shlex.split(self.args.launcher)
        outcome = launch.run_watched(self.args.mpirun, ranks, program, timeout, {"REGRAFT_FAIL": plan}, launcher)
        return Result(outcome, ranks, prefix)

    def search(self, ranks: int, plan: str = "", *more: str, model: str = "GTR+FC+G4m", msa: str = "") -> Result:
        """A search, on the small test alignment if no other is given, that must succeed; only planned victims may die."""
        arguments = ["search", "--msa", msa or self.args.msa, "--model", model, "--spr-radius", "2", *more]
        result = self.run(ranks, [*arguments, "--fail", plan] if plan else arguments)
        result.require(not result.cut_short, f"{ranks} ranks, plan '{plan}'")
        result.require(set(result.codes) <= {0, KILLED}, f"{ranks} ranks, plan '{plan}': a rank failed")
        result.require(result.report is not None, f"{ranks} ranks, plan '{plan}': no report")
        return result


def ranks_of(exe: str, directory: str) -> list[int]:
    """The processes that run exe for a job with output in the directory."""
    found = []
    for process in pathlib.Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] == exe.encode() and any(word.startswith(directory.encode()) for word in words):
                found.append(int(process.name))
    return found


def arguments(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--launcher", default="")
    parser.add_argument("--canary", type=pathlib.Path)
    parser.add_argument("--exe", required=True)
    parser.add_argument("--msa", required=True, help="small alignment")
    return parser


def main(args: argparse.Namespace, test, needs_deaths: bool) -> int:
    skip = run_mpi.reason_to_skip(args.canary) if needs_deaths else ""
    if skip:
        print(f"SKIPPED: {skip}")
        return run_mpi.SKIPPED
    try:
        test(Jobs(args), args)
    except Failed as failure:
        print(failure)
        return 1
    return 0
