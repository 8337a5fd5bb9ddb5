"""Schedules are checked by what must hold of them."""
import random

import numpy as np
import pytest

from regraft import schedule
from regraft.matching import rows_to_csr
from regraft.schedule import NONE


@pytest.fixture(params=range(10))
def requests(request):
    draw = random.Random(request.param)
    count = draw.randint(0, 60)
    receivers = [draw.randint(0, 5) for _ in range(count)]
    return receivers, [draw.sample(range(3, 12), draw.randint(0, 3)) for _ in range(count)]


def check_senders(plan, receivers, holders):
    local = lost = 0
    for sender, receiver, row in zip(plan.sender_of.tolist(), receivers, holders):
        if not row:
            lost += 1
            assert sender == NONE
        elif receiver in row:
            local += 1
            assert sender == receiver
        else:
            assert sender in row
    assert (plan.num_local, plan.num_lost) == (local, lost)


def remote(plan, receivers):
    """The (sender, receiver, request) of each block that is sent."""
    return [(s, r, i) for i, (s, r) in enumerate(zip(plan.sender_of.tolist(), receivers)) if s not in (NONE, r)]


@pytest.mark.parametrize("bundled", [False, True])
def test_no_pe_sends_or_receives_two_messages_in_a_round(requests, bundled):
    receivers, holders = requests
    plan = schedule.h_relation(receivers, *rows_to_csr(holders), bundled=bundled)
    check_senders(plan, receivers, holders)
    messages = {}
    for sender, receiver, i in remote(plan, receivers):
        messages.setdefault((sender, receiver) if bundled else i, (sender, receiver, plan.round_of[i]))
        assert plan.round_of[i] == messages[(sender, receiver) if bundled else i][2] < plan.num_rounds
    for end in (0, 1):
        ends = [(message[end], message[2]) for message in messages.values()]
        assert len(set(ends)) == len(ends)
    degrees = [sum(1 for m in messages.values() if m[end] == pe) for end in (0, 1) for pe in range(12)]
    assert plan.num_rounds == max(degrees)
    assert all(plan.round_of[i] == NONE for i in set(range(len(receivers))) - {i for *_, i in remote(plan, receivers)})


def test_bytes_are_balanced(requests):
    receivers, holders = requests
    sizes = [(37 * i) % 100 + 1 for i in range(len(receivers))]
    plan = schedule.choose_senders(receivers, *rows_to_csr(holders), sizes)
    check_senders(plan, receivers, holders)
    sent = {}
    for sender, _, i in remote(plan, receivers):
        sent[sender] = sent.get(sender, 0) + sizes[i]
    assert plan.most_bytes == max(sent.values(), default=0)
    assert plan.most_bytes_bound <= plan.most_bytes <= plan.most_bytes_bound + 100


def test_pes_far_apart_cost_no_memory():
    assert schedule.choose_senders([2**32 - 2], [0, 1], [2**32 - 3]).sender_of.tolist() == [2**32 - 3]


def test_wrong_requests_are_value_errors():
    for arguments, text in [(([1], [0], []), "offsets behind the first: expected 1"),
                            (([1], [0, 2], [5]), "last is the number of holders, 1, not 2"),
                            (([1], [0, 1], [2**32 - 1]), "below 2\\^32 - 1"), (([1], [0, 1], [5], [1, 2]), "bytes: expected 1 numbers"),
                            (([1, 1], [0, 1, 0], []), "ascending")]:
        with pytest.raises(ValueError, match=text):
            schedule.choose_senders(*arguments)
        with pytest.raises(ValueError, match=text):
            schedule.h_relation(*arguments)


def test_same_plan_every_time():
    receivers = np.arange(5000) % 40
    offsets, holders = np.arange(5001) * 3, (np.arange(15000) * 7919) % 40 + 40
    first, second = (schedule.h_relation(receivers, offsets, holders) for _ in range(2))
    assert (first.sender_of == second.sender_of).all() and (first.round_of == second.round_of).all()
