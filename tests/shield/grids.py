#!/usr/bin/env python3
"""Grids and graphs that have lost no member, when another rank has died, and what their creation keeps."""
import re

import under_shield
from under_shield import ARGS


class Grids(under_shield.UnderShield):
    def job(self, *words):
        """The lines that the program prints, sorted, and the report."""
        done, report = self.run_reported("--tolerate", "-n", "4", ARGS.grids, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(done.stdout.replace("\0", "").splitlines()), report  # where MPI warns of its topologies, it leaves some out

    def check_exchange(self, told, report):
        received = {0: 11, 1: 10}
        expected = [f"{rank}: {name} 0:{f' {data}' * count}" for rank, data in received.items()
                    for name, count in (("grid", 2), ("graph", 1), ("directed", 1)) for _ in range(2)]
        self.assertEqual(told, sorted(expected))
        self.assertEqual(report["repairs"], 1)

    def test_neighbours_exchange_as_before(self):
        for what in ("exchange", "dup", "row"):  # by themselves, their duplicates, and all of a grid as its part
            with self.subTest(what):
                self.check_exchange(*self.job(what))

    def test_a_rank_without_neighbours_gets_an_error_and_no_other_rank_a_repair(self):
        told, report = self.job("none")
        topology = 11  # MPI_ERR_TOPOLOGY
        self.assertEqual(told, sorted(2 * [f"{rank}: none {topology}:" for rank in (0, 1)]))
        self.assertEqual(report["repairs"], 1)

    def test_nothing_stays_of_a_topology_that_was_freed(self):
        done = self.run_job("-n", "2", ARGS.kept)
        self.assertEqual(done.returncode, 0, done.stderr)
        kept = [int(line) for line in re.findall(r"^-?\d+$", done.stdout.replace("\0", ""), re.MULTILINE)]
        self.assertEqual(len(kept), 3, done.stdout)
        self.assertLess(max(kept), 200, "bytes for each grid, part of a grid and graph; a warning of Open MPI takes 2,300")


if __name__ == "__main__":
    under_shield.main("grids", "kept")
