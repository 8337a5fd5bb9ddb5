"""Placements agree with themselves; probabilities of loss are those that exact fractions give."""
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from regraft.loss import LossModel, simulate
from regraft.placement import Placement

PLACEMENTS = [
    Placement.pairwise(50, 7, 3),
    Placement.permuted(50, 7, 3, range_blocks=4),
    Placement.permuted(50, 7, 2, seed=None),
    Placement.mod_k(50, 7, 2),
    Placement.mod_k(50, 7, 2, seed=4),
    Placement.node_aware(50, [0, 0, 0, 1, 1, 2, 2], 3, seed=1),
    Placement.mod_k(50, 7, 2).over_nodes([9, 9, 9, 4, 4, 5, 5]),
]


@pytest.mark.parametrize("placement", PLACEMENTS, ids=repr)
def test_slots_hold_what_blocks_say(placement):
    offsets, slots = placement.holders()
    by_slot = [np.concatenate([np.arange(a, b) for a, b in placement.held(slot)]) for slot in range(7)]
    for block in range(50):
        row = slots[offsets[block]:offsets[block + 1]].tolist()
        assert len(set(row)) == len(row) >= placement.replicas
        assert sorted(row) == [slot for slot in range(7) if block in by_slot[slot]]


@pytest.mark.parametrize("placement", PLACEMENTS, ids=repr)
def test_the_dead_are_left_out(placement):
    alive = np.array([True, False, True, True, True, False, True])
    offsets, slots = placement.holders([3, 49, 3], alive)
    everybody, all_slots = placement.holders([3, 49, 3])
    for i in range(3):
        row = all_slots[everybody[i]:everybody[i + 1]]
        assert slots[offsets[i]:offsets[i + 1]].tolist() == row[alive[row]].tolist()


@pytest.mark.parametrize("placement", PLACEMENTS, ids=repr)
def test_copies_are_on_different_nodes(placement):
    node_of = np.array([7, 7, 1, 1, 1, 4, 4])
    spread = placement.over_nodes(node_of)
    assert (spread.num_blocks, spread.num_slots, spread.replicas) == (50, 7, placement.replicas)
    offsets, slots = spread.holders()
    for block in range(50):
        nodes = node_of[slots[offsets[block]:offsets[block + 1]]]
        assert len(set(nodes.tolist())) == placement.replicas
    draws = simulate(spread, 200, seed=3, node_of=np.unique(node_of, return_inverse=True)[1])
    assert draws.min() >= placement.replicas


@pytest.mark.parametrize("placement", PLACEMENTS, ids=repr)
@pytest.mark.parametrize("node_of", [range(10, 17), [3] * 7], ids=["a node each", "one node"])
def test_rules_stay_where_nodes_change_nothing(placement, node_of):
    for before, after in zip(placement.holders(), placement.over_nodes(node_of).holders()):
        assert before.tolist() == after.tolist()


def test_wrong_placements_are_value_errors():
    for make in [lambda: Placement.pairwise(10, 3, 4), lambda: Placement.mod_k(10, 0, 0), lambda: Placement.permuted(2**64 - 1, 3, 2, 1),
                 lambda: Placement.permuted(10, 3, 2, seed=2**64 - 1), lambda: PLACEMENTS[0].held(7), lambda: PLACEMENTS[0].holders([50]),
                 lambda: PLACEMENTS[0].holders([1], [True]), lambda: Placement.node_aware(10, [], 1),
                 lambda: PLACEMENTS[0].over_nodes([0, 1])]:
        with pytest.raises(ValueError, match="expected"):
            make()


def exact_loss(num_slots, size, count, failures):
    """The probability that all slots of one of `count` groups of `size` are among the failures: inclusion and exclusion."""
    return sum(Fraction((-1) ** (j + 1) * comb(count, j) * comb(num_slots - j * size, failures - j * size), comb(num_slots, failures))
               for j in range(1, count + 1) if j * size <= failures)


@pytest.mark.parametrize("num_slots, size, count", [(12, 3, 4), (13, 2, 6), (30, 3, 7), (5, 1, 5), (9, 9, 1)])
def test_probability_is_that_of_exact_fractions(num_slots, size, count):
    model = LossModel(num_slots, {size: count})
    failures = np.arange(num_slots + 1)
    exact = [float(exact_loss(num_slots, size, count, k)) for k in failures.tolist()]
    np.testing.assert_allclose(model.loss_probability(failures), exact, rtol=1e-12, atol=0)
    survival = [float(1 - exact_loss(num_slots, size, count, k)) for k in failures.tolist()]
    np.testing.assert_allclose(model.survival_probability(failures), survival, rtol=1e-12, atol=0)
    assert model.expected_failures() == pytest.approx(sum(1 - x for x in exact), rel=1e-12)
    assert model.quantile(0.5) == next(k for k, x in enumerate(exact) if x >= 0.5)
    assert model.most_survivable == num_slots - count


