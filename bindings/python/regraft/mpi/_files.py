"""Checkpoint files of the program: written to the node, kept in the memory of the members, and flushed now and then."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, Optional, Union

from ._base import Closed, Keep, _mpi, expect_node_of, expect_positive, kept
from ._communicator import Communicator
from ._snapshot import Adoption, Deal, Restored


class Files:
    """The checkpoint files of a job, for programs that write such files anyway. A file belongs to one member and has a name that no other
    file has. ``commit`` keeps the bytes of all files, ``restore`` writes them again, those of the dead on the members that take them over.
    Memory beside the files: twice the copies. Needs to live through recoveries: made outside of the body of ``resilient``, which restores
    it (``snapshot=files``). docs/mpi/files.md has a program."""

    def __init__(self, comm: Communicator, folder: Union[str, os.PathLike[str]], *,
                 archive: Union[str, os.PathLike[str], None] = None, flush_every: int = 10, archived: int = 2, copies: int = 2,
                 node_of: Optional[Sequence[int]] = None, checked: bool = False, every: int = 0, mtbf_hours: float = 24.0,
                 deal: Deal = "holders", keep: Optional[Keep] = None, differential: str = "never") -> None:
        """folder: of this member's node, for this job alone; it is made if needed. archive: a folder that all members see, to which each
        flush_every-th commit is written while the program goes on, and in which archived of them stay. The others are those of
        ``Snapshot``. All members pass the same, but for folder, and the folder of keep."""
        for value, name in ((flush_every, "flush_every"), (archived, "archived"), (copies, "copies")):
            expect_positive(value, name)
        if not os.fspath(folder):
            raise ValueError("folder: expected a path, not an empty text")
        if not callable(deal) and deal not in ("holders", "balanced"):
            raise ValueError(f'deal: expected "holders", "balanced" or a function, not {deal!r}')
        if differential not in ("never", "automatic", "always"):
            raise ValueError(f'differential: expected "never", "automatic" or "always", not {differential!r}')
        self._archives, self._keeps, self._deal = archive is not None, keep is not None, deal
        self._core: Any = _mpi.Files(comm._core, os.fspath(folder), "" if archive is None else os.fspath(archive), flush_every, archived,
                                     copies, expect_node_of(node_of, comm.num_founders), checked, every, mtbf_hours, kept(keep),
                                     differential)
        #: Why the last flush that was due could not be written; empty: it could. The commit is as good as any other.
        self.problem = ""

    def route(self, name: str) -> Path:
        """Registers a file of this member, unless it is registered, and returns where the program writes it. The name is a relative path
        without "." and "..", whose folders are made. Not collective."""
        if not _mpi.is_file_name(name):
            raise ValueError(f"expected a relative path without . and .. as the name of a file, not {name!r}")
        return Path(self._core.route(name))

    def remove(self, name: str) -> None:
        """Unregisters a file, which stays where it is. Not collective."""
        if name not in self.names:
            raise KeyError(name)
        self._core.remove(name)

    @property
    def names(self) -> list[str]:
        """The names of this member's files, ascending: after a restore also of those that it has taken over."""
        return list(self._core.names())

    @property
    def generation(self) -> int:
        """The number of commits that have succeeded; the same on all members."""
        return int(self._core.generation())

    def due(self) -> bool:
        """Counts a step of the program, which all members count alike, and returns whether a commit is due. Not collective."""
        return bool(self._core.due())

    def commit(self) -> Optional[int]:
        """Makes the present bytes of all files those to which a restore goes back. The files are written and closed before. Returns the
        generation of the archive that has become complete meanwhile, if one has. All raise DiskError if a file of any member cannot be
        read; then, and on ProcessFailure, the commit before stays. Collective."""
        flushed, self.problem = self._core.commit()
        return None if flushed is None else int(flushed)

    def restore(self, *, lost: str = "raised") -> Restored:
        """Goes back to the last commit: writes this member's files, those of the dead that it takes over included. All raise DiskError if
        a file cannot be written on any member. lost: "raised": all raise EntitiesLost if nobody has some; "left": the result names them.
        Collective; after ProcessFailure call it again."""
        if self.generation == 0:
            raise ValueError("expected that something was committed before")
        if lost not in ("raised", "left"):
            raise ValueError(f'lost: expected "raised" or "left", not {lost!r}')
        return self._restored(lambda: self._core.restore(self._deal, lost == "left"))

    def resume(self, *, deal: Optional[Deal] = None) -> Optional[Restored]:
        """In a new job: takes over what the job before has kept on the nodes (Keep) or, if there is nothing, has flushed last. Without
        deal, files stay with members that have them, or had them, where that can be. Returns None if there is neither. Nothing was
        committed before. Collective; after ProcessFailure call it again."""
        if self.generation > 0:
            raise ValueError("expected that nothing was committed before")
        resumed = self._core.resume(deal)
        return None if resumed is None else self._restored(lambda: resumed)

    def flush(self) -> None:
        """Writes the last commit to the archive, unless it is there, and returns when it is complete. Collective."""
        if not self._archives or self.generation == 0:
            raise ValueError("expected files with an archive, of which something was committed")
        self._core.flush()

    def discard(self) -> None:
        """Removes the files from the nodes, when the program has ended well. What was flushed stays. Collective."""
        self._core.discard()

    def close(self) -> None:
        """Frees the memory. Files stay. Not collective."""
        self._core = Closed()

    def _begin(self) -> None:
        """What ``resilient`` does before it calls the body for the first time. Collective."""
        if self.generation == 0 and (self._keeps or self._archives):
            self.resume()

    def _restored(self, work: Callable[[], Any]) -> Restored:
        generation, adopted, lost, removed = work()
        return Restored(generation, [Adoption(*each) for each in adopted], list(lost), list(removed))
