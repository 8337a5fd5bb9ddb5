"""Native coding (kind 1) of docs/file-format.md; comments name its sections."""
import bisect
import itertools
import math
import struct

from rgm_input import require

# ---- Entropy coder

class Coded:
    """Symbols, numbers and items from coded bytes."""

    def __init__(self, data):
        state = 4 + len(data) % 4
        require(len(data) >= state, "coded bytes too short")
        self.x = int.from_bytes(data[:state], "little")
        self.words = struct.iter_unpack("<I", data[state:])
        require(self.x >= 1 << 24 and (state == 4 or data[state - 1] > 0), "state")

    def pass_share(self, begin, end, bits):
        self.x = (self.x >> bits) * (end - begin) + self.x % (1 << bits) - begin
        if self.x < 1 << 24:
            word = next(self.words, None)
            require(word, "coded bytes too short")
            self.x = (self.x << 32) + word[0]

    def symbol(self, table):
        """A table is given by where the shares of its symbols begin; they end at 2^15."""
        found = bisect.bisect_right(table, self.x % (1 << 15)) - 1
        self.pass_share(table[found], table[found + 1], 15)
        return found

    def raw(self, bits):
        value = self.x % (1 << bits)
        self.pass_share(value, value + 1, bits)
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
        """`count` items of a line, none of them before `first`."""
        found = []
        for k in range(count, 0, -1):
            last = len(depth) - k
            require(first <= last, "number of items")

            def end(i):
                if i < first or i == last:
                    return 0 if i < first else 1 << 22
                before = (1 << 30) - power(k * (depth[i + 1] - depth[first]))
                return (before * ((1 << 22) - (last - first + 1)) >> 30) + i - first + 1

            low, high, slot = first, last, self.x % (1 << 22)
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if slot < end(middle) else (middle + 1, high)
            self.pass_share(end(low - 1), end(low), 22)
            found.append(low)
            first = low + 1
        return found

    def end(self):
        require(self.x == 1 << 24 and next(self.words, None) is None, "end of coded bytes")


def depths(weights):
    """The depths of the items of a line."""
    left = list(itertools.accumulate(reversed(weights)))[::-1]
    return [log(left[0]) - log(r) for r in left]


LOGS = [math.floor(2 ** 24 * math.log2(1 + i / 256)) for i in range(257)]  # A


def log(x):
    o = x.bit_length() - 1
    fraction = ((x << 32 >> o) if o < 32 else x >> o - 32) % (1 << 32)
    i, t = divmod(fraction, 1 << 24)
    return (o << 26) + 4 * LOGS[i] + ((LOGS[i + 1] - LOGS[i]) * t >> 22)


def powers():
    root, roots = 1 << 61, []
    for _ in range(8):
        root = math.isqrt(root << 62)
        roots.append(root)
    for i in range(256):
        product = 1 << 62
        for b, root in enumerate(roots):
            if i >> 7 - b & 1:
                product = product * root >> 62
        yield product >> 32
    yield 1 << 29


POWERS = list(powers())  # B


def power(y):
    o, rest = divmod(y, 1 << 26)
    i, t = divmod(rest, 1 << 18)
    return 0 if o > 30 else POWERS[i] - ((POWERS[i] - POWERS[i + 1]) * t >> 18) >> o


# ---- Model, Block

class Model:
    def __init__(self, tree, bits):
        self.tree = tree
        self.looks = [(how, bits.bits(8) if how == 2 else 0) for how in (bits.bits(2) for _ in range(bits.bits(5) + 1))]
        self.residues = [bits.bits(8) for _ in range(bits.bits(5) + 1)]
        self.predicts_number, self.has_candidate = bits.bits(2), bits.bits(1)

        def tables(count, num_symbols=32):
            return [read_table(bits, num_symbols) for _ in range(count)]

        c, r = len(self.looks), len(self.residues)
        self.same, self.dropped, self.num_dropped, self.num_added = tables(2, 2), tables(3, 3), tables(1), tables(5)
        self.root_residue, self.root_class, self.class_target = tables(1, r), tables(c, c), tables(c + 1, c)
        self.num_changes = tables([1, 5, 25][self.predicts_number])
        self.residue_target, self.direct = tables(6 * r if self.has_candidate else r, r), tables(r + 1, r)
        edges = [(steps, tables(3) if steps else []) for steps in (bits.bits(2) for _ in range(2))]
        coded = Coded(bits.take().data)
        self.residue_line, self.class_line = (depths(weights(coded, tree, *which)) for which in edges)
        coded.end()


