#!/usr/bin/env python3
"""Programs that do the same with and without the shield, ask it, survive by themselves, or run where it cannot work."""
import os
import pathlib
import subprocess

import under_shield
from under_shield import ARGS, ROOT


class Programs(under_shield.UnderShield):
    def test_attributes_are_those_that_mpi_promises(self):
        done, alone = self.run_job("-n", "3", ARGS.attributes), self.run_job("-n", "3", ARGS.attributes, shield=False)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", alone.stdout))
        self.assertIn("copied twice: value 102, copied 2, deleted 1, values of them 1000\n", done.stdout)

    def test_errors_are_told_as_without_the_shield(self):
        done, alone = self.run_job("-n", "2", ARGS.errors), self.run_job("-n", "2", ARGS.errors, shield=False)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", alone.stdout))
        self.assertGreater(done.stdout.count("that of the duplicate is told"), 5)

    def test_what_finalize_calls_finds_mpi_whole(self):
        for victim, sum_of_living in (("-1", 4), ("2", 3)):
            done = self.run_job("-n", "4", ARGS.last_calls, victim)
            self.assertEqual(done.stdout.splitlines(), [f"set {when}: rank 0 of 4, {sum_of_living} add up" for when in ("then", "first")], done.stderr)

    def test_error_handlers_may_throw(self):
        for victim, sum_of_living in (("-1", 3), ("2", 2)):
            done = self.run_job("-n", "3", ARGS.throws, victim)
            self.assertEqual(done.stdout, f"caught 3, {sum_of_living} of 3\n", done.stderr)

    def test_calls_that_go_past_the_shield_are_refused(self):
        done = self.run_job("-n", "2", ARGS.profiled)
        self.assertEqual((done.returncode, self.run_job("-n", "2", ARGS.profiled, shield=False).returncode), (4, 0), done.stderr)
        self.assertRegex(done.stderr, r"regraft-shield: MPI_Init \(.*\): MPI_Allreduce is a function of .*, which calls MPI past the shield")

    def test_a_file_stays_where_it_was_opened(self):
        done = self.run_job("-n", "3", ARGS.directories, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("63 of 63 bytes\n", done.stdout)
        self.assertEqual(sorted(str(file.relative_to(self.folder)) for file in self.folder.rglob("*")), ["lines", "rank0", "rank1", "rank2"])

    def test_what_a_rank_starts_does_not_load_the_shield(self):
        if b"libasan" in pathlib.Path(ARGS.library).read_bytes():
            self.skipTest("the runtime of a sanitizer crashes if another library is preloaded before it")
        done = self.run_job("-n", "2", "sh", "-c", 'LD_PRELOAD=libm.so.6:$LD_PRELOAD exec "$@"', "sh", ARGS.children)
        self.assertEqual((done.returncode, done.stdout), (0, "preloaded: libm.so.6\n"), done.stderr)
        self.assertEqual(self.run_job("-n", "2", ARGS.children).stdout, "preloaded: nothing\n")

    def test_what_the_caller_preloads_stays(self):
        done = self.run_job("-n", "2", ARGS.children, LD_PRELOAD="libm.so.6")
        self.assertEqual((done.returncode, done.stdout), (0, "preloaded: libm.so.6\n"), done.stderr)

    def test_a_program_may_ask_which_ranks_are_dead(self):
        done = self.run_job("-n", "5", ARGS.queries, "1", "3")
        self.assertEqual(done.stdout.splitlines()[-3:], [
            "at first: active 1 dead 0 repairs 0",
            "then: dead 2: 1 3 -1, repaired 1, the other way round 2: 1, of myself 0",
            "in the end: active 0"], done.stderr)

    def test_a_program_that_asks_runs_without_the_shield(self):
        alone = self.run_job("-n", "2", ARGS.queries, shield=False)
        self.assertEqual((alone.returncode, alone.stdout.splitlines()[-3:]), (0, [
            "at first: active 0 dead 0 repairs 0",
            "then: dead 0: -1 -1 -1, repaired 0, the other way round 0: -1, of myself 0",
            "in the end: active 0"]), alone.stderr)

    def test_a_program_that_survives_by_itself_is_left_alone(self):
        if not ARGS.phylo:
            self.skipTest("regraft-phylo was not built")
        outputs = []
        for shield in (True, False):
            prefix = self.folder / str(len(outputs))
            words = ("search", "--msa", ROOT / "data/primates.phy", "--model", "JC", "--prefix", prefix, "--fail", "load:before:1:0")
            done = self.run_job("-n", "3", ARGS.phylo, *words, shield=shield)
            self.assertEqual(done.returncode, 0, done.stderr)
            outputs.append((prefix.with_suffix(".bestTree").read_bytes(), prefix.with_suffix(".bestModel").read_bytes()))
            if shield:
                self.assertIn("rank 0: MPIX_Comm_agree: the program handles failures itself: the shield does nothing", done.stderr)
        self.assertEqual(outputs[0], outputs[1])

    def run_preloaded(self, *words, **variables):
        """Starts the job by an mpirun that does not survive failures, or a launcher of ours that does not know the shield."""
        env = os.environ | {"LD_PRELOAD_RANKS": ARGS.library, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", **variables}
        program = ["sh", "-c", 'LD_PRELOAD=$LD_PRELOAD_RANKS exec "$@"', "sh", ARGS.queries]
        return subprocess.run([*words, *program], capture_output=True, text=True, env=env, timeout=100, check=False)

    def test_an_mpi_that_does_not_survive_failures_is_refused_or_used_as_it_is(self):
        done = self.run_preloaded(ARGS.mpirun, "-n", "2")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("regraft-shield: MPI_Init"), 1, done.stderr)
        self.assertIn("MPI was not started so that it survives failures", done.stderr)
        done = self.run_preloaded(ARGS.mpirun, "-n", "2", REGRAFT_SHIELD_UNSUPPORTED="pass")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the program goes on without the shield", done.stderr)
        self.assertIn("at first: active 0", done.stdout)


if __name__ == "__main__":
    under_shield.main("attributes", "queries", "errors", "last_calls", "throws", "profiled", "directories", "children", "phylo")
