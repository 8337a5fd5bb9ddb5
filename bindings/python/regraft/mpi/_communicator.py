"""A communicator that survives the death of its members, and the work that each of them has."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._base import MPI, Closed, _mpi


@dataclass(frozen=True)
class Work:
    """The rows that one rank works on: ascending ranges that do not touch. len() is their number, and iteration gives the ranges."""

    #: Half-open ranges: (first, one behind the last).
    ranges: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        """The number of rows."""
        return sum(last - first for first, last in self.ranges)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """The ranges, ascending."""
        return iter(self.ranges)

    @property
    def index(self) -> Union[slice, NDArray[np.intp]]:
        """What selects these rows of an array of all rows: a slice if they are one range, else their numbers."""
        if len(self.ranges) == 1:
            first, last = self.ranges[0]
            return slice(first, last)
        numbers = [np.arange(first, last, dtype=np.intp) for first, last in self.ranges]
        every: NDArray[np.intp] = np.concatenate([np.empty(0, np.intp), *numbers])
        return every


@dataclass(frozen=True)
class Failure:
    """What is known when the recovery starts."""

    #: All members that died since the last recovery that succeeded; the same on all survivors.
    lost: list[int]
    #: The call in which this rank noticed the failure.
    noticed_in: str
    #: Milliseconds since this rank's last call that succeeded: an upper bound for the time to notice.
    silence_ms: float
    #: Milliseconds from noticing to the renewed communicator.
    shrink_ms: float


class Communicator:
    """A communicator that survives the death of its members. Errors become exceptions, agreements are the same on all survivors. Made
    from a communicator of mpi4py, by all its ranks; members that have died already are left out."""

    def __init__(self, parent: Any) -> None:
        """parent: an intracommunicator, which stays the program's. Raises ValueError if it is none, or outside of MPI_Init and
        MPI_Finalize, and WrongLauncher, on all alike, if what has started the job ends it when a rank dies. Collective over parent."""
        if not isinstance(parent, MPI.Intracomm) or parent == MPI.COMM_NULL:
            raise ValueError(f"parent: expected an intracommunicator of mpi4py, not {parent!r}")
        if not MPI.Is_initialized() or MPI.Is_finalized():
            raise ValueError("parent: expected MPI between MPI_Init and MPI_Finalize")
        self._core: Any = _mpi.Communicator(parent.handle)
        self._native: Any = None
        self._memberships: list[list[int]] = [self._core.members()]
        self._work: dict[int, Work] = {}

    @property
    def self(self) -> int:
        """The number of this member."""
        return int(self._core.self())

    @property
    def members(self) -> list[int]:
        """The living members, ascending."""
        return list(self._memberships[-1])

    @property
    def size(self) -> int:
        """The number of living members."""
        return len(self._memberships[-1])

    @property
    def num_founders(self) -> int:
        """The number of ranks of the parent."""
        return int(self._core.num_founders())

    @property
    def leads(self) -> bool:
        """Whether this is the first of the living members. It should write files and talk to people."""
        return bool(self._core.leads())

    @property
    def epoch(self) -> int:
        """How many times the communicator was made or renewed."""
        return int(self._core.epoch())

    def position(self, member: Optional[int] = None) -> int:
        """The place of a member, or of this one, among the living: its rank in ``native``. Raises ValueError if it does not live. Not
        collective."""
        number = self.self if member is None else member
        if number not in self._memberships[-1]:
            raise ValueError(f"member: expected one of {self._memberships[-1]}, not {number}")
        return self._memberships[-1].index(number)

    @property
    def native(self) -> Any:
        """The communicator for calls of mpi4py. Valid until the next shrink; afterwards calls on it fail with MPI.ERR_COMM. In the
        body of ``resilient`` an MPI.Exception of a death that leaves the body starts the recovery; elsewhere it goes through check."""
        if self._native is None:
            self._native = MPI.Intracomm.fromhandle(self._core.handle())
        return self._native

    def node_ids(self) -> list[int]:
        """The node of each founder: the number of the lowest member on it, or that of the founder itself if it is dead. For ``node_of`` of
        stores and snapshots, which then keep copies on different nodes. Collective."""
        nodes = list(range(self.num_founders))
        for member, node in zip(self.members, self._core.node_ids()):
            nodes[member] = int(node)
        return nodes

    def check(self, error: BaseException, call: str = "a call of mpi4py") -> None:
        """Raises what an exception of mpi4py means: ProcessFailure, after all others have been told, or MpiError. call: its name, for the
        text. Not collective."""
        if not isinstance(error, MPI.Exception):
            raise TypeError(f"error: expected an MPI.Exception, not {type(error).__name__}")
        self._core.check(error.Get_error_code(), call)

    def look_for_failures(self) -> None:
        """Raises ProcessFailure if a member has died, as far as this rank has been told. Takes about a microsecond. Not collective."""
        self._core.look()

    def agree(self, mine: bool = True) -> bool:
        """Whether mine is true on all members. Either all survivors return the same, or all raise ProcessFailure. Collective."""
        return bool(self._core.agree(bool(mine)))

    def shrink(self) -> list[int]:
        """Renews the communicator without the dead and returns these. ``resilient`` calls it by itself. Collective over survivors."""
        lost = list(self._core.shrink())
        self._renewed()
        return lost

    def share(self, n: int) -> tuple[int, int]:
        """The part of n rows that this member has if they are dealt evenly to the living in order: what it submits. Half-open: (first, one
        behind the last). Not collective."""
        at, size = self.position(), self.size
        return n * at // size, n * (at + 1) // size

    def work(self, n: int) -> Work:
        """The rows of 0 .. n-1 that this member works on. They are dealt evenly to the members that the communicator was made with.
        After deaths only the rows of the dead move, to the members with the least work. Computed alike by all, without messages. Raises
        ValueError if n is negative. Not collective."""
        if n not in self._work:
            if n < 0:
                raise ValueError(f"n: expected a number of rows, not {n}")
            ranges = _mpi.work_of(n, self.num_founders, self._memberships, self.self)
            self._work[n] = Work(tuple((first, last) for first, last in ranges))
        return self._work[n]

    def exact_sum(self, values: ArrayLike, axis: Optional[int] = None) -> Any:
        """The sum of the values of all members, rounded once: the same bits, whichever member has which value. Each value counts as often
        as members pass it, so a member passes what belongs to its work. axis=0: the sums of the columns, as an array whose shape all
        members give alike. Raises TypeError if float64 does not hold them. Collective; after a failure some may have the result and
        others ProcessFailure."""
        array = np.asarray(values)
        if not np.can_cast(array.dtype, np.float64, "safe"):
            raise TypeError(f"values: expected numbers that float64 holds, not {array.dtype}")
        if axis not in (None, 0) or (axis == 0 and array.ndim == 0):
            raise ValueError(f"axis: expected None, or 0 and an array, not {axis}")
        shape = array.shape[1:] if axis == 0 else ()
        columns = math.prod(shape)
        if columns == 0:
            return np.zeros(shape)
        sums = self._core.exact_sums(np.ascontiguousarray(array, np.float64).reshape(-1), columns)
        return sums[0] if axis is None else np.array(sums).reshape(shape)

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: Any = MPI.SUM) -> None:
        """Calls Allreduce of ``native``, with deaths as ProcessFailure. Sums of floats depend on the number of members; see exact_sum.
        Buffers are as mpi4py takes them. Collective, not uniform: after a failure some may have the result."""
        self._call("Allreduce", sendbuf, recvbuf, op)

    def Bcast(self, buf: Any, root: int) -> None:
        """Calls Bcast of ``native``, with deaths as ProcessFailure. root is the number of a member. Collective, not uniform."""
        self._call("Bcast", buf, self.position(root))

    def Allgather(self, sendbuf: Any, recvbuf: Any) -> None:
        """Calls Allgather of ``native``, with deaths as ProcessFailure. The parts are in the order of ``members``. Collective, not
        uniform."""
        self._call("Allgather", sendbuf, recvbuf)

    def reach(self, point: _mpi.FailPoint) -> None:
        """Dies here if the failure plan says so. For tests. Not collective."""
        self._core.reach(point)

    def close(self) -> None:
        """Frees the communicator, when its stores are closed, too. Collective."""
        self._forget_native()
        self._core = Closed()

    def __enter__(self) -> Communicator:
        """Itself; the end of the block closes it, unless an exception leaves the block."""
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:  # after an exception the others may be elsewhere
            self.close()

    def __del__(self) -> None:
        core = getattr(self, "_core", None)
        if core is not None and not isinstance(core, Closed):
            _mpi.leave(core)
            warnings.warn("a Communicator was not closed; it is left to MPI_Finalize", ResourceWarning, stacklevel=2)

    def _call(self, name: str, *arguments: Any) -> None:
        self._core.before_call()
        try:
            getattr(self.native, name)(*arguments)
        except MPI.Exception as error:
            self._core.after_call(error.Get_error_code(), name)
            raise
        self._core.after_call(0, name)

    def _forget_native(self) -> None:
        if self._native is not None:
            _mpi.forget_handle(MPI._addressof(self._native))
        self._native = None

    def _renewed(self) -> None:
        self._forget_native()
        members = self._core.members()
        if members != self._memberships[-1]:
            self._memberships.append(members)
        self._work.clear()
