"""Plans for programs whose ranks may die, their archives, and compressed alignments.

- ``regraft.matching``: give each block to one of its holders, none too many
- ``regraft.schedule``: which PE sends what in which round
- ``regraft.placement``: which slots keep a copy of which block
- ``regraft.loss``: how probable it is that failures lose data
- ``regraft.msa``: alignments, compressed, with random access by site
- ``regraft.archive``: blocks and snapshots on disk, as programs on MPI save them
- ``regraft.erasure``: parities from which lost pieces follow

``regraft.mpi`` is for programs on mpi4py whose ranks may die. It is imported by its name.

Arrays go in and out as NumPy arrays. An array of the type that a function works with (``uint64`` for offsets, blocks and sizes, ``uint32``
for vertices, PEs and slots) is not copied; other integers are converted, and refused with ``ValueError`` if they do not fit. Results are
the same on every machine, for any number of threads. Long calls release the GIL.
"""

from . import archive, erasure, loss, matching, msa, placement, schedule
from ._core import InputError, __version__

__all__ = ["InputError", "__version__", "archive", "erasure", "loss", "matching", "msa", "placement", "schedule"]
