"""Compiles the judges: programs in plain MPI that tell what an MPI does when ranks die."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "judges"
JUDGES = [FOLDER / "canary.cpp", FOLDER / "trust.cpp"]


def compile_judges(mpicxx: str, folder: pathlib.Path, seconds: float | None = None) -> str:
    """Compiles them into a folder, where they have the names of their sources. Returns why that did not succeed; empty if it did.
    seconds: how long it may take."""
    compilers: list[subprocess.Popen] = []
    env = {**os.environ, "TMPDIR": str(folder)}  # a compiler that is killed leaves files there
    try:
        for judge in JUDGES:
            words = [mpicxx, "-std=c++20", "-O1", str(judge), "-o", str(folder / judge.stem)]
            compilers.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                              env=env, text=True, errors="replace", start_new_session=True))
        complaints = [compiler.communicate(timeout=seconds)[1] for compiler in compilers]
    except OSError as error:
        return f"cannot run {mpicxx}: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"{mpicxx} did not end within {seconds:.0f} s"
    finally:
        for compiler in compilers:
            if compiler.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(compiler.pid, signal.SIGKILL)
                compiler.wait()
    return next((why_not_compiled(complaint) for compiler, complaint in zip(compilers, complaints) if compiler.returncode), "")


def why_not_compiled(complaint: str) -> str:
    """The cause, as advice where there is one, of what a compiler says."""
    if re.search(r"mpi\.h['\"]?[:,]? (No such file|file not found)", complaint):
        return "its headers are missing (on Debian and Ubuntu the package libopenmpi-dev)"
    if "unable to find the specified compiler" in complaint or re.search(r": (command )?not found$", complaint.strip()):
        return "its wrapper finds no compiler (on Debian and Ubuntu the package g++)"
    if "mpi-ext.h" in complaint or "MPIX_" in complaint:
        return "it has no MPIX_Comm_shrink"
    lines = [line for line in complaint.splitlines() if "rror" in line] or re.findall(r".*\w.*", complaint) or ["its compiler says nothing"]
    return lines[0].strip()[-200:]
