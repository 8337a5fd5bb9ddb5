"""The range coder: bits whose probabilities are learned from the bits before. docs/alignments/file-format.md, Range coder.

A decoder and its encoder hold the same models and change them in the same way after each bit, so no model is stored.
"""
import functools

from bits import require
from logarithms import log, power


class AdaptiveBit:
    """The probability p / 2^16 that a bit is 1. It moves towards each bit that comes, the less the more have come (n)."""

    def __init__(self):
        self.p, self.n = 1 << 15, 0

    def learn(self, bit):
        target = 65535 if bit else 0
        self.p = min(65503, max(32, self.p + ((target - self.p) * (655360 // (10 * self.n + 16)) >> 16)))
        self.n = min(254, self.n + 1)

    def logit(self):
        """How sure it is of a 1: the logarithm of p / (1 - p)."""
        return logit(self.p // 16)


@functools.cache
def logit(q):
    difference = log(16 * q + 8) - log(65536 - 16 * q - 8)
    return difference >> 14 if difference >= 0 else -(-difference >> 14)


class Models(dict):
    """Adaptive bits, or other models, by context: the one for a new context is made when it is asked for."""

    def __init__(self, make=AdaptiveBit):
        super().__init__()
        self.make = make

    def __missing__(self, key):
        self[key] = self.make()
        return self[key]


def place_in_table(context, node, log_size):
    """Where a hash table has the bit of a context and a node."""
    return (context * 0x9E3779B97F4A7C15 + node * 0xD6E8FEB86659FD93) % 2**64 >> 64 - log_size


class Mixing:
    """A bit that several models predict: their logits, weighted by how well each did before in the same case."""

    def mixed(self, weights, models, logits, rate):
        z = min(1408, max(-1408, sum(w * x for w, x in zip(weights, logits)) >> 21))
        p = (1 << 46) // ((1 << 30) + power(abs(z) << 19))
        p = p if z >= 0 else 65536 - p
        bit = self.decide(p)
        error = 65536 * bit - p
        for i, model in enumerate(models):
            weights[i] += error * logits[i] >> rate
            model.learn(bit)
        return bit


class RangeDecoder(Mixing):
    def __init__(self, data, has_short_end=False):
        self.size = len(data)
        self.data = data + bytes(4 if has_short_end else 0)
        self.range, self.code, self.at = 2**32 - 1, int.from_bytes(self.data[:4], "big"), 4
        require(len(self.data) >= 4, "too short")

    def decide(self, p):
        """The next bit, which is 1 with probability p / 2^16: that part of the range stands for it."""
        share = self.range * p >> 16
        bit = self.code < share
        if bit:
            self.range = share
        else:
            self.code, self.range = self.code - share, self.range - share
        self.renew()
        return int(bit)

    def renew(self):
        while self.range < 1 << 24:
            require(self.at < len(self.data), "too short")
            self.range, self.code, self.at = self.range << 8, self.code << 8 | self.data[self.at], self.at + 1

    def even(self, size):
        """A number below `size`; all are equally likely."""
        if size > 1 << 16:
            high = self.even((size - 1 >> 16) + 1)
            number = high << 16 | self.even(1 << 16)
        else:
            self.range //= size
            number = self.code // self.range
            self.code -= number * self.range
            self.renew()
        require(number < size, "a number too large")
        return number

    def bit(self, model):
        bit = self.decide(model.p)
        model.learn(bit)
        return bit

    def bits(self, count, models):
        """Adaptive bits: `node` is a 1 and the bits so far, so each beginning of a number has a model of its own."""
        node = 1
        for _ in range(count):
            node = 2 * node + self.bit(models[node])
        return node - (1 << count)

    def number(self, models):
        """An adaptive number, from 0 on: how many bits it has, and the two highest of them, are learned."""
        octave = 0
        while octave < 31 and self.bit(models["length", octave]):
            octave += 1
        y, left = 1, octave
        while left > 0 and y < 4:
            y, left = 2 * y + self.bit(models[octave, y]), left - 1
        return (y << left) + self.even(1 << left) - 1

    def mixed_bit(self, weights, a, b):
        """A mixed bit of two models; the weights go by how often b has been seen."""
        case = sum(b.n >= limit for limit in (1, 2, 4, 10, 40))
        return self.mixed(weights.setdefault(case, [39322, 32768]), [a, b], [a.logit(), b.logit() if b.n else 0], 18)

    def end(self):
        require(self.at >= self.size, "bytes left over")
