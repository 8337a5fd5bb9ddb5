"""Sparse coding of docs/file-format.md, written from that page alone; comments name its sections."""
from rgm_range import Bit, Coder, Table

# ---- Shape and order of rows

EQUAL, TIP, INNER = range(3)


def shape(data):
    """Returns the parent and the sort of each node, in pre-order."""
    coder, first, second, third = Coder(data), Table(), Table(Table), Table(Table)
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
    coder, left, rows, last = Coder(data), list(range(num_rows)), [], 0
    anywhere, sign, distance, gaps = coder.uniform(2), Bit(), Table(), Table(Table)
    node = 0
    while node < len(nodes):
        size = 1
        while nodes[node][1] != INNER and nodes[node:node + 1] == nodes[node + size:node + size + 1]:
            size += 1
        for k in range(size if nodes[node][1] != INNER else 0, 0, -1):
            r, m = sum(row < last for row in left), len(left)
            if k < size:
                number = r + coder.number(gaps[((m - r) // (k + 1)).bit_length()])
            elif anywhere:
                number = coder.uniform(m)
            else:
                number = r + coder.number(distance) if coder.bit(sign) else r - 1 - coder.number(distance)
            last = left.pop(number)
            rows.append(last)
        node += size
    coder.end()
    return rows


# ---- Changes

def letters_of_tips(data, nodes, reference):
    """For each tip, in order: a dictionary from sites to letters."""
    coder, counts, sites, last = Coder(data), Table(Table), Table(), {}
    expected_bits, other_bits, letters, result = Table(), Table(), [], []
    for number, (parent, sort) in enumerate(nodes):
        own = dict(letters[parent]) if number else {}
        if number and sort != EQUAL:
            for _ in range(coder.number(counts[sort]) + 1):
                site = coder.bits((len(reference) - 1).bit_length(), sites)
                old = own.get(site, reference[site])
                expected = last.get((site, old), old ^ 2)
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

def runs_of_rows(data, num_rows, reference, unknown):
    """For each row: a list of runs (first site, size, character)."""
    coder, num_sites = Coder(data), len(reference)
    log_size = min(20, max(12, num_rows.bit_length() + 6))
    tables, mixers, model = Table(Table), Table(dict), Table(Table)
    seen, recent = {}, {}

    def at(table, context, node):
        return tables[table][(context * 0x9E3779B97F4A7C15 + node * 0xD6E8FEB86659FD93) % 2**64 >> 64 - log_size]

    def predicted(table, context, least, count):
        node = 1
        for i in reversed(range(count)):
            prefix = node - (1 << count - 1 - i)
            forced = (2 * prefix + 1) << i <= least
            node = 2 * node + (1 if forced else coder.mixed(mixers[table, i], model[table][node], at(table, context, node)))
        return node - (1 << count)

    def size_of_gap(first):
        sizes = recent.setdefault(first, [])
        place = next((i for i in range(len(sizes)) if coder.bit(model["recent"][i])), None)
        sizes.insert(0, sizes.pop(place) if place is not None else coder.number(model["gap"]) + 1)
        del sizes[4:]
        return sizes[0]

    def fresh(behind, context):
        if coder.bit(model["sort"][0]):
            first = predicted("begin", context, behind, (num_sites - 1).bit_length())
            if not coder.mixed(mixers["long"], model["sort"][2], at("end", (7 << 32) + first, 0)):
                return first, coder.number(model["short"]) + 1, unknown
            return first, predicted("end", first, first + 41, num_sites.bit_length()) - first, unknown
        if coder.bit(model["sort"][1]):
            first = coder.bits((num_sites - 1).bit_length(), model["gap begin"])
            return first, size_of_gap(first), b"-"
        first = coder.bits((num_sites - 1).bit_length(), model["other begin"])
        character = coder.bits(8, model["character", reference[first]])
        return first, coder.number(model["other"]) + 1, bytes([character])

    def sort_of(run):
        return 0 if run[2] == unknown else 1 if run[2] == b"-" else 2

    rows = []
    for _ in range(num_rows):
        before, earlier = rows[-1] if rows else [], rows[-2] if len(rows) > 1 else []
        runs = [run for run in before if coder.bit(model["kept"][sort_of(run), run in earlier, min(7, seen[run].bit_length())])]
        behind, context = 0, num_sites
        for _ in range(coder.number(model["count", min(3, len(before))])):
            runs.append(fresh(behind, context))
            behind = sum(runs[-1][:2])
            context = runs[-1][0] if runs[-1][2] == unknown else context
        rows.append(sorted(runs))
        for run in runs:
            seen[run] = seen.get(run, 0) + 1
    coder.end()
    return rows


# ---- Sparse coding

def sparse_rows(num_rows, num_sites, rows_per_block, tree, model, blocks):
    nodes = shape(tree.section().data)
    row_of_tip = order_of_rows(tree.take().data, nodes, num_rows)
    alphabet, by_file = [b"ACGT", b"acgt", b"ACGU", b"acgu"][model.bits(8)], model.bits(8)
    reference = [model.bits(2) for _ in range(num_sites)]
    model.end()
    rows = [None] * num_rows
    for row, letters in zip(row_of_tip, letters_of_tips(blocks[0], nodes, reference)):
        rows[row] = bytearray(alphabet[letters.get(site, reference[site])] for site in range(num_sites))
    order = range(num_rows) if by_file else row_of_tip
    for i, data in enumerate(blocks[1:]):
        some = order[i * rows_per_block:(i + 1) * rows_per_block]
        for row, runs in zip(some, runs_of_rows(data, len(some), reference, b"N" if alphabet[:1] == b"A" else b"n")):
            for first, size, character in runs:
                rows[row][first:first + size] = character * size
    return [bytes(row) for row in rows]
