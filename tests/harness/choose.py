#!/usr/bin/env python3
"""How set-up judges an MPI without trying one: when it believes that a job hangs, and what it makes of compilers' complaints."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/launch"))
from regraft_run import canary_jobs, compiled


class Jobs:
    """Jobs that fail in turn as they are told to, and then succeed."""

    def __init__(self, *symptoms: str):
        self.symptoms = list(symptoms)
        self.timeouts: list[float] = []

    def __call__(self, timeout: float) -> str:
        self.timeouts.append(timeout)
        if self.symptoms:
            symptom = self.symptoms.pop(0)
            raise canary_jobs.Failed("a job", symptom, symptom.startswith("hung"))
        return "good"


def a_hang_is_believed_when_it_comes_again_with_more_time() -> None:
    for times in range(len(canary_jobs.PATIENCE)):
        hangs: list[str] = []
        jobs = Jobs(*["hung"] * times)
        assert canary_jobs.patiently(jobs, hangs) == "good" and len(hangs) == times, times
        assert jobs.timeouts == canary_jobs.PATIENCE[:times + 1] and all("processes wanted" in hang for hang in hangs)
    try:
        canary_jobs.patiently(Jobs(*["hung"] * len(canary_jobs.PATIENCE)), [])
    except canary_jobs.Failed as failure:
        assert failure.hung
    else:
        raise AssertionError("hangs every time")


def what_is_wrong_otherwise_is_believed_at_once() -> None:
    jobs = Jobs("request freed", "hung")
    try:
        canary_jobs.patiently(jobs, [])
    except canary_jobs.Failed as failure:
        assert not failure.hung and len(jobs.timeouts) == 1
    else:
        raise AssertionError("a survivor died")


def complaints_of_compilers_become_advice() -> None:
    missing = "canary.cpp:3:10: fatal error: mpi.h: No such file or directory\n    3 | #include <mpi.h>\n      |          ^~~~~~~\ncompilation terminated.\n"
    assert "libopenmpi-dev" in compiled.why_not_compiled(missing)
    assert "libopenmpi-dev" in compiled.why_not_compiled("canary.cpp:3:10: fatal error: 'mpi.h' file not found\n")
    assert "MPIX_Comm_shrink" in compiled.why_not_compiled("fatal error: mpi-ext.h: No such file or directory")
    for said in ("-----\nThe Open MPI wrapper compiler was unable to find the specified compiler\nc++ in your PATH.\n-----\n",
                 "/opt/mpich/bin/mpicxx: line 333: g++: command not found\n", "mpicxx: 333: g++: not found\n"):
        assert "the package g++" in compiled.why_not_compiled(said), said
    assert compiled.why_not_compiled("-----\nsomething odd\n") == "something odd"
    assert compiled.why_not_compiled("note\nx.cpp:1: error: odd\n  1 | x\n") == "x.cpp:1: error: odd"
    assert compiled.why_not_compiled("") == "its compiler says nothing"


a_hang_is_believed_when_it_comes_again_with_more_time()
what_is_wrong_otherwise_is_believed_at_once()
complaints_of_compilers_become_advice()
print("set-up judges as it should")
