"""Multiple sequence alignments: read, compressed along a parsimony tree, and read again by site.

>>> alignment = parse(">a\\nACGT\\n>b\\nACGA\\n>c\\nAC-A\\n")
>>> alignment.names
['a', 'b', 'c']
>>> alignment.cells[2].tobytes()
b'AC-A'
>>> file = RgmFile.from_bytes(compress_text(">a\\nACGT\\n>b\\nACGA\\n>c\\nAC-A\\n"))
>>> file.columns(2, 4)
array([[b'G', b'G', b'-'],
       [b'T', b'A', b'A']], dtype='|S1')
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import pathlib
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Callable, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._core import InputError

__all__ = ["Alignment", "Differences", "InputError", "RgmFile", "compress", "compress_text", "open", "parse", "read", "write"]

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Alignment:
    """A matrix of characters, one row per taxon."""

    #: Per taxon, all different.
    names: list[str]
    #: Shape (taxa, sites), dtype S1; ``cells.view(np.uint8)`` are the codes of the characters.
    cells: NDArray[np.bytes_]

    @property
    def num_taxa(self) -> int:
        """The number of rows."""
        return self.cells.shape[0]

    @property
    def num_sites(self) -> int:
        """The number of columns."""
        return self.cells.shape[1]


@dataclass(frozen=True)
class Differences:
    """Nearly equal rows as what differs from a reference.

    The differences of row i are those from offsets[i] to offsets[i + 1], its runs those from run_offsets[i] to run_offsets[i + 1].
    """

    #: Per row.
    names: list[str]
    #: Per site, dtype S1.
    reference: NDArray[np.bytes_]
    #: Per row, and one more: where its differences begin.
    offsets: NDArray[np.uint64]
    #: Per difference: the site, counted from 0.
    sites: NDArray[np.uint32]
    #: Per difference: the letter at the site, dtype S1.
    letters: NDArray[np.bytes_]
    #: Per row, and one more: where its runs begin.
    run_offsets: NDArray[np.uint64]
    #: Per run of cells that are no letter and alike: the first site.
    run_first: NDArray[np.uint32]
    #: Per run: the number of sites.
    run_size: NDArray[np.uint32]
    #: Per run: the character of its cells, dtype S1.
    run_characters: NDArray[np.bytes_]

    def row(self, i: int) -> NDArray[np.bytes_]:
        """The cells of row i, dtype S1."""
        cells = self.reference.copy()
        own = slice(int(self.offsets[i]), int(self.offsets[i + 1]))
        cells[self.sites[own]] = self.letters[own]
        for k in range(int(self.run_offsets[i]), int(self.run_offsets[i + 1])):
            first = int(self.run_first[k])
            cells[first : first + int(self.run_size[k])] = self.run_characters[k]
        return cells


class RgmFile:
    """An alignment in the format .rgm. Its header and index are read at once, and blocks of sites when they are asked for.

    All raise InputError, a ValueError, with the name of the file if what they read is damaged. Any thread may ask.
    """

    def __init__(self, path: Path) -> None:
        self._core = _core.RgmFile(os.fsencode(path))

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "<bytes>") -> RgmFile:
        """A file that is in memory; name: for messages."""
        file = cls.__new__(cls)
        file._core = _core.RgmFile.from_bytes(data, name)
        return file

    @property
    def names(self) -> list[str]:
        """The names of the rows."""
        return self._core.names

    @property
    def num_taxa(self) -> int:
        """The number of rows."""
        return self._core.num_taxa

    @property
    def num_sites(self) -> int:
        """The number of columns."""
        return self._core.num_sites

    @property
    def kind(self) -> str:
        """How it is compressed: native, sparse (many nearly equal rows), thesis or plain."""
        return self._core.kind

    @property
    def bytes_read(self) -> int:
        """The number of bytes that were read from the file so far."""
        return self._core.bytes_read

    @property
    def newick(self) -> str:
        """The tree along which the alignment is compressed: a topology without lengths."""
        return self._core.newick()

    def columns(self, first: int = 0, last: Optional[int] = None) -> NDArray[np.bytes_]:
        """Sites first .. last - 1 (None: up to the end), shape (sites, taxa), dtype S1. Reads and decodes no other blocks."""
        return self._core.columns(first, self.num_sites if last is None else last)

    def rows(self, first: int = 0, last: Optional[int] = None) -> NDArray[np.bytes_]:
        """The same, shape (taxa, sites)."""
        return self._core.rows(first, self.num_sites if last is None else last)

    def differences(self, taxa: Optional[Iterable[str]] = None) -> Differences:
        """These taxa (None: all) as what differs from the reference, without unpacking rows.

        Raises ValueError if the kind is not sparse, and KeyError for a taxon that is not there.
        """
        return Differences(*self._core.differences(None if taxa is None else self._rows_of(taxa)))

    def taxa(self, names: Iterable[str]) -> Alignment:
        """Some taxa, in this order. Of a sparse file no other rows are made. Raises KeyError for one that is not there."""
        wanted = list(names)
        rows = self._rows_of(wanted)
        if self.kind != "sparse":
            return Alignment(wanted, self.rows()[rows])
        few = Differences(*self._core.differences(rows))
        cells = np.stack([few.row(i) for i in range(len(rows))]) if rows else np.empty((0, self.num_sites), "S1")
        return Alignment(wanted, cells)

    def _rows_of(self, taxa: Iterable[str]) -> list[int]:
        wanted = list(taxa)
        if len(set(wanted)) != len(wanted):
            raise ValueError("expected every taxon once")
        places = dict.fromkeys(wanted, -1)
        for row, name in enumerate(self.names):
            if name in places:
                places[name] = row
        for name, row in places.items():
            if row < 0:
                raise KeyError(name)
        return list(places.values())

    def text(self) -> bytes:
        """The text that was compressed, byte by byte."""
        return self._core.text()

    def verify(self) -> None:
        """Decodes everything and compares it with the hash in the file."""
        self._core.verify()

    def __repr__(self) -> str:
        return f"RgmFile({self.num_taxa} taxa, {self.num_sites} sites)"


def open(path: Path) -> RgmFile:
    """The same as RgmFile(path)."""
    return RgmFile(path)


_UNPACK: dict[bytes, Callable[[bytes], bytes]] = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ\0": lzma.decompress}


def _bytes_of(path: Path) -> bytes:
    with pathlib.Path(path).open("rb") as file:
        data = file.read()
    for magic, unpack in _UNPACK.items():
        if data.startswith(magic):
            return unpack(data)
    return data


def parse(text: Union[str, bytes], name: str = "<text>") -> Alignment:
    """A text in FASTA, A3M, PHYLIP, NEXUS, Stockholm or Clustal format, or SNPs in VCF.

    Raises InputError "name:line:column: what is wrong, and what was expected".
    """
    return Alignment(*_core.parse(text.encode() if isinstance(text, str) else text, name))


def read(path: Path) -> Alignment:
    """The same from a file, also packed by gzip, bzip2 or xz, or .rgm."""
    data = _bytes_of(path)
    if data[:4] == b"\x89RGM":
        file = RgmFile.from_bytes(data, os.fspath(path))
        return Alignment(file.names, file.rows())
    return parse(data, os.fspath(path))


def compress_text(text: Union[str, bytes], name: str = "<text>", *, level: int = 6, tree: Optional[str] = None) -> bytes:
    """The bytes of an .rgm file, which have been unpacked and compared with the text.

    level: 1 takes the least time, 9 makes the smallest files. tree: in Newick format, with the taxa of the text; None: one is looked for.
    """
    return _core.compress(text.encode() if isinstance(text, str) else text, name, level, tree)


def compress(source: Path, target: Optional[Path] = None, *, level: int = 6, tree: Optional[str] = None) -> pathlib.Path:
    """Compresses a file in any of the formats of parse, also packed by gzip, bzip2 or xz, and returns the path of the result.

    target: None: source with .rgm behind it (in place of .gz, .bz2 or .xz). It appears whole or not at all, and replaces what was there.
    """
    name = pathlib.Path(source)
    stem = name.stem if name.suffix in (".gz", ".bz2", ".xz") else name.name
    goal = pathlib.Path(target) if target is not None else name.with_name(stem + ".rgm")
    _replace(goal, compress_text(_bytes_of(name), os.fspath(name), level=level, tree=tree))
    return goal


def write(path: Path, alignment: Alignment, *, level: int = 6, tree: Optional[str] = None) -> None:
    """Writes an alignment that is in memory as an .rgm file, as compress does. Its text() is FASTA.

    >>> import tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.rgm"
    >>> write(path, Alignment(["a", "b"], np.array([[b"A", b"C"], [b"A", b"G"]])))
    >>> open(path).text()
    b'>a\\nAC\\n>b\\nAG\\n'
    """
    cells = alignment.cells
    if cells.ndim != 2 or cells.dtype.itemsize != 1 or len(alignment.names) != cells.shape[0]:
        raise ValueError("expected cells of one byte, a row for each name")
    text = b"".join(b">%s\n%s\n" % (name.encode(), row.tobytes()) for name, row in zip(alignment.names, cells))
    same = parse(text, os.fspath(path))
    if same.names != alignment.names or same.cells.shape != cells.shape:
        raise ValueError("expected names and cells without blanks and line ends")
    _replace(pathlib.Path(path), compress_text(text, os.fspath(path), level=level, tree=tree))


def _replace(goal: pathlib.Path, data: bytes) -> None:
    """Writes a file that appears whole or not at all."""
    descriptor, temporary = tempfile.mkstemp(dir=goal.parent, prefix=goal.name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)  # as any new file, not as a temporary one
        os.replace(temporary, goal)
    except BaseException:
        os.unlink(temporary)
        raise
