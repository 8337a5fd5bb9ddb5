#!/usr/bin/env python3
"""The archives in data/golden/disk as docs/mpi/disk.md describes them, read without regraft: no checksum is wrong, no byte is left over, and the
blocks are those of contents.json. golden_archives_test.py --write writes that list anew."""
import hashlib
import json
import pathlib
import sys
from collections.abc import Callable
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "data/golden/disk"
LIST = FOLDER / "contents.json"
sys.path.insert(0, str(ROOT / "docs/reader"))
from xxh3 import xxh3  # noqa: E402

PART = 65536


class Bad(Exception):
    """Says what is wrong with a file."""


def require(condition: bool, what: str) -> None:
    if not condition:
        raise Bad(what)


class Fields:
    """The fields of a file, one behind the other."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        require(self.at + size <= len(self.data), "it is cut")
        self.at += size
        return self.data[self.at - size:self.at]

    def fixed(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def number(self) -> int:
        result, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    def section(self) -> bytes:
        return self.take(self.number())

    def end(self) -> None:
        require(self.at == len(self.data), "it has bytes behind its end")


class Piece(NamedTuple):
    first: int
    last: int
    parts: int
    seal: int  # the hash of the checksums of its parts


class Index(NamedTuple):
    sizes: list[int]
    attributes: bytes
    files: list[list[Piece]]


def read_index(data: bytes, generation: int) -> Index:
    require(xxh3(data[:-8]) == int.from_bytes(data[-8:], "little"), "its checksum is wrong")
    fields = Fields(data[:-8])
    require(fields.take(4) == b"\x89RGI" and fields.fixed(1) == 1 and fields.number() == generation, "it has another head")
    count, size = fields.number(), fields.number()
    sizes = [size - 1] * count if size else [fields.number() for _ in range(count)]
    attributes = fields.section()
    files = []
    for _ in range(fields.number()):
        pieces = []
        for _ in range(fields.number()):
            first, blocks, parts = (fields.number() for _ in range(3))
            pieces.append(Piece(first, first + blocks, parts, fields.fixed(8)))
        files.append(pieces)
    fields.end()
    return Index(sizes, attributes, files)


def parts_of(piece: Piece, begins: list[int]) -> list[int]:
    """The bytes of each part. One ends before each block that is the first to begin at or behind a multiple of 64 KiB, and at the end."""
    ends = [begins[block] for block in range(piece.first + 1, piece.last) if begins[block] // PART != begins[block - 1] // PART]
    bounds = [begins[piece.first], *ends, begins[piece.last]]
    return [last - first for first, last in zip(bounds, bounds[1:])]


def read_blocks(folder: pathlib.Path, generation: int, index: Index) -> list[bytes]:
    begins = [0]
    for size in index.sizes:
        begins.append(begins[-1] + size)
    blocks: dict[int, bytes] = {}
    for number, pieces in enumerate(index.files):
        fields = Fields((folder / f"{number}.data").read_bytes())
        require(fields.take(4) == b"\x89RGD" and (fields.fixed(4), fields.fixed(8), fields.fixed(8)) == (1, generation, number), "it has another head")
        for piece in pieces:
            data = fields.take(begins[piece.last] - begins[piece.first])
            sizes = parts_of(piece, begins)
            require(len(sizes) == piece.parts, f"{piece} has {len(sizes)} parts")
            sums = fields.take(8 * piece.parts)
            require(xxh3(sums) == piece.seal, f"{piece} has another hash")
            at = 0
            for part, size in enumerate(sizes):
                require(xxh3(data[at:at + size]) == int.from_bytes(sums[8 * part:8 * part + 8], "little"), f"part {part} of {piece} has another hash")
                at += size
            for block in range(piece.first, piece.last):
                require(block not in blocks, f"block {block} is there twice")
                blocks[block] = data[begins[block] - begins[piece.first]:begins[block + 1] - begins[piece.first]]
        fields.end()
    require(sorted(blocks) == list(range(len(index.sizes))), "a block is missing")
    require(len(list(folder.iterdir())) == 1 + len(index.files), "there are other files")
    return [blocks[block] for block in range(len(blocks))]


def content(name: str) -> dict:
    folder = FOLDER / name / "1"
    index = read_index((folder / "index").read_bytes(), 1)
    joined = b"".join(read_blocks(folder, 1, index))
    return {"sizes": index.sizes, "attributes": index.attributes.hex(), "files": len(index.files), "blocks": hashlib.sha256(joined).hexdigest()}


def refused(read: Callable[[bytes], object], data: bytes, name: str) -> int:
    """Requires that a reader notices every byte that is changed, and returns how many that were."""
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        try:
            read(bytes(changed))
        except Bad:
            continue
        raise AssertionError(f"{name}: byte {at} was changed, and nothing is noticed")
    return len(data)


def main() -> int:
    names = sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())
    found = {name: content(name) for name in names}
    if "--write" in sys.argv:
        rows = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in found.items()]
        LIST.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    listed = json.loads(LIST.read_text(encoding="utf-8"))
    assert set(listed) == set(found), f"contents.json has {sorted(listed)}, the folder {names}"
    for name in names:
        assert found[name] == listed[name], f"{name}: {found[name]}, expected {listed[name]}"
    noticed = sum(refused(lambda data: read_index(data, 1), (FOLDER / name / "1/index").read_bytes(), name) for name in names)
    print(f"{len(names)} archives are as listed; {noticed} changed bytes of their indexes were noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
