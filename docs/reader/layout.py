"""Layouts: how the text of an alignment looks apart from its names and cells. docs/alignments/file-format.md, Layout.

Regular texts need a few numbers. Of all others the layout has a skeleton: where cells are, and every other byte.
"""
from bits import Input, require
from lines import read_lines
from modelled import modelled_part
from zstd import unpacked

PHYLIP, CARRIAGE_RETURNS, NO_LAST_LINE_END, DESCRIPTIONS, SKELETON, MAPLE, MODELLED_SKELETON = (1 << i for i in range(7))
FLAGS = {PHYLIP: "PHYLIP", CARRIAGE_RETURNS: "CR LF", NO_LAST_LINE_END: "no line end at the end", DESCRIPTIONS: "descriptions",
         SKELETON: "skeleton", MAPLE: "MAPLE", MODELLED_SKELETON: "modelled skeleton"}
LONGEST_TO_LEARN = 1 << 14  # names in front of a modelled skeleton


class Layout:
    def __init__(self, section, names, is_sparse):
        self.flags, self.width, self.name_width, self.descriptions, self.skeleton = 0, 0, 0, None, None
        if not section.data:
            return  # the layout is not known: FASTA, a line for each row
        self.flags = section.bits(8)
        require(self.flags < 128, "layout")
        if self.flags & (SKELETON | MODELLED_SKELETON):
            require(self.flags & ~PHYLIP in (SKELETON, MODELLED_SKELETON) and not is_sparse, "layout with a skeleton")
            self.skeleton = modelled_part(section, joined(names)) if self.flags & MODELLED_SKELETON else unpacked(section.take().data)
            return
        require(not self.flags & PHYLIP or not self.flags & (DESCRIPTIONS | MAPLE) and not is_sparse, "layout of PHYLIP")
        require(not self.flags & MAPLE or self.flags & DESCRIPTIONS and is_sparse, "layout of MAPLE")
        self.width = section.number()
        self.name_width = section.number() if self.flags & PHYLIP else 0
        require(self.name_width <= 256, "width of names")
        if self.flags & DESCRIPTIONS:
            self.descriptions_way, self.descriptions = read_lines(section)
            require(len(self.descriptions) == (1 if self.flags & MAPLE else len(names)), "descriptions")
        section.end()

    def text(self, names, rows, reference):
        if self.skeleton is not None:
            return filled(self.skeleton, rows)
        if self.flags & MAPLE:
            lines = list(self.maple(names, rows, reference))
        else:
            lines = list(self.phylip(names, rows) if self.flags & PHYLIP else self.fasta(names, rows))
        end = b"\r\n" if self.flags & CARRIAGE_RETURNS else b"\n"
        return end.join(lines) + (b"" if self.flags & NO_LAST_LINE_END else end)

    def lines_of(self, cells):
        width = self.width or len(cells) or 1
        return [cells[i:i + width] for i in range(0, len(cells), width)]

    def fasta(self, names, rows):
        for name, description, row in zip(names, self.descriptions or [b""] * len(names), rows):
            yield b">" + name + description
            yield from self.lines_of(row)

    def phylip(self, names, rows):
        yield b"%d %d" % (len(rows), len(rows[0]))
        for name, row in zip(names, rows):
            first, *others = self.lines_of(row) or [b""]
            yield name.ljust(max(self.name_width, len(name) + 1)) + first if row else name
            yield from others

    def maple(self, names, rows, reference):
        yield b">" + self.descriptions[0]
        yield from self.lines_of(reference)
        for name, row in zip(names, rows):
            yield b">" + name
            site = 0
            while site < len(row):
                size, cell = 1, row[site:site + 1]
                if cell in b"nN-":
                    size = len(row) - site - len(row[site:].lstrip(cell))
                    yield b"%b\t%d\t%d" % (cell, site + 1, size)
                elif row[site] != reference[site]:
                    yield b"%b\t%d" % (cell, site + 1)
                site += size


def joined(names):
    text = b"".join(name + b"\n" for name in names)
    return text if len(text) <= LONGEST_TO_LEARN else b""


def runs_of(skeleton):
    """Triples for the runs of cells (bytes before it that are no cells, step to its row, cells), and all bytes that are no cells."""
    part = Input(skeleton)
    runs = [(part.number(), part.number(), part.number()) for _ in range(part.number())]
    return runs, part.take().data


def filled(skeleton, rows):
    runs, others = runs_of(skeleton)
    text, row, used, at = [], 0, 0, [0] * len(rows)
    for before, step, count in runs:
        text.append(others[used:used + before])
        used, row = used + before, (row + step) % len(rows)
        text.append(rows[row][at[row]:at[row] + count])
        at[row] += count
    require(used <= len(others) and all(place == len(cells) for place, cells in zip(at, rows)), "skeleton")
    return b"".join(text) + others[used:]
