"""A test that is a job of Python programs: each rank that lives to the end writes its verdict for run_mpi.py, as mpi_main.cpp does."""
import os
import pathlib
import sys
import traceback
from collections.abc import Callable

from mpi4py import MPI

import regraft.mpi as rg


def expect(good: bool, what: str) -> None:
    if not good:
        raise AssertionError(what)


def folder(name: str) -> str:
    """A folder of this job alone, which all ranks see."""
    path = pathlib.Path(os.environ["REGRAFT_VERDICTS"]).parent / name
    path.mkdir(exist_ok=True)
    return str(path)


def write_verdict(verdict: str, rank: int) -> None:
    if folder := os.environ.get("REGRAFT_VERDICTS"):
        path = pathlib.Path(folder) / str(rank)
        path.with_suffix(".tmp").write_text(verdict + "\n", encoding="utf-8")
        path.with_suffix(".tmp").rename(path)  # the launcher must not read half a verdict


def run(tests: list[Callable[[], None]]) -> None:
    rank = MPI.COMM_WORLD.rank  # a test may end MPI
    try:
        if plan := os.environ.get("REGRAFT_FAIL"):
            rg.set_failure_plan(plan)
        for test in tests:
            test()
    except Exception as error:
        traceback.print_exc()
        write_verdict(f"fail: {error}", rank)
        sys.exit(1)
    write_verdict(f"pass {len(tests)}", rank)
