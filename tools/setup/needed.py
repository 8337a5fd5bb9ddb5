#!/usr/bin/env python3
"""needed.py BUILD [--suite S]... [NAME]...: prints the targets of ninja that these tests need, a line each; "all" if that is everything.

A test needs what Meson knows that it depends on, and all targets below the files and folders that its command names."""
import argparse
import fnmatch
import json
import pathlib
import sys

SUITES_BY_DEFAULT_WITHOUT = {"long"}
READS_SOURCES = {"lint"}  # these tests are given folders, but look at nothing that is built


def selected(tests: list[dict], suites: list[str], names: list[str]) -> list[dict]:
    """The tests that Meson runs for these suites and names."""
    def in_suites(test: dict) -> bool:
        of_test = {suite.rpartition(":")[2] for suite in test["suite"]}
        return bool(of_test & set(suites)) if suites else not of_test & SUITES_BY_DEFAULT_WITHOUT
    return [test for test in tests if in_suites(test) and (not names or any(fnmatch.fnmatch(test["name"], name) for name in names))]


def targets_of(test: dict, files_by_id: dict[str, list[pathlib.Path]], root: pathlib.Path) -> set[pathlib.Path] | None:
    """The files of targets that a test needs; None if it is given the whole build folder, or what no target makes."""
    found = {file for target in test["depends"] for file in files_by_id.get(target, [])}
    if any(suite.rpartition(":")[2] in READS_SOURCES for suite in test["suite"]):
        return found
    made = [file for files in files_by_id.values() for file in files]
    for word in [*test["cmd"], *test["env"].values()]:
        path = pathlib.Path(word.rpartition("=")[2])
        if path == root:
            return None
        if root in path.parents:
            found |= {file for file in made if file == path or path in file.parents}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("names", nargs="*")
    args = parser.parse_intermixed_args()
    root = args.build.resolve()
    information = root / "meson-info"
    tests = json.loads((information / "intro-tests.json").read_text(encoding="utf-8"))
    files_by_id = {target["id"]: [pathlib.Path(file) for file in target["filename"]]
                   for target in json.loads((information / "intro-targets.json").read_text(encoding="utf-8"))
                   if target["type"] not in ("run", "alias")}
    chosen = selected(tests, args.suite, args.names)
    if not chosen:
        print(f"no test is called {' '.join(args.names) or 'anything'} in {', '.join(args.suite) or 'any suite'}; "
              f"the names: meson test -C {args.build} --list", file=sys.stderr)
        sys.exit(2)
    needed: set[pathlib.Path] = set()
    for test in chosen:
        of_test = targets_of(test, files_by_id, root)
        if of_test is None:
            print("all")
            return
        needed |= of_test
    for file in sorted(needed):
        print(file.relative_to(root))


if __name__ == "__main__":
    main()
