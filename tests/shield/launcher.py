#!/usr/bin/env python3
"""What regraft-shield prints and which exit code it has, whichever ranks die."""
import under_shield
from under_shield import ARGS

# What refused.c calls, after a death.
REFUSED = {"partitioned": "MPI_Psend_init", "window": "MPI_Win_create", "lock": "MPI_Win_lock", "grid": "MPI_Cart_create", "row": "MPI_Cart_sub",
           "grid-dup": "MPI_Comm_dup", "graph": "MPI_Graph_create", "directed": "MPI_Dist_graph_create"}


class Launcher(under_shield.UnderShield):
    def test_no_rank_dies(self):
        done = self.run_job("-n", "3", ARGS.program, "1", "10")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_death_is_told_and_has_an_exit_code_of_its_own(self):
        done = self.run_job("-n", "4", "--", ARGS.ahead, "message", "1")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("regraft-shield: dead: rank 1 of 4, whose contributions are missing", done.stderr)

    def test_deaths_can_be_tolerated_and_are_reported(self):
        done, report = self.run_reported("--tolerate", "-n", "4", ARGS.ahead, "group", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((report["size"], report["dead"], report["repairs"]), (4, [2], 1))
        self.assertGreater(report["calls"], 0)

    def test_the_rank_that_reports_is_alive(self):
        plan = "shield:call:1:40,shield:end:0:0"
        done = self.run_job("--policy", "ROOT_DEAD_FROM=hole", "-n", "4", ARGS.program, "3", "30", fail=plan)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("ranks 0, 1 of 4", done.stderr)

    def test_a_broadcast_without_its_root_ends_the_job_unless_told_otherwise(self):
        words = ("-n", "4", ARGS.program, "1", "40")
        done = self.run_job(*words, fail="shield:call:0:3")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stderr, r"rank \d: MPI_\w+ \(shield_program\+0x[0-9a-f]+; addr2line -e \S+ 0x[0-9a-f]+\): its root, rank 0, is dead; REGRAFT_SHIELD_ROOT_DEAD_FROM=hole lets the program go on")
        done = self.run_job("--policy", "ROOT_DEAD_FROM=hole", *words, fail="shield:call:0:3")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"left out: \d+ collectives with a dead root")

    def test_what_the_shield_does_not_carry_out_is_passed_on_while_all_live(self):
        for call in REFUSED:
            with self.subTest(call):
                done = self.run_job("-n", "3", ARGS.refused, call, "-1")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("regraft-shield", done.stderr)  # MPI warns of what it does not support after failures

    def test_what_the_shield_does_not_carry_out_is_refused_by_name_after_a_death(self):
        for call, name in REFUSED.items():
            with self.subTest(call):
                done = self.run_job("-n", "4", ARGS.refused, call, "2")
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertRegex(done.stderr, rf"regraft-shield: rank \d: {name} \(shield_refused\+0x[0-9a-f]+; addr2line -e \S+ 0x[0-9a-f]+\): a rank has died, .*; REGRAFT_SHIELD_UNSUPPORTED=error")

    def test_a_death_while_the_shield_starts_ends_the_job_by_name(self):
        for rank in range(3):
            with self.subTest(rank):
                done = self.run_job("-n", "3", ARGS.program, "1", "10", fail=f"shield:start:{rank}:0")
                self.assertEqual(done.returncode, 69, done.stderr)
                self.assertIn("died before all ranks had left MPI_Init", done.stderr)

    def test_the_exit_code_of_the_program_goes_first(self):
        self.assertEqual(self.run_job("-n", "2", "sh", "-c", "exit 7").returncode, 7)

    def test_a_program_that_does_not_come_to_its_end_is_no_success(self):
        done = self.run_job("-n", "2", "true")
        self.assertEqual((done.returncode, done.stderr), (1, "regraft-shield: no rank has come to MPI_Finalize\n"))

    def test_what_is_not_understood_is_said(self):
        for words, text in {
            ("--policy", "HOLES=x"): "--policy HOLES=x: expected HOLES=zero|keep|poison",
            ("--policy", "NONE=x"): "--policy NONE=x: expected NAME=VALUE with one of the names ROOT_DEAD_FROM, ",
            ("--report",): "--report: expected a value",
            ("--library", "/nowhere.so"): "/nowhere.so is not there",
        }.items():
            with self.subTest(words):
                done = self.run_job(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"regraft-shield: {text}", done.stderr)


if __name__ == "__main__":
    under_shield.main("program", "ahead", "refused")
