"""Native coding (kind 1): each column is the state of the root, and the edges on which it changes.
docs/alignments/file-format.md, Block."""
import itertools

from entropy import CodedBytes, depths
from native_model import FIXED, IN_LOWER_CASE

DIRECT = 31  # in place of a number of changes: the residues follow one by one
MANY = 10  # what counts as the number of changes then


def native(tree, model, steps=None):
    """Gives a function that decodes a block into rows. `steps`: a list that gets what is read for each site."""
    def decode(block, num_sites):
        coded = CodedBytes(block.take().data)
        classes, residues = Classes(model, coded), Residues(model, coded)
        columns = []
        for _ in range(num_sites):
            looks = [model.looks[c] for c in classes.next_site()]
            states = residues.next_site([how != FIXED for how, _ in looks])
            columns.append([shown(model.residues[state], *look) for state, look in zip(states, looks)])
            if steps is not None:
                steps.append(classes.taken_notes() + residues.taken_notes())
        coded.end()
        return tree.rows(columns)

    return decode


def shown(residue, how, byte):
    return byte if how == FIXED else residue | 32 if how == IN_LOWER_CASE else residue


def roughly(x):
    """How many changes there are, as a context: exact numbers would be too many cases."""
    return x if x < 2 else 2 if x < 4 else 3 if x < 10 else 4


class Layer:
    """Reads a column of states. Notes say what was read: a name and a value."""

    def __init__(self, model, coded):
        self.model, self.coded, self.notes = model, coded, []

    def taken_notes(self):
        taken, self.notes = self.notes, []
        return taken

    def noted(self, name, value):
        self.notes.append((name, value))
        return value

    def symbol(self, table, case=0):
        return self.noted(table, self.coded.symbol(self.model.tables[table][case]))

    def number(self, table, case=0):
        return self.noted(table, self.coded.number(self.model.tables[table][case]))

    def edges(self, count, line):
        return self.noted("edges", [1 + item for item in self.coded.items(count, line)]) if count > 0 else []

    def change(self, column, edge, state):
        """All tips below the edge get the state; edges further down may change it again, so edges go in pre-order."""
        first, last = self.model.tree.below[edge]
        column[first:last] = [state] * (last - first)


class Classes(Layer):
    """The column of classes, which say how cells look. A site keeps the changes of the site before but for some."""

    def __init__(self, model, coded):
        super().__init__(model, coded)
        self.same, self.root, self.changes = 1, 0, {}  # class by edge

    def next_site(self):
        self.same = self.symbol("same", self.same)
        if not self.same:
            self.root = self.symbol("root_class", self.root)
            before = roughly(len(self.changes))
            if before > 0:
                self.drop(min(before, 3) - 1)
            self.add(before)
        column = [self.root] * len(self.model.tree.row)
        for edge, new in sorted(self.changes.items()):
            self.change(column, edge, new)
        return column

    def drop(self, case):
        dropped = self.symbol("dropped", case)
        if dropped == 1:
            self.changes = {}
        elif dropped == 2:
            edges, num_edges = sorted(self.changes), self.model.tree.num_edges
            first = num_edges - len(edges)  # places in the list of changes are the last items of a line of all edges
            for item in self.coded.items(self.number("num_dropped"), depths([1] * num_edges), first):
                del self.changes[self.noted("dropped edge", edges[item - first])]

    def add(self, before):
        last = len(self.model.looks)
        for edge in self.edges(self.number("num_added", before), self.model.class_line):
            last = self.changes[edge] = self.symbol("class_target", last)


class Residues(Layer):
    """The column of residues: how many edges have a change, which, and to which state; or all residues, directly."""

    def __init__(self, model, coded):
        super().__init__(model, coded)
        self.last, self.second_last, self.third_last = 0, 0, 0  # numbers of changes

    def next_site(self, is_shown):
        """`is_shown`: whether each tip shows its residue. In the others it does not matter."""
        case = (0, roughly(self.last), 5 * roughly(self.last) + roughly(self.third_last))[self.model.predicts_number]
        symbol = self.coded.symbol(self.model.tables["num_changes"][case])
        number = self.noted("num_changes", MANY if symbol == DIRECT else self.coded.number_of(symbol))
        self.last, self.second_last, self.third_last = number, self.last, self.second_last
        return self.direct(is_shown) if symbol == DIRECT else self.on_tree(number)

    def direct(self, is_shown):
        states, last = [0] * len(is_shown), len(self.model.residues)
        for tip in itertools.compress(range(len(is_shown)), is_shown):
            states[tip] = last = self.symbol("direct", last)
        return states

    def on_tree(self, number):
        last_old = root = self.symbol("root_residue")
        column, changed_to = [root] * len(self.model.tree.row), {}
        for edge in self.edges(number, self.model.residue_line):
            old = column[self.model.tree.below[edge][0]]
            likely = changed_to.get(old, last_old)  # what has not changed is what the last change made
            case = 6 * old + (5 if likely == old else min(likely, 4)) if self.model.has_candidate else old
            last_old, changed_to[old] = old, self.symbol("residue_target", case)
            self.change(column, edge, changed_to[old])
        return column
