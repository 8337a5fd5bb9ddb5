"""Stores: the rows of an array in the memory of the members, by copies or by an erasure code."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import numpy as np
from numpy.typing import NDArray

from .._arrays import type_of
from ._base import MPI, Closed, Keep, _mpi, bytes_of, description, expect_node_of, expect_positive, kept, plain, size_of
from ._communicator import Communicator, Work

Divergence = _mpi.Divergence

#: Ranges of rows, half-open: (first, one behind the last).
Ranges = Iterable[tuple[int, int]]
#: Called with the first row and the one behind the last; returns these rows: an array, or a list of bytes.
Rows = Callable[[int, int], Any]
Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class _Kind:
    """What all rows of a version have in common. dtype is None if they are bytes of any lengths."""

    n: int
    dtype: Optional[np.dtype[Any]] = None
    shape: tuple[int, ...] = ()

    @property
    def row_bytes(self) -> int:
        return 0 if self.dtype is None else size_of(self.dtype, self.shape)

    @functools.cached_property
    def text(self) -> str:
        return json.dumps([self.n] if self.dtype is None else [self.n, description(self.dtype), self.shape])

    @functools.cached_property
    def hash(self) -> int:
        return int.from_bytes(hashlib.blake2b(self.text.encode(), digest_size=8).digest(), "little")

    def __str__(self) -> str:
        return f"{self.n} rows of bytes" if self.dtype is None else f"{self.n} rows of {self.dtype}, shape {self.shape}"


def _kind_of(attributes: bytes, n: int) -> _Kind:
    """What ``text`` was made of; rows of bytes if another program has saved them."""
    try:
        rows, *rest = json.loads(attributes)
        if rows == n and len(rest) == 2:
            return _Kind(n, type_of(rest[0]), tuple(rest[1]))
    except (ValueError, TypeError):
        pass
    return _Kind(n)


def _is_list(rows: Any) -> bool:
    return isinstance(rows, (list, tuple))


def _expect_rows(rows: Any, count: int, name: str) -> None:
    if len(rows) != count:
        raise ValueError(f"{name}: expected {count} rows, not {len(rows)}")


def _array(value: Any, count: int, name: str) -> NDArray[Any]:
    array = plain(value, name)
    if array.ndim == 0:
        raise ValueError(f"{name}: expected an array whose first axis is the rows, not a single number")
    _expect_rows(array, count, name)
    return array


def _joined(rows: Sequence[Any], count: int, name: str) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """The rows one behind the other, and where each begins and the last ends."""
    _expect_rows(rows, count, name)
    parts = []
    for i, row in enumerate(rows):
        try:
            parts.append(np.frombuffer(row, np.uint8) if len(memoryview(row)) else np.empty(0, np.uint8))
        except TypeError:
            raise TypeError(f"{name}: expected an array, or a list of bytes, and {name}[{i}] is of type {type(row).__name__}") from None
    begins = np.zeros(count + 1, np.uint64)
    np.cumsum([len(part) for part in parts], out=begins[1:])
    return (np.concatenate(parts) if parts else np.empty(0, np.uint8)), begins


class _Store:
    """What both stores have in common."""

    def __init__(self, comm: Communicator, core: Any, checked: bool, keep: Optional[Keep]) -> None:
        self._comm = comm
        self._core = core
        self._checked, self._keeps = checked, keep is not None
        self._kinds: dict[int, _Kind] = {}
        self._loads: list[int] = []  # the epochs in which those under way were started

    @property
    def version(self) -> int:
        """The number of submits, updates and opens that have succeeded; the same on all members."""
        number = int(self._core.version())
        return number if number in self._kinds else 0

    @property
    def dtype(self) -> Optional[np.dtype[Any]]:
        """Type of the elements of the rows of this version; None if they are bytes of any lengths."""
        return self._kind().dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of all rows of this version."""
        return (self._kind().n, *self._kind().shape)

    @property
    def bytes_held(self) -> int:
        """Bytes of memory that this member keeps."""
        return int(self._core.bytes_held())

    def submit(self, n: int, rows: Union[Rows, Any]) -> None:
        """Stores n rows as a new version. rows: those of ``comm.share(n)`` of this member, as an array whose first axis they are, or as a
        list of bytes, which may have any lengths; or a function that is called with these two numbers and returns them, also if they are
        none. Type and shape of rows are the same on all members: if not, all raise Divergence. Raises TypeError or ValueError of rows that
        are no such array, on this member alone. Collective; on ProcessFailure the version before is still there."""
        self._expect_idle()
        expect_positive(n, "n")
        first, last = self._comm.share(n)
        given = rows(first, last) if callable(rows) else rows
        if _is_list(given):
            kind = _Kind(n)
            memory, begins = _joined(given, last - first, "rows")
        else:
            array = _array(given, last - first, "rows")
            kind, memory, begins = self._kind_like(_Kind(n, array.dtype, array.shape[1:])), bytes_of(array), np.empty(0, np.uint64)
            if kind.row_bytes == 0:
                raise ValueError(f"rows: expected rows of at least one byte, not of shape {kind.shape}")
        if not self._comm._core.agree_equal(kind.hash):
            raise Divergence(f"members submit rows of different type or shape; here {kind}")
        number = int(self._core.version()) + 1
        self._kinds[number] = kind
        if self._keeps:
            self._core.set_attributes(kind.text)
        self._core.submit(n, first, last, memory, begins, kind.row_bytes)
        self._kinds = {number: kind}

    def submit_once(self, n: int, rows: Union[Rows, Any]) -> None:
        """The same if nothing was submitted yet, and nothing otherwise. Collective."""
        if self.version == 0:
            self.submit(n, rows)

    def load(self, ranges: Union[Work, Ranges], out: Optional[NDArray[Any]] = None, reread: Union[Rows, str, None] = None) -> Any:
        """The rows of these ranges, one behind the other in this order: one array, or a list of memoryviews if lists of bytes were
        submitted. out: an array for them. reread: where rows come from that no living member holds, where there are any: a function,
        which returns them as that of submit and calls nothing of comm; or "saved", where they were saved or opened. If lost rows are
        wanted and it is None or fails on any member, all members raise DataLost. Collective."""
        wanted, memory, source, result = self._request(ranges, out, reread)
        self._core.load(wanted, memory, source)
        return result()

    def start_load(self, ranges: Union[Work, Ranges], out: Optional[NDArray[Any]] = None,
                   reread: Union[Rows, str, None] = None) -> Loading:
        """The same while the program goes on computing: starts the messages, and ``wait`` of what it returns ends the load and gives the
        rows. Until then out is not touched, and nothing is submitted, opened, repaired or scrubbed; other loads may be started. Messages
        go from member to member, which survives deaths where the canary of such messages passes (docs/mpi/failure-model.md). Collective."""
        wanted, memory, source, result = self._request(ranges, out, reread)
        return Loading(self, self._core.start_load(wanted, memory, source), result)

    def repair(self) -> list[tuple[int, int]]:
        """Makes new copies of what has lost some, after a shrink, and returns the ranges of rows that are lost. Collective."""
        self._expect_idle()
        return list(self._core.repair())

    def scrub(self) -> list[tuple[int, int]]:
        """Verifies all that is kept, replaces what is damaged, and returns the ranges of rows that are lost. Needs checked=True.
        Collective."""
        if not self._checked:
            raise ValueError("expected a store that was made with checked=True")
        self._expect_idle()
        return list(self._core.scrub())

    def save(self, archive: Path, *, kept: int = 2) -> int:
        """Writes a new generation into the folder archive, which all members see, and returns its number. kept: how many complete ones
        stay, this one included. If any member cannot write, all raise DiskError. Collective."""
        expect_positive(kept, "kept")
        return int(self._core.save(os.fspath(archive), self._kind().text, kept))

    def open(self, archive: Path) -> int:
        """Submits the rows of the newest generation without damage as a new version, and returns the number of the generation. Any number
        of members may have saved it. Blocks of other programs are rows of bytes. Raises DiskError on all members if there is none.
        Collective; after ProcessFailure call it again if ``version`` is what it was."""
        self._expect_idle()
        generation, attributes = self._core.open(os.fspath(archive))
        self._opened(attributes)
        return int(generation)

    def reopen(self) -> bool:
        """Opens what the job before has kept (Keep), and returns whether there was anything. Rows stay where they are; parities of an
        ErasureStore are made anew. If nodes with all copies of some rows are missing, or too few pieces are left, all members raise
        DataLost. Nothing was submitted before. Collective; after ProcessFailure call it again."""
        self._expect_keep()
        self._expect_idle()
        attributes = self._core.reopen()
        if attributes is not None:
            self._opened(attributes)
        return attributes is not None

    def discard(self) -> None:
        """Removes the rows and their files, when the program has ended well. Collective; after ProcessFailure call it again."""
        self._expect_keep()
        self._expect_idle()
        self._core.discard()

    def close(self) -> None:
        """Frees what this member keeps. Files stay (Keep). Not collective."""
        self._core = Closed()

    def __enter__(self) -> Any:
        """Itself; the end of the block closes it."""
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close()

    def _expect_keep(self) -> None:
        if not self._keeps:
            raise ValueError("expected a store that was made with keep=Keep(...)")

    def _expect_idle(self) -> None:
        """A failure ends the loads that are under way."""
        if not self._loads:
            return
        self._loads = [epoch for epoch in self._loads if epoch == self._comm.epoch]
        if self._loads:
            raise ValueError("expected that no load is under way: call wait of what start_load has returned")

    def _kind_like(self, kind: _Kind) -> _Kind:
        """The kind of this version, if it is the same: it knows its text already."""
        present = self._kinds.get(self.version)
        return present if present == kind else kind

    def _kind(self) -> _Kind:
        if self.version == 0:
            raise ValueError("expected that rows were submitted before")
        return self._kinds[self.version]

    def _opened(self, attributes: bytes) -> None:
        self._kinds = {int(self._core.version()): _kind_of(attributes, int(self._core.num_rows()))}

    def _request(self, ranges: Union[Work, Ranges], out: Any, reread: Any) -> tuple[list[tuple[int, int]], Any, Any, Callable[[], Any]]:
        """What the core loads, the memory and the source for it, and what gives the rows when it has come."""
        kind, wanted = self._kind(), [(int(first), int(last)) for first, last in ranges]
        for first, last in wanted:
            if not 0 <= first <= last <= kind.n:
                raise ValueError(f"ranges: expected rows within 0 .. {kind.n}, not {first} .. {last}")
        if isinstance(reread, str) and reread != "saved":
            raise ValueError(f'reread: expected a function, or "saved", not {reread!r}')
        source = True if reread == "saved" else functools.partial(_fill, kind, self._core, reread) if callable(reread) else None
        wanted = [pair for pair in wanted if pair[0] < pair[1]]
        if kind.dtype is None:
            memory, rows = self._memory_of_list(wanted, out)
            return wanted, memory, source, rows
        array = _place(kind, sum(last - first for first, last in wanted), out)
        return wanted, bytes_of(array), source, lambda: array

    def _memory_of_list(self, wanted: list[tuple[int, int]], out: Any) -> tuple[NDArray[np.uint8], Callable[[], list[memoryview]]]:
        if out is not None:
            raise ValueError("out: expected None, since the rows are bytes of different lengths")
        begins = [self._core.begins(first, last) for first, last in wanted]
        memory = np.empty(sum(each[-1] for each in begins), np.uint8)

        def rows() -> list[memoryview]:
            view, every, at = memory.data, [], 0
            for each in begins:
                every += [view[at + begin:at + end] for begin, end in _pairwise(each)]
                at += each[-1]
            return every
        return memory, rows


