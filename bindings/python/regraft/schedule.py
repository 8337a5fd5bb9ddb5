"""Which PE sends which block to which other PE in which round: a multi-sender h-relation.

Request i: PE ``receivers[i]`` wants a block that the PEs ``holders[offsets[i]:offsets[i + 1]]`` hold.

>>> from regraft.placement import Placement
>>> placement = Placement.permuted(num_blocks=64, num_slots=8, replicas=3)
>>> alive = np.arange(8) != 5                     # PE 5 died; the others want what it had, by turns
>>> blocks = np.concatenate([np.arange(a, b) for a, b in placement.held(5)])
>>> receivers = np.flatnonzero(alive)[np.arange(len(blocks)) % 7]
>>> plan = h_relation(receivers, *placement.holders(blocks, alive))
>>> plan.num_lost, bool((plan.round_of[plan.round_of != NONE] < plan.num_rounds).all())
(0, True)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import NONE, expect_one_each, few_ids, numbers, offsets_and_values, with_ids

__all__ = ["NONE", "HRelation", "Senders", "choose_senders", "h_relation"]


@dataclass(frozen=True)
class Senders:
    """The sender of each request."""

    #: For every request its sender; the receiver itself if it holds the block, ``NONE`` if no PE does.
    sender_of: NDArray[np.uint32]
    #: The most blocks that one PE sends.
    b: int
    #: How many requests are of receivers that hold the block.
    num_local: int
    #: How many requests are for blocks that no PE holds.
    num_lost: int
    #: With ``bytes``: the most bytes that one PE sends.
    most_bytes: int
    #: With ``bytes``: no choice of senders has fewer most_bytes.
    most_bytes_bound: int


@dataclass(frozen=True)
class HRelation(Senders):
    """Senders, and the rounds of messages. In a round a PE sends at most one message and receives at most one."""

    #: For every request its round, ``NONE`` if nothing is sent.
    round_of: NDArray[np.uint32]
    #: The most messages that one PE sends or receives: no plan for these senders has fewer.
    num_rounds: int


class _Requests:
    """Requests as users give them, with PEs that are numbered closely: memory follows from the requests, not from the largest id."""

    def __init__(self, receivers: ArrayLike, offsets: ArrayLike, holders: ArrayLike, bytes: Optional[ArrayLike]) -> None:
        to = numbers(receivers, np.uint32, "receivers")
        rows, holding = offsets_and_values(offsets, holders, "holders")
        expect_one_each(rows[1:], to.size, "offsets behind the first", "receiver")
        for name, ids in (("receivers", to), ("holders", holding)):
            if ids.size and int(ids.max()) == NONE:
                raise ValueError(f"{name}: expected numbers below 2^32 - 1, not {NONE}")
        sizes = None if bytes is None else expect_one_each(numbers(bytes, np.uint64, "bytes"), to.size, "bytes", "receiver")
        self.ids, (to, holding) = few_ids(to, holding)
        self.arguments = (to, rows, holding, sizes)


def choose_senders(receivers: ArrayLike, offsets: ArrayLike, holders: ArrayLike, bytes: Optional[ArrayLike] = None) -> Senders:
    """Chooses senders as evenly as possible: by blocks, or by bytes if the size of the block of each request is given.

    >>> choose_senders([7, 8, 7], [0, 2, 4, 6], [1, 2, 1, 2, 7, 1]).sender_of.tolist()[2]
    7
    """
    requests = _Requests(receivers, offsets, holders, bytes)
    sender_of, plan = _core.choose_senders(*requests.arguments)
    del plan["num_rounds"]
    return Senders(with_ids(sender_of, requests.ids), **plan)


def h_relation(receivers: ArrayLike, offsets: ArrayLike, holders: ArrayLike, bytes: Optional[ArrayLike] = None, *,
               bundled: bool = False) -> HRelation:
    """Chooses senders and rounds, as few rounds as possible.

    bundled: a message is all that one PE has for another, where latency counts; else it is one block.

    >>> h_relation([3, 4, 3, 4], [0, 2, 4, 6, 8], [1, 2] * 4).num_rounds
    2
    """
    requests = _Requests(receivers, offsets, holders, bytes)
    sender_of, round_of, plan = _core.h_relation(*requests.arguments, bundled)
    return HRelation(with_ids(sender_of, requests.ids), round_of=round_of, **plan)
