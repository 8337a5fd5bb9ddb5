"""Snapshots: changing state in the memory of the members, replaced on all of them or on none."""

from __future__ import annotations

import functools
import json
import os
import weakref
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import numpy as np
from numpy.typing import NDArray

from .._arrays import type_of
from ._base import Closed, Keep, _mpi, bytes_of, description, expect_node_of, expect_positive, kept, plain, size_of
from ._communicator import Communicator

#: Decides who takes over arrays of the dead: "holders", who have a copy; "balanced", by bytes; or a function of orphans (name, bytes, home,
#: holders) and survivors (member, bytes) that returns the new home of each orphan, the same on all members.
Deal = Union[str, Callable[[list[tuple[str, int, int, list[int]]], list[tuple[int, int]]], Sequence[int]]]

#: The kind of a value that is stored as JSON.
JSON = "json"


@dataclass(frozen=True)
class Adoption:
    """An array that has a new home."""

    #: Its name.
    name: str
    #: Its home at the commit.
    before: int
    #: Its home now.
    after: int
    #: Its length, as it is stored.
    bytes: int


@dataclass(frozen=True)
class Restored:
    """What a restore or an open did. All but removed is the same on all members."""

    #: The number of the commit.
    generation: int
    #: Arrays with new homes.
    adopted: list[Adoption]
    #: Names of arrays that nobody could give back.
    lost: list[str]
    #: Names of arrays that are no longer here: they were added after the commit, or belong to another member.
    removed: list[str]


