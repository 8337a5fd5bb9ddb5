"""What can be told of an MPI and of this machine before ranks are killed."""
import contextlib
import dataclasses
import functools
import mmap
import os
import pathlib
import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping

from regraft_run import openmpi
from regraft_run.caught import can_look
from regraft_run.folders import own_folder

LIMIT = 10  # seconds for a program that only prints something
INFO_LIMIT = 4  # the same for one that can be done without


@dataclasses.dataclass
class Row:
    """A line of the table."""

    what: str
    verdict: str  # YES, NO or UNKNOWN if regraft needs it, else NOTE
    said: str
    advice: str = ""  # what to do
    rank: int = 5  # of the advice; the smallest is the most important one


YES, NO, UNKNOWN, NOTE = "yes", "NO", "not tried", "-"


@dataclasses.dataclass
class Answer:
    """What a program has printed."""

    text: str
    problem: str  # why it printed nothing that counts; empty if it did


def asked(words: list[str], limit: float = LIMIT) -> Answer:
    """Runs a program that prints something. It ends within the limit, with its process group."""
    with tempfile.TemporaryFile() as out:
        try:
            process = subprocess.Popen(words, env={"HOME": "/", **os.environ}, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.DEVNULL, start_new_session=True)
        except OSError as error:
            return Answer("", f"cannot be run: {error.strerror}")
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return Answer("", f"hung: killed after {limit:g} s")
        out.seek(0)
        text = out.read().decode(errors="replace")
    return Answer(text, f"ended with exit code {code}" if code else "")


@dataclasses.dataclass
class Mpi:
    """An MPI, as its mpirun describes itself."""

    mpirun: str
    name: str  # with its version, as far as it tells
    problem: str  # why mpirun does not even tell its version; empty if it does

    @staticmethod
    def of(mpirun: str, limit: float = LIMIT) -> "Mpi":
        answer = asked([mpirun, "--version"], limit)
        for pattern, name in ((r"\(Open MPI\) (\S+)", "Open MPI"), (r"Intel\(R\) MPI Library.*Version (\S+ ?\S*)", "Intel MPI"),
                              (r"HYDRA build details:\s*Version:\s*(\S+)", "MPICH")):
            if found := re.search(pattern, answer.text):
                return Mpi(mpirun, f"{name} {found[1]}", answer.problem)
        return Mpi(mpirun, (answer.text.splitlines() or ["unknown"])[0][:60], answer.problem)

    def beside(self, name: str) -> str:
        """The path of a program in the folder of mpirun, or where its links lead; empty if it is not there."""
        for mpirun in (pathlib.Path(self.mpirun), pathlib.Path(self.mpirun).resolve()):
            if os.access(program := mpirun.with_name(name), os.X_OK):
                return str(program)
        return ""

    def info(self, *words: str) -> str:
        """What ompi_info prints; empty if there is none."""
        program = self.beside("ompi_info")
        return asked([program, "--parsable", *words], INFO_LIMIT).text if program else ""

    def library(self, program: str = "") -> str:
        """The path of the library with which the program was linked, or that lies beside mpirun; empty if there is none."""
        if program and (found := re.search(r"libmpi(?:cxx|_cxx)?\.so\S* => (/\S+)", asked(["ldd", program]).text)):
            return os.path.realpath(found[1])
        prefix = pathlib.Path(self.mpirun).parent.parent
        told = re.findall(r"^path:libdir:(.+)$", self.info("--path", "libdir"), re.M)
        folders = [prefix / "lib", prefix / "lib64", *map(pathlib.Path, told)]
        return next((os.path.realpath(file) for folder in folders for file in sorted(folder.glob("libmpi.so*"))), "")

    @functools.cached_property
    def has_ulfm(self) -> bool | None:
        """Whether it says so itself; None if it says nothing. A program that links proves nothing: MPICH has the functions, too."""
        if not self.name.startswith("Open MPI"):
            return False
        said = re.search(r"^options:ft_support:(\w+)", self.info(), re.M)
        version = re.match(r"\d+", self.name.removeprefix("Open MPI "))
        return said[1] == "yes" if said else False if version and int(version[0]) < 5 else None


def parameter_files(mpirun: str, env: Mapping[str, str]) -> list[pathlib.Path]:
    """The files from which Open MPI reads parameters, the one that counts first."""
    if named := env.get("OMPI_MCA_mca_base_param_files"):
        return [pathlib.Path(file) for file in re.split("[:,]", named)]
    return [pathlib.Path(env.get("HOME", "/")) / ".openmpi/mca-params.conf",
            pathlib.Path(mpirun).parent.parent / "etc/openmpi-mca-params.conf", pathlib.Path("/etc/openmpi/openmpi-mca-params.conf")]


