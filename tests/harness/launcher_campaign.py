#!/usr/bin/env python3
"""Jobs whose launcher, ranks and signals meet at random moments: ranks die before their library has begun, launchers are killed, ranks are
stopped for a while, and jobs are asked to end. Each ends in time, with a code that regraft-run promises, and leaves nothing.

launcher_campaign.py ... [--first N] [--jobs N]
"""
import argparse
import dataclasses
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

LAUNCHERS = pathlib.Path(__file__).resolve().parents[2] / "apps/launch"
sys.path.insert(0, str(LAUNCHERS))
from regraft_run.processes import processes_that  # noqa: E402

TIMEOUT = 120  # seconds for what hangs
LOST, DIED_EARLY, ASKED = 1, 69, 128 + signal.SIGTERM
FATAL = [signal.SIGKILL, signal.SIGQUIT, signal.SIGXCPU, signal.SIGUSR2, signal.SIGALRM]
PLACES = [pathlib.Path("/tmp"), pathlib.Path("/dev/shm")]


@dataclasses.dataclass
class Ended:
    code: int
    said: str
    kills: int = 1


class Jobs:
    def __init__(self, args: argparse.Namespace, draw: random.Random):
        of_mpirun = ["--mpirun", args.mpirun, "--node-library", args.node_library]
        self.tools = [[sys.executable, str(LAUNCHERS / "launch.py"), *of_mpirun, "--rank-library", args.rank_library],
                      [sys.executable, str(LAUNCHERS / "shield.py"), *of_mpirun, "--library", args.shield_library]]
        self.exe, self.draw, self.ranks = args.exe, draw, draw.randint(1, 4)

    def start(self, *program: str) -> subprocess.Popen:
        command = [*self.draw.choice(self.tools), "-n", str(self.ranks), *program]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
                                start_new_session=True)

    def pause(self, most: float) -> None:
        time.sleep(self.draw.uniform(0, most))

    def some_ranks(self) -> list[int]:
        return self.draw.sample(range(self.ranks), self.draw.randint(1, self.ranks))

    # Each returns what it has come to, and the codes that are right.

    def die_early(self) -> tuple[Ended, set[int]]:
        """Some ranks die before their program starts."""
        some = self.some_ranks()
        test = " -o ".join(f"$PMIX_RANK = {rank}" for rank in some)
        job = self.start("sh", "-c", f"if [ {test} ]; then sleep {self.draw.uniform(0, 0.3):.3f}; kill -KILL $$; fi; exec {self.exe} lives")
        return self.end(job, len(some)), {LOST if len(some) == self.ranks else DIED_EARLY}

    def die_at_random(self) -> tuple[Ended, set[int]]:
        """One rank is killed at any moment from its begin on."""
        job = self.start(self.exe, "lives")
        self.pause(0.6)
        ranks = self.processes_of(job)
        if ranks:
            self.kill(self.draw.choice(ranks), signal.SIGKILL)
        return self.end(job, len(ranks[:1])), {0, LOST, DIED_EARLY}

    def launcher_dies(self) -> tuple[Ended, set[int]]:
        job = self.start(self.exe, "works-on")
        number = self.draw.choice(FATAL)
        self.pause(1.0)
        job.send_signal(number)
        return self.end(job), {-number}

    def rank_is_stopped(self) -> tuple[Ended, set[int]]:
        """A rank is stopped for a while. Then the job is asked to end."""
        job = self.start(self.exe, "works-on")
        self.wait_for_work(job)
        rank = self.draw.choice(self.processes_of(job))
        self.kill(rank, signal.SIGSTOP)
        self.pause(0.5)
        self.kill(rank, signal.SIGCONT)
        job.terminate()
        return self.end(job), {ASKED}

    def is_asked(self) -> tuple[Ended, set[int]]:
        job = self.start(self.exe, "works-on")
        self.pause(1.0)
        job.terminate()
        return self.end(job), {ASKED, -signal.SIGTERM}  # the latter if Python has hardly begun

    def wait_for_work(self, job: subprocess.Popen) -> None:
        assert job.stdout
        for _ in range(self.ranks):
            while (line := job.stdout.readline()) and line != "at work\n":
                pass

    def processes_of(self, job: subprocess.Popen) -> list[int]:
        """The ranks of the job that run now."""
        return processes_that(lambda folder: (folder / "comm").read_text(encoding="ascii").strip() == "ends" and has_ancestor(folder, job.pid))

    def kill(self, process: int, number: int) -> None:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass

    def end(self, job: subprocess.Popen, kills: int = 1) -> Ended:
        """Waits for all that print for the job."""
        try:
            said, _ = job.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            raise SystemExit(f"hung: {' '.join(job.args)}") from None
        return Ended(job.returncode, said, kills)


def has_ancestor(process: pathlib.Path, wanted: int) -> bool:
    number = int(process.name)
    while number > 1:
        number = int(pathlib.Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
        if number == wanted:
            return True
    return False


def folders() -> set[str]:
    """Returns those of launchers, of this campaign or others."""
    return {str(path) for place in PLACES if place.is_dir() for path in place.glob("rg[0-9]*_*")}


def in_use(folder: str) -> bool:
    return bool(processes_that(lambda process: folder.encode() in (process / "environ").read_bytes()))


def left_of(before: set[str]) -> list[str]:
    """What jobs have left. Folders of jobs that still run are theirs."""
    end = time.monotonic() + 20
    while left := [folder for folder in folders() - before if not in_use(folder) and pathlib.Path(folder).exists()]:
        if time.monotonic() > end:
            return left
        time.sleep(0.05)
    return []


KINDS = [Jobs.die_early, Jobs.die_at_random, Jobs.launcher_dies, Jobs.rank_is_stopped, Jobs.is_asked]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--mpirun", "--rank-library", "--shield-library", "--node-library", "--exe"):
        parser.add_argument(name, required=True)
    parser.add_argument("--first", type=int, default=0, help="the number of the first job")
    parser.add_argument("--jobs", type=int, default=10)
    args = parser.parse_args()
    kills = 0
    for number in range(args.first, args.first + args.jobs):
        draw, before = random.Random(number), folders()
        kind = draw.choice(KINDS)
        ended, right = kind(Jobs(args, draw))
        kills += ended.kills
        left = left_of(before)
        if ended.code not in right or left:
            sys.exit(f"job {number}, {kind.__name__}: exit code {ended.code}, expected {sorted(right)}; left: {left}\n{ended.said}")
    print(f"{args.jobs} jobs, {kills} kills")


if __name__ == "__main__":
    main()
