"""Matchings in which a right vertex may occur several times: left vertices are blocks, right vertices the PEs that could send them.

A graph is two arrays, as in SciPy's ``csr_matrix`` (``indptr``, ``indices``): left vertex x has the neighbours
``neighbours[offsets[x]:offsets[x + 1]]``.

>>> offsets, neighbours = rows_to_csr([[0, 1], [0, 1], [0], [0, 2]])
>>> found = min_b_matching(offsets, neighbours)
>>> found.b
2
>>> bool(np.bincount(found.right_of).max() == found.b)
True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import NONE, expect_one_each, few_ids, number, numbers, offsets_and_values, rows_to_csr, with_ids

__all__ = ["UNMATCHED", "BMatching", "MaxBMatching", "Shares", "max_b_matching", "min_b_matching", "min_b_shares", "min_b_weighted",
           "rows_to_csr"]

#: In ``right_of``: this left vertex has no neighbour, or was left out.
UNMATCHED = NONE


@dataclass(frozen=True)
class BMatching:
    """A matching and the proof of its quality."""

    #: For every left vertex its right vertex, or ``UNMATCHED``.
    right_of: NDArray[np.uint32]
    #: The most (left vertices, weight) that one right vertex gets.
    b: int
    #: What b would be if edges were no obstacle; of a weighted matching: no matching has a smaller b. Where the ids of right vertices are
    #: far larger than there are edges, only right vertices with edges count.
    lower_bound: int
    #: Right vertices such that more than (b - 1) * len(hall_set) left vertices have neighbours only among them. So no matching has a
    #: smaller b. Of a weighted matching it proves lower_bound, unless that is the largest weight.
    hall_set: NDArray[np.uint32]

    @property
    def isolated(self) -> NDArray[np.intp]:
        """The left vertices that have no neighbour."""
        return np.flatnonzero(self.right_of == UNMATCHED)


@dataclass(frozen=True)
class Shares:
    """A division of left vertices among their neighbours."""

    #: For every edge, like ``neighbours``, how many units the neighbour gets.
    share: NDArray[np.uint64]
    #: The most units that one right vertex gets; no division has a smaller one.
    b: int
    #: What b would be if edges were no obstacle, as in ``BMatching``.
    lower_bound: int
    #: Right vertices that prove b, as in ``BMatching``, by units instead of left vertices.
    hall_set: NDArray[np.uint32]


@dataclass(frozen=True)
class MaxBMatching:
    """A matching of as many left vertices as the capacities allow."""

    #: For every left vertex its right vertex, or ``UNMATCHED``.
    right_of: NDArray[np.uint32]
    #: No matching within the capacities has more.
    num_matched: int


class _Graph:
    """A graph as users give it, with right vertices that are numbered closely: memory follows from the edges, not from the largest id."""

    def __init__(self, offsets: ArrayLike, neighbours: ArrayLike, num_right: Optional[int]) -> None:
        self.offsets, to = offsets_and_values(offsets, neighbours, "neighbours")
        most = int(to.max()) + 1 if to.size else 0
        given = most if num_right is None else number(num_right, "num_right", NONE - 1)
        if most >= NONE:
            raise ValueError("num_right: expected 0 <= num_right < 2^32 - 1")
        if given < most:
            raise ValueError(f"neighbours: expected numbers below num_right, {given}, not {most - 1}")
        self.ids, (self.neighbours,) = few_ids(to)
        if self.ids is None and given > 4 * to.size + 1024:  # few neighbours of many, none of them large
            self.ids = np.arange(most, dtype=np.uint32)
        self.num_right = given if self.ids is None else self.ids.size

    @property
    def num_left(self) -> int:
        return self.offsets.size - 1

    def values(self, given: ArrayLike, name: str) -> NDArray[np.uint64]:
        """A number for each left vertex."""
        return expect_one_each(numbers(given, np.uint64, name), self.num_left, name, "left vertex")


def min_b_matching(offsets: ArrayLike, neighbours: ArrayLike, num_right: Optional[int] = None) -> BMatching:
    """Gives every left vertex to one of its neighbours so that the busiest right vertex gets as few as possible.

    num_right: how many right vertices there are; None: as many as the largest neighbour says. Mostly O(edges).
    Memory: about 40 bytes per left vertex and edge, whatever the ids of right vertices.

    >>> min_b_matching([0, 1, 1, 2], [5, 5]).right_of.tolist()
    [5, 4294967295, 5]
    """
    graph = _Graph(offsets, neighbours, num_right)
    right_of, found = _core.min_b_matching(graph.offsets, graph.neighbours, graph.num_right)
    return _matching(graph, right_of, found)


def min_b_weighted(offsets: ArrayLike, neighbours: ArrayLike, weight: ArrayLike, num_right: Optional[int] = None) -> BMatching:
    """The same for left vertices of different weights: b is at most ``lower_bound`` and the largest weight together.

    The smallest b is NP-hard to find.

    >>> found = min_b_weighted([0, 2, 4, 6], [0, 1, 0, 1, 0, 1], [3, 4, 7])
    >>> found.b, found.lower_bound
    (7, 7)
    """
    graph = _Graph(offsets, neighbours, num_right)
    right_of, found = _core.min_b_weighted(graph.offsets, graph.neighbours, graph.values(weight, "weight"), graph.num_right)
    return _matching(graph, right_of, found)


def _matching(graph: _Graph, right_of: NDArray[np.uint32], found: dict[str, Any]) -> BMatching:
    return BMatching(with_ids(right_of, graph.ids), found["b"], found["lower_bound"], with_ids(found["hall_set"], graph.ids))


def min_b_shares(offsets: ArrayLike, neighbours: ArrayLike, units: ArrayLike, num_right: Optional[int] = None) -> Shares:
    """The same for left vertices that are ``units[x]`` equal units and may be divided, such as all blocks with the same holders.

    >>> found = min_b_shares([0, 2, 3], [0, 1, 1], [10, 4])
    >>> found.share.tolist(), found.b
    ([7, 3, 4], 7)
    """
    graph = _Graph(offsets, neighbours, num_right)
    share, found = _core.min_b_shares(graph.offsets, graph.neighbours, graph.values(units, "units"), graph.num_right)
    return Shares(share, found["b"], found["lower_bound"], with_ids(found["hall_set"], graph.ids))


def max_b_matching(offsets: ArrayLike, neighbours: ArrayLike, capacity: ArrayLike) -> MaxBMatching:
    """Matches as many left vertices as possible, at most ``capacity[v]`` to right vertex v.

    >>> max_b_matching([0, 1, 2, 4], [0, 0, 0, 1], [1, 1]).num_matched
    2
    """
    rows, to = offsets_and_values(offsets, neighbours, "neighbours")
    capacities = numbers(capacity, np.uint32, "capacity")
    if to.size and int(to.max()) >= capacities.size:
        raise ValueError(f"neighbours: expected numbers below the number of capacities, {capacities.size}, not {to.max()}")
    right_of, num_matched = _core.max_b_matching(rows, to, capacities)
    return MaxBMatching(right_of, num_matched)
