"""Programs on mpi4py that go on when ranks die: NumPy arrays in the memory of the ranks, and the loop around the program.

::

    from mpi4py import MPI
    import regraft.mpi as rg

    comm = rg.Communicator(MPI.COMM_WORLD)
    store = rg.ReplicatedStore(comm, replicas=2)

    @rg.resilient(comm, store=store)
    def total():
        work = comm.work(n)                          # the rows of this rank, before and after deaths
        store.submit_once(n, read_rows)              # the input, each row on two ranks
        rows = store.load(work, reread=read_rows)
        return comm.exact_sum(rows * rows)           # the same bits, whichever ranks die

Members are numbered by their ranks in the communicator that they came from, and keep these numbers. Calls that wait release the GIL. The
classes are those of C++ (docs/resilient.md, docs/store.md); docs/python.md has a whole program.
"""

from __future__ import annotations

import functools
import hashlib
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _mpi_library
from ._core import InputError

MPI = _mpi_library.load()

from . import _mpi  # noqa: E402 - on the library of mpi4py, as was found above
from ._mpi import (  # noqa: E402
    DamagedInTransit,
    DataLost,
    Departed,
    Divergence,
    EndlessRecovery,
    FailPoint,
    MpiError,
    ProcessFailure,
    Uniform,
    WrongLauncher,
)

__all__ = ["Communicator", "DamagedInTransit", "DataLost", "Departed", "Divergence", "EndlessRecovery", "FailPoint", "Failure",
           "InputError", "MpiError", "ProcessFailure", "ReplicatedStore", "Uniform", "Work", "WrongLauncher", "resilient",
           "set_failure_plan"]

#: Ranges of rows, half-open: (first, one behind the last).
Ranges = Iterable[tuple[int, int]]
#: Called with the first row and the one behind the last; returns these rows.
Rows = Callable[[int, int], Any]


@dataclass(frozen=True)
class Work:
    """The rows that one rank works on: ascending ranges that do not touch. len() is their number, and iteration gives the ranges."""

    #: Half-open ranges: (first, one behind the last).
    ranges: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return sum(last - first for first, last in self.ranges)

    def __iter__(self) -> Iterator[tuple[int, int]]:
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


class _Closed:
    def __getattr__(self, name: str) -> Any:
        raise ValueError("expected an object that is not closed")


class Communicator:
    """A communicator that survives the death of its members. Errors become exceptions, agreements are the same on all survivors. Made
    from a communicator of mpi4py, by all its ranks; members that have died already are left out."""

    def __init__(self, parent: Any) -> None:
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
        """The place of a member, or of this one, among the living: its rank in ``native``."""
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

    def check(self, error: BaseException, call: str = "a call of mpi4py") -> None:
        """Raises what an exception of mpi4py means: ProcessFailure, after all others have been told, or MpiError."""
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
        """The part of n rows that this member has if they are dealt evenly to the living in order: what it submits."""
        at, size = self.position(), self.size
        return n * at // size, n * (at + 1) // size

    def work(self, n: int) -> Work:
        """The rows of 0 .. n-1 that this member works on. They are dealt evenly to the members that the communicator was made with.
        After deaths only the rows of the dead move, to the members with the least work. Computed alike by all, without messages."""
        if n not in self._work:
            if n < 0:
                raise ValueError(f"n: expected a number of rows, not {n}")
            ranges = _mpi.work_of(n, self.num_founders, self._memberships, self.self)
            self._work[n] = Work(tuple((first, last) for first, last in ranges))
        return self._work[n]

    def exact_sum(self, values: ArrayLike, axis: Optional[int] = None) -> Any:
        """The sum of the values of all members, rounded once: the same bits, whichever member has which value. Each value counts as often
        as members pass it, so a member passes what belongs to its work. axis=0: the sums of the columns, as an array whose shape all
        members give alike. Collective; after a failure some may have the result and others ProcessFailure."""
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
        """Calls Allreduce of ``native``, with deaths as ProcessFailure. Sums of floats depend on the number of members; see exact_sum."""
        self._call("Allreduce", sendbuf, recvbuf, op)

    def Bcast(self, buf: Any, root: int) -> None:
        """Calls Bcast of ``native``, with deaths as ProcessFailure. root is the number of a member."""
        self._call("Bcast", buf, self.position(root))

    def Allgather(self, sendbuf: Any, recvbuf: Any) -> None:
        """Calls Allgather of ``native``, with deaths as ProcessFailure. The parts are in the order of ``members``."""
        self._call("Allgather", sendbuf, recvbuf)

    def reach(self, point: FailPoint) -> None:
        """Dies here if the failure plan says so. For tests."""
        self._core.reach(point)

    def close(self) -> None:
        """Frees the communicator, when its stores are closed, too. Collective."""
        self._forget_native()
        self._core = _Closed()

    def __enter__(self) -> Communicator:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:  # after an exception the others may be elsewhere
            self.close()

    def __del__(self) -> None:
        core = getattr(self, "_core", None)
        if core is not None and not isinstance(core, _Closed):
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


