"""Tests of programs that regraft-shield runs. Each file of unit tests ends with main()."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "apps/launch"))
sys.path.insert(0, str(ROOT / "tools/setup"))
from canary import SKIPPED, reason_to_skip  # noqa: E402
from regraft_run import watched  # noqa: E402, F401

ARGS = argparse.Namespace()  # mpirun, library, canary, and the programs that the test was given
CONTRIBUTIONS_MISSING = 3  # exit code


def processes(traces: pathlib.Path) -> dict[int, int]:
    """The processes of the job that has TRACES=traces in its environment, by rank."""
    found = {}
    for process in pathlib.Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            variables = dict(word.split(b"=", 1) for word in (process / "environ").read_bytes().split(b"\0") if b"=" in word)
        except OSError:
            continue  # gone already, or a process of another user
        if variables.get(b"TRACES") == str(traces).encode() and b"OMPI_COMM_WORLD_RANK" in variables:
            found[int(variables[b"OMPI_COMM_WORLD_RANK"])] = int(process.name)
    return found


def fetch(*command: str | pathlib.Path, cwd: pathlib.Path | None = None) -> None:
    """Skips the tests, with the end of what the command said, if it cannot be run or fails."""
    try:
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise unittest.SkipTest(str(error)) from error
    if done.returncode:
        raise unittest.SkipTest(f"{' '.join(map(str, command))}: {(done.stdout.strip().splitlines() or ['failed'])[-1]}")


# What Open MPI says when a repair interrupts its nonblocking collectives. Where a machine stops a rank for seconds, the others call for a
# repair though no rank has died.
INTERRUPTED = re.compile(r"NBC_Progress: an error \d+ was found during schedule \w+ at row-offset \d+ - aborting the schedule\n+")


class UnderShield(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    @staticmethod
    def command(*words, shield=True) -> list:
        """Options of regraft-shield, number of ranks, program. Without the shield: of apps/launch/launch.py."""
        tool = ["shield.py", "--library", ARGS.library] if shield else ["launch.py"]
        return [sys.executable, ROOT / "apps/launch" / tool[0], "--mpirun", ARGS.mpirun, *tool[1:], *words]

    def environment(self, fail="", **variables) -> dict[str, str]:
        """fail: a failure plan; the variables are set."""
        inherited = {name: text for name, text in os.environ.items() if not name.startswith("REGRAFT_SHIELD")}
        return inherited | {"TRACES": str(self.folder), "REGRAFT_FAIL": fail, **variables}

    def run_job(self, *words, shield=True, timeout=200, cwd=None, **settings):
        """words, shield: see command(); settings: see environment()."""
        try:
            done = subprocess.run(self.command(*words, shield=shield), capture_output=True, text=True, env=self.environment(**settings), cwd=cwd,
                                  timeout=timeout, check=False)
        except subprocess.TimeoutExpired as hang:
            said = b"".join(text or b"" for text in (hang.stdout, hang.stderr)).decode(errors="replace")
            self.fail(f"the job has not ended after {timeout} s; it said:\n{said}")
        done.stderr = re.sub(INTERRUPTED, "", done.stderr)
        return done

    def run_reported(self, *words, **settings):
        """What the job did, and its report."""
        file = self.folder / "report.json"
        done = self.run_job("--report", str(file), *words, **settings)
        self.assertTrue(file.exists(), done.stderr)
        return done, json.loads(file.read_text(encoding="ascii"))


def parser(description: str, *programs: str) -> argparse.ArgumentParser:
    """programs: names of options, each of which names a program."""
    result = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("mpirun", "library", *programs):
        result.add_argument(f"--{name}", required=True)
    result.add_argument("--canary", type=pathlib.Path, help="what it found; without it, ranks are killed on any MPI")
    return result


def skip(reason: str) -> None:
    print(f"SKIPPED: {reason}")
    sys.exit(SKIPPED)


def skip_without_survivors(args: argparse.Namespace) -> None:
    """Skips the tests if the canary has found that this MPI does not survive deaths."""
    if reason := reason_to_skip(args.canary):
        skip(reason)


def main(*programs: str) -> None:
    """The tests that the rest of the command line names, or all."""
    _, rest = parser(sys.modules["__main__"].__doc__, *programs).parse_known_args(namespace=ARGS)
    skip_without_survivors(ARGS)
    result = unittest.main(module="__main__", argv=[sys.argv[0], *rest], exit=False).result
    if result.wasSuccessful() and len(result.skipped) >= max(result.testsRun, 1):
        skip(result.skipped[0][1])
    sys.exit(not result.wasSuccessful() or not result.testsRun)
