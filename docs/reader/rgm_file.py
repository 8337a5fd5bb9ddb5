"""An .rgm file: its prefix, header, body, index and footer, and what is in them. docs/alignments/file-format.md, The file,
Header and Index.

RgmFile(bytes) opens a file, which decodes all but the blocks; rows() decodes the blocks, and text() writes the text.
"""
import struct

from bits import FormatError, Input, require
from layout import Layout
from lines import is_printable, read_lines
from modelled import modelled
from native import native
from native_model import NativeModel
from partitions import read_partitions
from simple import characters, no_model, plain, thesis
from sparse import SparseModel, sparse_rows
from trees import Tree
from xxh3 import xxh3
from zstd import unpacked

VERSION = 1
HAS_TEXT = 1  # the only feature: the body is a text
PREFIX, FOOTER = 6, 16
PLAIN, NATIVE, THESIS, SPARSE = range(4)
KINDS = ["plain", "native", "thesis", "sparse"]
MODELS = {PLAIN: no_model, NATIVE: NativeModel, THESIS: characters}  # from tree and section to a model
CODINGS = {PLAIN: plain, NATIVE: native, THESIS: thesis}  # from tree and model to a function that decodes blocks


class RgmFile:
    """What opening decodes: for blocks kind, num_sites, per_block, sections, names, partitions, layout,
    model, blocks, and the tree but for sparse files."""

    def __init__(self, file):
        whole = Input(file)
        self.prefix = whole.take(PREFIX)
        require(self.prefix.take(4).data == b"\x89RGM", "the first four bytes")
        self.version, self.features = self.prefix.bits(8), self.prefix.bits(8)
        if self.version != VERSION or self.features > HAS_TEXT:
            raise FormatError(
                f"version {self.version} with features {self.features}; this reader knows version {VERSION}, features 0 and 1")
        require(len(file) >= PREFIX + FOOTER, "too short")
        header_size, index_size, self.checksum = struct.unpack("<IIQ", file[-FOOTER:])
        body_size = len(file) - PREFIX - header_size - index_size - FOOTER
        require(body_size >= 0, "sizes of header and index")
        self.header, self.body, self.index, self.footer = (whole.take(size) for size in (header_size, body_size, index_size, FOOTER))
        covered = [self.prefix, self.header, *([self.body] if self.holds_text else []), self.index]
        require(self.checksum == xxh3(b"".join(part.data for part in covered) + file[-FOOTER:-8]), "the checksum")
        self.open_text() if self.holds_text else self.open_blocks()

    @property
    def holds_text(self):
        return self.features == HAS_TEXT

    def open_text(self):
        self.size, self.is_modelled = self.header.number(), self.header.bits(8)
        require(self.is_modelled <= 1, "coding of the text")
        self.header.end()
        self.content = self.index.bits(64)
        self.index.end()

    def open_blocks(self):
        header = self.header
        self.kind, self.num_sites, self.per_block = header.bits(8), header.number(), header.number()
        require(self.kind < len(KINDS) and self.per_block > 0, "kind or sites per block")
        self.sections = dict(zip(("names", "tree", "model", "partitions", "layout"), (header.section() for _ in range(5))))
        header.end()
        self.names_way, self.names = read_lines(self.sections["names"])
        require(self.names and all(self.names) and all(map(is_printable, self.names)), "names")
        require(len(set(self.names)) == len(self.names), "names are distinct")
        self.partitions = read_partitions(self.sections["partitions"], self.num_sites)
        self.layout = Layout(self.sections["layout"], self.names, self.kind == SPARSE)
        if self.kind == SPARSE:
            self.model = SparseModel(self.sections["model"], self.num_sites)
            num_blocks = 1 + -(-len(self.names) // self.per_block)
        else:
            self.tree = Tree(self.sections["tree"], len(self.names))
            self.model = MODELS[self.kind](self.tree, self.sections["model"])
            num_blocks = -(-self.num_sites // self.per_block)
        self.open_index(num_blocks)

    def open_index(self, num_blocks):
        index = self.index
        self.check_bytes = index.bits(8)
        require(2 <= self.check_bytes <= 4, "size of checksums")
        sizes = [len(self.body.data)] if num_blocks == 1 else []
        if num_blocks > 1:
            smallest, low_bits = index.number(), index.bits(8)
            require(low_bits < 32, "low bits of sizes")
            sizes = [smallest + index.rice(low_bits) for _ in range(num_blocks)]
        checks = index.take(self.check_bytes * num_blocks)
        self.content = index.bits(64)
        index.end()
        self.blocks = [self.body.take(size) for size in sizes]
        self.body.end()
        for block in self.blocks:
            require(checks.bits(8 * self.check_bytes) == xxh3(block.data) % (1 << 8 * self.check_bytes), "the checksum of a block")

    def rows(self):
        """The cells of each row. They are hashed, so whatever went wrong on the way here shows."""
        if self.kind == SPARSE:
            rows = sparse_rows(len(self.names), self.per_block, Input(self.sections["tree"].data), self.model, self.blocks)
            hashed = rows
        else:
            blocks = self.decoded(CODINGS[self.kind](self.tree, self.model))
            rows = [b"".join(block[row] for block in blocks) for row in range(len(self.names))]
            hashed = [b"".join(block) for block in blocks]
        numbers = [xxh3(b"".join(name + b"\n" for name in self.names)), self.num_sites, *map(xxh3, hashed)]
        require(self.content == xxh3(struct.pack(f"<{len(numbers)}Q", *numbers)), "the hash of the content")
        return rows

    def decoded(self, decode):
        return [decode(Input(block.data), self.sites_of(i)) for i, block in enumerate(self.blocks)]

    def sites_of(self, block):
        return min(self.per_block, self.num_sites - block * self.per_block)

    def text(self):
        if not self.holds_text:
            return self.layout.text(self.names, self.rows(), self.model.reference() if self.kind == SPARSE else None)
        text = modelled(self.body.data, self.size) if self.is_modelled else unpacked(self.body.data)
        require(len(text) == self.size and self.content == xxh3(text), "the text")
        return text
