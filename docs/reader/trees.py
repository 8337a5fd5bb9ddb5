"""The tree, and which row is at which of its tips: docs/alignments/file-format.md, Tree."""
from bits import require

ORDERS = ["in the order of the tips", "steps, phased in", "steps, Rice codes"]  # from 2 on with that many low bits less 2


class Tree:
    """Nodes are numbered in pre-order. below[v]: the tips below node v, half open; row[t]: the row at tip t."""

    def __init__(self, section, num_tips):
        self.below = topology(section, num_tips)
        self.order = section.take()
        self.way, self.row = order_of_rows(self.order, num_tips)
        self.num_edges = len(self.below) - 1

    def rows(self, columns):
        """The rows of a block, in the order of the file, from its columns, whose cells are in the order of the tips."""
        rows = sorted(zip(self.row, zip(*columns))) if columns else []
        return [bytes(cells) for _, cells in rows]


def topology(section, num_tips):
    """Brackets: a 1 opens an inner node, a 0 closes it. What is missing to two children, three at the root, are tips."""
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
    """How the order is coded, and the row of each tip: each is a step from the row before, among those that are left."""
    left, rows, last = list(range(num_tips)), [], 0
    way = section.bits(8)
    require(way < 2 + 32, "order of rows")
    for m in range(num_tips, 0, -1):
        distance = 0 if way == 0 else phased_in(section, m) if way == 1 else section.rice(way - 2)
        require(distance < m, "distance of rows")
        d = (distance + 1) // 2 if distance % 2 else m - distance // 2
        last = (last + d) % m
        rows.append(left.pop(last))
    section.end()
    return way, rows


def phased_in(section, m):
    b = m.bit_length() - 1
    s = 2 ** (b + 1) - m
    x = section.bits(b)
    return x if x < s else 2 * x + section.bits(1) - s
