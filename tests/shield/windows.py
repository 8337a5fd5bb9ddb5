#!/usr/bin/env python3
"""Windows, which are MPI's own: no rank waits in their calls for the dead, or for a rank that waits elsewhere."""
import under_shield
from under_shield import ARGS

CONTRIBUTIONS_MISSING, REFUSED, STUCK = 3, 4, 5
FAILED = 75  # MPIX_ERR_PROC_FAILED
PLACE = r" \(shield_windows\+0x[0-9a-f]+; addr2line -e \S+ 0x[0-9a-f]+\): a rank has died, and "


class Windows(under_shield.UnderShield):
    def use(self, call, victim, *policies):
        words = [word for policy in ("WATCHDOG=3", *policies) for word in ("--policy", policy)]
        return self.run_job(*words, "-n", "4", ARGS.windows, call, str(victim))

    def test_a_rank_that_waits_for_others_before_a_call_of_all_does_not_wait_for_ever(self):
        for call in ("create", "fence", "free"):
            with self.subTest(call):
                done = self.use(call, -1)
                self.assertEqual((done.returncode, done.stdout), (0, 4 * "class 0, 4 live\n"), done.stderr)

    def test_a_death_before_a_call_of_all_is_named(self):
        for call, name in {"create": "MPI_Win_create", "fence": "MPI_Win_fence"}.items():
            with self.subTest(call):
                done = self.use(call, 2)
                self.assertEqual(done.returncode, REFUSED, done.stderr)
                self.assertRegex(done.stderr, rf"rank \d: {name}{PLACE}the shield passes this call on only while all ranks live")

    def test_a_death_for_which_others_wait_in_a_call_of_some_is_named(self):
        for call, names in {"lock": "(lock|get|unlock)", "start": "(post|start|complete|wait)"}.items():
            with self.subTest(call):
                done = self.use(call, 2)
                self.assertIn(done.returncode, (REFUSED, STUCK), done.stderr)
                self.assertRegex(done.stderr, rf"rank \d: MPI_Win_{names}{PLACE}(MPI has not returned from this call|the shield passes this call on only)")

    def test_a_window_of_the_dead_may_be_an_error(self):
        done = self.use("create", 2, "UNSUPPORTED=error")
        self.assertEqual((done.returncode, done.stdout), (CONTRIBUTIONS_MISSING, 3 * f"class {FAILED}, 3 live\n"), done.stderr)

    def test_a_rank_that_frees_a_window_of_the_dead_goes_on(self):
        done = self.use("free", 2)
        self.assertEqual((done.returncode, done.stdout), (CONTRIBUTIONS_MISSING, 3 * "class 0, 3 live\n"), done.stderr)


if __name__ == "__main__":
    under_shield.main("windows")
