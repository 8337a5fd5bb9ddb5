"""Modelled texts of docs/file-format.md, written from that page alone."""
from rgm_range import Coder, Table, logit

TYPICAL = (b"Homo_sapiens", b"Mus_musculus", b"Gallus_gallus", b"Danio_rerio", b"Drosophila_melanogaster", b"Arabidopsis_thaliana",
           b"Escherichia_coli", b"HBA_HUMAN", b"HBB_MOUSE", b"Seq1", b"Seq2", b"Taxon10", b"Taxon11")
LF = 10


class Told:
    """Gives the bits of a text that is known."""

    def __init__(self, text):
        self.bits = [byte >> bit & 1 for byte in text for bit in range(7, -1, -1)][::-1]

    def decide(self, _probability):
        return self.bits.pop()

    mixed_of = Coder.mixed_of


class Model:
    def __init__(self, num_bytes):
        self.t = min(18, max(12, num_bytes.bit_length() + 4))
        self.tables, self.weights = [Table() for _ in range(6)], Table(lambda: [22000] * 6)
        self.line, self.last, self.above = [], {False: [], True: []}, []
        self.equal = 1

    def read(self, coder, count):
        return bytes(self.byte(coder) for _ in range(count))

    def byte(self, coder):
        q, r, s = [LF, LF, LF, *self.line][:-4:-1]
        place, above = len(self.line), self.above
        u = above[place] if place < len(above) else LF if place == len(above) else 0
        contexts = (0, q, q + (r << 8), q + (r << 8) + (s << 16), 2 * u + self.equal, (q << 9) + 2 * u + self.equal)
        case = 0 if self.equal else 1 if u == 0 else 2
        node = 1
        while node < 256:
            bits = [table[(context * 0x9E3779B97F4A7C15 + node * 0xD6E8FEB86659FD93) % 2**64 >> 64 - self.t]
                    for table, context in zip(self.tables, contexts)]
            node = 2 * node + coder.mixed_of(self.weights[case, node], bits, [logit(bit) if bit.n else 0 for bit in bits], 17)
        self.add(node - 256, u)
        return node - 256

    def add(self, byte, above):
        if byte == LF:
            is_title = self.line[:1] == [ord(">")]
            self.last[is_title] = self.line
            self.above = self.last[not is_title] or self.line
            self.line, self.equal = [], 1
            return
        if not self.line:
            self.above = self.last[byte == ord(">")]
            above = self.above[0] if self.above else LF
        self.equal &= byte == above
        self.line.append(byte)


def modelled(data, size, before=b""):
    model = Model(size)
    for text in (b"".join(line + b"\n" for line in TYPICAL), before):
        model.read(Told(text), len(text))
    coder = Coder(data, has_short_end=True)
    text = model.read(coder, size)
    coder.end()
    return text
