"""Arrays that users give."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, Optional

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
        least, most = int(array.min()), int(array.max())
        if least < 0 or most > np.iinfo(dtype).max:
            raise ValueError(f"{name}: expected numbers from 0 to {np.iinfo(dtype).max}, not {least if least < 0 else most}")
    return np.ascontiguousarray(array, dtype=dtype)


def number(value: Any, name: str, most: int = 2**64 - 1) -> int:
    """value, which must be an integer from 0 to most."""
    try:
        result = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer, not {type(value).__name__}") from None
    if not 0 <= result <= most:
        raise ValueError(f"{name}: expected a number from 0 to {most}, not {result}")
    return result


def expect_one_each(values: NDArray[Any], count: int, name: str, of_what: str) -> NDArray[Any]:
    if values.size != count:
        raise ValueError(f"{name}: expected {count} numbers, one for each {of_what}, not {values.size}")
    return values


def offsets_and_values(offsets: ArrayLike, values: ArrayLike, name: str) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Rows of values, one after the other: row i is values[offsets[i]:offsets[i + 1]]."""
    rows, to = numbers(offsets, np.uint64, "offsets"), numbers(values, np.uint32, name)
    if not rows.size or rows[0] != 0 or (rows[1:] < rows[:-1]).any():
        raise ValueError("offsets: expected numbers ascending from 0")
    if rows[-1] != to.size:
        raise ValueError(f"offsets: expected offsets whose last is the number of {name}, {to.size}, not {rows[-1]}")
    return rows, to


def few_ids(*arrays: NDArray[np.uint32]) -> tuple[Optional[NDArray[np.uint32]], tuple[NDArray[np.uint32], ...]]:
    """The ids that occur, ascending, and the arrays with places among them in place of ids. If ids are not much larger than the number of
    entries, it is None and the arrays themselves: then an array with a place for each id does no harm."""
    entries = sum(array.size for array in arrays)
    if max((int(array.max()) for array in arrays if array.size), default=0) <= 4 * entries + 1024:
        return None, arrays
    ids = np.unique(np.concatenate(arrays))
    return ids, tuple(np.searchsorted(ids, array).astype(np.uint32) for array in arrays)


def with_ids(places: NDArray[np.uint32], ids: Optional[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """The ids of places; NONE stays what it is."""
    if ids is None:
        return places
    known = places != NONE
    found = np.full(places.shape, NONE, dtype=np.uint32)
    found[known] = ids[places[known]]
    return found


def rows_to_csr(rows: Iterable[Iterable[int]]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    lists = [list(row) for row in rows]
    offsets = np.zeros(len(lists) + 1, dtype=np.uint64)
    np.cumsum([len(row) for row in lists], out=offsets[1:])
    return offsets, numbers([vertex for row in lists for vertex in row], np.uint32, "rows")


def type_of(described: Any) -> np.dtype[Any]:
    """The type of a description that may have been JSON."""
    if isinstance(described, str):
        return np.dtype(described)
    return np.dtype([(name, type_of(kind), *map(tuple, shape)) for name, kind, *shape in described])
