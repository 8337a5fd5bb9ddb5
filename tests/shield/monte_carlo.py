#!/usr/bin/env python3
"""examples/monte_carlo.c, of which two ranks are killed under the shield: the sum is of exactly the darts that the living ranks have thrown,
and all see the same sum, so they stop together when there are enough."""
import functools
import os
import pathlib
import re
import signal
import subprocess
import time

import under_shield
from under_shield import ARGS, CONTRIBUTIONS_MISSING, processes

PER_ROUND = 20000
MASK = (1 << 64) - 1


@functools.cache
def hits(seed: int, first: int) -> int:
    """The hits of a rank in a round, as the program's comments describe them."""
    found = 0
    for dart in range(first, first + PER_ROUND):
        x = ((seed << 48) + dart + 1) * 0x9E3779B97F4A7C15 & MASK
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
        x ^= x >> 31
        found += (x >> 33) ** 2 + (x & 0x7FFFFFFF) ** 2 < 1 << 62
    return found


def expected(ranks: int, wanted: int, seed: int, lived: dict[int, int]) -> tuple[int, int]:
    """The sums of hits and darts. lived: the number of rounds of each rank that dies."""
    total = darts = step = 0
    while darts < wanted:
        there = [rank for rank in range(ranks) if step < lived.get(rank, wanted)]
        total += sum(hits(seed, (step * ranks + rank) * PER_ROUND) for rank in there)
        darts += PER_ROUND * len(there)
        step += 1
    return total, darts


class MonteCarlo(under_shield.UnderShield):
    def thrown(self, *words, expect=0, **how) -> tuple[int, int]:
        """Hits and darts."""
        done = self.run_job(*words, timeout=300, **how)
        self.assertEqual(done.returncode, expect, done.stderr)
        return self.result(done.stdout)

    def result(self, output: str) -> tuple[int, int]:
        found = re.findall(r"^result (\d+) of (\d+) darts$", output, re.M)
        self.assertEqual(len(found), 1, output)
        return int(found[0][0]), int(found[0][1])

    def test_no_rank_dies(self):
        for ranks, seed in ((1, 1), (4, 1), (4, 7)):
            with self.subTest(ranks=ranks, seed=seed):
                words = ["-n", str(ranks), ARGS.program, "--darts", "300000", "--seed", str(seed)]
                plain = self.thrown(*words, shield=False)
                self.assertEqual(plain, expected(ranks, 300000, seed, {}))
                self.assertEqual(self.thrown(*words), plain)

    def test_two_die_and_the_others_throw_what_they_would_have_thrown(self):
        """A rank that dies at its n-th call has taken part in n sums."""
        for lived in ({1: 2, 3: 4}, {2: 0, 3: 0}, {1: 3, 2: 3}):
            with self.subTest(lived):
                fail = ",".join(f"shield:call:{rank}:{calls}" for rank, calls in lived.items())
                found = self.thrown("-n", "4", ARGS.program, "--darts", "500000", fail=fail, expect=CONTRIBUTIONS_MISSING)
                self.assertEqual(found, expected(4, 500000, 1, lived))

    def test_two_are_killed_from_outside(self):
        wanted = 800_000_000
        words = self.command("-n", "4", ARGS.program, "--darts", str(wanted))
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment()) as job:
            first = self.process_of(job, 0)
            os.kill(first, signal.SIGSTOP)  # no rank ends without it
            for rank in (1, 3):
                os.kill(self.process_of(job, rank), signal.SIGKILL)
                time.sleep(0.1)
            os.kill(first, signal.SIGCONT)
            output, said = job.communicate(timeout=300)
        self.assertEqual(job.returncode, CONTRIBUTIONS_MISSING, said)
        self.assertIn("ranks 1, 3 of 4", said)
        total, darts = self.result(output)
        self.assertEqual(darts % PER_ROUND, 0)
        self.assertTrue(wanted <= darts < wanted + 2 * PER_ROUND, darts)
        self.assertLess(abs(4 * total / darts - 3.141592653589793), 6 * 1.6422 / darts**0.5)

    def process_of(self, job: subprocess.Popen, rank: int) -> int:
        """The process of that rank, once it has computed for a while, so that it has left MPI_Init."""
        while job.poll() is None:
            process = processes(self.folder).get(rank)
            if process and self.hundredths(process) > 20:
                return process
            time.sleep(0.01)
        self.fail(f"the job ended before rank {rank} was found")

    @staticmethod
    def hundredths(process: int) -> int:
        """The seconds for which it has computed."""
        try:
            return int(pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[11])
        except OSError:
            return 0  # gone already


if __name__ == "__main__":
    under_shield.main("program")
