"""Sparse coding (kind 3): rows are a reference, other letters along a tree, and runs of other characters on top.
docs/alignments/file-format.md, Sparse coding; comments name its sections."""
from bits import require
from range_coder import AdaptiveBit, Models, RangeDecoder, place_in_table

# ---- Shape and order of rows

EQUAL, TIP, INNER = range(3)  # tips without changes, other tips, inner nodes


def shape(data):
    """Returns the parent and the sort of each node, in pre-order. An inner node says how many children of each sort it has."""
    coder, first, second, third = RangeDecoder(data), Models(), Models(Models), Models(Models)
    nodes, open_nodes = [], [[0, 1]]
    while open_nodes:
        if open_nodes[-1][1] == 0:
            open_nodes.pop()
            continue
        open_nodes[-1][1] -= 1
        node, parent = len(nodes), open_nodes[-1][0]
        equal = coder.number(first)
        tips = coder.number(second[min(equal, 3)])
        inner = coder.number(third[min(equal + tips, 3)])
        nodes += [(parent, INNER)] + [(node, EQUAL)] * equal + [(node, TIP)] * tips
        open_nodes.append([node, inner])
    coder.end()
    return nodes


def order_of_rows(data, nodes, num_rows):
    """The row of each tip. Tips of the same parent and sort ascend, so only steps between them are needed."""
    coder, left, rows, last = RangeDecoder(data), list(range(num_rows)), [], 0
    anywhere, sign, distance, gaps = coder.even(2), AdaptiveBit(), Models(), Models(Models)
    node = 0
    while node < len(nodes):
        size = 1
        while nodes[node][1] != INNER and nodes[node:node + 1] == nodes[node + size:node + size + 1]:
            size += 1
        for k in range(size if nodes[node][1] != INNER else 0, 0, -1):
            r, m = sum(row < last for row in left), len(left)
            require(m > 0, "number of tips")
            if k < size:
                number = r + coder.number(gaps[((m - r) // (k + 1)).bit_length()])
            elif anywhere:
                number = coder.even(m)
            else:
                number = r + coder.number(distance) if coder.bit(sign) else r - 1 - coder.number(distance)
            require(0 <= number < m, "number of a row")
            last = left.pop(number)
            rows.append(last)
        node += size
    coder.end()
    require(not left, "number of tips")
    return rows


# ---- Changes

def letters_of_tips(data, nodes, reference):
    """For each tip, in order: a dictionary from sites to letters."""
    coder, counts, sites, last = RangeDecoder(data), Models(Models), Models(), {}
    expected_bits, other_bits, letters, result = Models(), Models(), [], []
    for number, (parent, sort) in enumerate(nodes):
        own = dict(letters[parent]) if number else {}
        if number and sort != EQUAL:
            for _ in range(coder.number(counts[sort]) + 1):
                site = coder.bits((len(reference) - 1).bit_length(), sites)
                require(site < len(reference), "site of a change")
                old = own.get(site, reference[site])
                expected = last.get((site, old), old ^ 2)  # as last time, or A to G, C to T and back, the most frequent changes
                context = 2 if (site, old) not in last else 0 if old == reference[site] else 1
                new = expected
                if not coder.bit(expected_bits[context]):
                    others = [letter for letter in range(4) if letter not in (old, expected)]
                    new = others[coder.bit(other_bits[old, expected])]
                last[site, old] = own[site] = new
        letters.append(own)
        if sort != INNER:
            result.append(own)
    coder.end()
    return result


# ---- Runs

class RunReader:
    """Reads the runs of a block, row by row. A run is its first site, its size and its character."""

    def __init__(self, data, num_rows, reference, unknown):
        self.coder, self.reference, self.unknown = RangeDecoder(data), reference, unknown
        self.site_bits, self.end_bits = (len(reference) - 1).bit_length(), len(reference).bit_length()
        self.log_size = min(20, max(12, num_rows.bit_length() + 4))
        self.tables, self.weights, self.models = Models(Models), Models(dict), Models(Models)
        self.seen, self.gaps = {}, {}  # how many rows had a run; the last sizes of gaps from a site
        self.rows = []

    def read_row(self):
        before, earlier = [[], [], *self.rows][:-3:-1]
        runs = [run for run in before if self.is_kept(run, run in earlier)]
        behind, context = 0, len(self.reference)
        for _ in range(self.coder.number(self.models["count", min(3, len(before))])):
            runs.append(self.new_run(behind, context))
            first, size, character = runs[-1]
            behind, context = first + size, first if character == self.unknown else context
        for run in runs:
            self.seen[run] = self.seen.get(run, 0) + 1
        runs.sort()
        ends = [first + size for first, size, _ in runs]
        require(all(end <= first for end, (first, _, _) in zip(ends, runs[1:])) and max(ends, default=0) <= len(self.reference), "runs")
        self.rows.append(runs)

    def is_kept(self, run, earlier):
        sort = 0 if run[2] == self.unknown else 1 if run[2] == b"-" else 2
        return self.coder.bit(self.models["kept"][sort, earlier, min(7, self.seen[run].bit_length())])

    def new_run(self, behind, context):
        coder, models = self.coder, self.models
        if coder.bit(models["is unknown"][0]):
            first = self.predicted("begin", context, behind, self.site_bits)
            if not coder.mixed_bit(self.weights["is long"], models["is long"][0], self.in_context("end", (7 << 32) + first, 0)):
                return first, coder.number(models["short"]) + 1, self.unknown
            return first, self.predicted("end", first, first + 41, self.end_bits) - first, self.unknown
        if coder.bit(models["is gap"][0]):
            first = coder.bits(self.site_bits, models["begin of gap"])
            return first, self.size_of_gap(first), b"-"
        first = coder.bits(self.site_bits, models["begin of other"])
        require(first < len(self.reference), "site of a run")
        character = coder.bits(8, models["character", self.reference[first]])
        require(32 < character < 127, "character of a run")
        return first, coder.number(models["size of other"]) + 1, bytes([character])

    def size_of_gap(self, first):
        """Deletions from the same site often have the same size."""
        sizes = self.gaps.setdefault(first, [])
        place = next((i for i in range(len(sizes)) if self.coder.bit(self.models["is recent"][i])), None)
        sizes.insert(0, sizes.pop(place) if place is not None else self.coder.number(self.models["size of gap"]) + 1)
        del sizes[4:]
        return sizes[0]

    def predicted(self, table, context, least, count):
        """A site, at least `least`. Unknown stretches often begin and end at the same sites, since laboratories amplify the same pieces."""
        node = 1
        for i in reversed(range(count)):
            prefix = node - (1 << count - 1 - i)
            if (2 * prefix + 1) << i <= least:  # with a 0 it would be too small
                node = 2 * node + 1
                continue
            contextual = self.in_context(table, context, node)
            node = 2 * node + self.coder.mixed_bit(self.weights[table, i], self.models[table][node], contextual)
        return node - (1 << count)

    def in_context(self, table, context, node):
        return self.tables[table][place_in_table(context, node, self.log_size)]


def runs_of_rows(data, num_rows, reference, unknown):
    reader = RunReader(data, num_rows, reference, unknown)
    for _ in range(num_rows):
        reader.read_row()
    reader.coder.end()
    return reader.rows


# ---- Sparse coding

class SparseModel:
    def __init__(self, model, num_sites):
        letters = model.bits(8)
        require(letters < 4, "letters")
        self.alphabet, self.runs_by_file = [b"ACGT", b"acgt", b"ACGU", b"acgu"][letters], model.bits(8)
        require(self.runs_by_file < 2, "order of runs")
        self.unknown = b"N" if self.alphabet.isupper() else b"n"
        self.letters = [model.bits(2) for _ in range(num_sites)]  # of the reference
        model.end()

    def reference(self):
        return bytes(self.alphabet[letter] for letter in self.letters)


def sparse_rows(num_rows, rows_per_block, tree, model, blocks):
    nodes = shape(tree.section().data)
    row_of_tip = order_of_rows(tree.take().data, nodes, num_rows)
    rows = [None] * num_rows
    for row, letters in zip(row_of_tip, letters_of_tips(blocks[0].data, nodes, model.letters)):
        rows[row] = bytearray(model.reference())
        for site, letter in letters.items():
            rows[row][site] = model.alphabet[letter]
    order = range(num_rows) if model.runs_by_file else row_of_tip
    for i, block in enumerate(blocks[1:]):
        some = order[i * rows_per_block:(i + 1) * rows_per_block]
        for row, runs in zip(some, runs_of_rows(block.data, len(some), model.letters, model.unknown)):
            for first, size, character in runs:
                rows[row][first:first + size] = character * size
    return [bytes(row) for row in rows]
