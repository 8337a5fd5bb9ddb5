"""The model of native files: what cells may look like, and how likely each change is. docs/alignments/file-format.md, Model.

It says only how its tables differ from those that are expected of alignments in general (PRIORS), so that it takes few bytes.
"""
import itertools

from bits import require
from entropy import depths
from logarithms import log, power
from range_coder import Models, RangeDecoder

KINDS = ["nucleotides", "amino acids", "other residues"]
AS_IT_IS, IN_LOWER_CASE, FIXED = range(3)  # how a cell looks: like its residue, or like a byte that stands for any residue


def tables_in_order(c, r, numbers, candidates):
    """The name of each group of tables, and how many tables it has: one for each case of what came before."""
    return [("same", 2), ("dropped", 3), ("num_dropped", 1), ("num_added", 5), ("root_residue", 1), ("root_class", c),
            ("class_target", c + 1), ("num_changes", numbers), ("residue_target", candidates * r), ("direct", r + 1)]


class NativeModel:
    """looks: what each class shows; residues: the byte of each state; tables: shares of symbols; lines: how likely edges change."""

    def __init__(self, tree, section):
        coder = RangeDecoder(section.take().data, has_short_end=True)
        self.tree = tree
        self.kind = coder.even(3)
        self.looks = read_list(coder, [(AS_IT_IS, 0), (IN_LOWER_CASE, 0), *((FIXED, byte) for byte in likely_first(b"-?NXnx.*~"))])
        self.residues = read_list(coder, likely_first(PRIORS[self.kind][0] if self.kind < 2 else b""))
        self.predicts_number, self.has_candidate = coder.even(3), coder.even(2)
        self.read_tables(coder)
        self.steps, lines = [], []
        for _ in range(2):
            self.steps.append(coder.even(3))
            lines.append(depths(weights(coder, tree, self.steps[-1])))
        self.residue_line, self.class_line = lines
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
    size, places, found = 1 + coder.number(Models()), Models(), []
    require(size <= 32, "list")
    for _ in range(size):
        place = coder.number(places)
        require(place < len(left), "list")
        found.append(left.pop(place))
    return found


class TableReader:
    """Reads the codes of tables: a code of 5 bits is the weight of a symbol."""

    def __init__(self, coder, num_edges):
        self.coder, self.models = coder, [Models(Models) for _ in range(4)]
        self.differed, self.is_as_before, self.shape = [0] * 4, Models(), Models()
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
    """The codes of a table of numbers that get rarer the larger they are, as fast as the shape says."""
    a = power(3 * number << 24) // 4
    first = [*range(8), *((2 + s % 2) << 2 + (s - 8) // 2 for s in range(8, 14)), *(1 << s - 8 for s in range(14, 32))]
    masses = [power(a * x) - power(a * y) for x, y in zip(first, first[1:]) if x <= most]
    largest = max(masses)
    codes = [31 - min(31, 2 * (log(largest) - log(m)) + (1 << 25) >> 26) if m else 0 for m in masses]
    return codes + [None] * (31 - len(codes)) + [0]


def shares(codes):
    """Where the shares of symbols begin, and 2^15."""
    sizes = [0 if c is None else (2 + c % 2) << c // 2 for c in codes]
    total = sum(sizes)
    parts = [max(1, (size << 15) // total) if size else 0 for size in sizes]
    parts[parts.index(max(parts))] += (1 << 15) - sum(parts)
    return [0, *itertools.accumulate(parts)]


def weights(coder, tree, steps):
    """How likely each edge is to have a change."""
    if steps == 0:
        return [1] * tree.num_edges
    models = [Models() for _ in range(3)]
    codes = [coder.bits(5, models[0 if last - first == 1 else 1 if last - first <= 8 else 2]) for first, last in tree.below[1:]]
    return [weight(code, steps == 1) for code in codes]


def weight(w, octaves):
    if w < 4:
        return 10 if w == 2 and octaves else 4 * w if w else 1
    o = 2 + (w - 4) // 2
    n = 1 << (o if octaves else o - 1)
    return 4 * ((1 << o) + w % 2 * n) + 2 * (n - 1)
