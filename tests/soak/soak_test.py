#!/usr/bin/env python3
"""soak.py counts jobs and deaths, replaces options of a test by its own, and notices runs that fail, that pass the second time, and that hang."""
import pathlib
import random
import sys
import tempfile

import soak


def script(text: str) -> list[str]:
    return [sys.executable, "-c", text, "--first", "1000", "--kills", "1000"]


def result_of(name: str, text: str, limit: float = 60) -> tuple[soak.Tally, str]:
    """The tally of a kind whose jobs are this script, and what was kept of it."""
    with tempfile.TemporaryDirectory() as folder:
        it = soak.Soak({name: script(text)}, pathlib.Path(folder, "kept"), limit)
        it.one_run(name, 7)
        kept = list(pathlib.Path(folder, "kept").glob(f"{name}-7.txt"))
        return it.tallies[name], kept[0].read_text(encoding="utf-8") if kept else ""


def numbers_go_to_the_jobs() -> None:
    words = soak.with_options(script("pass"), {"--first": "7", "--jobs": "25"})
    assert words[3:] == ["--first", "7", "--jobs", "25"], words


def jobs_and_deaths_are_counted() -> None:
    said = {"store": "25 jobs, 70 kills (9 at random moments), 0 failed, 3 s", "shield": "jobs 25, deaths 70, from outside 3, bad 0",
            "nodes": "4 nodes, 2 ranks each: 40 losses, {}\n3 nodes, 3 ranks each: 30 losses, {}\n25 jobs, 0 of them wrong",
            "search": "\n".join(f"plan {i}: same bits, {i % 5 + (i < 20)} died, 1 recoveries" for i in range(25)),
            "kept": "\n".join(["job 1: 5 ranks, none killed, 1 submitted so far"] * 11 + ["job 2: 5 ranks, all killed, 0"] * 14)}
    for name, text in said.items():
        tally, kept = result_of(name, f"print({text!r})")
        assert (tally.runs, tally.jobs, tally.deaths, tally.failed, kept) == (1, 25, 70, 0, ""), (name, tally, kept)


def a_run_that_fails_is_repeated_and_kept() -> None:
    tally, kept = result_of("store", "import sys; print('9 jobs, 8 kills, 1 failed'); sys.exit(3)")
    assert (tally.jobs, tally.deaths, tally.failed) == (9, 8, 1), tally
    assert "once more: exit code 3" in kept and kept.count("9 jobs, 8 kills") == 3, kept  # in the command, too
    with tempfile.TemporaryDirectory() as folder:
        once = f"import os, sys; new = not os.path.exists('{folder}/seen'); open('{folder}/seen', 'w'); sys.exit(new)"
        tally, kept = result_of("store", once)
    assert tally.failed == 1 and "once more: exit code 0" in kept, kept


def a_run_that_hangs_fails() -> None:
    tally, kept = result_of("store", "import time; print('1 jobs', flush=True); time.sleep(600)", limit=1)
    assert tally.failed == 1 and "hung: killed after 1 s" in kept, kept


def a_kind_that_is_skipped_counts_nothing() -> None:
    tally, _ = result_of("store", "import sys; print('SKIPPED: no ULFM'); sys.exit(77)")
    assert (tally.runs, tally.failed) == (0, 0), tally


def every_kind_has_its_turn() -> None:
    turns = soak.in_turn(list(soak.KINDS), random.Random(1))
    first = [next(turns) for _ in soak.KINDS]
    assert sorted(first) == sorted(soak.KINDS) and first != list(soak.KINDS), first
    again = soak.in_turn(list(soak.KINDS), random.Random(1))
    assert first == [next(again) for _ in soak.KINDS]


def the_long_tests_are_there() -> None:
    missing = set(soak.KINDS) - set(soak.commands(pathlib.Path(sys.argv[1])))
    assert not missing, missing


numbers_go_to_the_jobs()
jobs_and_deaths_are_counted()
a_run_that_fails_is_repeated_and_kept()
a_run_that_hangs_fails()
a_kind_that_is_skipped_counts_nothing()
every_kind_has_its_turn()
the_long_tests_are_there()
