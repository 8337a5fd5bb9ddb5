#!/usr/bin/env python3
"""A rank that waits for results of the dead gets an obituary when no living rank makes a step any more, and not before."""
import under_shield
from under_shield import ARGS

REAL = ["0: from 2 count 1", "0: from 3 count 1"]
OBITUARY = "0: from 1 count 0"
SAID = (r"regraft-shield: rank 0: {} \(shield_starving\+0x[^)]*\): all living ranks only wait, and have for 1 s: .*; dead members: 1 \(said once\); "
        r"REGRAFT_SHIELD_STARVATION=N")


class Jobs(under_shield.UnderShield):
    def lines(self, program, *words, ranks=4):
        done = self.run_job("--tolerate", "--policy", "STARVATION=1", "-n", str(ranks), program, *words, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines(), done.stderr

    def check_lost_task(self, what, way, call):
        lines, error = self.lines(ARGS.starving, what, way)
        self.assertEqual((sorted(lines[:2]), lines[2:]), (REAL, [OBITUARY]), error)
        self.assertRegex(error, SAID.format(call))
        self.assertEqual(error.count("all living ranks only wait"), 1)

    def check_slow_result(self, what, result=REAL[0]):
        """A result that takes longer than STARVATION is waited for; then the lost task remains."""
        lines, error = self.lines(ARGS.starving, what)
        self.assertEqual(lines, [result, OBITUARY], error)


class Starving(Jobs):
    def test_while_all_others_wait_in_finalize(self):
        self.check_lost_task("finalize", "recv", "MPI_Recv")

    def test_while_all_others_wait_in_a_barrier(self):
        self.check_lost_task("barrier", "probe", "MPI_Probe")

    def test_while_all_others_wait_to_free_a_communicator(self):
        self.check_lost_task("free", "recv", "MPI_Recv")

    def test_while_all_others_wait_for_a_message(self):
        self.check_lost_task("recv", "waitsome", "MPI_Waitsome")

    def test_obituaries_begin_again_when_more_is_lost(self):
        lines, error = self.lines(ARGS.starving, "twice")
        self.assertEqual((sorted(lines[:2]), lines[2:]), (REAL, 3 * [OBITUARY]), error)
        self.assertEqual(error.count("all living ranks only wait"), 1)

    def test_it_is_counted_like_any_message_of_the_dead(self):
        _, report = self.run_reported("--policy", "STARVATION=1", "-n", "4", ARGS.starving, "finalize")
        self.assertEqual(report["families"]["MPI_Recv"]["skipped_receives"], 1)

    def test_the_lowest_rank_that_starves_is_the_first(self):
        lines, error = self.lines(ARGS.starving, "lowest")
        self.assertEqual(sorted(lines), [OBITUARY, "2: from 0 count 1"], error)

    def test_a_rank_that_was_given_none_is_next(self):
        lines, error = self.lines(ARGS.starving, "fair")
        self.assertEqual(sorted(lines), sorted([OBITUARY, "2: from 1 count 0", "0: from 2 count 1"]), error)

    def test_a_rank_that_is_stopped_does_not_wait(self):
        self.check_slow_result("stop")

    def test_a_collective_to_which_all_have_come_makes_steps(self):
        self.check_slow_result("scan")

    def test_while_all_only_look_again_and_again(self):
        self.check_lost_task("polled", "status-test", "MPI_Request_get_status")

    def test_a_rank_that_looks_now_and_then_and_computes_does_not_starve(self):
        lines, error = self.lines(ARGS.starving, "spin")
        self.assertEqual((sorted(lines[:2]), lines[2:]), (REAL, ["found 0"]), error)


class EveryWay(Jobs):  # takes longer
    def test_to_look_again_and_again(self):
        calls = {"test": "MPI_Test", "iprobe": "MPI_Iprobe", "improbe": "MPI_Improbe", "testany": "MPI_Testany", "testsome": "MPI_Testsome",
                 "testall": "MPI_Testall"}
        for way, call in calls.items():
            for what in ("polled", "finalize"):
                with self.subTest(way, what=what):
                    self.check_lost_task(what, way, call)

    def test_to_receive(self):
        for way, call in {"sendrecv": "MPI_Sendrecv", "mprobe": "MPI_Mprobe", "wait": "MPI_Wait", "waitany": "MPI_Waitany", "waitall": "MPI_Waitall"}.items():
            with self.subTest(way):
                self.check_lost_task("recv", way, call)

    def test_a_rank_that_computes_makes_steps(self):
        self.check_slow_result("compute")

    def test_a_rank_that_writes_a_file_makes_steps(self):
        self.check_slow_result("write")

    def test_a_collective_that_a_repair_has_begun_again_makes_steps(self):
        self.check_slow_result("repair")

    def test_an_operation_of_the_program_makes_steps(self):
        self.check_slow_result("reduce", REAL[1])

    def test_to_be_busy_for_longer_than_one_starves(self):
        for seed in range(6):
            with self.subTest(seed):
                lines, error = self.lines(ARGS.relay, str(seed), "8", ranks=5)
                self.assertEqual(lines, ["steps 8 wrong 0"], error)


if __name__ == "__main__":
    under_shield.main("starving", "relay")
