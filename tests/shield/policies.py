#!/usr/bin/env python3
"""Policies, exit codes, and the report of what was left out."""
import under_shield
from under_shield import ARGS

TRUNCATED = 15  # MPI_ERR_TRUNCATE
FAILED = 75  # MPIX_ERR_PROC_FAILED of Open MPI
UNSUPPORTED = 52  # MPI_ERR_UNSUPPORTED_OPERATION
PLACE = r" \(shield_policies\+0x[0-9a-f]+; addr2line -e \S+ 0x[0-9a-f]+\)"


class Policies(under_shield.UnderShield):
    def job(self, *words, policies=(), ranks="4", library="", **settings):
        options = ["--library", library] if library else []
        options += [word for text in policies for word in ("--policy", text)]
        return self.run_job(*options, "-n", ranks, ARGS.policies, *words, **settings)

    def test_messages_of_the_dead(self):
        for policies, exit_code, line in [
            ((), 3, "send 0 recv 0 data 0 source 1 count 0 irecv 0 data 0 errors 0"),
            (("HOLES=keep",), 3, "send 0 recv 0 data 7 source 1 count 0 irecv 0 data 7 errors 0"),
            (("HOLES=poison",), 3, "send 0 recv 0 data -1 source 1 count 0 irecv 0 data -1 errors 0"),
            (("SEND_DEAD=error",), 3, f"send {FAILED} recv 0 data 0 source 1 count 0 irecv 0 data 0 errors 1"),
            (("RECV_DEAD=error",), 3, f"send 0 recv {FAILED} data 7 source 1 count 0 irecv {FAILED} data 7 errors 2"),
        ]:
            with self.subTest(policies):
                done = self.job("exchange", policies=policies)
                self.assertEqual((done.returncode, done.stdout.splitlines()), (exit_code, [line, "3 of 4"]), done.stderr)

    def test_a_receive_from_the_dead_needs_its_type_though_the_program_has_freed_it(self):
        done = self.job("type")
        self.assertEqual((done.returncode, done.stdout.splitlines()), (3, ["0 7 0 7 0 7 0 7", "3 of 4"]), done.stderr)

    def test_messages_go_on_where_the_communicator_is_freed(self):
        done = self.job("free")
        self.assertEqual((done.returncode, done.stdout.splitlines()), (3, ["from 2 2", "code 0 source 1", "3 of 4"]), done.stderr)

    def test_messages_of_the_dead_may_end_the_job(self):
        for policy, call in {"SEND_DEAD": "MPI_Send", "RECV_DEAD": "MPI_Recv"}.items():
            with self.subTest(policy):
                done = self.job("exchange", policies=(policy + "=abort",))
                self.assertEqual(done.returncode, 4)
                self.assertRegex(done.stderr, rf"rank 0: {call}{PLACE}: rank 1 is dead; REGRAFT_SHIELD_{policy}=(skip|hole) ")

    def test_places_of_the_dead(self):
        for holes, text, said in [("zero", "0 0 2 3", "zeros"), ("keep", "0 16843009 2 3", "as they were"), ("poison", "0 -1 2 3", "all ones")]:
            with self.subTest(holes):
                done = self.job("gather", policies=("HOLES=" + holes,))
                self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (3, text))
                self.assertIn(f"rank 0: MPI_Gather: rank 1 is dead: places of the dead are {said} (said once)", done.stderr)

    def test_what_is_missing_is_said_once_in_each_family(self):
        done = self.job("gather")
        said = [line for line in done.stderr.splitlines() if "(said once)" in line]
        self.assertEqual([line.split(":")[1:3] for line in sorted(said)], [[" rank 0", " MPI_Allreduce"], [" rank 0", " MPI_Gather"]])

    def test_the_report_says_what_happened_in_which_call(self):
        _, report = self.run_reported("-n", "4", ARGS.policies, "exchange")
        self.assertEqual((report["size"], report["dead"], report["ranks"], report["rank"]), (4, [1], 3, 0))
        death, = report["deaths"]
        self.assertEqual((death["rank"], death["repair"], death["noticed_in"]), (1, 1, "MPI_Allreduce"))
        self.assertIn(death["noticed_by"], (0, 2, 3))
        repair, = report["each_repair"]
        self.assertEqual((report["repairs"], repair["dead"], repair["rounds"]), (1, [1], report["rounds"]))
        families = report["families"]
        self.assertEqual(families["MPI_Barrier"], {"calls": 3})  # the dead report nothing
        self.assertEqual(families["MPI_Send"], {"calls": 1, "skipped_sends": 1})
        self.assertEqual(families["MPI_Recv"], {"calls": 1, "skipped_receives": 1, "holes": 1})
        self.assertEqual(families["MPI_Irecv"]["calls"], 1)
        reduced = families["MPI_Allreduce"]
        self.assertEqual(reduced["calls"], 6)
        self.assertEqual(report["repeated"], reduced["repeated"])
        for name in ("calls", "skipped_sends", "skipped_receives", "holes"):
            self.assertEqual(report[name], sum(counts.get(name, 0) for counts in families.values()), name)

    def test_the_report_is_there_though_its_writer_dies(self):
        for point in ("shield:write", "shield:written"):  # before and after the file is there
            with self.subTest(point):
                _, report = self.run_reported("-n", "4", ARGS.policies, "gather", fail=f"{point}:0:0")
                self.assertEqual((report["rank"], report["dead"], report["families"]["MPI_Gather"]["calls"]), (2, [0, 1], 3))

    def test_a_rank_that_dies_before_all_have_told_what_they_did_is_in_the_report(self):
        for library in (ARGS.library, ARGS.hasty):  # hasty: other ranks notice the failure before they know of the death
            with self.subTest(library):
                done, report = self.run_reported("--library", library, "-n", "4", ARGS.policies, "gather", "nobody", fail="shield:add:3:0")
                self.assertEqual((done.returncode, report["dead"], report["ranks"]), (3, [3], 3), done.stderr)

    def test_deaths_that_only_a_message_has_met_are_reported(self):
        _, report = self.run_reported("-n", "4", ARGS.messages)
        self.assertEqual((report["dead"], report["repairs"], report["ranks"]), ([1], 0, 3))
        death, = report["deaths"]
        self.assertEqual((death["repair"], death["noticed_by"], death["noticed_in"]), (0, 0, "MPI_Recv"))

    def test_a_report_that_cannot_be_written_is_said(self):
        done = self.job("gather", REGRAFT_SHIELD_REPORT="/nowhere/report")
        self.assertEqual(done.returncode, 3, done.stderr)  # the launcher's own setting goes first
        done = self.run_job("--report", "/nowhere/report", "-n", "4", ARGS.policies, "gather")
        self.assertEqual(done.returncode, 1)
        self.assertIn("MPI_Finalize: cannot write the report /nowhere/report", done.stderr)

    def test_a_rank_that_leaves_is_dead_to_the_others_and_its_exit_code_counts(self):
        for how in ("exit", "_exit", "quick_exit", "return"):
            with self.subTest(how):
                done = self.job(how, "7", ranks="6")
                self.assertEqual((done.returncode, done.stdout), (7, "5 of 6\n"), done.stderr)
                done = self.job(how, "-1")
                self.assertEqual((done.returncode, done.stdout), (255, "3 of 4\n"), done.stderr)
        done = self.job("exit", "0")
        self.assertEqual((done.returncode, done.stdout), (3, "3 of 4\n"))
        self.assertIn("rank 1: exit: this rank exits with code 0 without MPI_Finalize: the others treat it as dead", done.stderr)

    def test_the_program_may_end_mpi_as_the_last_of_what_it_does_at_its_exit(self):
        done = self.job("at exit")
        self.assertEqual((done.returncode, done.stdout.splitlines()), (3, ["3 of 4", "at exit 1"]), done.stderr)

    def test_abort_ends_the_job(self):
        done = self.job("abort", "9", ranks="6")  # MPI_Abort alone leaves ranks spinning
        self.assertEqual((done.returncode, done.stdout), (9, ""))
        self.assertRegex(done.stderr, rf"rank 1: MPI_Abort{PLACE}: the program ends the job with code 9")

    def test_a_code_of_the_program_that_looks_like_ours_is_said_to_be_its_own(self):
        for how, code in (("abort", 4), ("exit", 5), ("exit", 3)):
            with self.subTest(how):
                done = self.job(how, str(code), ranks="6")
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(f"regraft-shield: exit code {code} is the program's own", done.stderr)
        done = self.job("exchange", policies=("SEND_DEAD=abort",))
        self.assertEqual(done.returncode, 4)
        self.assertNotIn("the program's own", done.stderr)
        done, report = self.run_reported("-n", "6", ARGS.policies, "exit", "4")
        self.assertEqual((done.returncode, report["exit_code"], report["exit_code_of"]), (4, 4, "program"))
        done, report = self.run_reported("-n", "4", ARGS.policies, "gather")
        self.assertEqual((done.returncode, report["exit_code"], report["exit_code_of"]), (3, 3, "shield"))

    def test_a_rank_that_waits_for_another_group_with_a_dead_member_ends_the_job(self):
        for way, call in {"iprobe": "MPI_Iprobe", "improbe": "MPI_Improbe", "probe": "MPI_Probe", "recv": "MPI_Recv", "wait": "MPI_Wait", "test": "MPI_Test"}.items():
            with self.subTest(way):
                done = self.job("two", way, policies=("STARVATION=1",))
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertRegex(done.stderr, rf"rank 0: {call}{PLACE}: rank 1, a member of this intercommunicator, is dead, and all living "
                                              "ranks only wait")

    def test_holes_in_a_row_from_one_rank_end_the_job(self):
        for how in ("stream", "serve", "command"):  # programs that take tasks of a dead master, without end
            with self.subTest(how):
                done = self.job(how, policies=("HOLES_IN_A_ROW=50", "ROOT_DEAD_FROM=hole"))
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertRegex(done.stderr, rf"rank \d: MPI_(Recv|Bcast){PLACE}: 50 holes of rank 1, which is dead, have come in a row, and nothing "
                                              r"else: .*; REGRAFT_SHIELD_HOLES_IN_A_ROW=N")
        done = self.job("halo", policies=("HOLES_IN_A_ROW=50",))  # messages of the living come in between
        self.assertEqual((done.returncode, done.stdout), (3, "3 of 4\n"), done.stderr)
        done = self.job("halo", policies=("HOLES_IN_A_ROW=0",), ranks="2")  # for ever, if that is what the user wants
        self.assertEqual((done.returncode, done.stdout), (3, "1 of 2\n"), done.stderr)

    def test_abort_may_end_one_rank_only(self):
        done = self.job("abort", "9", policies=("ABORT=self",))
        self.assertEqual((done.returncode, done.stdout), (3, "3 of 4\n"), done.stderr)

    def test_an_error_that_is_fatal_ends_the_job(self):
        for handler in ("0", "1"):  # MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT
            done = self.job("fatal", handler, ranks="6")
            self.assertEqual((done.returncode, done.stdout), (6, ""))  # MPI_ERR_RANK
            self.assertRegex(done.stderr, rf"rank 1: MPI_Send{PLACE}: MPI_ERR_RANK: invalid rank; errors are fatal")

    def test_too_few_survivors_end_the_job(self):
        done = self.job("gather", policies=("MIN_SURVIVORS=4",))
        self.assertEqual((done.returncode, done.stdout), (6, ""))
        self.assertRegex(done.stderr, rf"MPI_Allreduce{PLACE}: 3 ranks live, fewer than REGRAFT_SHIELD_MIN_SURVIVORS=4")
        self.assertEqual(self.job("gather", policies=("MIN_SURVIVORS=3",)).returncode, 3)
        done = self.run_job("--policy", "MIN_SURVIVORS=4", "-n", "4", ARGS.messages)  # where no repair is needed
        self.assertEqual(done.returncode, 6, done.stderr)

    def test_a_rank_that_took_part_in_what_does_not_fit_is_no_call_behind(self):
        for how in ("0", "1"):
            with self.subTest(how):
                done = self.job("truncated", how)
                self.assertEqual((done.returncode, done.stdout), (3, f"class {TRUNCATED} errors 1\n3 of 4\n"), done.stderr)

    def test_what_the_shield_does_not_carry_out_may_be_an_error(self):
        done = self.job("join", policies=("UNSUPPORTED=error",))
        self.assertEqual((done.returncode, done.stdout), (3, f"code {FAILED} errors 1\n3 of 4\n"), done.stderr)
        self.assertIn("3 calls refused", done.stderr)
        done = self.job("join")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, rf"rank \d: MPI_Intercomm_create{PLACE}: a rank has died, .*: the other group knows nothing of the shield; ")

    def test_a_repair_that_waits_for_a_rank_that_computes_says_so_once_and_goes_on(self):
        done = self.job("compute", "7", policies=("WATCHDOG=3",))
        self.assertEqual((done.returncode, done.stdout), (3, "3 of 4\n"), done.stderr)
        said = [line for line in done.stderr.splitlines() if "waits" in line]
        self.assertEqual(len(said), 1, done.stderr)
        self.assertRegex(said[0], rf"rank 0: MPI_Allreduce{PLACE}: a rank has died, and the repair waits for the next call of MPI of "
                                  r"rank 3 \(last call: MPI_Barrier\)$")

    def test_a_repair_that_hangs_ends_the_job(self):
        done = self.job("gather", policies=("WATCHDOG=3",), library=ARGS.stuck)
        self.assertEqual((done.returncode, done.stdout), (5, ""), done.stderr)
        self.assertRegex(done.stderr, rf"rank \d: MPI_Allreduce{PLACE}: a repair has made no step for 3 s while (agreeing on the end; "
                                      r"rank 2 is forwarding outcomes|forwarding outcomes; rank 0 is agreeing on the end; rank 3 is agreeing on "
                                      r"the end); REGRAFT_SHIELD_WATCHDOG=N")

    def test_a_program_that_handles_failures_itself_may_have_no_requests_of_the_shield(self):
        self.assertEqual(self.job("aside", "1").returncode, 0)
        done = self.job("aside", "0")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stderr, r"MPIX_Comm_agree.*: the program handles failures itself from here on, but has nonblocking collectives, persistent")

    def test_nonblocking_collectives_say_what_is_missing_in_the_call_that_starts_them(self):
        done = self.job("nonblocking")
        said = sorted(line.split(": ", 2)[2] for line in done.stderr.splitlines() if "(said once)" in line)
        self.assertEqual(said, ["MPI_Iallgather: rank 1 is dead: places of the dead are zeros (said once)",
                                "MPI_Iallreduce: rank 1 is dead and missing in the result (said once)",
                                "MPI_Ireduce: rank 1, its root, is dead: the call is left out (said once)",
                                "MPI_Start: rank 1 is dead and missing in the operations that it starts (said once)"])

    def test_sessions_are_refused(self):
        done = self.job("session", ranks="1")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, "MPI_Session_init.*: a session has no MPI_COMM_WORLD")

    def test_values_from_the_environment_are_checked_by_the_ranks_too(self):
        done = self.job("gather", ranks="1", REGRAFT_SHIELD_HOLES="x")
        self.assertEqual(done.returncode, 2)
        self.assertIn("regraft-shield: REGRAFT_SHIELD_HOLES=x: expected zero|keep|poison", done.stderr)


if __name__ == "__main__":
    under_shield.main("policies", "messages", "stuck", "hasty")
