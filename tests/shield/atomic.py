#!/usr/bin/env python3
"""Files in atomic mode, which each process opens for itself: what two write to the same places is never mixed."""
import under_shield
from under_shield import ARGS


class Atomic(under_shield.UnderShield):
    def mixed(self, layout, atomic):
        """The number of rounds with a mixture."""
        done = self.run_job("-n", "4", ARGS.atomic, layout, atomic, str(self.folder / "data"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"mixed in \d+ of 30 rounds\n$")
        return int(done.stdout.split()[-4])

    def test_writes_are_not_mixed(self):
        for layout in ("contiguous", "strided"):
            for _ in range(3):
                self.assertEqual(self.mixed(layout, "1"), 0, layout)

    def test_without_atomic_mode_they_are(self):
        self.assertTrue(any(self.mixed("strided", "0") > 0 for _ in range(5)))


if __name__ == "__main__":
    under_shield.main("atomic")
