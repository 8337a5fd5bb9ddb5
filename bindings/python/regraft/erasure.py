"""Erasure codes: m parities of k pieces of data, so that any k of the k + m pieces give back all others.

>>> code = Code(data=3, parity=2)
>>> parities = code.encode([b"one!", b"two!", b"tri"])        # shorter pieces go on with zeros
>>> code.rebuild({0: b"one!", 3: parities[0], 4: parities[1]}, wanted=1).tobytes()
b'two!'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core

__all__ = ["Code"]

Bytes = Union[bytes, NDArray[np.uint8]]


def _array(piece: Bytes) -> NDArray[np.uint8]:
    return np.ascontiguousarray(np.frombuffer(piece, np.uint8))


@dataclass(frozen=True)
class Code:
    """Pieces 0, ..., data - 1 are the data, those from data on the parities. One parity is the XOR of the data; more are Reed-Solomon over
    GF(2^8): what store::ErasureStore and snapshots keep."""

    #: The number of pieces of data, at least 1.
    data: int
    #: The number of parities: so many pieces may be lost.
    parity: int

    def __post_init__(self) -> None:
        if self.data < 1 or self.parity < 0 or self.data + self.parity > 255:
            raise ValueError("expected at least one piece of data, and at most 255 pieces in all")

    def encode(self, pieces: Sequence[Bytes]) -> list[NDArray[np.uint8]]:
        """All parities, as long as the longest piece."""
        return _core.encode(self.data, self.parity, [_array(piece) for piece in pieces])

    def rebuild(self, pieces: Mapping[int, Bytes], wanted: int, size: Optional[int] = None) -> NDArray[np.uint8]:
        """Piece `wanted` from `data` others, by number. size: of the piece; None: that of the longest of the others."""
        arrays = {number: _array(piece) for number, piece in sorted(pieces.items())}
        longest = max((len(array) for array in arrays.values()), default=0)
        whole = _core.rebuild(self.data, self.parity, list(arrays), list(arrays.values()), wanted, longest)
        return whole if size is None else whole[:size]
