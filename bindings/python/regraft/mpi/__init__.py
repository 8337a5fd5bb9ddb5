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

What changes belongs in a Snapshot, to whose last commit ``resilient`` goes back. Small objects that all members keep are a MiniCheckpoint.

Members are numbered by their ranks in the communicator that they came from, and keep these numbers. Calls that wait release the GIL. The
classes are those of C++ (docs/mpi/resilient.md, docs/mpi/store.md); docs/mpi/python.md has a whole program.
"""

from .._core import InputError
from ._base import Keep, _mpi
from ._communicator import Communicator, Failure, Work
from ._files import Files
from ._loop import points_reached, resilient, set_failure_plan
from ._mini import MiniCheckpoint
from ._rows import ErasureStore, Loading, ReplicatedStore
from ._snapshot import Adoption, Restored, Saving, Snapshot, State

DamagedInTransit, DataLost, Departed, DiskError = _mpi.DamagedInTransit, _mpi.DataLost, _mpi.Departed, _mpi.DiskError
Divergence, DuplicateEntity, EndlessRecovery, EntitiesLost = _mpi.Divergence, _mpi.DuplicateEntity, _mpi.EndlessRecovery, _mpi.EntitiesLost
FailPoint, MpiError, ProcessFailure = _mpi.FailPoint, _mpi.MpiError, _mpi.ProcessFailure
Uniform, WrongLauncher = _mpi.Uniform, _mpi.WrongLauncher

__all__ = ["Adoption", "Communicator", "DamagedInTransit", "DataLost", "Departed", "DiskError", "Divergence", "DuplicateEntity",
           "EndlessRecovery", "EntitiesLost", "ErasureStore", "FailPoint", "Failure", "Files", "InputError", "Keep", "Loading",
           "MiniCheckpoint", "MpiError", "ProcessFailure", "ReplicatedStore", "Restored", "Saving", "Snapshot", "State",
           "Uniform", "Work", "WrongLauncher", "points_reached", "resilient", "set_failure_plan"]
