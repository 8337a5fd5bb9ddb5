"""Archives: blocks on disk, as programs on MPI save them and read them again. Here one process does both, without MPI.

>>> import tempfile
>>> folder = tempfile.mkdtemp()
>>> save(folder, [b"first", b"second block", b""], attributes=b"step 7")
1
>>> archive = open(folder)
>>> archive
Archive(generation 1, 3 blocks, 17 bytes)
>>> archive.read(0, 2).tobytes(), archive.attributes
(b'firstsecond block', b'step 7')
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import type_of

__all__ = ["Archive", "Snapshot", "open", "save"]

Path = Union[str, "os.PathLike[str]"]


class Archive:
    """A complete generation of an archive. Every byte that is read was compared with its checksum."""

    #: The number of each block's bytes.
    sizes: NDArray[np.uint64]

    def __init__(self, core: _core.Archive) -> None:
        self._core = core
        self.sizes = core.sizes

    @property
    def generation(self) -> int:
        """Its number in the archive."""
        return self._core.generation

    @property
    def attributes(self) -> bytes:
        """The bytes that the saving program has put beside the blocks; of a snapshot, what is known of its entities."""
        return self._core.attributes

    @property
    def refused(self) -> list[str]:
        """What is wrong with newer generations."""
        return self._core.refused

    def __len__(self) -> int:
        return len(self.sizes)

    def read(self, first: int, last: int) -> NDArray[np.uint8]:
        """The bytes of the blocks first, ..., last - 1, one behind the other."""
        return self._core.read(first, last)

    def snapshot(self) -> Snapshot:
        """The state that a checkpoint::Snapshot has saved here. InputError if a store has saved it."""
        return Snapshot(self)

    def __repr__(self) -> str:
        return f"Archive(generation {self.generation}, {len(self)} blocks, {int(self.sizes.sum())} bytes)"


def open(folder: Path, generation: Optional[int] = None) -> Archive:
    """The newest generation of which everything is right, which is read for that; or the one of a number, of which only the index is."""
    path = os.fspath(folder)
    return Archive(_core.Archive.newest(path) if generation is None else _core.Archive(path, generation))


def save(folder: Path, blocks: Iterable[bytes], *, attributes: bytes = b"", kept: int = 2) -> int:
    """Writes a new generation, complete or not there, and returns its number. kept: how many complete ones stay, this one included.
    Stores of any number of ranks open it."""
    if kept < 1:
        raise ValueError("kept: expected at least 1")
    parts = [np.frombuffer(block, np.uint8) for block in blocks]
    sizes = np.array([len(part) for part in parts], np.uint64)
    return _core.save_archive(os.fspath(folder), np.concatenate(parts) if parts else np.empty(0, np.uint8), sizes, attributes, kept)


@dataclass(frozen=True)
class Entity:
    """A piece of the state of a rank, its home."""

    #: Unique in the snapshot.
    name: str
    #: The number of the rank at the start of its job.
    home: int
    #: The length of the state in memory; on disk it may be compressed.
    bytes: int
    #: The number of the archive's block that has the state.
    block: int


class Snapshot:
    """The entities of a snapshot on disk, by name, and the state that was the same on all ranks."""

    #: The generation of the snapshot when it was saved.
    commit: int
    #: The ranks that saved it, by their numbers at the start of the job.
    members: list[int]
    #: The states that were the same on all ranks, by name.
    common: dict[str, bytes]
    #: The entities by name, in the order of their blocks.
    entities: dict[str, Entity]
    #: What the program saved beside its state.
    attributes: bytes

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        fields = _Fields(archive.attributes)
        self.commit = fields.number()
        self.members = [fields.number() for _ in range(fields.number())]
        self.common = {fields.text(): fields.section() for _ in range(fields.number())}
        entities = [Entity(fields.text(), fields.number(), fields.number(), block) for block in range(fields.number())]
        self.entities = {entity.name: entity for entity in entities}
        self.attributes = fields.section()

    def read(self, name: str) -> bytes:
        """The state of an entity as the rank had it in memory."""
        entity = self.entities[name]
        stored = self._archive.read(entity.block, entity.block + 1).tobytes()
        return stored if len(stored) == entity.bytes else _core.unpack(stored, entity.bytes)


    def array(self, name: str) -> NDArray[Any]:
        """An array that a Python program has saved under this name (``regraft.mpi.Snapshot``), its own or common to all."""
        kind, state = self._parts(name)
        described, shape = (kind if isinstance(kind, list) else [None, None])
        if described is None:
            raise _core.InputError(f"'{name}' is no array")
        return np.frombuffer(state, type_of(described)).reshape(shape)

    def value(self, name: str) -> Any:
        """A common value of a Python program, such as a number or a text."""
        kind, state = self._parts(name)
        if kind is not None:
            raise _core.InputError(f"'{name}' is an array")
        return json.loads(state)

    def _parts(self, name: str) -> tuple[Any, bytes]:
        """What kind of state it is, None for values, and the state."""
        stored = self.common[name] if name in self.common else self.read(name)
        size = int.from_bytes(stored[:8], "little")
        try:
            text = stored[8:8 + size].decode()
            return None if text == "json" else json.loads(text), stored[8 + size:]
        except ValueError:
            raise _core.InputError(f"'{name}' was not saved by a Python program") from None


class _Fields:
    """Reads the layout that docs/mpi/disk.md lists."""

    MAGIC = b"\x89RGS"

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, len(self.MAGIC)
        if not data.startswith(self.MAGIC):
            raise _core.InputError("the archive has blocks that no snapshot has saved")
        if (version := self.number()) != 1:
            raise _core.InputError(f"the snapshot has version {version} of the format, expected version 1")

    def number(self) -> int:
        result, shift = 0, 0
        while True:
            if self._at == len(self._data):
                raise _core.InputError("the snapshot is cut")
            byte = self._data[self._at]
            self._at += 1
            result |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return result

    def section(self) -> bytes:
        size = self.number()
        if size > len(self._data) - self._at:
            raise _core.InputError("the snapshot is cut")
        self._at += size
        return self._data[self._at - size:self._at]

    def text(self) -> str:
        return self.section().decode(errors="surrogateescape")
