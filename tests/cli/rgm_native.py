"""Native coding (kind 1) of docs/file-format.md; comments name its sections."""
import bisect
import itertools
import struct

from rgm_input import require
from rgm_range import Coder, Table, log, power

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


# ---- Model, Block

def tables_in_order(c, r, numbers, candidates):
    """The names and the numbers of the tables."""
    return [("same", 2), ("dropped", 3), ("num_dropped", 1), ("num_added", 5), ("root_residue", 1), ("root_class", c), ("class_target", c + 1),
            ("num_changes", numbers), ("residue_target", candidates * r), ("direct", r + 1)]


class Model:
    def __init__(self, tree, data):
        coder = Coder(data, has_short_end=True)
        self.tree = tree
        self.kind = coder.uniform(3)
        self.looks = read_list(coder, [(0, 0), (1, 0), *((2, byte) for byte in likely_first(b"-?NXnx.*~"))])
        self.residues = read_list(coder, likely_first(PRIORS[self.kind][0] if self.kind < 2 else b""))
        self.predicts_number, self.has_candidate = coder.uniform(3), coder.uniform(2)
        self.read_tables(coder)
        self.residue_line, self.class_line = (depths(weights(coder, tree, coder.uniform(3))) for _ in range(2))
        coder.end()

    def read_tables(self, coder):
        candidates = 6 if self.has_candidate else 1
        tables = TableReader(coder, self.tree.num_edges)
        codes, root, self.tables = [], [], {}
        for name, count in tables_in_order(len(self.looks), len(self.residues), [1, 5, 25][self.predicts_number], candidates):
            first = len(codes)
            for i in range(count):
                if name.startswith("num_"):
                    codes.append(tables.numbers())
                else:
                    codes.append(tables.differences(SORTS[name], self.expected(name, i, candidates, root) or codes[-1]))
                root = codes[-1] if name == "root_residue" else root
            self.tables[name] = [shares(table) for table in codes[first:]]

    def expected(self, name, i, candidates, root):
        """The codes that are expected; none: those of the table before."""
        c, r = len(self.looks), len(self.residues)
        if name == "same":
            return [0, 31] if c == 1 else [[31, 29], [25, 31]][i]
        if name == "dropped":
            return [28, 31, 0] if i == 0 else [29, 30, 30]
        if name == "root_residue":
            return [31] * r if self.kind == 2 else self.of_letters(PRIORS[self.kind][1], 12)
        if name == "root_class":
            return [31 if k == i else 24 for k in range(c)]
        if name == "class_target":
            return [28] * c if i == 0 else None
        if name == "direct":
            return root if i == 0 else None
        return self.changes(i // candidates) if i % candidates == 0 else None

    def changes(self, old):
        at = self.place(self.residues[old])
        codes = [28] * len(self.residues) if at < 0 else self.of_letters(PRIORS[self.kind][2 + at], 16)
        codes[old] = 0
        return codes

    def place(self, residue):
        letter = ord("T") if self.kind == 0 and residue == ord("U") else residue
        return PRIORS[self.kind][0].find(letter) if self.kind < 2 else -1

    def of_letters(self, digits, other):
        return [other if at < 0 else int(chr(digits[at]), 32) for at in map(self.place, self.residues)]


SORTS = {"same": 0, "dropped": 0, "root_class": 0, "class_target": 0, "root_residue": 1, "direct": 1, "residue_target": 2}
NUMBERS = 3  # the sort of tables of numbers
PRIORS = [
    [b"ACTG", b"vuut",
     b"0ssv", b"r0vm", b"rv0m", b"vmn0"],
    [b"LAEVKISGRTDPFNQYMHCW", b"vuuuuuutttttttssrrpp",
     b"0vqqtpqsrsqopotolprs", b"v0uqrrorqptsroqrotpo", b"qu0sqvqqrruptppoppnk", b"rqr0rvtpttrprvqpmmnm", b"urqr0rppvqrnqqoopmlp",
     b"qrvvr0qqursptrrromml", b"rpqupr0qqvqtqrosmlkm", b"utsrrsr0vsrpvrqpqoqn", b"srrtvuqt0qrmqqqpmnmp", b"tqsursvrq0pouqpoonlm",
     b"rvvsstrrsq0ssrrpmpnl", b"rvsrprvqpqt0qrprsppm", b"rtutrvrvsvsp0trqsonl", b"oppvqrqpqqqor0nllkkl", b"vsqrpsppsqsorp0qkoro",
     b"svrssuvqsrsrspt0spon", b"qttrutrtqtquvqou0pmm", b"rvqoonmopoponlonl0mq", b"vtqroqnspopppntoko0m", b"vrnosooosonmmopmksl0"],
]


def likely_first(likely):
    return [*likely, *(byte for byte in range(256) if byte not in likely)]


def read_list(coder, left):
    size, place = 1 + coder.number(Table()), Table()
    require(size <= 32, "list")
    return [left.pop(coder.number(place)) for _ in range(size)]


class TableReader:
    """Codes of tables."""

    def __init__(self, coder, num_edges):
        self.coder, self.models = coder, [Table(Table) for _ in range(4)]
        self.differed, self.is_as_before, self.shape = [0] * 4, Table(), Table()
        self.last = None
        self.shapes = [shape(number, num_edges) for number in range(16)]

    def numbers(self):
        self.last = self.last or self.shapes[3]
        if not self.coder.bit(self.is_as_before[0]):
            self.last = self.differences(NUMBERS, self.shapes[self.coder.bits(4, self.shape)])
        return self.last

    def differences(self, sort, expected):
        models = self.models[sort]
        self.differed[sort] = self.coder.bit(models["differs"][self.differed[sort]])
        if not self.differed[sort]:
            return expected
        codes, changed = list(expected), 0
        for s, code in enumerate(codes):
            if code is None:
                continue
            changed = self.coder.bit(models["changed"][changed])
            if changed:
                sign = 1 if self.coder.bit(models["larger"][0]) else -1
                codes[s] += sign * (1 + self.coder.number(models["distance"]))
                require(0 <= codes[s] < 32, "code of a table")
        return codes


def shape(number, most):
    """The codes of a table of numbers of some shape."""
    a = power(3 * number << 24) // 4
    first = [*range(8), *((2 + s % 2) << 2 + (s - 8) // 2 for s in range(8, 14)), *(1 << s - 8 for s in range(14, 32))]
    masses = [power(a * x) - power(a * y) for x, y in zip(first, first[1:]) if x <= most]
    largest = max(masses)
    codes = [31 - min(31, 2 * (log(largest) - log(m)) + (1 << 25) >> 26) if m else 0 for m in masses]
    return codes + [None] * (31 - len(codes)) + [0]


def shares(codes):
    sizes = [0 if c is None else (2 + c % 2) << c // 2 for c in codes]
    total = sum(sizes)
    parts = [max(1, (size << 15) // total) if size else 0 for size in sizes]
    parts[parts.index(max(parts))] += (1 << 15) - sum(parts)
    return [0, *itertools.accumulate(parts)]


def weights(coder, tree, steps):
    """The weights of a line's edges."""
    if steps == 0:
        return [1] * tree.num_edges
    models = [Table() for _ in range(3)]
    codes = [coder.bits(5, models[0 if last - first == 1 else 1 if last - first <= 8 else 2]) for first, last in tree.below[1:]]
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
    model = Model(tree, model.take().data)

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
        self.same = self.coded.symbol(self.model.tables["same"][self.same])
        if not self.same:
            self.root = self.coded.symbol(self.model.tables["root_class"][self.root])
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
        dropped = self.coded.symbol(self.model.tables["dropped"][before])
        if dropped == 1:
            self.changes = {}
        elif dropped == 2:
            edges = sorted(self.changes)
            number = self.coded.number(self.model.tables["num_dropped"][0])
            for item in self.coded.items(number, depths([1] * num_edges), num_edges - p):
                del self.changes[edges[item - (num_edges - p)]]

    def add(self, before):
        last = len(self.model.looks)
        for item in self.coded.items(self.coded.number(self.model.tables["num_added"][before]), self.model.class_line):
            last = self.changes[item + 1] = self.coded.symbol(self.model.tables["class_target"][last])


class Residues:
    def __init__(self, model, coded):
        self.model, self.coded = model, coded
        self.last, self.second_last, self.third_last = 0, 0, 0  # numbers of changes

    def next_site(self, shown):
        """In tips that do not show it, the residue does not matter."""
        by = (0, roughly(self.last), 5 * roughly(self.last) + roughly(self.third_last))[self.model.predicts_number]
        symbol = self.coded.symbol(self.model.tables["num_changes"][by])
        number = MANY if symbol == 31 else self.coded.number_of(symbol)
        self.last, self.second_last, self.third_last = number, self.last, self.second_last
        return self.direct(shown) if symbol == 31 else self.on_tree(number)

    def direct(self, shown):
        states, last = [0] * len(shown), len(self.model.residues)
        for tip in itertools.compress(range(len(shown)), shown):
            states[tip] = last = self.coded.symbol(self.model.tables["direct"][last])
        return states

    def on_tree(self, number):
        last_old = root = self.coded.symbol(self.model.tables["root_residue"][0])
        states, changed_to = [root] * len(self.model.tree.row), {}
        for item in self.coded.items(number, self.model.residue_line):
            first, last = self.model.tree.below[item + 1]
            old = states[first]
            likely = changed_to.get(old, last_old)  # what has not changed is what the last change made
            by = 6 * old + (5 if likely == old else min(likely, 4)) if self.model.has_candidate else old
            last_old, changed_to[old] = old, self.coded.symbol(self.model.tables["residue_target"][by])
            states[first:last] = [changed_to[old]] * (last - first)
        return states
