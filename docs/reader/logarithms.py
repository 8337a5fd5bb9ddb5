"""Logarithms and powers in whole numbers, so that they are the same on every machine: docs/alignments/file-format.md, Entropy coder."""
import math

LOGS = [math.floor(2 ** 24 * math.log2(1 + i / 256)) for i in range(257)]  # A


def log(x):
    """L: log2 with 26 fractional bits, on straight lines between the values of a table."""
    octave = x.bit_length() - 1
    fraction = ((x << 32 >> octave) if octave < 32 else x >> octave - 32) % (1 << 32)
    i, t = divmod(fraction, 1 << 24)
    return (octave << 26) + 4 * LOGS[i] + ((LOGS[i + 1] - LOGS[i]) * t >> 22)


def table_of_powers():
    root, roots = 1 << 61, []
    for _ in range(8):
        root = math.isqrt(root << 62)
        roots.append(root)
    for i in range(256):
        product = 1 << 62
        for b, root in enumerate(roots):
            if i >> 7 - b & 1:
                product = product * root >> 62
        yield product >> 32
    yield 1 << 29


POWERS = list(table_of_powers())  # B


def power(y):
    """P: 2^-y with 30 fractional bits; y has 26 of them."""
    octave, rest = divmod(y, 1 << 26)
    i, t = divmod(rest, 1 << 18)
    return 0 if octave > 30 else POWERS[i] - ((POWERS[i] - POWERS[i + 1]) * t >> 18) >> octave
