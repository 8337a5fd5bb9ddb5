"""How probable it is that failures lose data: slots fail one after the other in random order, and data is lost as soon as all slots of
one group have failed.

>>> model = LossModel.mod_k(num_slots=1024, replicas=3)
>>> print(f"{model.loss_probability(100):.3f}")                  # after 100 failures
0.268
>>> print(f"{model.expected_failures():.1f}")                    # until data is lost, on average
131.0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Optional, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import expect_one_each, number, numbers
from .placement import Placement

__all__ = ["LossModel", "simulate"]

_MOST_SLOTS = 2**40 - 1


class LossModel:
    """Closed forms for disjoint groups of slots, exact to about 13 digits. A slot stands for what fails as a whole: a PE, or a node."""

    def __init__(self, num_slots: int, groups: Mapping[int, int]) -> None:
        """groups: how many groups there are of each size. A slot may be in none.

        >>> float(LossModel(4, {2: 2}).loss_probability(2))     # two pairs: the second failure hits the partner of the first
        0.3333333333333333
        """
        kinds = [(number(size, "groups: a size", _MOST_SLOTS), number(count, "groups: how many", _MOST_SLOTS))
                 for size, count in groups.items()]
        self._core = _core.LossModel(number(num_slots, "num_slots", _MOST_SLOTS), kinds)

    @classmethod
    def _of(cls, core: _core.LossModel) -> LossModel:
        model = cls.__new__(cls)
        model._core = core
        return model

    @classmethod
    def mod_k(cls, num_slots: int, replicas: int) -> LossModel:
        """The groups of Placement.mod_k; those of ReStore if replicas divides num_slots."""
        return cls._of(_core.LossModel.mod_k(number(num_slots, "num_slots", _MOST_SLOTS), number(replicas, "replicas", _MOST_SLOTS)))

    @classmethod
    def mod_k_nodes(cls, num_slots: int, replicas: int, node_size: int) -> Optional[LossModel]:
        """The same if nodes of node_size consecutive slots fail as a whole; None if there is no closed form (see simulate)."""
        core = _core.LossModel.mod_k_nodes(number(num_slots, "num_slots", _MOST_SLOTS), number(replicas, "replicas", _MOST_SLOTS),
                                           number(node_size, "node_size", _MOST_SLOTS))
        return None if core is None else cls._of(core)

    @property
    def num_slots(self) -> int:
        """How many slots may fail."""
        return self._core.num_slots

    @property
    def groups(self) -> dict[int, int]:
        """How many groups there are of each size, the largest first."""
        return dict(self._core.groups)

    @property
    def most_survivable(self) -> int:
        """The most failures that may be survived. Then every group has one living slot, and one failure more loses data."""
        return self._core.most_survivable

    @overload
    def loss_probability(self, failures: int) -> np.float64: ...  # type: ignore[misc]
    @overload
    def loss_probability(self, failures: ArrayLike) -> NDArray[np.float64]: ...

    def loss_probability(self, failures: ArrayLike) -> Union[np.float64, NDArray[np.float64]]:
        """The probability that this many failures lose data; for an array, that of each number in it."""
        return _of_each(self._core.loss_probability, failures)

    @overload
    def survival_probability(self, failures: int) -> np.float64: ...  # type: ignore[misc]
    @overload
    def survival_probability(self, failures: ArrayLike) -> NDArray[np.float64]: ...

    def survival_probability(self, failures: ArrayLike) -> Union[np.float64, NDArray[np.float64]]:
        """1 - loss_probability, exact also where that is nearly 1."""
        return _of_each(self._core.survival_probability, failures)

    def expected_failures(self) -> float:
        """Mean number of failures until data is lost, the last one included; each slot fails once."""
        return self._core.expected_failures()

    def expected_hits(self) -> float:
        """The same if failures also hit slots that failed before, and those count."""
        return self._core.expected_hits()

    def quantile(self, q: float) -> int:
        """The smallest number of failures that lose data with probability >= q, 0 < q <= 1."""
        return self._core.quantile(q)

    def __repr__(self) -> str:
        return f"LossModel({self.num_slots}, {self.groups})"


def _of_each(f: Callable[[NDArray[np.uint64]], NDArray[np.float64]], failures: ArrayLike) -> Union[np.float64, NDArray[np.float64]]:
    array = np.asarray(failures)
    result: Union[np.float64, NDArray[np.float64]] = f(numbers(array.reshape(-1), np.uint64, "failures")).reshape(array.shape)[()]
    return result


def simulate(placement: Placement, num_trials: int, seed: int = 0, node_of: Optional[ArrayLike] = None) -> NDArray[np.uint32]:
    """Per trial how many slots failed, one after the other in random order, until some block was lost; the last one included.

    node_of: per slot its node, numbered from 0; then nodes fail as a whole and are counted. For placements without closed form.

    >>> failures = simulate(Placement.permuted(600, 60, 3), num_trials=1000)
    >>> bool(3 <= failures.min() <= failures.mean() <= 60)
    True
    """
    nodes = None if node_of is None else expect_one_each(numbers(node_of, np.uint32, "node_of"), placement.num_slots, "node_of", "slot")
    return _core.simulate_loss(placement._core, number(num_trials, "num_trials", 2**32), number(seed, "seed"), nodes)