def _rows(value: Any, name: str) -> NDArray[Any]:
    """value as an array, without a copy."""
    try:
        array = value if isinstance(value, np.ndarray) else np.asarray(memoryview(value))
    except TypeError:
        raise TypeError(f"{name}: expected an array, or an object with the buffer protocol, not {type(value).__name__}") from None
    if array.ndim == 0:
        raise ValueError(f"{name}: expected an array whose first axis is the rows, not a single number")
    if array.dtype.hasobject:
        raise TypeError(f"{name}: expected elements of plain bytes, not {array.dtype}, whose elements are Python objects")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name}: expected an array in C order; numpy.ascontiguousarray makes one")
    return array


def _expect_rows(array: NDArray[Any], count: int, name: str) -> None:
    if len(array) != count:
        raise ValueError(f"{name}: expected {count} rows, not {len(array)}")


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return array.reshape(-1).view(np.uint8)


@dataclass(frozen=True)
class _Kind:
    """What all rows of a version have in common."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    n: int

    @property
    def row_bytes(self) -> int:
        return self.dtype.itemsize * math.prod(self.shape)

    def hash(self) -> int:
        text = repr((self.dtype.descr if self.dtype.names else self.dtype.str, self.shape, self.n))
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


class ReplicatedStore:
    """Keeps the rows of one array in the memory of the members, each row on several of them. A row survives as long as one of its holders
    lives; repair makes new ones. All members make the stores of a communicator in the same order."""

    def __init__(self, comm: Communicator, replicas: int = 2, *, checked: bool = False) -> None:
        """replicas: of each row, at most as many as there are members. checked: rows have checksums, and damaged copies are replaced."""
        if replicas < 1:
            raise ValueError(f"replicas: expected a number from 1 on, not {replicas}")
        self._comm = comm
        self._replicas = replicas
        self._core: Any = _mpi.RowStore(comm._core, checked)
        self._kinds: dict[int, _Kind] = {}

    @property
    def version(self) -> int:
        """The number of submits that have succeeded; the same on all members."""
        return int(self._core.version())

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements of the rows of this version."""
        return self._kind().dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of all rows of this version."""
        return (self._kind().n, *self._kind().shape)

    def submit(self, n: int, rows: Union[Rows, Any]) -> None:
        """Stores n rows as a new version. rows: the rows of ``comm.share(n)`` of this member, or a function that is called with these two
        numbers and returns them, also if they are none. Type and shape of rows are the same on all members. Collective; on
        ProcessFailure the version before is still there."""
        first, last = self._comm.share(n)
        array = _rows(rows(first, last) if callable(rows) else rows, "rows")
        _expect_rows(array, last - first, "rows")
        kind = _Kind(array.dtype, array.shape[1:], n)
        if n < 1 or kind.row_bytes == 0:
            raise ValueError(f"rows: expected at least one row of at least one byte, not {n} of {kind.row_bytes}")
        if not self._comm._core.agree_equal(kind.hash()):
            raise Divergence(f"members submit rows of different type or shape; here {n} rows of {kind.dtype}, shape {kind.shape}")
        self._kinds[self.version + 1] = kind
        self._core.submit(self._replicas, n, first, last, _bytes(array), kind.row_bytes)
        self._kinds = {self.version: kind}

    def submit_once(self, n: int, rows: Union[Rows, Any]) -> None:
        """The same if nothing was submitted yet, and nothing otherwise. Collective."""
        if self.version == 0:
            self.submit(n, rows)

    def load(self, ranges: Union[Work, Ranges], out: Optional[NDArray[Any]] = None, reread: Optional[Rows] = None) -> NDArray[Any]:
        """The rows of these ranges, one behind the other in this order, as one array. out: an array for them. reread is called for rows
        that no living member holds, where there are any, and returns them, like the function of submit; it calls nothing of comm.
        If lost rows are wanted and it is None or fails on any member, all members raise DataLost. Collective."""
        kind, wanted = self._kind(), [(int(first), int(last)) for first, last in ranges]
        for first, last in wanted:
            if not 0 <= first <= last <= kind.n:
                raise ValueError(f"ranges: expected rows within 0 .. {kind.n}, not {first} .. {last}")
        shape = (sum(last - first for first, last in wanted), *kind.shape)
        array = np.empty(shape, kind.dtype) if out is None else _rows(out, "out")
        if array.shape != shape or array.dtype != kind.dtype:
            raise ValueError(f"out: expected {kind.dtype}, shape {shape}, not {array.dtype}, shape {array.shape}")
        if not array.flags.writeable:
            raise ValueError("out: expected an array that can be written")
        self._core.load([pair for pair in wanted if pair[0] < pair[1]], _bytes(array), reread and functools.partial(_fill, kind, reread))
        return array

    def repair(self) -> list[tuple[int, int]]:
        """Copies rows that lost holders to new ones, after a shrink, and returns the ranges that no living member holds. Collective."""
        return list(self._core.repair())

    def close(self) -> None:
        """Frees the rows that this member keeps."""
        self._core = _Closed()

    def __enter__(self) -> ReplicatedStore:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close()

    def _kind(self) -> _Kind:
        if self.version == 0:
            raise ValueError("expected that rows were submitted before")
        return self._kinds[self.version]


def _fill(kind: _Kind, reread: Rows, first: int, last: int, memory: memoryview) -> None:
    array = _rows(reread(first, last), "reread")
    _expect_rows(array, last - first, "reread")
    if array.dtype != kind.dtype or array.shape[1:] != kind.shape:
        raise ValueError(f"reread: expected rows of {kind.dtype}, shape {kind.shape}, not {array.dtype}, shape {array.shape[1:]}")
    np.frombuffer(memory, np.uint8)[:] = _bytes(array)


def resilient(comm: Communicator, body: Optional[Callable[..., Any]] = None, recover: Optional[Callable[[Failure], Any]] = None, *,
              store: Union[ReplicatedStore, Sequence[ReplicatedStore], None] = None) -> Any:
    """Calls body() until it ends on all survivors alike, and returns what it returned. After every failure the survivors shrink the
    communicator, repair store, which may be several, call recover(failure), and call the body again, which starts from the last state that
    all have agreed on. An MPI.Exception of a death on ``native`` is such a failure, too.

    Exceptions that all members raise alike (Uniform) leave it. With any other the process prints its traceback and ends, as a death that
    the others survive; the last member gets the exception. Without body it is a decorator: a call of the function runs the loop.
    Collective."""
    if body is None:
        def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(function)
            def looped(*arguments: Any, **named: Any) -> Any:
                return resilient(comm, functools.partial(function, *arguments, **named), recover, store=store)
            return looped
        return decorated
    stores = [store] if isinstance(store, ReplicatedStore) else list(store or [])

    def recovered(*failure: Any) -> None:
        comm._renewed()
        for each in stores:
            each.repair()
        if recover is not None:
            recover(Failure(*failure))

    return _mpi.resilient(comm._core, body, recovered)


def set_failure_plan(plan: str) -> None:
    """Replaces the planned deaths of this process: "point:member:occurrence,...". All members set the same. For tests."""
    _mpi.set_failure_plan(plan)
