"""Reads the cells of .rgm files: docs/file-format.md in Python, written from that page alone; comments name its sections.

Python's library has neither Zstandard nor XXH3, so partitions and layout are skipped, names if they need it, and checksums are not checked.
"""
import struct

from rgm_input import Input, require
from rgm_native import native
from rgm_sparse import sparse_rows
from rgm_text import modelled

SPARSE = 3

# ---- The file, Header, Index

def read_rows(file, num_rows):
    """The cells of all rows, as bytes. Their number is stored with the names, behind Zstandard, so the caller tells it."""
    header_size, index_size, _ = struct.unpack("<IIQ", file[-16:])
    file = Input(file)
    require(file.take(5).data == b"\x89RGM\x01" and file.bits(8) == 0, "prefix, or a text")
    header = file.take(header_size)
    body = file.take(len(file.data) - 6 - header_size - index_size - 16)
    index = file.take(index_size)
    kind, num_sites, sites_per_block = header.bits(8), header.number(), header.number()
    _names, tree, model, _partitions, _layout = (header.section() for _ in range(5))
    header.end()
    if kind == SPARSE:
        sizes = block_sizes(index, 1 + -(-num_rows // sites_per_block), len(body.data))
        blocks = [body.take(size).data for size in sizes]
        body.end()
        return sparse_rows(num_rows, num_sites, sites_per_block, tree, model, blocks)
    tree = Tree(tree, num_rows)
    require(kind in CODINGS, f"kind {kind}")
    decode = CODINGS[kind](tree, model)
    blocks = []
    for i, size in enumerate(block_sizes(index, -(-num_sites // sites_per_block), len(body.data))):
        blocks.append(decode(body.take(size), min(sites_per_block, num_sites - i * sites_per_block)))
    body.end()
    return [b"".join(block[row] for block in blocks) for row in range(num_rows)]


def read_names(file):
    """The names, if they are written in a way without Zstandard; else nothing."""
    header_size, = struct.unpack("<I", file[-16:-12])
    header = Input(file[6:6 + header_size])
    header.take(1), header.number(), header.number()
    names = header.section()
    way = names.bits(8)
    if way not in (0, 4):
        return None
    text = names.take().data if way == 0 else modelled_text(names)
    return text.decode().split("\n")[:-1]


def read_text(file):
    """The text of a file that holds a modelled one."""
    header_size, index_size, _ = struct.unpack("<IIQ", file[-16:])
    require(file[:6] == b"\x89RGM\x01\x01", "prefix of a text")
    header = Input(file[6:6 + header_size])
    size = header.number()
    require(header.bits(8) == 1, "modelled text")
    header.end()
    return modelled(file[6 + header_size:len(file) - 16 - index_size], size)


def modelled_text(section):
    size = section.number()
    return modelled(section.take().data, size)


def block_sizes(index, num_blocks, body_size):
    checksum_size = index.bits(8)
    sizes = [body_size] if num_blocks == 1 else []
    if num_blocks > 1:
        smallest, low_bits = index.number(), index.bits(8)
        sizes = [smallest + index.rice(low_bits) for _ in range(num_blocks)]
    index.take(checksum_size * num_blocks + 8)
    index.end()
    return sizes


# ---- Tree

class Tree:
    """below[v]: the tips below node v, half open; row[t]: the row at tip t."""

    def __init__(self, section, num_tips):
        self.below = topology(section, num_tips)
        self.row = order_of_rows(section.take(), num_tips)
        self.num_edges = len(self.below) - 1

    def rows(self, columns):
        """The rows of a block, in the order of the file, from its columns in the order of the tips."""
        rows = sorted(zip(self.row, zip(*columns))) if columns else []
        return [bytes(cells) for _, cells in rows]


def topology(section, num_tips):
    if num_tips < 3:
        return [(0, 1)] if num_tips == 1 else [(0, 2), (0, 1), (1, 2)]
    inner, path = [], []  # of each inner node: how many of its children are inner nodes; how many are in its subtree
    for _ in range(2 * num_tips - 4):
        if section.bits(1):
            if path:
                path[-1][0] += 1
            path.append([0, len(inner)])
            inner.append(path[-1])
        else:
            require(path, "tree")
            path[-1][1] = len(inner) - path[-1][1]
            path.pop()
    require(not path and len(inner) == num_tips - 2, "tree")
    below, tip = [], 0
    for i, (children, subtree) in enumerate(inner):
        arity = 2 if i else 3
        below.append((tip, tip + subtree + arity - 1))
        for _ in range(arity - children):
            below.append((tip, tip + 1))
            tip += 1
    return below


def order_of_rows(section, num_tips):
    left, rows, last = list(range(num_tips)), [], 0
    way = section.bits(8)
    for m in range(num_tips, 0, -1):
        distance = 0 if way == 0 else phased_in(section, m) if way == 1 else section.rice(way - 2)
        d = (distance + 1) // 2 if distance % 2 else m - distance // 2
        last = (last + d) % m
        rows.append(left.pop(last))
    section.end()
    return rows


def phased_in(section, m):
    b = m.bit_length() - 1
    s = 2 ** (b + 1) - m
    x = section.bits(b)
    return x if x < s else 2 * x + section.bits(1) - s


# ---- Plain coding

def plain(tree, model):
    model.end()
    return lambda block, num_sites: [block.take(num_sites).data for _ in tree.row]


# ---- Thesis coding

BASE_SETS = b"-ACMGRSVTWYHKDBN"


def thesis(tree, model):
    characters = model.take().data
    require(characters[0] <= 1 and (characters[0] == 1) == (len(characters) > 1), "model")
    characters = characters[1:] or BASE_SETS
    state_bits, edge_bits = (len(characters) - 1).bit_length(), (tree.num_edges - 1).bit_length() if tree.num_edges else 0

    def decode(block, num_sites):
        count_bits = block.bits(8)
        counts = [block.bits(count_bits) for _ in range(num_sites)]
        columns = [[block.bits(state_bits)] * len(tree.row) for _ in range(num_sites)]
        for column, count in zip(columns, counts):
            for _ in range(count):
                mask, edge = block.bits(state_bits), 1 + block.bits(edge_bits)
                first, last = tree.below[edge]
                column[first:last] = [column[first] ^ mask] * (last - first)
        block.end()
        return tree.rows([[characters[state] for state in column] for column in columns])

    return decode


# For each kind in the header: the function that makes the rows of a block from the tree, the model and the number of sites.
CODINGS = {0: plain, 1: native, 2: thesis}
