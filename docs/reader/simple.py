"""The two codings without probabilities: plain (kind 0) and thesis (kind 2). Each gives a function that decodes a block into rows."""
from bits import require

BASE_SETS = b"-ACMGRSVTWYHKDBN"  # a bit for each base


def no_model(_tree, model):
    model.end()


def plain(tree, _model):
    return lambda block, num_sites: [block.take(num_sites).data for _ in tree.row]


def characters(_tree, model):
    """The model of the thesis coding: the character of each state."""
    data = model.take().data
    require(data and data[0] <= 1 and (data[0] == 1) == (len(data) > 1), "model")
    require(len(set(data[1:])) == len(data[1:]), "characters are distinct")
    return data[1:] or BASE_SETS


def thesis(tree, characters):
    state_bits, edge_bits = (len(characters) - 1).bit_length(), (tree.num_edges - 1).bit_length() if tree.num_edges else 0

    def decode(block, num_sites):
        count_bits = block.bits(8)
        counts = [block.bits(count_bits) for _ in range(num_sites)]
        columns = [[block.bits(state_bits)] * len(tree.row) for _ in range(num_sites)]  # the state of the root, everywhere
        for column, count in zip(columns, counts):
            before = 0
            for _ in range(count):
                difference, edge = block.bits(state_bits), 1 + block.bits(edge_bits)
                require(difference > 0 and before < edge <= tree.num_edges, "change")
                first, last = tree.below[edge]
                column[first:last] = [column[first] ^ difference] * (last - first)
                before = edge
        block.end()
        require(all(state < len(characters) for column in columns for state in column), "state")
        return tree.rows([[characters[state] for state in column] for column in columns])

    return decode
