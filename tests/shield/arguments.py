#!/usr/bin/env python3
"""Arguments that MPI has an error for have the same error under the shield, and the program is told once."""
import under_shield
from under_shield import ARGS


class Arguments(under_shield.UnderShield):
    def test_errors_are_those_of_mpi(self):
        native = self.run_job("-n", "2", ARGS.arguments, shield=False)
        done = self.run_job("-n", "2", ARGS.arguments)
        self.assertEqual((native.returncode, done.returncode), (0, 0), native.stderr + done.stderr)
        self.assertGreater(len(native.stdout.splitlines()), 30)
        self.assertEqual(done.stdout, native.stdout)

    def test_an_error_that_no_communicator_has_is_fatal_unless_the_program_says_otherwise(self):
        done = self.run_job("-n", "2", ARGS.arguments, "fatal")
        self.assertEqual((done.returncode, done.stdout), (3, ""))  # MPI_ERR_TYPE
        self.assertRegex(done.stderr, r"rank \d: MPI: MPI_ERR_TYPE: invalid datatype; errors are fatal")


if __name__ == "__main__":
    under_shield.main("arguments")