class Loading:
    """A load that is under way while the program computes; ``start_load`` of a store makes it. Its store may be closed meanwhile. A
    failure ends it. Nothing waits for one that was forgotten: ``python3 -X dev`` warns of it, its memory stays until the process ends, and
    its store takes no other rows."""

    def __init__(self, store: _Store, core: Any, result: Callable[[], Any]) -> None:
        """For stores."""
        self._store, self._core, self._result = store, core, result
        self._epoch = store._comm.epoch
        self._rows: Any = None
        store._loads.append(self._epoch)

    def wait(self) -> Any:
        """Ends the load as ``load`` would, and returns the rows: out, if it was given. Raises what ``load`` raises; after a failure and a
        shrink, ValueError. When it has returned, another call returns the same. All members wait for their loads in the same order.
        Collective."""
        if self._core is not None:
            try:
                self._core.wait()
            finally:
                self._end()
            self._core, self._rows = None, self._result()
        return self._rows

    def _end(self) -> None:
        if self._epoch in self._store._loads and self._core.is_over():
            self._store._loads.remove(self._epoch)

    def __del__(self) -> None:
        core = getattr(self, "_core", None)
        if core is None:
            return
        if not core.is_over() or MPI.Is_finalized():
            _mpi.leave_load(core)
        if not core.is_over():
            warnings.warn("a Loading was not waited for; its memory stays until the process ends", ResourceWarning, stacklevel=2)


