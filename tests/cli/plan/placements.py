"""Which ranks keep which block, as the headers of the placements define it, written a second time: the set of holders of each block."""
import bisect

MASK = (1 << 64) - 1


def mix(x: int) -> int:
    """The mixing function of SplitMix64."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def first_bits(seed: int) -> int:
    """The first number of regraft::Random."""
    word = mix(seed + 2 * 0x9E3779B97F4A7C15 & MASK) * 5 & MASK
    return ((word << 7 | word >> 57) & MASK) * 9 & MASK


def permutation(n: int, seed: int) -> list[int]:
    """A permutation of 0 .. n - 1: a Feistel network on (high, low), repeated until the image is below n."""
    low_bits = (n - 1).bit_length() // 2
    num_low, num_high = 1 << low_bits, ((n - 1) >> low_bits) + 1
    key = first_bits(seed)

    def below(limit: int, step: int, half: int) -> int:
        return (mix(key + (step << 32 | half) & MASK) >> 32) * limit >> 32

    def network(i: int) -> int:
        high, low = divmod(i, num_low)
        for step in range(0, 24 if n < 256 else 8, 2):
            high = (high + below(num_high, step, low)) % num_high
            low ^= below(num_low, step + 1, high)
        return high * num_low + low

    images = []
    for i in range(n):
        i = network(i)
        while i >= n:
            i = network(i)
        images.append(i)
    return images


def dealt(n: int, parts: int) -> list[int]:
    """The part to which each of n things goes, in order and evenly."""
    return [part for part in range(parts) for _ in range(n * part // parts, n * (part + 1) // parts)]


def on_ring(ranks: int, replicas: int, home: int) -> set[int]:
    return {(home + copy * ranks // replicas) % ranks for copy in range(replicas)}


def positions(ranks: int, blocks: int) -> list[int]:
    """The position of each block's range in the random order, which has at least 64 ranges per rank."""
    length = max(1, blocks // (64 * ranks))
    order = permutation(-(-blocks // length), 0) if blocks else []
    return [order[block // length] for block in range(blocks)]


def mod_k(ranks: int, blocks: int, replicas: int, _: int) -> list[set[int]]:
    k = ranks // replicas
    return [set(range(group, ranks, k)) for group in dealt(blocks, k)]


def pairwise(ranks: int, blocks: int, replicas: int, _: int) -> list[set[int]]:
    return [on_ring(ranks, replicas, home) for home in dealt(blocks, ranks)]


def permuted(ranks: int, blocks: int, replicas: int, _: int) -> list[set[int]]:
    where = positions(ranks, blocks)
    homes = dealt(max(where, default=-1) + 1, ranks)
    return [on_ring(ranks, replicas, homes[position]) for position in where]


def parts_of_nodes(sizes: list[int], replicas: int, length: int) -> list[int]:
    """The share of a line of replicas * length points that each node gets: as even per rank as bounds allow."""
    level = max(each for each in range(replicas + 1) if sum(min(size, each) for size in sizes) <= replicas)

    def parts(per_rank: int) -> list[int]:
        return [min(max(size * per_rank, min(size, level) * length), min(size, level + 1) * length) for size in sizes]

    per_rank = bisect.bisect_right(range(length + 1), replicas * length, key=lambda x: sum(parts(x))) - 1
    even, more = parts(per_rank), parts(per_rank + 1)
    rest, growth = replicas * length - sum(even), sum(more) - sum(even)
    grown = 0
    for node, part in enumerate(more):
        before = rest * grown // growth if rest else 0
        grown += part - even[node]
        even[node] += (rest * grown // growth if rest else 0) - before
    return even


def node_aware(ranks: int, blocks: int, replicas: int, node_size: int) -> list[set[int]]:
    where = positions(ranks, blocks)
    length = max(where, default=-1) + 1
    sizes = [min(node_size, ranks - first) for first in range(0, ranks, node_size)]
    line = []
    for node, part in enumerate(parts_of_nodes(sizes, replicas, length)):
        line += [node * node_size + rank for rank in dealt(part, sizes[node])]
    return [{line[copy * length + position] for copy in range(replicas)} for position in where]


RULES = {"mod-k": mod_k, "pairwise": pairwise, "permuted": permuted, "node-aware": node_aware}
