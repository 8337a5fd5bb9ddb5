"""Range coder, logarithms and powers of docs/file-format.md; comments name its sections."""
import math

from rgm_input import require

# ---- Entropy coder

LOGS = [math.floor(2 ** 24 * math.log2(1 + i / 256)) for i in range(257)]  # A


def log(x):
    o = x.bit_length() - 1
    fraction = ((x << 32 >> o) if o < 32 else x >> o - 32) % (1 << 32)
    i, t = divmod(fraction, 1 << 24)
    return (o << 26) + 4 * LOGS[i] + ((LOGS[i + 1] - LOGS[i]) * t >> 22)


def powers():
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


POWERS = list(powers())  # B


def power(y):
    o, rest = divmod(y, 1 << 26)
    i, t = divmod(rest, 1 << 18)
    return 0 if o > 30 else POWERS[i] - ((POWERS[i] - POWERS[i + 1]) * t >> 18) >> o


# ---- Range coder

class Bit:
    def __init__(self):
        self.p, self.n = 1 << 15, 0

    def learn(self, bit):
        target = 65535 if bit else 0
        self.p = min(65503, max(32, self.p + ((target - self.p) * (655360 // (10 * self.n + 16)) >> 16)))
        self.n = min(254, self.n + 1)


class Table(dict):
    """Whatever is asked for first is made anew."""

    def __init__(self, make=Bit):
        super().__init__()
        self.make = make

    def __missing__(self, key):
        self[key] = self.make()
        return self[key]


class Coder:
    def __init__(self, data, has_short_end=False):
        self.size = len(data)
        self.data = data + bytes(4 if has_short_end else 0)
        self.range, self.code, self.at = 2**32 - 1, int.from_bytes(self.data[:4], "big"), 4
        require(len(self.data) >= 4, "too short")

    def decide(self, p):
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

    def uniform(self, size):
        if size > 1 << 16:
            high = self.uniform((size - 1 >> 16) + 1)
            number = high << 16 | self.uniform(1 << 16)
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

    def bits(self, count, table):
        node = 1
        for _ in range(count):
            node = 2 * node + self.bit(table[node])
        return node - (1 << count)

    def number(self, table):
        octave = 0
        while octave < 31 and self.bit(table["length", octave]):
            octave += 1
        y, left = 1, octave
        while left > 0 and y < 4:
            y, left = 2 * y + self.bit(table[octave, y]), left - 1
        return (y << left) + self.uniform(1 << left) - 1

    def mixed(self, weights, a, b):
        case = sum(b.n >= limit for limit in (1, 2, 4, 10, 40))
        return self.mixed_of(weights.setdefault(case, [39322, 32768]), [a, b], [logit(a), logit(b) if b.n else 0], 18)

    def mixed_of(self, weights, bits, logits, rate):
        z = min(1408, max(-1408, sum(w * x for w, x in zip(weights, logits)) >> 21))
        p = (1 << 46) // ((1 << 30) + power(abs(z) << 19))
        p = p if z >= 0 else 65536 - p
        bit = self.decide(p)
        error = 65536 * bit - p
        for i, model in enumerate(bits):
            weights[i] += error * logits[i] >> rate
            model.learn(bit)
        return bit

    def end(self):
        require(self.at >= self.size, "bytes left over")


def logit(bit):
    q = bit.p // 16
    difference = log(16 * q + 8) - log(65536 - 16 * q - 8)
    return difference >> 14 if difference >= 0 else -(-difference >> 14)
