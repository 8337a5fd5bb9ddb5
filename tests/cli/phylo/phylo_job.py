"""Runs regraft-phylo as a job and tells how each rank ended and what came out."""
import argparse
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
import mpi_job  # noqa: E402
from mpi_job import KILLED, LAUNCH, Failed, watched  # noqa: E402, F401


def victims(plan: str) -> set[int]:
    """The ranks that die by a plan of --fail."""
    return {int(death.rsplit(":", 2)[1]) for death in plan.split(",") if death}


class Result(mpi_job.Result):
    def __init__(self, outcome: watched.Outcome, ranks: int, prefix: pathlib.Path):
        super().__init__(outcome, ranks)
        self.prefix = prefix
        report = pathlib.Path(f"{prefix}.json")
        self.report = json.loads(report.read_text(encoding="utf-8")) if report.exists() else None

    def bits(self) -> tuple[str, str, str]:
        """The result, to be compared to the last bit: the tree, the 17 digits of its log-likelihood, all parameters, supports."""
        tree = pathlib.Path(f"{self.prefix}.bestTree").read_text(encoding="utf-8")
        line = next(line for line in pathlib.Path(f"{self.prefix}.json").read_text(encoding="utf-8").splitlines() if "log_likelihood" in line)
        parameters = json.loads(pathlib.Path(f"{self.prefix}.json").read_text(encoding="utf-8"))
        return tree, line, json.dumps([parameters["partitions"], parameters["evaluations"], parameters["supports"]])


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
        return Result(mpi_job.start(self.args, ranks, [*arguments, *named], timeout, {"REGRAFT_FAIL": plan}), ranks, prefix)

    def search(self, ranks: int, plan: str = "", *more: str, model: str = "GTR+FC+G4m", msa: str = "") -> Result:
        """A search, on the small test alignment if no other is given, that must succeed; only planned victims may die."""
        arguments = ["search", "--msa", msa or self.args.msa, "--model", model, "--spr-radius", "2", *more]
        result = self.run(ranks, [*arguments, "--fail", plan] if plan else arguments)
        result.require_survival(f"{ranks} ranks, plan '{plan}'")
        result.require(result.report is not None, f"{ranks} ranks, plan '{plan}': no report")
        return result

    def with_deaths(self, ranks: int, arguments: list[str], plan: str) -> Result:
        """A job in which exactly the victims of the plan die, and that has a report."""
        result = self.run(ranks, [*arguments, "--fail", plan])
        result.require(set(result.codes) <= {0, KILLED} and result.report is not None, f"plan '{plan}': a rank failed")
        result.require(result.killed() == victims(plan), f"expected the deaths of {sorted(victims(plan))}")
        return result


class Folder:
    """Jobs, and files for them."""

    def __init__(self, jobs: Jobs):
        self.jobs = jobs
        self.directory = pathlib.Path(jobs.directory.name)

    def write(self, name: str, text: str) -> str:
        path = self.directory / name
        path.write_text(text, encoding="utf-8")
        return str(path)


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
    parser = mpi_job.arguments(description)
    parser.add_argument("--msa", required=True, help="small alignment")
    return parser


def main(args: argparse.Namespace, test, needs_deaths: bool) -> int:
    return mpi_job.main(args, lambda: test(Jobs(args), args), needs_deaths)
