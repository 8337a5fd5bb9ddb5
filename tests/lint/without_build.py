#!/usr/bin/env python3
"""without_build.py [--staged]: runs the lint tests of without_build.txt, and shows the output of those that fail. With --staged, as the
commit hook calls it, the layout is checked of the files alone that would be committed."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = pathlib.Path(__file__).with_suffix(".txt")
SKIPPED = 77  # the exit code of a test that lacks a tool
SHOWN_LINES = 40


def commands() -> dict[str, list[str]]:
    """Script and arguments of each test, by its name."""
    lines = [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {name: words.split() for name, _, words in (line.partition(": ") for line in lines)}


def staged() -> list[str]:
    """The names of the files that would be committed, without those that are deleted."""
    names = subprocess.run(["git", "diff", "--cached", "--name-only", "--diff-filter=d", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return names.stdout.split("\0")[:-1]


def run(words: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def main() -> int:
    tests = commands()
    if sys.argv[1:] == ["--staged"]:
        tests["formatted"] += ["--only", *staged()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(tests, pool.map(run, tests.values())))
    failed = [name for name, done in results.items() if done.returncode not in (0, SKIPPED)]
    skipped = [name for name, done in results.items() if done.returncode == SKIPPED]
    for name in failed:
        print(f"{name} failed:", *results[name].stdout.splitlines()[-SHOWN_LINES:], sep="\n")
    print(f"lint: {len(results) - len(failed) - len(skipped)} passed, {len(failed)} failed, {len(skipped)} skipped"
          + (f" for want of tools: {' '.join(skipped)}" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
