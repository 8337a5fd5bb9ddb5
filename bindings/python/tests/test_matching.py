"""Matchings are compared with all possible ones."""
import itertools
import math
import resource

import numpy as np
import pytest

from regraft import matching, schedule
from regraft.matching import UNMATCHED, rows_to_csr


def all_matchings(rows):
    return itertools.product(*[row or [UNMATCHED] for row in rows])


def loads(right_of, weights, num_right):
    sums = [0] * num_right
    for v, weight in zip(right_of, weights):
        if v != UNMATCHED:
            sums[v] += weight
    return sums


def test_b_is_the_least_of_all_matchings(graph):
    rows, num_right = graph
    found = matching.min_b_matching(*rows_to_csr(rows), num_right)
    assert all(v in row if row else v == UNMATCHED for v, row in zip(found.right_of.tolist(), rows))
    assert found.b == max(loads(found.right_of, [1] * len(rows), num_right))
    assert found.b == min(max(loads(m, [1] * len(rows), num_right)) for m in all_matchings(rows))
    assert found.isolated.tolist() == [x for x, row in enumerate(rows) if not row]


def test_hall_set_proves_b(graph):
    rows, num_right = graph
    found = matching.min_b_matching(*rows_to_csr(rows), num_right)
    within = sum(1 for row in rows if row and set(row) <= set(found.hall_set.tolist()))
    assert found.b == 0 or within > (found.b - 1) * len(found.hall_set)


def test_weighted_b_is_within_its_bound(graph):
    rows, num_right = graph
    weights = [(7 * x) % 5 + 1 for x in range(len(rows))]
    found = matching.min_b_weighted(*rows_to_csr(rows), weights, num_right)
    best = min(max(loads(m, weights, num_right)) for m in all_matchings(rows))
    assert found.b == max(loads(found.right_of.tolist(), weights, num_right))
    assert found.lower_bound <= best <= found.b <= found.lower_bound + max(weights, default=0)


def test_shares_are_those_of_unit_vertices(graph):
    rows, num_right = graph
    units = [3 * x + 1 for x in range(len(rows))]
    offsets, neighbours = rows_to_csr(rows)
    found = matching.min_b_shares(offsets, neighbours, units, num_right)
    single = matching.min_b_matching(*rows_to_csr([row for row, n in zip(rows, units) for _ in range(n)]), num_right)
    assert found.b == single.b
    for x, row in enumerate(rows):
        assert not row or found.share[offsets[x]:offsets[x + 1]].sum() == units[x]


def test_no_matching_within_the_capacities_has_more(graph):
    rows, num_right = graph
    capacity = [v % 3 for v in range(num_right)]
    found = matching.max_b_matching(*rows_to_csr(rows), capacity)
    some = itertools.product(*[[*row, UNMATCHED] for row in rows])
    most = max(sum(v != UNMATCHED for v in m) for m in some if all(n <= c for n, c in zip(loads(m, [1] * len(m), num_right), capacity)))
    assert found.num_matched == most == np.count_nonzero(found.right_of != UNMATCHED)


def test_large_instance_spreads_evenly():
    rows, copies = 200_000, 3
    neighbours = (np.arange(rows)[:, None] * 7919 + np.arange(copies) * 333) % 1000
    found = matching.min_b_matching(np.arange(rows + 1) * copies, neighbours.reshape(-1), 1000)
    assert found.b == math.ceil(rows / 1000)


@pytest.mark.parametrize("arguments, text", [
    (([0, 1], [-1]), "neighbours: expected numbers from 0 to 4294967295, not -1"),
    (([0, 1], [2**32]), "neighbours: expected numbers from 0"),
    (([0, 1], [[1]]), "one dimension"),
    (([0, 2], [1]), "offsets whose last"),
    (([0, 2, 1, 3], [1, 1, 1]), "ascending from 0"),
    (([1, 1], [1]), "ascending from 0"),
    (([], []), "offsets: expected numbers ascending from 0"),
    (([0, 1], [3], 3), "neighbours: expected numbers below num_right, 3, not 3"),
    (([0, 1], [3], -1), "num_right"),
    (([0, 1], [2**32 - 1]), "num_right: expected"),
])
def test_wrong_graphs_are_value_errors(arguments, text):
    with pytest.raises(ValueError, match=text):
        matching.min_b_matching(*arguments)


def test_wrong_weights_are_refused():
    with pytest.raises(ValueError, match="weight: expected 1 numbers, one for each left vertex, not 2"):
        matching.min_b_weighted([0, 1], [0], [1, 2])
    with pytest.raises(ValueError, match="below 2\\^63"):
        matching.min_b_weighted([0, 1], [0], [2**64 - 1])
    with pytest.raises(TypeError, match="integers"):
        matching.min_b_shares([0, 1], [0], [0.5])
    with pytest.raises(ValueError, match="units: expected 1 numbers, one for each left vertex, not 0"):
        matching.min_b_shares([0, 1], [0], [])


def test_memory_does_not_follow_from_the_ids():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    large = 3_000_000_000
    offsets, neighbours = [0, 2, 4, 5, 5], [large, 7, large, large + 1, large]
    found = matching.min_b_matching(offsets, neighbours)
    assert found.b == 1 and sorted(found.right_of[:3].tolist()) == [7, large, large + 1] and found.isolated.tolist() == [3]
    assert matching.min_b_matching([0, 1], [7], num_right=large).right_of.tolist() == [7]
    assert set(matching.min_b_weighted(offsets, neighbours, [1, 2, 3, 4]).hall_set.tolist()) <= {7, large, large + 1}
    assert matching.min_b_shares([0, 2, 3], [large, 1, 1], [10, 4]).share.tolist() == [7, 3, 4]
    plan = schedule.h_relation([large, 4], [0, 2, 3], [1, large + 1, large])
    assert set(plan.sender_of.tolist()) <= {1, large, large + 1} and plan.num_lost == 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 100_000  # KiB


def test_the_same_is_matched_whatever_the_ids():
    draw = np.random.default_rng(1)
    for seed in range(20):
        rows = [sorted(draw.choice(30, size=draw.integers(0, 4), replace=False)) for _ in range(40)]
        offsets, neighbours = matching.rows_to_csr(rows)
        ids = np.sort(draw.choice(2**32 - 2, size=30, replace=False)).astype(np.uint32)
        plain, far = matching.min_b_matching(offsets, neighbours), matching.min_b_matching(offsets, ids[neighbours])
        matched = plain.right_of != matching.UNMATCHED
        assert plain.b == far.b and (ids[plain.right_of[matched]] == far.right_of[matched]).all(), seed
        assert (ids[plain.hall_set] == far.hall_set).all(), seed


def test_nothing_is_matched_to_nothing():
    found = matching.min_b_matching([0], [])
    assert found.b == 0 and found.right_of.size == found.hall_set.size == 0


def test_arrays_of_the_right_type_are_not_copied():
    from regraft._arrays import numbers
    values = np.arange(10, dtype=np.uint32)
    assert numbers(values, np.uint32, "values") is values
    assert not np.shares_memory(numbers(values[::2], np.uint32, "values"), values)