class State:
    """Values that are the same on all members, as attributes: arrays, or what JSON holds, such as numbers and texts. ``Snapshot.common``
    makes it."""

    _values: dict[str, Any]

    def __init__(self, values: dict[str, Any]) -> None:
        """For ``Snapshot.common``."""
        object.__setattr__(self, "_values", values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"no common state is called {name!r}; there are {', '.join(self._values)}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._values:
            raise AttributeError(f"no common state is called {name!r}; Snapshot.common makes some")
        self._values[name] = _checked(value, name)

    def __repr__(self) -> str:
        return f"State({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"


def _checked(value: Any, name: str) -> Any:
    """An array that can be restored in place, or what JSON holds."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        return _array(value, name)
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected an array, or what JSON holds, such as numbers, texts and lists of them, not "
                        f"{type(value).__name__}") from None
    return value


def _array(value: Any, name: str) -> NDArray[Any]:
    array = plain(value, name)
    if not array.flags.writeable:
        raise ValueError(f"{name}: expected an array that can be written, so that it can be restored")
    return array


class Saving:
    """A save that is under way while the program goes on; ``Snapshot.start_save`` makes it. Its snapshot may be closed meanwhile. If it is
    forgotten, its memory is freed when this member has written, and the next save removes the files."""

    def __init__(self, core: Any) -> None:
        """For ``Snapshot.start_save``."""
        self._core = core

    @property
    def is_written(self) -> bool:
        """Whether this member has written everything. No communication."""
        return bool(self._core.is_written())

    def wait(self) -> int:
        """Ends the save as ``save`` would, and returns the number of the generation, which is not complete before. Raises what ``save``
        raises; after a failure and a shrink, ValueError. When it has returned, another call returns the same. All members wait for their
        saves in the same order. Collective."""
        return int(self._core.wait())


@functools.lru_cache(maxsize=4096)  # a commit asks for the kinds of all arrays
def _kind_of(dtype: np.dtype[Any], shape: tuple[int, ...]) -> str:
    return json.dumps([description(dtype), shape])


def _kind(array: NDArray[Any]) -> str:
    return _kind_of(array.dtype, array.shape)


def _make(owner: weakref.ref[Snapshot], name: str, kind: str, size: int) -> Any:
    """Memory for a state that arrives."""
    memory: Any = bytearray(size)
    if kind != JSON:
        described, shape = json.loads(kind)
        dtype = type_of(described)
        if size_of(dtype, tuple(shape)) != size:
            raise ValueError(f"{name} has {size} bytes, which do not fit {dtype}, shape {shape}")
        memory = np.empty(shape, dtype)
    snapshot = owner()
    assert snapshot is not None
    snapshot._arrived[name] = memory
    return memory if kind == JSON else bytes_of(memory)


class Snapshot(MutableMapping[str, NDArray[Any]]):
    """Named arrays of this member, as a mapping, and state that is the same on all members (``common``). A commit makes the present state
    the one to which a restore goes back; a death at any moment leaves the commit before. Arrays of the dead go to others. No two members
    use one name. Memory beside the state: twice the copies of others. Needs to live through recoveries: made outside of the body of
    ``resilient``, which restores it."""

    def __init__(self, comm: Communicator, *, copies: int = 2, code: Optional[tuple[int, int]] = None,
                 node_of: Optional[Sequence[int]] = None, compressed: bool = False, checked: bool = False, every: int = 0,
                 mtbf_hours: float = 24.0, deal: Deal = "holders", keep: Optional[Keep] = None, differential: str = "never",
                 trusted: bool = False, generations: int = 1) -> None:
        """copies: of each member's state, its own included. code: pieces of data and parities of an erasure code in place of copies.
        node_of: the node of each founder (``comm.node_ids()``), for copies on different nodes. compressed: by zstd. checked: with
        checksums. every: steps between two commits (``due``); 0: as many as lose least time if the job fails every mtbf_hours. deal: who
        takes over arrays of the dead. keep: commits are in files that outlive the job. differential: whether a commit sends only what has
        changed: "never", "automatic" (as long as at most half has) or "always"; compressed state and codes are sent whole. trusted: what
        ``changed`` tells is not verified. generations: commits to which ``restore`` can go back, the last one included; each takes the
        memory of a snapshot with one, and several are not for keep. All members pass the same, but for the folder of keep."""
        expect_positive(copies, "copies")
        if code is not None and (code[0] < 1 or code[1] < 0 or sum(code) > 255):
            raise ValueError(f"code: expected at least one piece of data and at most 255 pieces, not {code}")
        if every < 0 or not mtbf_hours > 0:
            raise ValueError(f"expected every from 0 on and mtbf_hours above 0, not {every} and {mtbf_hours}")
        if not callable(deal) and deal not in ("holders", "balanced"):
            raise ValueError(f'deal: expected "holders", "balanced" or a function, not {deal!r}')
        if differential not in ("never", "automatic", "always"):
            raise ValueError(f'differential: expected "never", "automatic" or "always", not {differential!r}')
        expect_positive(generations, "generations")
        if generations > 1 and keep is not None:
            raise ValueError("generations: expected 1, since files are kept of the last commit alone")
        nodes = expect_node_of(node_of, comm.num_founders)
        make = weakref.ref(self)
        self._core: Any = _mpi.Arrays(comm._core, lambda name, kind, size: _make(make, name, kind, size), copies, code, nodes, compressed,
                                      checked, every, mtbf_hours, kept(keep), differential, trusted, generations)
        self._deal, self._keeps = deal, keep is not None
        self._own: dict[str, NDArray[Any]] = {}
        self._common: dict[str, Any] = {}
        self._texts: dict[str, bytearray] = {}  # of the common values that are no arrays, as the core sees them
        self._arrived: dict[str, Any] = {}  # memory of what a restore has brought in a new place

    def common(self, **values: Any) -> State:
        """Registers state that is the same on all members, and returns it as attributes of one object. Every member keeps its own, so it
        is not sent. A commit compares it: if it differs, all members raise Divergence. Not collective, but all members call it alike."""
        for name, value in values.items():
            if name in self._common or name in self._own:
                raise ValueError(f"{name}: expected a new name")
            self._common[name] = _checked(value, name)
        return State(self._common)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """An array of this member, as it is now."""
        return self._own[name]

    def __setitem__(self, name: str, array: NDArray[Any]) -> None:
        """Registers an array of this member, or replaces one. It stays in its place and may be of another shape at each commit."""
        if name in self._common:
            raise ValueError(f"{name}: expected a new name")
        self._own[name] = _array(array, name)
        self._core.place(name, bytes_of(self._own[name]), _kind(self._own[name]), False)

    def __delitem__(self, name: str) -> None:
        """Unregisters an array of this member. What was committed of it stays until the next commit."""
        del self._own[name]
        self._core.remove(name)

    def __iter__(self) -> Iterator[str]:
        """The names of this member's arrays."""
        return iter(self._own)

    def __len__(self) -> int:
        """The number of this member's arrays."""
        return len(self._own)

    @property
    def generation(self) -> int:
        """The number of commits that have succeeded, those of a job that was reopened included; the same on all members."""
        return int(self._core.generation())

    @property
    def generations(self) -> list[int]:
        """The numbers of the commits to which ``restore`` can go back, ascending; the same on all members."""
        return [int(number) for number in self._core.generations()]

    @property
    def homes(self) -> dict[str, int]:
        """The home of each committed array. The same on all members."""
        return {name: home for name, home, _ in self._core.committed()}

    @property
    def bytes_held(self) -> int:
        """Bytes of memory beside the state."""
        return int(self._core.bytes_held())

    def due(self) -> bool:
        """Counts a step of the program, which all members count alike, and returns whether a commit is due. Not collective."""
        return bool(self._core.due())

    def changed(self, name: str, first: int = 0, last: int = 0) -> None:
        """Tells that rows first to before last of an array may have changed since the last commit, and others only where another call tells
        so; without rows, that none has. If nothing is told of an array, all of it may have changed. A restore forgets it. Only for
        ``differential``. Not collective."""
        array = self._own[name]
        rows = array.shape[0] if array.ndim else 1
        if not 0 <= first <= last <= rows:
            raise ValueError(f"expected rows within 0 to {rows}, not {first} to {last}")
        row_bytes = array.nbytes // max(rows, 1)
        self._core.changed(name, first * row_bytes, (last - first) * row_bytes)

    def commit(self) -> Optional[int]:
        """Makes the present state the one to which a restore goes back. Returns how many bytes of all members were sent because they had
        changed, or None if all were sent (``differential``). On ProcessFailure, DuplicateEntity and Divergence the commit before stays.
        Collective."""
        self._place()
        changed = self._core.commit()[4]
        return None if changed is None else int(changed)

    def restore(self, *, deal: Optional[Deal] = None, redundancy: str = "repaired", lost: str = "raised",
                reread: bool = False, generation: int = 0) -> Restored:
        """Goes back to the last commit, or to that with the number generation, after a shrink or by choice. Arrays are restored in their
        places if type and shape are what they were, and replaced otherwise. redundancy: what is done about lost copies: "repaired",
        "committed" (anew) or "left". lost: "raised": all members raise EntitiesLost if nobody has some; "left": the result names them.
        reread: from where the commit was saved or opened. Collective; after ProcessFailure call it again."""
        if self.generation == 0:
            raise ValueError("expected that something was committed before")
        if redundancy not in ("repaired", "committed", "left") or lost not in ("raised", "left"):
            raise ValueError('expected redundancy "repaired", "committed" or "left", and lost "raised" or "left", not '
                             f"{redundancy!r}, {lost!r}")
        if generation != 0 and generation not in self.generations:
            raise ValueError(f"generation: expected one of {self.generations}, not {generation}")
        restored = self._restored(lambda: self._core.restore(deal or self._deal, redundancy, lost == "left", True if reread else None,
                                                             generation))
        assert restored is not None
        return restored

    def save(self, archive: Union[str, os.PathLike[str]], *, kept: int = 2) -> int:
        """Writes the last commit into the folder archive, which all members see, as a new generation, and returns its number. kept: how
        many stay. ``regraft.archive`` reads it without MPI. Collective."""
        return int(self._core.save(self._archive(archive, kept), kept))

    def start_save(self, archive: Union[str, os.PathLike[str]], *, kept: int = 2) -> Saving:
        """Begins ``save`` of the last commit, and writes it in a thread while the program goes on and commits; ``Saving.wait`` ends it. A
        commit waits for saves of the commit before the last, other collectives for all. A failure ends a save. Collective."""
        return Saving(self._core.start_save(self._archive(archive, kept), kept))

    def open(self, archive: Union[str, os.PathLike[str]], *, deal: Optional[Deal] = None) -> Restored:
        """Reads the newest generation without damage, makes it the state, and commits it. Any number of members may have saved it. All
        raise DiskError if there is none. Collective; after ProcessFailure call it again."""
        self._place()
        opened = self._restored(lambda: self._core.open(os.fspath(archive), deal))
        assert opened is not None
        return opened

    def reopen(self, *, deal: Optional[Deal] = None) -> Optional[Restored]:
        """Takes over the newest whole commit that the job before has kept (Keep), and returns None if there is none. Nothing was committed
        before. Collective; after ProcessFailure call it again."""
        self._expect_keep()
        self._place()
        return self._restored(lambda: self._core.reopen(deal))

    def discard(self) -> None:
        """Removes the commit and its files, when the program has ended well. Collective; after ProcessFailure call it again."""
        self._expect_keep()
        self._core.discard()

    def close(self) -> None:
        """Frees the memory. Files stay (Keep). Not collective."""
        self._core = Closed()

    def __enter__(self) -> Snapshot:
        """Itself; the end of the block closes it."""
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close()

    def _begin(self) -> None:
        """What ``resilient`` does before it calls the body for the first time: there must be a state to go back to. Collective."""
        if self.generation == 0 and self._keeps:
            self.reopen()
        if self.generation == 0:
            self.commit()

    def _archive(self, archive: Union[str, os.PathLike[str]], kept: int) -> str:
        expect_positive(kept, "kept")
        if self.generation == 0:
            raise ValueError("expected that something was committed before")
        return os.fspath(archive)

    def _expect_keep(self) -> None:
        if not self._keeps:
            raise ValueError("expected a snapshot that was made with keep=Keep(...)")

    def _place(self) -> None:
        """Tells the core where everything is now."""
        for name, array in self._own.items():
            self._core.place(name, bytes_of(array), _kind(array), False)
        self._texts.clear()
        for name, value in self._common.items():
            if isinstance(value, np.ndarray):
                self._core.place(name, bytes_of(value), _kind(value), True)
            else:
                self._texts[name] = bytearray(json.dumps(value).encode())
                self._core.place(name, self._texts[name], JSON, True)

    def _restored(self, work: Callable[[], Any]) -> Optional[Restored]:
        """Does the work, and takes over what has arrived, also if the work was interrupted."""
        self._place()
        report = None
        try:
            report = work()
        finally:
            for name, memory in self._arrived.items():
                if isinstance(memory, bytearray):
                    self._texts[name] = memory
                else:
                    self._texts.pop(name, None)
                    (self._common if name in self._common else self._own)[name] = memory
            self._arrived.clear()
            for name, text in self._texts.items():
                self._common[name] = json.loads(text.decode())
        if report is None:
            return None
        generation, adopted, lost, removed = report
        for name in removed:
            self._own.pop(name, None)
        return Restored(generation, [Adoption(*each) for each in adopted], list(lost), list(removed))
