#!/usr/bin/env python3
"""Communicators that only the members of their group make, with deaths before, inside and after that."""
import under_shield
from under_shield import ARGS

NOT_RETURNED = r"MPI_Comm_create_group \(shield_groups\+0x[0-9a-f]+; addr2line -e \S+ 0x[0-9a-f]+\): MPI has not returned from making the communicator for 3 s"
CONTRIBUTIONS_MISSING, STUCK = 3, 5
RANKS = 5
STEPS = "40"  # a rank that is to die inside a call dies a moment later, which must not be after the end


class Groups(under_shield.UnderShield):
    def make(self, seed, point, victim, library=None, watchdog=3):
        words = ["--library", library] if library else []
        return self.run_job(*words, "--policy", f"WATCHDOG={watchdog}", "-n", str(RANKS), ARGS.groups, str(seed), STEPS, MEMBERS="1",
                            fail=f"{point}:{victim}:{seed % 4}" if point else "")

    def codes(self, point, **how):
        """Jobs in which a rank dies there; each must end well, or with this call named."""
        found = []
        for seed in range(6):
            done = self.make(seed, point, seed % RANKS, **how)
            with self.subTest(point=point, seed=seed):
                self.assertIn(done.returncode, (CONTRIBUTIONS_MISSING, STUCK), done.stderr)
                if done.returncode == STUCK:
                    self.assertRegex(done.stderr, NOT_RETURNED)
                found.append(done.returncode)
        return found

    def test_no_rank_dies(self):
        for seed in range(4):
            done = self.make(seed, "", 0)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_member_dies_before_it(self):
        # No member waits for MPI here, but on a busy machine all together may need more than three seconds.
        self.assertNotIn(STUCK, self.codes("shield:call", watchdog=60))

    def test_a_member_dies_between_and_inside_the_calls_that_make_it(self):
        self.assertGreaterEqual(self.codes("shield:create:between").count(CONTRIBUTIONS_MISSING), 3)

    def test_a_member_dies_while_they_confirm_it(self):
        for point in ("shield:create:meet", "shield:confirm"):
            self.assertGreaterEqual(self.codes(point).count(CONTRIBUTIONS_MISSING), 3)

    def test_if_mpi_does_not_return_from_it_the_job_ends_by_name(self):
        done = self.make(1, "", 0, library=ARGS.stuck)
        self.assertEqual(done.returncode, STUCK, done.stderr)
        self.assertRegex(done.stderr, NOT_RETURNED)


if __name__ == "__main__":
    under_shield.main("groups", "stuck")
