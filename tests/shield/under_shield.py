"""Tests of programs that regraft-shield runs. Each file of tests ends with main()."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from canary import SKIPPED, reason_to_skip  # noqa: E402

ARGS = argparse.Namespace()  # mpirun, library, canary, and the programs that the test was given


class UnderShield(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_job(self, *words, fail="", timeout=200, **variables):
        """Options of regraft-shield, number of ranks, program. fail: a failure plan; the variables are set."""
        env = {name: text for name, text in os.environ.items() if not name.startswith("REGRAFT_SHIELD")}
        env |= {"TRACES": str(self.folder), "REGRAFT_FAIL": fail, **variables}
        command = [sys.executable, ROOT / "tools/shield.py", "--mpirun", ARGS.mpirun, "--library", ARGS.library, *words]
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=timeout, check=False)

    def run_reported(self, *words, **settings):
        """What the job did, and its report."""
        file = self.folder / "report.json"
        done = self.run_job("--report", str(file), *words, **settings)
        self.assertTrue(file.exists(), done.stderr)
        return done, json.loads(file.read_text(encoding="ascii"))

    def run_without(self, ranks, *program, timeout=200):
        """The same program without the shield."""
        command = [sys.executable, ROOT / "tools/launch.py", "--mpirun", ARGS.mpirun, "-n", ranks, *program]
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)


def main(*programs: str, prepare=lambda: "") -> None:
    """programs: names of options, each of which names a program. prepare: returns why the tests have to be skipped, or nothing."""
    parser = argparse.ArgumentParser()
    for name in ("mpirun", "library", "canary", *programs):
        parser.add_argument(f"--{name}", required=True)
    _, rest = parser.parse_known_args(namespace=ARGS)
    if reason := reason_to_skip(pathlib.Path(ARGS.canary)) or prepare():
        print(f"SKIPPED: {reason}")
        sys.exit(SKIPPED)
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])
