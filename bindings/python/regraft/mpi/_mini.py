"""Mini-checkpoints: small state that changes often."""

from __future__ import annotations

import pickle
from typing import Any

from ._base import Closed, _mpi
from ._communicator import Communicator


class MiniCheckpoint:
    """A small object of each member, which all members keep. It is replaced on all or on none, and survives any deaths but that of all
    members. Objects travel as pickle makes them, within the job alone."""

    def __init__(self, comm: Communicator) -> None:
        """Makes an empty one. All members make theirs in the same order. Not collective."""
        self._core: Any = _mpi.Mini(comm._core)
        self._pickled = True

    @property
    def generation(self) -> int:
        """The number of commits that have succeeded; the same on all members."""
        return int(self._core.generation())

    @property
    def latest(self) -> dict[int, Any]:
        """What each member has committed, by its number; of a state that was committed as identical, that of this member alone. Empty
        before the first commit."""
        return {member: pickle.loads(share) if self._pickled else share for member, share in self._core.latest()}

    def commit(self, share: Any, *, pickled: bool = True) -> None:
        """Contributes an object and keeps those of all members. pickled=False: share is bytes, as programs in C++ commit them. On
        ProcessFailure the last generation stays. Collective."""
        self._core.commit(self._packed(share, pickled))
        self._pickled = pickled

    def commit_identical(self, state: Any, *, pickled: bool = True) -> None:
        """The same for an object that every member has made alike, which is not sent. If they differ, all members raise Divergence.
        Sets and dicts are alike if they were filled in the same order. Collective."""
        self._core.commit_identical(self._packed(state, pickled))
        self._pickled = pickled

    @staticmethod
    def _packed(state: Any, pickled: bool) -> bytes:
        if not pickled and not isinstance(state, bytes):
            raise TypeError(f"expected bytes, not {type(state).__name__}")
        return pickle.dumps(state, pickle.HIGHEST_PROTOCOL) if pickled else bytes(state)

    def close(self) -> None:
        """Frees the memory. Not collective."""
        self._core = Closed()
