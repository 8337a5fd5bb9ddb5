"""Lines: how names, descriptions and the words of partitions are written. docs/alignments/file-format.md, Lines."""
import re

from bits import Input, require
from modelled import modelled_part
from range_coder import Models, RangeDecoder
from zstd import unpacked

WAYS = ["as they are", "zstd", "zstd of what differs from the line before", "forms and numbers", "modelled"]


def read_lines(part):
    """The way in which the lines are written, and the lines, as bytes."""
    way = part.bits(8)
    require(way < len(WAYS), f"lines in way {way}")
    if way == 3:
        return way, numbered(part)
    if way == 2:
        return way, front_coded(Input(unpacked(part.take().data)))
    return way, split(part.take().data if way == 0 else unpacked(part.take().data) if way == 1 else modelled_part(part))


def is_printable(line):
    """Whether it is UTF-8 without control characters."""
    try:
        return not any(c < " " or "\x7f" <= c <= "\x9f" for c in line.decode())
    except UnicodeDecodeError:
        return False


def split(text):
    require(not text or text.endswith(b"\n"), "a line without its end")
    return text.split(b"\n")[:-1]


def front_coded(part):
    """Each line begins as the one before, for so many bytes."""
    shared = [part.number() for _ in range(part.number())]
    lines, before = split(part.take().data), b""
    require(len(lines) == len(shared), "number of lines")
    for i, count in enumerate(shared):
        require(count <= len(before), "shared beginning")
        lines[i] = before = before[:count] + lines[i]
    return lines


def numbered(part):
    """Names such as seq0017|2021-03: few forms, such as seq0000|0000-00, and the numbers in them."""
    count = part.number()
    way, forms = read_lines(part.section())
    require(way != 3 and forms, "forms")
    coder = RangeDecoder(part.take().data)
    has_same_form, form_bits, kinds = Habit(), Models(), Models(Number)
    lines, form = [], 0
    for _ in range(count):
        if not has_same_form.read(coder):
            form = coder.bits((len(forms) - 1).bit_length(), form_bits)
            require(form < len(forms), "form of a line")
        pieces = re.split(rb"([0-9]{1,18})", forms[form])  # text and numbers by turns
        for i in range(1, len(pieces), 2):
            pieces[i] = kinds[i, len(pieces[i])].read(coder, len(pieces[i]))
        lines.append(b"".join(pieces))
    coder.end()
    return lines


class Habit:
    """A bit that goes by what it was the last time."""

    def __init__(self):
        self.last, self.models = 0, Models()

    def read(self, coder):
        self.last = coder.bit(self.models[self.last])
        return self.last


class Number:
    """What is known of the numbers at a place of lines: they stay, or they grow, or they are anything."""

    def __init__(self):
        self.stays, self.grows = Habit(), Habit()
        self.last, self.last_step = 0, 0
        self.steps, self.first_digits = Models(Models), Models()

    def read(self, coder, width):
        if not self.stays.read(coder):
            if self.grows.read(coder):
                self.last_step = coder.number(self.steps[min(11, self.last_step.bit_length())])
                self.last += 1 + self.last_step
            else:
                self.last = self.anything(coder, width)
        require(self.last < 10 ** width, "number in a line")
        return b"%0*d" % (width, self.last)

    def anything(self, coder, width):
        known = width if width <= 4 else 3
        value = coder.bits((10 ** known - 1).bit_length(), self.first_digits)
        left = width - known
        while left > 0:
            digits = min(4, left)
            value = value * 10 ** digits + coder.even(10 ** digits)
            left -= digits
        return value