def in_files(files: list[pathlib.Path]) -> dict[str, str]:
    """The parameters that these files set."""
    found: dict[str, str] = {}
    for file in files:
        with contextlib.suppress(OSError):
            for name, value in re.findall(r"^\s*(\w+)\s*=\s*(.*?)\s*$", file.read_text(encoding="utf-8", errors="replace"), re.M):
                found.setdefault(name, value)
    return found


def settings(mpirun: str, env: Mapping[str, str]) -> list[Row]:
    """Settings that regraft-run cannot make right because the environment has others, and those that mpirun alone would lack."""
    set_here = in_files(parameter_files(mpirun, env))
    rows, missing = [], []
    for setting in openmpi.SETTINGS:
        variable = f"OMPI_MCA_{setting.name}"
        if variable in env and env[variable] != setting.value:
            rows.append(Row(f"setting {setting.name}", NO, f"the environment has {env[variable]!r}, so {setting.otherwise}",
                            f"unset {variable}", 2))
        elif variable not in env and set_here.get(setting.name) != setting.value:
            missing.append(setting)
    if missing:
        lines = "".join(f"\n      {setting.name}={setting.value}" for setting in missing)
        said = f"{len(missing)} of {len(openmpi.SETTINGS)} are missing; regraft-run sets them"
        where = f"in a file that is given by --tune FILE, or in {parameter_files(mpirun, env)[0]}"
        rows.append(Row("settings without regraft-run", NOTE, said,
                        f"Jobs that mpirun starts by itself need --with-ft ulfm and these lines {where}, which regraft-run --settings "
                        f"writes, too:{lines}", 8))
    elif not rows:
        rows.append(Row("settings without regraft-run", NOTE, "all are there"))
    return rows


def nodes(mpi: Mpi, node_library: str) -> Row:
    """Whether a job may outlive a node."""
    known = mpi.name.removeprefix("Open MPI ") in openmpi.OUTLIVES_NODES and mpi.name.startswith("Open MPI")
    if known and node_library:
        return Row("loss of a node", NOTE, f"survived under regraft-run, except that of mpirun's node ({node_library})")
    why = "libregraft_node_loss.so is not installed" if known else f"this was tried with Open MPI {', '.join(openmpi.OUTLIVES_NODES)} alone"
    do = "install regraft" if known else f"take Open MPI {openmpi.OUTLIVES_NODES[0]}"
    return Row("loss of a node", NOTE, f"ends the job: {why}", f"For jobs on several nodes: {do}, then the loss of a node is survived.", 7)


def restart(place: str = "/dev/shm") -> Row:
    """Whether a job can go on from what it has kept in the memory of the node."""
    what = "restart from memory"
    try:
        with own_folder(place) as folder, open(f"{folder}/page", "w+b") as file:
            file.truncate(mmap.PAGESIZE)
            with mmap.mmap(file.fileno(), mmap.PAGESIZE) as memory:
                memory[:4] = b"page"
        room = os.statvfs(place)
    except OSError as error:
        advice = f"Make {place} writable: ranks share memory there, and jobs keep what a restart needs."
        return Row(what, NO, f"{place}: {error.strerror}", advice, 4)
    free = room.f_bavail * room.f_frsize
    said = f"{place} is writable, {free / 2**20:,.0f} MiB are free; a folder takes twice the bytes of its ranks"
    advice = f"{place} has little room. In a container: docker run --shm-size=4g ..." if free < 2**28 else ""
    return Row(what, YES, said, advice, 6)


def caught() -> Row:
    """Whether regraft-run can find ranks that Open MPI keeps in a loop after a death."""
    what = "ranks caught in Open MPI"
    if can_look():
        return Row(what, YES, "regraft-run finds ranks that wait for ever for one that died, by ptrace, and ends them")
    return Row(what, NOTE, "regraft-run cannot find ranks that wait for ever for one that died, since ptrace is not allowed",
               "In rare cases a death makes another rank wait for ever (failure-model.md). regraft-run finds it only if it may look at "
               "its processes. In a container: docker run --cap-add=SYS_PTRACE ...", 8)


def launcher(mpi: Mpi, of_regraft_run: str, ulfm: bool) -> list[Row]:
    """What regraft-run does."""
    if not of_regraft_run:
        return [Row("regraft-run", NOTE, "finds no mpirun")]
    if not os.path.samefile(of_regraft_run, mpi.mpirun):
        return [Row("regraft-run", NOTE, f"starts another one: {of_regraft_run}",
                    f"regraft-run takes {of_regraft_run}. To look at that one: regraft-doctor --mpirun {of_regraft_run}. To use "
                    f"{mpi.mpirun}, build regraft and your programs with it.", 6)]
    does = "a death ends its jobs, and --restarts N starts them again"
    if ulfm:
        words = " ".join(openmpi.command(mpi.mpirun, 4, ["PROGRAM"]))
        does = f"starts {words}, with {len(openmpi.SETTINGS)} settings that let it survive"
    return [Row("regraft-run", NOTE, does)]
