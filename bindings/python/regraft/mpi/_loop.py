"""The loop around a program that survives."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

from ._base import _mpi
from ._communicator import Communicator, Failure
from ._files import Files
from ._rows import ErasureStore, ReplicatedStore
from ._snapshot import Snapshot

Store = Union[ReplicatedStore, ErasureStore]
State = Union[Snapshot, Files]


def resilient(comm: Communicator, body: Optional[Callable[..., Any]] = None, recover: Optional[Callable[[Failure], Any]] = None, *,
              store: Union[Store, Sequence[Store], None] = None, snapshot: Union[State, Sequence[State], None] = None) -> Any:
    """Calls body() until it ends on all survivors alike, and returns what it returned. After every failure the survivors shrink the
    communicator, repair store, restore snapshot (each may be several), call recover(failure), and call the body again, which starts from
    the last state that all have agreed on. An MPI.Exception of a death on ``native`` is such a failure, too. Before the body runs for the
    first time, a snapshot that is kept is reopened, and one of which nothing was committed is committed; Files are resumed.

    Exceptions that all members raise alike (Uniform) leave it. With any other the process prints its traceback and ends, as a death that
    the others survive; the last member gets the exception. Without body it is a decorator: a call of the function runs the loop.
    Collective."""
    if body is None:
        def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(function)
            def looped(*arguments: Any, **named: Any) -> Any:
                return resilient(comm, functools.partial(function, *arguments, **named), recover, store=store, snapshot=snapshot)
            return looped
        return decorated
    stores = list(store) if isinstance(store, Sequence) else [] if store is None else [store]
    snapshots = list(snapshot) if isinstance(snapshot, Sequence) else [] if snapshot is None else [snapshot]

    function = body

    def begun() -> Any:
        for each in snapshots:
            each._begin()
        return function()

    def recovered(*failure: Any) -> None:
        comm._renewed()
        for each in stores:
            each.repair()
        for one in snapshots:
            if one.generation > 0:
                one.restore()
        if recover is not None:
            recover(Failure(*failure))

    return _mpi.resilient(comm._core, begun, recovered)


def set_failure_plan(plan: str) -> None:
    """Replaces the planned deaths of this process: "point:member:occurrence,...". All members set the same. Raises InputError if
    it is no plan. For tests. Not collective."""
    _mpi.set_failure_plan(plan)


def points_reached() -> dict[str, int]:
    """The points at which a failure plan can kill a rank, and how often this process came to each since it set a plan. For tests. Not
    collective."""
    return dict(_mpi.points_reached())
