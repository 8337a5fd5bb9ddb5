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
        self._core: Any = _mpi.Mini(comm._core)

    @property
    def generation(self) -> int:
        """The number of commits that have succeeded; the same on all members."""
        return int(self._core.generation())

    @property
    def latest(self) -> dict[int, Any]:
        """What each member has committed, by its number; of a state that was committed as identical, that of this member alone. Empty
        before the first commit."""
        return {member: pickle.loads(share) for member, share in self._core.latest()}

    def commit(self, share: Any) -> None:
        """Contributes an object and keeps those of all members. On ProcessFailure the last generation stays. Collective."""
        self._core.commit(pickle.dumps(share, pickle.HIGHEST_PROTOCOL))

    def commit_identical(self, state: Any) -> None:
        """The same for an object that every member has made alike, which is not sent. If they differ, all members raise Divergence.
        Sets and dicts are alike if they were filled in the same order. Collective."""
        self._core.commit_identical(pickle.dumps(state, pickle.HIGHEST_PROTOCOL))

    def close(self) -> None:
        """Frees the memory."""
        self._core = Closed()