def read_table(bits, num_symbols):
    codes = [bits.bits(5) if bits.bits(1) else None for _ in range(num_symbols)] if bits.bits(1) else [0]
    sizes = [0 if c is None else (2 + c % 2) << c // 2 for c in codes]
    total = sum(sizes)
    shares = [max(1, (size << 15) // total) if size else 0 for size in sizes]
    shares[shares.index(max(shares))] += (1 << 15) - sum(shares)
    return [0, *itertools.accumulate(shares)]


def weights(coded, tree, steps, tables):
    """The weights of a line's edges."""
    if steps == 0:
        return [1] * tree.num_edges
    codes = [coded.symbol(tables[0 if last - first == 1 else 1 if last - first <= 8 else 2]) for first, last in tree.below[1:]]
    return [weight(code, steps == 1) for code in codes]


def weight(w, octaves):
    if w < 4:
        return 10 if w == 2 and octaves else 4 * w if w else 1
    o = 2 + (w - 4) // 2
    n = 1 << (o if octaves else o - 1)
    return 4 * ((1 << o) + w % 2 * n) + 2 * (n - 1)


MANY = 10  # numbers of changes for which residues follow directly


def roughly(x):
    return x if x < 2 else 2 if x < 4 else 3 if x < 10 else 4


def native(tree, model):
    model = Model(tree, model)

    def decode(block, num_sites):
        coded = Coded(block.take().data)
        classes, residues = Classes(model, coded), Residues(model, coded)
        columns = []
        for _ in range(num_sites):
            looks = [model.looks[c] for c in classes.next_site()]
            states = residues.next_site([how < 2 for how, _ in looks])
            columns.append([(model.residues[state], model.residues[state] | 32, byte)[how] for state, (how, byte) in zip(states, looks)])
        coded.end()
        return tree.rows(columns)

    return decode


class Classes:
    def __init__(self, model, coded):
        self.model, self.coded = model, coded
        self.same, self.root, self.changes = 1, 0, {}  # class by edge

    def next_site(self):
        self.same = self.coded.symbol(self.model.same[self.same])
        if not self.same:
            self.root = self.coded.symbol(self.model.root_class[self.root])
            before = roughly(len(self.changes))
            if before > 0:
                self.drop(min(before, 3) - 1)
            self.add(before)
        column = [self.root] * len(self.model.tree.row)
        for edge, new in sorted(self.changes.items()):
            first, last = self.model.tree.below[edge]
            column[first:last] = [new] * (last - first)
        return column

    def drop(self, before):
        p, num_edges = len(self.changes), self.model.tree.num_edges
        dropped = self.coded.symbol(self.model.dropped[before])
        if dropped == 1:
            self.changes = {}
        elif dropped == 2:
            edges = sorted(self.changes)
            number = self.coded.number(self.model.num_dropped[0])
            for item in self.coded.items(number, depths([1] * num_edges), num_edges - p):
                del self.changes[edges[item - (num_edges - p)]]

    def add(self, before):
        last = len(self.model.looks)
        for item in self.coded.items(self.coded.number(self.model.num_added[before]), self.model.class_line):
            last = self.changes[item + 1] = self.coded.symbol(self.model.class_target[last])


class Residues:
    def __init__(self, model, coded):
        self.model, self.coded = model, coded
        self.last, self.second_last, self.third_last = 0, 0, 0  # numbers of changes

    def next_site(self, shown):
        """In tips that do not show it, the residue does not matter."""
        by = (0, roughly(self.last), 5 * roughly(self.last) + roughly(self.third_last))[self.model.predicts_number]
        symbol = self.coded.symbol(self.model.num_changes[by])
        number = MANY if symbol == 31 else self.coded.number_of(symbol)
        self.last, self.second_last, self.third_last = number, self.last, self.second_last
        return self.direct(shown) if symbol == 31 else self.on_tree(number)

    def direct(self, shown):
        states, last = [0] * len(shown), len(self.model.residues)
        for tip in itertools.compress(range(len(shown)), shown):
            states[tip] = last = self.coded.symbol(self.model.direct[last])
        return states

    def on_tree(self, number):
        last_old = root = self.coded.symbol(self.model.root_residue[0])
        states, changed_to = [root] * len(self.model.tree.row), {}
        for item in self.coded.items(number, self.model.residue_line):
            first, last = self.model.tree.below[item + 1]
            old = states[first]
            likely = changed_to.get(old, last_old)  # what has not changed is what the last change made
            by = 6 * old + (5 if likely == old else min(likely, 4)) if self.model.has_candidate else old
            last_old, changed_to[old] = old, self.coded.symbol(self.model.residue_target[by])
            states[first:last] = [changed_to[old]] * (last - first)
        return states
