"""Conventions of docs/file-format.md: bits, numbers and sections."""


def require(good, what):
    if not good:
        raise ValueError(f"not a .rgm file as docs/file-format.md has it: {what}")


class Input:
    """Bytes, read from the front by bits. Numbers of whole bytes are bits as well: little endian (Conventions)."""

    def __init__(self, data):
        self.data, self.at = bytes(data), 0

    def bits(self, count):
        end = self.at + count
        require(end <= 8 * len(self.data), "too short")
        value = int.from_bytes(self.data[self.at // 8:(end + 7) // 8], "little") >> self.at % 8
        self.at = end
        return value % (1 << count)

    def number(self):
        groups = [self.bits(8)]
        while groups[-1] >= 128:
            groups.append(self.bits(8))
        require(len(groups) == 1 or groups[-1] > 0, "number in a longer form")
        return sum(group % 128 << 7 * i for i, group in enumerate(groups))

    def rice(self, low_bits):
        high = 0
        while self.bits(1):
            high += 1
        return (high << low_bits) + self.bits(low_bits)

    def take(self, size=None):
        """The next `size` whole bytes, or all that are left."""
        require(self.bits(-self.at % 8) == 0, "bits left over that are not 0")
        first = self.at // 8
        last = len(self.data) if size is None else first + size
        require(last <= len(self.data), "too short")
        self.at = 8 * last
        return Input(self.data[first:last])

    def section(self):
        return self.take(self.number())

    def end(self):
        require(not self.take().data, "bytes left over")