def _pairwise(begins: list[int]) -> Iterable[tuple[int, int]]:
    return zip(begins, begins[1:])


def _place(kind: _Kind, count: int, out: Any) -> NDArray[Any]:
    """The array for so many rows: out, if it fits."""
    shape = (count, *kind.shape)
    array = np.empty(shape, kind.dtype) if out is None else plain(out, "out")
    if array.shape != shape or array.dtype != kind.dtype:
        raise ValueError(f"out: expected {kind.dtype}, shape {shape}, not {array.dtype}, shape {array.shape}")
    if not array.flags.writeable:
        raise ValueError("out: expected an array that can be written")
    return array


def _bytes_like(kind: _Kind, core: Any, ranges: list[tuple[int, int]], rows: Any, name: str) -> Any:
    """The bytes of rows, which are as those of these ranges are."""
    count = sum(last - first for first, last in ranges)
    if kind.dtype is None:
        joined, begins = _joined(rows, count, name)
        lengths = [end - begin for first, last in ranges for begin, end in _pairwise(core.begins(first, last))]
        if np.diff(begins).tolist() != lengths:
            raise ValueError(f"{name}: expected rows of the lengths that were submitted")
        return joined
    array = _array(rows, count, name)
    if array.dtype != kind.dtype or array.shape[1:] != kind.shape:
        raise ValueError(f"{name}: expected rows of {kind.dtype}, shape {kind.shape}, not {array.dtype}, shape {array.shape[1:]}")
    return bytes_of(array)


