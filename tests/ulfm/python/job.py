"""A test that is a job of Python programs: each rank that lives to the end writes its verdict for run_mpi.py, as mpi_main.cpp does. With
REGRAFT_SIMULATED the extension is another, in which deaths are simulated. Tests import this module before regraft.mpi.

A rank whose death is simulated stays in MPI.COMM_WORLD, from which the next test would make a communicator. So the test in which it has
died is the last."""
import importlib.util
import os
import pathlib
import sys
import traceback
from collections.abc import Callable

from mpi4py import MPI


def take_extension(path: str) -> None:
    spec = importlib.util.spec_from_file_location("regraft._mpi", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["regraft._mpi"] = module
    spec.loader.exec_module(module)


if path := os.environ.get("REGRAFT_SIMULATED"):
    take_extension(path)

import regraft.mpi as rg  # noqa: E402


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


def count_renewals() -> list[int]:
    """The number of members of each communicator that was renewed from now on."""
    renewals: list[int] = []
    renewed = rg.Communicator._renewed

    def noted(comm: rg.Communicator) -> None:
        renewed(comm)
        renewals.append(comm.size)

    rg.Communicator._renewed = noted
    return renewals


def run(tests: list[Callable[[], None]]) -> None:
    renewals = count_renewals()
    rank = MPI.COMM_WORLD.rank  # a test may end MPI
    try:
        if plan := os.environ.get("REGRAFT_FAIL"):
            rg.set_failure_plan(plan)
        for test in tests:
            test()
            if renewals and "REGRAFT_SIMULATED" in os.environ:
                break
    except rg.Departed:  # a simulated death: as silent as a real one
        return
    except Exception as error:
        traceback.print_exc()
        write_verdict(f"fail: {error}", rank)
        sys.exit(1)
    write_verdict(f"pass {len(tests)}", rank)