def test_groups_are_those_of_the_placement():
    assert LossModel.mod_k(13, 3).groups == {4: 1, 3: 3}
    assert LossModel.mod_k_nodes(12, 3, 2).groups == {3: 2}
    assert LossModel.mod_k_nodes(13, 3, 5) is None
    assert isinstance(LossModel.mod_k(12, 3).loss_probability(4), float)
    assert LossModel.mod_k(12, 3).loss_probability([[0, 12]]).tolist() == [[0.0, 1.0]]


def test_draws_have_the_mean_of_the_closed_form():
    model, placement = LossModel.mod_k(60, 3), Placement.mod_k(600, 60, 3)
    draws = simulate(placement, 20_000, seed=1)
    assert draws.mean() == pytest.approx(model.expected_failures(), abs=5 * draws.std() / 20_000**0.5)
    assert (simulate(placement, 10, seed=1) == draws[:10]).all()
    by_node = simulate(placement, 100, seed=1, node_of=np.repeat(np.arange(6), 10))
    assert by_node.max() <= 6


def test_wrong_models_are_value_errors():
    model = LossModel.mod_k(12, 3)
    for make in [lambda: LossModel(5, {3: 2}), lambda: LossModel(5, {}), lambda: LossModel(5, {0: 1}), lambda: LossModel(2**40, {1: 1}),
                 lambda: LossModel.mod_k(3, 4), lambda: LossModel.mod_k_nodes(3, 2, 0), lambda: model.quantile(0),
                 lambda: model.quantile(float("nan")), lambda: model.loss_probability(13), lambda: model.loss_probability(-1),
                 lambda: simulate(PLACEMENTS[0], 2**33),
                 lambda: simulate(PLACEMENTS[0], 1, node_of=[9] * 7), lambda: simulate(Placement.mod_k(0, 3, 2), 1)]:
        with pytest.raises(ValueError, match="expected"):
            make()


@pytest.mark.parametrize("make, error, text", [
    (lambda: Placement.pairwise(-1, 3), ValueError, "num_blocks: expected a number from 0 to .*, not -1"),
    (lambda: Placement.pairwise("10", 3), TypeError, "num_blocks: expected an integer, not str"),
    (lambda: Placement.pairwise(10, 3.5), TypeError, "num_slots: expected an integer, not float"),
    (lambda: Placement.permuted(10, 3, 2, -1), ValueError, "range_blocks: .* not -1"),
    (lambda: Placement.permuted(10, 3, 2, seed=-1), ValueError, "seed: .* not -1"),
    (lambda: Placement.mod_k(2**70, 3, 2), ValueError, "num_blocks: "),
    (lambda: Placement.node_aware(10, [-1, 2], 2), ValueError, "node_of: .* not -1"),
    (lambda: Placement.mod_k(10, 2, 2).over_nodes([1, -2]), ValueError, "node_of: .* not -2"),
    (lambda: Placement.mod_k(10, 2, 2).over_nodes([1, 2, 2]), ValueError, "node_of: expected 2 numbers, one for each slot, not 3"),
    (lambda: Placement.mod_k(10, 2, 2).over_nodes([1, 1], seed=-1), ValueError, "seed: .* not -1"),
    (lambda: Placement.pairwise(10, 3).held(-7), ValueError, "slot: .* from 0 to 2, not -7"),
    (lambda: Placement.pairwise(10, 3).holders([10]), ValueError, "blocks: expected numbers below num_blocks, 10, not 10"),
    (lambda: Placement.pairwise(10, 3).holders([0], [True]), ValueError, "alive: expected 3 numbers, one for each slot, not 1"),
    (lambda: LossModel.mod_k(-1, 2), ValueError, "num_slots: .* not -1"),
    (lambda: LossModel(4, {-2: 2}), ValueError, "groups: a size: .* not -2"),
    (lambda: simulate(Placement.pairwise(10, 3), -1), ValueError, "num_trials: .* not -1"),
])
def test_errors_name_the_argument(make, error, text):
    with pytest.raises(error, match=text):
        make()