def _fill(kind: _Kind, core: Any, reread: Rows, first: int, last: int, memory: memoryview) -> None:
    np.frombuffer(memory, np.uint8)[:] = _bytes_like(kind, core, [(first, last)], reread(first, last), "reread")


class ReplicatedStore(_Store):
    """Keeps rows in the memory of the members, each on several of them. A row survives as long as one of its holders lives; repair makes
    new ones. All members make the stores and snapshots of a communicator in the same order."""

    def __init__(self, comm: Communicator, replicas: int = 2, *, placement: str = "mod_k", seed: int = 0,
                 node_of: Optional[Sequence[int]] = None, checked: bool = False, keep: Optional[Keep] = None) -> None:
        """replicas: of each row, at most as many as there are members. placement: "mod_k", or "permuted" by the seed, which spreads the
        rows of a dead member over many others. node_of: the node of each founder (``comm.node_ids()``), for copies on different nodes.
        checked: rows have checksums, and damaged copies are replaced. keep: rows are in files that outlive the job. All members pass the
        same, but for the folder of keep."""
        expect_positive(replicas, "replicas")
        if placement not in ("mod_k", "permuted"):
            raise ValueError(f'placement: expected "mod_k" or "permuted", not {placement!r}')
        nodes = expect_node_of(node_of, comm.num_founders)
        super().__init__(comm, _mpi.Copies(comm._core, replicas, placement == "permuted", seed, nodes, checked, kept(keep)), checked, keep)

    def update(self, ranges: Union[Work, Ranges], rows: Any) -> list[tuple[int, int]]:
        """Makes a new version in which the rows of these ranges are others. rows: these, one behind the other, of the type and shape or
        the lengths that they have. Every member gives rows of its own, perhaps none; ranges ascend, and no two members give the same row.
        Only these rows travel; the others are neither sent nor copied, except in files (Keep). Returns the rows that were lost and are
        there again, on the member that gave them; repair copies them. Raises TypeError or ValueError of rows that do not fit, on this
        member alone. Collective; on ProcessFailure the version before is still there."""
        self._expect_idle()
        kind, changed = self._kind(), self._ascending(ranges)
        memory = _bytes_like(kind, self._core, changed, rows, "rows")
        number = int(self._core.version()) + 1
        self._kinds[number] = kind
        regained = self._core.update(changed, memory)
        self._kinds = {number: kind}
        return list(regained)

    def _ascending(self, ranges: Union[Work, Ranges]) -> list[tuple[int, int]]:
        """The ranges without empty ones."""
        pairs, end = [(int(first), int(last)) for first, last in ranges], 0
        for first, last in pairs:
            if not end <= first <= last <= self._kind().n:
                raise ValueError(f"ranges: expected ascending rows within {end} .. {self._kind().n}, not {first} .. {last}")
            end = last
        return [pair for pair in pairs if pair[0] < pair[1]]


class ErasureStore(_Store):
    """Keeps rows in the memory of the members, with parities: to survive the death of ``parity`` members takes parity / data of the rows
    as memory beside the rows, where copies take ``parity`` times the rows. Rows of the dead are rebuilt when they are loaded."""

    def __init__(self, comm: Communicator, data: int = 4, parity: int = 2, *, node_of: Optional[Sequence[int]] = None,
                 checked: bool = False, keep: Optional[Keep] = None) -> None:
        """data, parity: pieces of each stripe, together at most 255. With fewer members than pieces a smaller code is used (``code``).
        node_of, checked, keep: as ReplicatedStore. All members pass the same, but for the folder of keep."""
        expect_positive(data, "data")
        if parity < 0 or data + parity > 255:
            raise ValueError(f"parity: expected a number from 0 to {255 - data}, not {parity}")
        nodes = expect_node_of(node_of, comm.num_founders)
        super().__init__(comm, _mpi.Coded(comm._core, data, parity, checked, nodes, kept(keep)), checked, keep)

    @property
    def code(self) -> tuple[int, int]:
        """The pieces of data and the parities of this version."""
        data, parity = self._core.code()
        return data, parity
