"""What users give as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: In place of a vertex, PE or round: there is none.
NONE = 2**32 - 1


def numbers(values: ArrayLike, dtype: Any, name: str) -> NDArray[Any]:
    """values, one-dimensional and contiguous, as dtype; a copy only if it is not that already."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected one dimension, not {array.ndim}")
    if array.dtype != dtype and array.size > 0:
        if array.dtype.kind not in "ui":
            raise TypeError(f"{name}: expected integers, not {array.dtype}")
        if int(array.min()) < 0 or int(array.max()) > np.iinfo(dtype).max:
            raise ValueError(f"{name}: expected numbers from 0 to {np.iinfo(dtype).max}")
    return np.ascontiguousarray(array, dtype=dtype)


def offsets_and_values(offsets: ArrayLike, values: ArrayLike, name: str) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    return numbers(offsets, np.uint64, "offsets"), numbers(values, np.uint32, name)


def rows_to_csr(rows: Iterable[Iterable[int]]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    lists = [list(row) for row in rows]
    offsets = np.zeros(len(lists) + 1, dtype=np.uint64)
    np.cumsum([len(row) for row in lists], out=offsets[1:])
    return offsets, numbers([vertex for row in lists for vertex in row], np.uint32, "rows")
