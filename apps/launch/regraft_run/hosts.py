"""The hosts of a job: which there are, which of them answer, and a command line without those that do not."""
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shlex
import socket
import subprocess
from collections.abc import Callable

from regraft_run import openmpi

TIME_TO_ANSWER = 15  # seconds
BY_SSH = ["ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]


@dataclasses.dataclass
class Host:
    name: str
    slots: int = 0  # ranks that it takes; 0: mpirun decides

    def __str__(self) -> str:
        return f"{self.name}:{self.slots}" if self.slots else self.name


def hosts_of(words: list[str]) -> list[Host]:
    """The hosts that mpirun's options name, else those of the batch system; none if they cannot be told."""
    named = []
    for option, value in openmpi.options_and_values(words):
        if option in ("host", "H"):
            named += [from_host_option(text) for text in value.split(",")]
        elif option in ("hostfile", "machinefile", "default-hostfile"):
            named += from_hostfile(value)
        elif option in openmpi.HOST_OPTIONS:
            return []
    return named or from_batch_system()


def from_host_option(text: str) -> Host:
    name, _, slots = text.partition(":")
    return Host(name, int(slots) if slots.isdigit() else 0)


def from_hostfile(file: str) -> list[Host]:
    """Lines `NAME slots=NUMBER`."""
    found = []
    for line in pathlib.Path(file).read_text(encoding="utf-8").splitlines():
        words = line.partition("#")[0].split()
        slots = re.search(r"\bslots\s*=\s*(\d+)", " ".join(words))
        found += [Host(words[0], int(slots[1]) if slots else 0)] if words else []
    return found


def from_batch_system() -> list[Host]:
    env = os.environ
    if "SLURM_JOB_NODELIST" in env:
        said = subprocess.run(["scontrol", "show", "hostnames", env["SLURM_JOB_NODELIST"]], capture_output=True, text=True, check=False)
        slots = numbers_of(env.get("SLURM_TASKS_PER_NODE") or env.get("SLURM_JOB_CPUS_PER_NODE", ""))
        return [Host(name, number) for name, number in zip(said.stdout.split(), slots)]
    if "PBS_NODEFILE" in env:
        names = pathlib.Path(env["PBS_NODEFILE"]).read_text(encoding="utf-8").split()
        return [Host(name, names.count(name)) for name in dict.fromkeys(names)]
    if "LSB_MCPU_HOSTS" in env:
        words = env["LSB_MCPU_HOSTS"].split()
        return [Host(name, int(slots)) for name, slots in zip(words[::2], words[1::2])]
    if "PE_HOSTFILE" in env:
        lines = pathlib.Path(env["PE_HOSTFILE"]).read_text(encoding="utf-8").splitlines()
        return [Host(words[0], int(words[1])) for words in map(str.split, lines) if len(words) > 1]
    return []


def numbers_of(text: str) -> list[int]:
    """Slurm's short form of a list: 2(x3),1 is 2, 2, 2, 1."""
    found = []
    for number, times in re.findall(r"(\d+)(?:\(x(\d+)\))?", text):
        found += [int(number)] * int(times or 1)
    return found


def run_on(host: Host, command: str) -> bool:
    """Runs a command of the shell on another host. Whether it could be started and ended with exit code 0."""
    agent = os.environ.get("PRTE_MCA_plm_ssh_agent") or os.environ.get("OMPI_MCA_plm_rsh_agent")
    if agent:
        words = [*shlex.split(agent.partition(":")[0]), host.name, command]
    elif "SLURM_JOB_ID" in os.environ:
        words = ["srun", "--nodes=1", "--ntasks=1", "--overlap", f"--nodelist={host.name}", "sh", "-c", command]
    else:
        words = [*BY_SSH, host.name, command]
    try:
        return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_TO_ANSWER, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def is_here(host: Host) -> bool:
    return host.name.partition(".")[0] in ("localhost", socket.gethostname().partition(".")[0])


def answers(host: Host) -> bool:
    """Whether a process can be started there."""
    return is_here(host) or run_on(host, "true")


def on_all(hosts: list[Host], ask: Callable[[Host], bool]) -> list[bool]:
    """Asks all hosts at the same time."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=64) as pool:
        return list(pool.map(ask, hosts))


def end_daemons(hosts: list[Host], mpirun: int) -> None:
    """Ends the daemons that an mpirun of this process id has left on other hosts. A daemon of PRRTE 3.0 waits for ever if mpirun had ended
    before the daemon could reach it."""
    here = socket.gethostname().partition(".")[0]
    # The brackets keep the pattern from matching the shell that runs this command.
    command = f"pkill -KILL -f '[e]ss_base_nspace prterun-{here}[^ ]*-{mpirun}@0'"
    on_all([host for host in hosts if not is_here(host)], lambda host: run_on(host, command))


def that_answer(hosts: list[Host]) -> list[Host]:
    return [host for host, is_there in zip(hosts, on_all(hosts, answers)) if is_there]


def words_for(hosts: list[Host], words: list[str]) -> list[str]:
    """The command line with these hosts, and with no more ranks than they take."""
    rest = openmpi.without_options(words, openmpi.HOST_OPTIONS)
    if all(host.slots for host in hosts):
        rest = openmpi.with_at_most(sum(host.slots for host in hosts), rest)
    return ["--host", ",".join(map(str, hosts)), *rest]
