"""Builds programs in Fortran with a library in place of MPI's own, which not every MPI has: like that one, it calls MPI by its profiling
interface."""
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
MISSING = "" if shutil.which("gfortran") else "no gfortran"


def build(mpirun: str, source: pathlib.Path, folder: pathlib.Path, binding: str = "lazy") -> pathlib.Path:
    """The program. binding: the calls of the library are bound `now`, at once, and cannot be written afterwards, or `lazy`, each when it is
    made."""
    home = pathlib.Path(mpirun).parents[1] / "lib"
    library = folder / "libmpi_mpifh.so.40"
    subprocess.run([pathlib.Path(mpirun).with_name("mpicc"), "-shared", "-fPIC", f"-Wl,-z,relro,-z,{binding},-soname,{library.name}",
                    "-o", library, HERE / "fortran_library.c"], check=True)
    subprocess.run(["gfortran", "-o", folder / "program", source, library, f"-L{home}", f"-Wl,-rpath,{folder}:{home}", "-l:libmpi.so.40"],
                   check=True)
    return folder / "program"
