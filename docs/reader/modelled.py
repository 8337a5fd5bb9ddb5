"""Modelled texts: each bit of a short text is predicted from the letters before it and from the line above. docs/alignments/file-format.md,
Modelled texts."""
from range_coder import Mixing, Models, RangeDecoder, place_in_table

# What is likely to be in a text about sequences: the model learns it before the first byte.
TYPICAL = (b"Homo_sapiens", b"Mus_musculus", b"Gallus_gallus", b"Danio_rerio", b"Drosophila_melanogaster", b"Arabidopsis_thaliana",
           b"Escherichia_coli", b"HBA_HUMAN", b"HBB_MOUSE", b"Seq1", b"Seq2", b"Taxon10", b"Taxon11")
LF, TITLE = 10, ord(">")


class KnownText(Mixing):
    """Stands for a decoder, but gives the bits of a text that is known: so a model learns from it."""

    def __init__(self, text):
        self.left = [byte >> bit & 1 for byte in text for bit in range(7, -1, -1)][::-1]

    def decide(self, _p):
        return self.left.pop()


class TextModel:
    def __init__(self, num_bytes):
        self.log_size = min(18, max(12, num_bytes.bit_length() + 4))
        self.tables, self.weights = [Models() for _ in range(6)], Models(lambda: [22000] * 6)
        self.line, self.line_above = [], []
        self.last = {False: [], True: []}  # the last line that is no title, and the last one that is
        self.is_as_above = 1

    def read(self, coder, count):
        return bytes(self.byte(coder) for _ in range(count))

    def byte(self, coder):
        q, r, s = [LF, LF, LF, *self.line][:-4:-1]
        place, line_above = len(self.line), self.line_above
        u = line_above[place] if place < len(line_above) else LF if place == len(line_above) else 0
        above = 2 * u + self.is_as_above
        contexts = (0, q, q + (r << 8), q + (r << 8) + (s << 16), above, (q << 9) + above)
        case = 0 if self.is_as_above else 1 if u == 0 else 2
        node = 1
        while node < 256:
            models = [table[place_in_table(context, node, self.log_size)] for table, context in zip(self.tables, contexts)]
            node = 2 * node + coder.mixed(self.weights[case, node], models, [model.logit() if model.n else 0 for model in models], 17)
        self.add(node - 256, u)
        return node - 256

    def add(self, byte, above):
        if byte == LF:
            is_title = self.line[:1] == [TITLE]
            self.last[is_title] = self.line
            self.line_above = self.last[not is_title] or self.line
            self.line, self.is_as_above = [], 1
            return
        if not self.line:
            self.line_above = self.last[byte == TITLE]
            above = self.line_above[0] if self.line_above else LF
        self.is_as_above &= byte == above
        self.line.append(byte)


def modelled(data, size, before=b""):
    """The `size` bytes that `data` codes; `before` is a text that they are likely to repeat."""
    model = TextModel(size)
    for text in (b"".join(line + b"\n" for line in TYPICAL), before):
        model.read(KnownText(text), len(text))
    coder = RangeDecoder(data, has_short_end=True)
    text = model.read(coder, size)
    coder.end()
    return text


def modelled_part(part, before=b""):
    """A part of the header that begins with the size of its text."""
    size = part.number()
    return modelled(part.take().data, size, before)
