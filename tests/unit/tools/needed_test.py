#!/usr/bin/env python3
"""What ./run compiles before it runs some tests (tools/setup/needed.py)."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

NEEDED = pathlib.Path(__file__).resolve().parents[3] / "tools/setup/needed.py"


class Needed(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        (self.root / "meson-info").mkdir()
        targets = [{"id": f"{name}@id", "type": kind, "filename": [str(self.root / name)]}
                   for name, kind in {"lib/a.so": "shared library", "apps/b": "executable", "examples/c": "executable", "examples/d": "executable",
                                      "e": "run"}.items()]
        self.write("targets", targets)
        tests = [self.row("alone", "unit", ["lib/a.so"], [str(self.root / "apps/b")]),
                 self.row("folder", "examples", [], [str(self.root / "examples")]),
                 self.row("option", "mpi", [], [f"LD_PRELOAD={self.root / 'lib/a.so'}"]),
                 self.row("everything", "install", ["apps/b"], [str(self.root)]),
                 self.row("words", "lint", [], [str(self.root)]),
                 self.row("hours", "long", ["examples/d"], [])]
        self.write("tests", tests)

    def write(self, what: str, content: list) -> None:
        (self.root / "meson-info" / f"intro-{what}.json").write_text(json.dumps(content), encoding="utf-8")

    @staticmethod
    def row(name: str, suite: str, depends: list[str], words: list[str]) -> dict:
        return {"name": name, "suite": [f"regraft:{suite}"], "depends": [f"{target}@id" for target in depends], "cmd": words, "env": {}}

    def needed(self, *words: str) -> list[str]:
        return subprocess.run([sys.executable, NEEDED, self.root, *words], check=True, capture_output=True, text=True).stdout.split()

    def test_a_test_needs_what_it_depends_on_and_what_its_command_names(self) -> None:
        self.assertEqual(self.needed("alone"), ["apps/b", "lib/a.so"])

    def test_a_folder_stands_for_what_is_made_in_it(self) -> None:
        self.assertEqual(self.needed("folder"), ["examples/c", "examples/d"])

    def test_files_behind_an_equals_sign_count(self) -> None:
        self.assertEqual(self.needed("--suite", "mpi"), ["lib/a.so"])

    def test_the_build_folder_stands_for_everything(self) -> None:
        self.assertEqual(self.needed("alone", "everything"), ["all"])

    def test_suites_and_names_are_chosen_as_meson_chooses_them(self) -> None:
        self.assertEqual(self.needed("--suite", "unit", "--suite", "long"), ["apps/b", "examples/d", "lib/a.so"])
        self.assertEqual(self.needed("fold*"), ["examples/c", "examples/d"])

    def test_a_name_that_no_test_has_is_an_error(self) -> None:
        with self.assertRaises(subprocess.CalledProcessError):
            self.needed("alome")

    def test_lint_tests_look_at_nothing_that_is_built(self) -> None:
        self.assertEqual(self.needed("--suite", "lint", "words"), [])


if __name__ == "__main__":
    unittest.main()
