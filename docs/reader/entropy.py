"""Entropy coder of native files: symbols with fixed shares, and sets of edges. docs/alignments/file-format.md, Entropy coder."""
import bisect
import itertools
import struct

from bits import require
from logarithms import log, power


class CodedBytes:
    """A state x and words. A symbol with a share of the numbers takes x to a smaller one; when x gets small, it takes in a word."""

    def __init__(self, data):
        state = 4 + len(data) % 4
        require(len(data) >= state, "coded bytes too short")
        self.x = int.from_bytes(data[:state], "little")
        self.words = struct.iter_unpack("<I", data[state:])
        require(self.x >= 1 << 24 and (state == 4 or data[state - 1] > 0), "state")

    def leave(self, begin, end, bits):
        self.x = (self.x >> bits) * (end - begin) + self.x % (1 << bits) - begin
        if self.x < 1 << 24:
            word = next(self.words, None)
            require(word, "coded bytes too short")
            self.x = (self.x << 32) + word[0]

    def symbol(self, table):
        """A table is given by where the shares of its symbols begin; they end at 2^15."""
        found = bisect.bisect_right(table, self.x % (1 << 15)) - 1
        self.leave(table[found], table[found + 1], 15)
        return found

    def raw(self, bits):
        value = self.x % (1 << bits)
        self.leave(value, value + 1, bits)
        return value

    def number(self, table):
        return self.number_of(self.symbol(table))

    def number_of(self, s):
        if s < 8:
            return s
        if s >= 14:
            return (1 << s - 8) + self.raw(s - 8)
        octave = 3 + (s - 8) // 2
        return ((2 + s % 2) << octave - 1) + self.raw(octave - 1)

    def items(self, count, depth, first=0):
        """A set of `count` items of a line, ascending, none before `first`. The next item is the smallest of all that are left,
        so its share follows from how many are left, and from the weights of the items behind it."""
        found = []
        for left in range(count, 0, -1):
            last = len(depth) - left
            require(first <= last, "number of items")
            low, high, slot = first, last, self.x % (1 << 22)
            while low < high:  # look for the item whose share has the slot
                middle = (low + high) // 2
                low, high = (low, middle) if slot < share_end(depth, middle, first, last, left) else (middle + 1, high)
            self.leave(share_end(depth, low - 1, first, last, left), share_end(depth, low, first, last, left), 22)
            found.append(low)
            first = low + 1
        return found

    def end(self):
        require(self.x == 1 << 24 and next(self.words, None) is None, "end of coded bytes")


def share_end(depth, i, first, last, left):
    """Where the share of item i ends, if it is to be the next of `left` items, one of first to last."""
    if i < first or i == last:
        return 0 if i < first else 1 << 22
    before = (1 << 30) - power(left * (depth[i + 1] - depth[first]))
    return (before * ((1 << 22) - (last - first + 1)) >> 30) + i - first + 1


def depths(weights):
    """A line: of each item, how much of the weight lies before it, as a logarithm."""
    left = list(itertools.accumulate(reversed(weights)))[::-1]
    return [log(left[0]) - log(r) for r in left]
