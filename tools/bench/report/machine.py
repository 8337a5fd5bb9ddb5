"""What a measurement was made on, and how busy that was: entries for the context of results."""
import json
import os
import pathlib
import platform
import re
import resource
import shlex
import subprocess
import time


def told(*command: str) -> str:
    """What a command prints; empty if it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def read(path: str) -> str:
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


def facts() -> dict[str, object]:
    """The machine itself."""
    memory = re.search(r"^MemTotal:\s*(\d+) kB", read("/proc/meminfo"), re.M)
    return {"cpu": cpu_name(), "num_cpus": len(os.sched_getaffinity(0)), "memory_bytes": int(memory[1]) << 10 if memory else 0,
            "system": f"{platform.system()} {platform.machine()}", "kernel": platform.release()}


def cpu_name() -> str:
    found = re.search(r"^model name\s*: (.*)$", read("/proc/cpuinfo"), re.M)
    return found[1] if found else platform.processor()


def file_system(folder: pathlib.Path) -> str:
    """The type of the file system that a folder is on; empty if `df` does not tell."""
    words = told("df", "--output=fstype", str(folder)).split()
    return words[-1] if words else ""


def mpi(mpirun: str) -> str:
    return (told(mpirun, "--version").splitlines() or [""])[0]


def source_of(build: pathlib.Path) -> pathlib.Path | None:
    """The folder of sources that a build folder of Meson belongs to."""
    try:
        return pathlib.Path(json.loads(read(str(build / "meson-info/meson-info.json")))["directories"]["source"])
    except (ValueError, KeyError):
        return None


def commit(root: pathlib.Path) -> str:
    """The short hash of the commit, with + if files differ from it; empty outside of a repository."""
    changed = told("git", "-C", str(root), "status", "--porcelain", "--untracked-files=no")
    return told("git", "-C", str(root), "rev-parse", "--short", "HEAD") + ("+" if changed else "")


def compiler(build: pathlib.Path, source: str) -> dict[str, str]:
    """The version and flags of the compiler, for a source file."""
    try:
        commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        words = shlex.split(next(entry["command"] for entry in commands if pathlib.Path(entry["file"]).name == source))
    except (OSError, StopIteration, ValueError):
        return {}
    if words[0].endswith("ccache"):
        words = words[1:]
    version = told(words[0], "--version").splitlines()
    flags = [word for word in words[1:] if re.match(r"-(O|f(?!diagnostics|visibility)|m|D(?!REGRAFT_DATA)|std=)", word)]
    return {"compiler": version[0] if version else words[0], "flags": " ".join(flags)}


class Load:
    """How busy the machine is from now on, besides what this process has started and waited for."""

    def __init__(self) -> None:
        self.average, self.begin, self.busy, self.ours = os.getloadavg()[0], time.monotonic(), busy_seconds(), our_seconds()

    def facts(self) -> dict[str, float]:
        """load: of the last minute when it began, which may have been our own. cores_of_others: how many cores other programs have used,
        on average. seconds, cpu_seconds: by the clock, and of all processes that were started, since it began."""
        elapsed, ours = max(time.monotonic() - self.begin, 1e-3), our_seconds() - self.ours
        others = max(0.0, busy_seconds() - self.busy - ours) / elapsed
        return {"load": round(self.average, 2), "cores_of_others": round(others, 2), "seconds": round(elapsed, 1),
                "cpu_seconds": round(ours, 1)}


def busy_seconds() -> float:
    """The time that all cores have worked since the system was started, for whatever program; 0 if it does not tell."""
    found = re.match(r"cpu +(.*)", read("/proc/stat"))
    if not found:
        return 0.0
    user, nice, system, _idle, _wait, irq, softirq = map(int, found[1].split()[:7])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def our_seconds() -> float:
    usages = [resource.getrusage(whom) for whom in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
