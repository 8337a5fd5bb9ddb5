"""What the modules of regraft.mpi share: mpi4py and the extension, on one MPI library, and how arrays are looked at."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from .. import _mpi_library

MPI = _mpi_library.load()

from .. import _mpi as _mpi  # noqa: E402 - on the library of mpi4py, as was found above


class Closed:
    def __getattr__(self, name: str) -> Any:
        raise ValueError("expected an object that is not closed")


@dataclass(frozen=True)
class Keep:
    """Files that outlive the job: what a store or a snapshot keeps is in a folder of each node's memory, where the next start of the job
    finds it (``reopen``, docs/mpi/restart.md)."""

    #: What tells it from others of the job.
    name: str
    #: A folder that belongs to the node alone.
    folder: str = "/dev/shm"
    #: All starts of the job have the same, and no other job has it. None: as ``regraft-run --job`` or the batch system names it.
    job: Optional[str] = None


def kept(keep: Optional[Keep]) -> Any:
    """What the extension takes."""
    if keep is None:
        return None
    return _mpi.Kept(keep.folder, _mpi.job_of_environment() if keep.job is None else keep.job, keep.name)


def plain(value: Any, name: str) -> NDArray[Any]:
    """value as an array of plain bytes in C order, without a copy."""
    try:
        array = value if isinstance(value, np.ndarray) else np.asarray(memoryview(value))
    except TypeError:
        raise TypeError(f"{name}: expected an array, or an object with the buffer protocol, not {type(value).__name__}") from None
    if array.dtype.hasobject:
        raise TypeError(f"{name}: expected elements of plain bytes, not {array.dtype}, whose elements are Python objects")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name}: expected an array in C order; numpy.ascontiguousarray makes one")
    return array


def bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]:
    """The memory of an array in C order."""
    return array.reshape(-1).view(np.uint8)


def description(dtype: np.dtype[Any]) -> Any:
    """What numpy.dtype makes the type from again, as JSON may hold it."""
    return dtype.descr if dtype.names else dtype.str


def size_of(dtype: np.dtype[Any], shape: tuple[int, ...]) -> int:
    """The bytes of an array."""
    return dtype.itemsize * math.prod(shape)


def expect_positive(value: int, name: str) -> None:
    if value < 1:
        raise ValueError(f"{name}: expected a number from 1 on, not {value}")


def expect_node_of(node_of: Any, num_founders: int) -> list[int]:
    """Checks a list of nodes; None: an empty one."""
    nodes = [] if node_of is None else [int(node) for node in node_of]
    if node_of is not None and len(nodes) != num_founders:
        raise ValueError(f"node_of: expected {num_founders} nodes, one of each founder, as Communicator.node_ids returns, not {len(nodes)}")
    return nodes
