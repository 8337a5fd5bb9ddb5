"""Which of the slots 0 .. num_slots - 1 (the PEs that submit) keep a copy of which block.

>>> placement = Placement.pairwise(num_blocks=12, num_slots=4)
>>> placement.held(0).tolist()                                   # ranges of blocks, first to last - 1
[[0, 3], [6, 9]]
>>> offsets, slots = placement.holders([0, 7])
>>> slots.tolist()
[0, 2, 2, 0]
"""

from __future__ import annotations

from typing import Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import expect_one_each, number, numbers

__all__ = ["Placement"]


class Placement:
    """A rule that every PE can evaluate alone. Immutable."""

    def __init__(self, core: _core.Placement, name: str) -> None:
        """Made by one of the functions below."""
        self._core = core
        self._name = name

    @classmethod
    def pairwise(cls, num_blocks: int, num_slots: int, replicas: int = 2) -> Placement:
        """Every slot keeps its own even part and those of its partners: with two copies half the machine apart (Kohl et al. 2019)."""
        return cls(_core.Placement.pairwise(*_shape(num_blocks, num_slots, replicas)), "pairwise")

    @classmethod
    def permuted(cls, num_blocks: int, num_slots: int, replicas: int, range_blocks: int = 0, seed: Optional[int] = 0) -> Placement:
        """Ranges of blocks in an order drawn by seed, dealt to the slots (ReStore, Huebner et al. 2022).

        range_blocks: how many stay together; 0: as many as make about 64 ranges per slot. seed None: ranges in their order.
        """
        ranges = number(range_blocks, "range_blocks")
        return cls(_core.Placement.permuted(*_shape(num_blocks, num_slots, replicas), ranges, _seed(seed)), "permuted")

    @classmethod
    def mod_k(cls, num_blocks: int, num_slots: int, replicas: int, seed: Optional[int] = None) -> Placement:
        """Slots with equal numbers modulo floor(num_slots / replicas) keep the same blocks; seed: numbers in random order."""
        return cls(_core.Placement.mod_k(*_shape(num_blocks, num_slots, replicas), _seed(seed)), "mod_k")

    @classmethod
    def node_aware(cls, num_blocks: int, node_of: ArrayLike, replicas: int, range_blocks: int = 0, seed: Optional[int] = 0) -> Placement:
        """Copies on as many different nodes as there are; node_of: per slot the id of its node, any numbers."""
        nodes = numbers(node_of, np.uint32, "node_of")
        blocks, _, copies = _shape(num_blocks, nodes.size, replicas)
        return cls(_core.Placement.node_aware(blocks, nodes, copies, number(range_blocks, "range_blocks"), _seed(seed)), "node_aware")

    def over_nodes(self, node_of: ArrayLike, range_blocks: int = 0, seed: Optional[int] = 0) -> Placement:
        """The same rule if every slot is on a node of its own, or all are on one; otherwise node_aware with its blocks and replicas.

        node_of: per slot the id of its node, any numbers. No block is lost while fewer nodes are than there are replicas, and nodes.
        """
        nodes = expect_one_each(numbers(node_of, np.uint32, "node_of"), self.num_slots, "node_of", "slot")
        core = self._core.over_nodes(nodes, number(range_blocks, "range_blocks"), _seed(seed))
        return Placement(core, f"{self._name}.over_nodes")

    @property
    def num_blocks(self) -> int:
        """How many blocks are placed."""
        return self._core.num_blocks

    @property
    def num_slots(self) -> int:
        """How many slots there are: PEs that submit."""
        return self._core.num_slots

    @property
    def replicas(self) -> int:
        """How many copies every block has at least."""
        return self._core.replicas

    def holders(self, blocks: Optional[ArrayLike] = None, alive: Optional[ArrayLike] = None) -> tuple[
            NDArray[np.uint64], NDArray[np.uint32]]:
        """The slots that hold each of the blocks (None: all), as the (offsets, slots) that regraft.matching and regraft.schedule take.

        alive: a mark for each slot; the others are left out.
        """
        wanted = np.arange(self.num_blocks, dtype=np.uint64) if blocks is None else numbers(blocks, np.uint64, "blocks")
        if wanted.size and int(wanted.max()) >= self.num_blocks:
            raise ValueError(f"blocks: expected numbers below num_blocks, {self.num_blocks}, not {wanted.max()}")
        marks = None if alive is None else expect_one_each(np.ascontiguousarray(alive, dtype=np.bool_), self.num_slots, "alive", "slot")
        return self._core.holders(wanted, marks)

    def held(self, slot: int) -> NDArray[np.int64]:
        """The blocks that a slot holds: rows (first, last) of ascending disjoint half-open ranges of blocks."""
        return self._core.held(number(slot, "slot", self.num_slots - 1))

    def __repr__(self) -> str:
        return f"Placement.{self._name}({self.num_blocks} blocks, {self.num_slots} slots, {self.replicas} replicas)"


def _shape(num_blocks: int, num_slots: int, replicas: int) -> tuple[int, int, int]:
    blocks, slots = number(num_blocks, "num_blocks"), number(num_slots, "num_slots", 2**32 - 1)
    copies = number(replicas, "replicas", 2**32 - 1)
    if not 1 <= copies <= slots:
        raise ValueError(f"replicas: expected a number from 1 to that of slots, {slots}, not {copies}")
    return blocks, slots, copies


def _seed(seed: Optional[int]) -> Optional[int]:
    return None if seed is None else number(seed, "seed", 2**64 - 2)
