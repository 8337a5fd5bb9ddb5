"""The two codings without models: plain (kind 0) and thesis (kind 2). Each gives a function that decodes a block into rows."""
from bits import require

BASE_SETS = b"-ACMGRSVTWYHKDBN"  # a bit for each base


def plain(tree, model):
    model.end()
    return lambda block, num_sites: [block.take(num_sites).data for _ in tree.row]


def characters_of(model):
    """The character of each state."""
    characters = model.take().data
    require(characters and characters[0] <= 1 and (characters[0] == 1) == (len(characters) > 1), "model")
    return characters[1:] or BASE_SETS


def thesis(tree, model):
    characters = characters_of(model)
    state_bits, edge_bits = (len(characters) - 1).bit_length(), (tree.num_edges - 1).bit_length() if tree.num_edges else 0

    def decode(block, num_sites):
        count_bits = block.bits(8)
        counts = [block.bits(count_bits) for _ in range(num_sites)]
        columns = [[block.bits(state_bits)] * len(tree.row) for _ in range(num_sites)]  # the state of the root, everywhere
        for column, count in zip(columns, counts):
            for _ in range(count):
                difference, edge = block.bits(state_bits), 1 + block.bits(edge_bits)
                first, last = tree.below[edge]
                column[first:last] = [column[first] ^ difference] * (last - first)
        block.end()
        return tree.rows([[characters[state] for state in column] for column in columns])

    return decode
