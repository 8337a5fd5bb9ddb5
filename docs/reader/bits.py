"""Bits, numbers and sections: what docs/alignments/file-format.md calls its conventions."""


class FormatError(ValueError):
    """The bytes are not what the specification has."""


def require(good, what):
    if not good:
        raise FormatError(f"not a .rgm file as docs/alignments/file-format.md has it: {what}")


class Input:
    """Bytes of the file that are read from the front, bit by bit. `offset` is where they are in the file."""

    def __init__(self, data, offset=0):
        self.data, self.offset, self.bit = bytes(data), offset, 0

    def bits(self, count):
        """The lowest bit of a byte comes first, so a uN is N bits: that is little endian."""
        end = self.bit + count
        require(end <= 8 * len(self.data), "too short")
        value = int.from_bytes(self.data[self.bit // 8:(end + 7) // 8], "little") >> self.bit % 8
        self.bit = end
        return value % (1 << count)

    def number(self):
        """LEB128: seven bits of each byte; the eighth says whether another byte follows."""
        groups = [self.bits(8)]
        while groups[-1] >= 128:
            groups.append(self.bits(8))
        number = sum(group % 128 << 7 * i for i, group in enumerate(groups))
        require(len(groups) == 1 or groups[-1] > 0, "number in a longer form")
        require(number < 1 << 64, "number too large")
        return number

    def rice(self, low_bits):
        high = 0
        while self.bits(1):
            high += 1
        return (high << low_bits) + self.bits(low_bits)

    def take(self, size=None):
        """The next `size` whole bytes, or all that are left, as an Input of their own."""
        require(self.bits(-self.bit % 8) == 0, "bits left over that are not 0")
        first = self.bit // 8
        last = len(self.data) if size is None else first + size
        require(last <= len(self.data), "too short")
        self.bit = 8 * last
        return Input(self.data[first:last], self.offset + first)

    def section(self):
        return self.take(self.number())

    def end(self):
        require(not self.take().data, "bytes left over")
