"""Folders of one launch. If this process is killed, its guardian removes them."""
import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Iterator

from regraft_run import guardian


@dataclasses.dataclass(frozen=True)
class Folders:
    """The folders of one launch. No other launch uses them, whatever files a killed job leaves behind."""

    tmp: str  # TMPDIR; the path is short because sockets live in it
    shared: str  # for the files through which ranks share memory; empty: there is no such file system, and Open MPI takes TMPDIR


def own_folder(place: str | None = None) -> tempfile.TemporaryDirectory:
    """A folder that is there as long as the context. The guardian begins first, and knows it by its name."""
    guardian.of_this_process()
    return tempfile.TemporaryDirectory(prefix=guardian.prefix_of(os.getpid()), dir=place, ignore_cleanup_errors=True)


@contextlib.contextmanager
def job_folders() -> Iterator[Folders]:
    """Folders that are there as long as the context."""
    with contextlib.ExitStack() as stack:
        def folder(place: str | None) -> str:
            return stack.enter_context(own_folder(place))

        yield Folders(folder("/tmp" if os.access("/tmp", os.W_OK) else None),
                      folder("/dev/shm") if os.access("/dev/shm", os.W_OK) else "")
