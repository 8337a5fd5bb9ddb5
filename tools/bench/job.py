"""The ranks that benchmarks get: of this machine, or of several nodes, which options of mpirun name or a batch system has given."""
import json
import pathlib
import subprocess
import sys
from dataclasses import dataclass, field

import where
from regraft_run.hosts import Host, hosts_of
from results import Broken


@dataclass
class Job:
    """mpirun: its path. words: options of mpirun that all jobs get. hosts: none on one machine."""

    mpirun: str
    words: list[str] = field(default_factory=list)
    hosts: list[Host] = field(default_factory=list)

    @property
    def is_of_nodes(self) -> bool:
        return len(self.hosts) > 1

    @property
    def slots(self) -> int:
        return sum(host.slots for host in self.hosts)

    def sizes(self, usual: list[int], short: bool) -> list[int]:
        """The numbers of ranks that are measured. On nodes: one rank on each, two, four and so on, and all that there are; a quick look
        takes the least and the most only. usual: on one machine."""
        if not self.is_of_nodes:
            return usual
        each = min(host.slots for host in self.hosts)
        some = [len(self.hosts) << i for i in range(each.bit_length())]
        sizes = sorted({*some, self.slots})
        return [sizes[0], sizes[-1]] if short and len(sizes) > 1 else sizes

    def launch(self, ranks: int) -> list[str]:
        """The begin of a command line that starts a program on so many ranks. Nodes get equally many, in their order, unless all slots are
        taken: then the hosts say how many each has."""
        placed = []
        if self.is_of_nodes and ranks < self.slots:
            placed = ["--map-by", f"ppr:{ranks // len(self.hosts)}:node"]
        return [*where.launcher(), "--mpirun", self.mpirun, *self.words, *placed, "-n", str(ranks)]

    def nodes(self) -> list[dict]:
        """What each node is, and how busy: host, cpu, cores, memory_bytes, load. Empty on one machine."""
        if not self.is_of_nodes:
            return []
        # A rank that is bound would see one core.
        whole = Job(self.mpirun, [*self.words, "--bind-to", "none"], self.hosts)
        command = [*whole.launch(len(self.hosts)), sys.executable, str(pathlib.Path(__file__).with_name("node.py"))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        answers = [answer for answer in objects_in(done.stdout) if "host" in answer]
        found = sorted(answers, key=lambda node: node["host"])
        if len(found) != len(self.hosts):
            raise Broken(f"{len(found)} of {len(self.hosts)} nodes answered: {' '.join(command)}\n{done.stdout}{done.stderr}")
        return found


def objects_in(text: str) -> list[dict]:
    """The objects of JSON in what ranks have printed. Daemons of several nodes can put two on one line, with words of their own."""
    decoder, found, at = json.JSONDecoder(), [], text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
            found.append(value)
        except json.JSONDecodeError:
            end = at + 1
        at = text.find("{", end)
    return found


def job_of(mpirun: str, words: list[str]) -> Job:
    """The job that these options of mpirun, or else the batch system, describe."""
    hosts = hosts_of(words)
    if len(hosts) > 1 and (unknown := [host.name for host in hosts if not host.slots]):
        raise Broken(f"how many ranks does {unknown[0]} take? Expected {unknown[0]}:N after --host, or `{unknown[0]} slots=N` in "
                     "a hostfile")
    return Job(mpirun, words, hosts)
