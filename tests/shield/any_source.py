#!/usr/bin/env python3
"""What a receive from any source does while a rank is dead, by each way to receive and with each policy."""
import under_shield
from under_shield import ARGS

LIVING = ["from 2 tag 4 count 1 data 2", "from 3 tag 4 count 1 data 3"]
OBITUARY = "from 1 tag 4 count 0 data 0"
WAYS = ["recv", "wait", "test", "waitany", "waitall", "testall", "waitsome", "probe", "mprobe", "sendrecv", "dup"]


class Receives(under_shield.UnderShield):
    def received(self, policy, *words, ranks=4, more=()):
        """What the program prints, in order, and what the shield prints."""
        done = self.run_job("--tolerate", "--policy", f"ANY_SOURCE={policy}", *more, "-n", str(ranks), ARGS.program, *words, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(done.stdout.splitlines()), done.stderr


class AnySource(Receives):
    def test_an_obituary_is_one_empty_message_of_the_dead(self):
        for way in WAYS:
            with self.subTest(way):
                self.assertEqual(self.received("obituary", way)[0], sorted(["errors 0", OBITUARY, *LIVING]))

    def test_a_probe_of_any_tag_finds_an_obituary_and_a_receive_from_any_source_gets_it(self):
        told = self.received("obituary", "iprobe")[0]
        self.assertEqual(told, sorted(["errors 0", OBITUARY.replace("tag 4", "tag 0"), *LIVING]))

    def test_a_receive_from_the_rank_that_a_probe_has_found_gets_its_obituary(self):
        for way in ("probe", "probe-sendrecv", "probe-mprobe"):
            with self.subTest(way):
                told = self.received("obituary", way, "1")[0]  # a living rank is late, so the dead one could be found again
                self.assertEqual(told, sorted(["errors 0", OBITUARY, *LIVING]))

    def test_an_error_is_told_to_the_handler_of_the_program_once(self):
        for way in ("recv", "wait", "test"):
            with self.subTest(way):
                told = self.received("error", way)[0]
                self.assertEqual(told, sorted(["errors 1", "from 1 tag 4 count 0 data -1", *LIVING]))
        told = self.received("error", "probe")[0]  # the probe has it; then the program receives from that rank
        self.assertEqual(told, sorted(["errors 1", OBITUARY, *LIVING]))

    def test_a_program_that_counts_work_waits_for_the_living_alone(self):
        told, error = self.received("wait", "living", "1")
        self.assertEqual(told, sorted(["errors 0", *LIVING]))
        self.assertNotIn("any source", error)

    def test_no_rank_waits_for_ever_if_all_others_are_dead(self):
        for way in WAYS:
            with self.subTest(way):
                self.assertEqual(self.received("wait", way, ranks=2)[0], ["errors 0", OBITUARY])


    def test_a_rank_that_was_told_of_all_the_dead_and_waits_again_starves_like_any_other(self):
        for policy, outcome in {"obituary": ["errors 0", OBITUARY, OBITUARY], "error": ["errors 2", *2 * ["from 1 tag 4 count 0 data -1"]]}.items():
            with self.subTest(policy):
                told, error = self.received(policy, "again", more=("--policy", "STARVATION=1"))
                self.assertEqual(told, sorted([*outcome, *LIVING]))
                self.assertIn("all living ranks only wait", error)

    def test_a_rank_that_takes_what_is_there_gets_one_obituary_though_all_others_are_dead(self):
        for policy in ("wait", "obituary"):
            with self.subTest(policy):
                self.assertEqual(self.received(policy, "drain", ranks=2)[0], sorted(["drained 1", "errors 0", OBITUARY]))


class Patience(Receives):  # takes longer, because the shield says only after some seconds that a rank waits
    def test_a_rank_that_waits_among_the_dead_says_so_and_what_can_be_done(self):
        told, error = self.received("wait", "living", "12")
        self.assertEqual(told, sorted(["errors 0", *LIVING]))
        self.assertEqual(error.count("a message from any source"), 1)
        self.assertIn("regraft-shield: rank 0: MPI_Recv: a message from any source has not come for 10 s; dead members: 1; REGRAFT_SHIELD_ANY_SOURCE=obituary", error)


    def test_a_rank_that_has_had_all_obituaries_says_so_too_however_often_it_waits(self):
        _, error = self.received("obituary", "again", "1", more=("--policy", "STARVATION=11"))
        self.assertIn("rank 0: MPI_Recv: a message from any source has not come for 10 s; dead members: 1; the program was told of each of them once", error)


if __name__ == "__main__":
    under_shield.main("program")
