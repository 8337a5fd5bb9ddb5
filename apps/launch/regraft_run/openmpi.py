"""What mpirun is told so that a job survives. The one place that knows its flags and settings."""
import dataclasses
import functools
import os
import pathlib
import re
import shutil
import subprocess
from collections.abc import Mapping

from regraft_run.folders import Folders
from regraft_run.processes import say


@dataclasses.dataclass(frozen=True)
class Setting:
    """A parameter of Open MPI (MCA) that has to have this value."""

    name: str
    value: str
    otherwise: str  # what happens with another value


# Jobs survive in Open MPI 5 with these. The parameter file that is installed and the warnings of the library are made from this list.
SETTINGS = [
    Setting("async_mpi_finalize", "1", "MPI_Finalize waits for the dead"),
    # Largest job in which a rank learns the addresses of all others in MPI_Init. Otherwise it asks for an address when it first sends to
    # that rank. If the node of that rank is lost by then, no answer comes: a revoke, an agreement or a send waits for ever.
    Setting("mpi_add_procs_cutoff", "1000000", "a survivor may wait for ever for the address of a dead rank on another host"),
    # HAN swallows errors of the collectives it is made of. The component for GPU memory wraps all others, and crashed after deaths
    # (open-mpi/ompi issue 13915). --with-ft ulfm excludes the other two, but this list replaces its list.
    Setting("coll", "^han,cuda,hcoll,portals4", "these implementations of collectives swallow failures"),
    # 3 is a star. The help text of Open MPI 5.0.9 says that 2 is one, but its code makes 2 a chain. In a chain or a tree, a rank that has
    # contributed to an agreement and has lost its parent waits for ever if the grandparent decides before it notices that death. This
    # happened in 22 of 24 provoked deaths in a chain and in 20 in the default tree. It did not happen in the star, where only the root
    # has children.
    Setting("coll_ftagree_era_topology", "3", "survivors may wait in an agreement for ever"),
    # 3 is a ring. The default algorithms of 5.0.9 returned MPI_SUCCESS and wrong data in 42 of 64 deaths. The library does not call
    # MPI_Allgatherv, but programs may.
    Setting("coll_tuned_use_dynamic_rules", "1", "the next setting is ignored"),
    Setting("coll_tuned_allgatherv_algorithm", "3", "MPI_Allgatherv gives wrong data when a rank dies in it"),
]
# With these, jobs survive sooner. Other values are no fault.
SOONER = [
    # In microseconds. The daemon of a host tells its ranks of a death by an event. A rank that waits in MPI looks for such events only as
    # often as this says; by default every 10 ms.
    Setting("mpi_event_tick_rate", "1000", "a waiting rank hears of a death up to 10 ms later"),
]
ON_ONE_HOST = {
    # Shared memory reaches the ranks of the same MPI_COMM_WORLD alone, and TCP the processes that they spawn, or to which they connect.
    # Among ranks that share memory it is not used: it reports failures less reliably.
    "OMPI_MCA_btl": "self,sm,tcp",
    "OMPI_MCA_btl_tcp_if_include": "lo",  # also without a network, and nobody else can connect
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # more ranks than cores
    # A waiting rank lets others run. Otherwise two ranks on two cores that another program uses, too, wait for each other's time slices:
    # 18 s instead of 0.2 s.
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMP_WAIT_POLICY": "passive",  # the same for threads
    # GCC's threads spin for microseconds before they sleep. If they slept at once, waking them would cost three times the work.
    "GOMP_SPINCOUNT": "1000",
    "OMP_NUM_THREADS": "1",  # in tests the ranks are the parallelism
}
# Where the components of Open MPI through whose files ranks of a host share memory put them. The names of these files contain 16 bits of a
# hash that stand for the job. Two jobs of a user on the same host that have the same 16 bits write into each other's memory: 1 of 65,536
# pairs of jobs. The library of the ranks has its list from here.
SHARING = [f"OMPI_MCA_{component}_backing_directory" for component in ("btl_sm", "osc_sm", "osc_rdma")]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # jobs in containers often run as root

# mpirun itself fails to start about once in 400 launches, before any rank runs. This, and only this, is tried again.
LAUNCHER_FAULT = b"PMIx server's listener thread failed to start"
BEFORE_ULFM = ("--oversubscribe",)  # the flags of Open MPI before version 5
ATTEMPTS = 3
TRY_AGAIN = "mpirun failed to start (PMIx listener thread), trying again"
# mpirun of Open MPI 5 exits with these if it does not understand its options, is given no program, cannot start it, or is given a number
# that makes no sense.
USAGE_ERRORS = (213, 243, 183, 250)

HOST_OPTIONS = {"host", "H", "hostfile", "machinefile", "default-hostfile", "rankfile", "dvm-uri", "dvm"}
OUTLIVES_NODES = ["5.0.9"]  # the versions of Open MPI with which tests/nodes has seen jobs go on without a node
NODE_TIMEOUT = 30  # seconds

BATCH_SYSTEMS = ["SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS", "LSB_MCPU_HOSTS", "PE_HOSTFILE"]  # Open MPI knows them by these variables


@functools.lru_cache
def find(named: str, prefix: pathlib.Path, configured: str) -> str:
    """The path of an mpirun that can be run: the one that is named, else that of the installation in prefix, which may be relative to it,
    else the first one on PATH. Raises LookupError, which says what to do."""
    installed = str(prefix / configured)
    mpirun = named or (installed if configured and os.access(installed, os.X_OK) else shutil.which("mpirun"))
    if not mpirun:
        raise LookupError("no mpirun found: name it by --mpirun PATH")
    if not shutil.which(mpirun):
        raise LookupError(f"cannot run {mpirun}")
    return mpirun


def version(mpirun: str) -> str:
    """How mpirun names itself: "mpirun (Open MPI) 5.0.9". It says so only if it has a home, which services and containers may lack."""
    return subprocess.run([mpirun, "--version"], env={"HOME": "/", **os.environ}, capture_output=True, text=True, check=False).stdout


def flags(mpirun: str) -> tuple[str, ...]:
    """The flags without which this mpirun ends the job when a rank dies, or refuses more ranks than cores."""
    if "Open MPI) 5" in version(mpirun):
        return ("--with-ft", "ulfm")
    if "Open MPI" in version(mpirun):
        return BEFORE_ULFM
    return ("-disable-auto-cleanup",) if "HYDRA" in version(mpirun) else ()


def output(mpirun: str, words: list[str]) -> tuple[str, ...]:
    """Asks for output that is passed on as it comes, unless the caller says how. Open MPI 5.0.9 ends its help texts on stderr with a NUL
    byte. It buffers what is not a whole line and puts it before the next bytes of that rank, even if these are for stdout."""
    return ("--output", ":raw") if "ulfm" in flags(mpirun) and "output" not in options(words) else ()


def command(mpirun: str, ranks: int, program: list[str]) -> list[str]:
    return [mpirun, *flags(mpirun), *output(mpirun, []), "-n", str(ranks), *program]


def environment(mpirun: str, folders: Folders, one_host: bool = True) -> dict[str, str]:
    """The environment of a job. A variable that the caller has set keeps its value."""
    env = dict(os.environ)
    here = dict(ON_ONE_HOST) if one_host else {}
    if "OMPI_MCA_btl_tcp_if_exclude" in env:
        here.pop("OMPI_MCA_btl_tcp_if_include", "")  # only one of the two may be set
    survival = {f"OMPI_MCA_{setting.name}": setting.value for setting in SETTINGS + SOONER} if "ulfm" in flags(mpirun) else {}
    for name, value in {**AS_ROOT, **survival, **here}.items():
        env.setdefault(name, value)
    if "OMPI_MCA_btl" not in os.environ and one_host and flags(mpirun) == BEFORE_ULFM:
        env["OMPI_MCA_btl"] = "self,vader,tcp"  # the name of shared memory before version 5
    if one_host:  # other hosts do not have these folders
        env["TMPDIR"] = folders.tmp
        for name in SHARING if folders.shared else []:
            env.setdefault(name, folders.shared)
    elif "SLURM_JOB_ID" in env:
        env.setdefault("SLURM_NO_KILL", "set")  # otherwise Slurm ends mpirun's daemons when it sees that a node is down
    env.setdefault("HOME", folders.tmp)  # Open MPI does not start without one
    return env


def preload(library: str, env: Mapping[str, str]) -> str:
    """A value of LD_PRELOAD: this library, and what is preloaded anyway."""
    return ":".join(filter(None, [library, env.get("LD_PRELOAD")]))


def outlive_nodes(mpirun: str, node_library: str, node_timeout: int, env: dict[str, str]) -> None:
    """Adds to the environment of mpirun what lets a job go on when a node is lost, except that of mpirun."""
    known = re.search(r"Open MPI\) ([\d.]+)", version(mpirun))
    if not node_library or not known or known[1] not in OUTLIVES_NODES:
        why = f"Open MPI {', '.join(OUTLIVES_NODES)} is needed to go on" if node_library else "libregraft_node_loss.so is not there"
        say(f"the job ends if a node is lost: {why}")
        return
    env["LD_PRELOAD"] = preload(node_library, env)
    env["REGRAFT_NODE_TIMEOUT"] = str(node_timeout)
    probes, interval = 3, max(1, node_timeout // 6)
    for name, value in {"time": max(1, node_timeout - probes * interval), "intvl": interval, "probes": probes}.items():
        env.setdefault(f"PRTE_MCA_oob_tcp_keepalive_{name}", str(value))


def parameter_file() -> str:
    """The text of a parameter file for mpirun --tune FILE, which allows no blanks around '='."""
    lines = ["# Jobs survive in Open MPI 5 with these settings: mpirun --with-ft ulfm --tune THIS-FILE ...",
             "# Or append this file to an openmpi-mca-params.conf."]
    for setting in SETTINGS + SOONER:
        lines += [f"# Otherwise {setting.otherwise}.", f"{setting.name}={setting.value}"]
    return "\n".join(lines) + "\n"


def initialisers() -> str:
    """The settings as initialisers in C++, for lib/ft/settings.cpp."""
    return "".join(f'{{"{setting.name}", "{setting.value}", "{setting.otherwise}"}},\n' for setting in SETTINGS)


def sharing() -> str:
    """The parameters as strings in C, for lib/launch/shared_folder.c."""
    return "".join(f'"{name}",\n' for name in SHARING)


NUMBER_OPTIONS = ("n", "np", "c")
WITH_VALUE = HOST_OPTIONS | {"map-by", "rank-by", "bind-to", "output", "x", "wdir", "path"}  # other options have a value, too, or have none
WITH_TWO_VALUES = {"mca", "gmca", "omca", "prtemca", "pmixmca"}
WITHOUT_VALUE = {"oversubscribe", "nooversubscribe", "nolocal", "allow-run-as-root", "use-hwthread-cpus", "report-bindings", "display-map",
                 "tag-output", "timestamp-output", "verbose", "v", "quiet", "q", "show-progress", "enable-recovery",
                 "leave-session-attached", "debug-daemons"}


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of mpirun in a command line."""

    name: str
    value: str  # the word that follows it, whatever that is
    begin: int  # its words
    end: int


def parsed(words: list[str]) -> list[Option]:
    """mpirun's options. They end at '--' or at the program, the first word that neither is an option nor follows one that
    may have a value."""
    found: list[Option] = []
    end = 0
    while end < len(words) and words[end].startswith("-") and words[end] != "--":
        begin, end = end, end + 1
        name, sign, value = words[begin].lstrip("-").partition("=")
        num_values = 0 if sign or name in WITHOUT_VALUE else 2 if name in WITH_TWO_VALUES else 1
        for word in words[end:end + num_values]:
            if word == "--" or (word.startswith("-") and num_values < 2):  # it has no value
                break
            end += 1
        found.append(Option(name, value if sign else "".join(words[begin + 1:begin + 2]), begin, end))
    return found


def options_and_values(words: list[str]) -> list[tuple[str, str]]:
    """mpirun's options with the word that follows each."""
    return [(option.name, option.value) for option in parsed(words)]


def program_and_arguments(words: list[str]) -> list[str]:
    """What mpirun starts; empty if it is told nothing."""
    found = parsed(words)
    rest = words[found[-1].end if found else 0:]
    return rest[1:] if rest[:1] == ["--"] else rest


def options(words: list[str]) -> set[str]:
    """The names of mpirun's options."""
    return {name for name, _ in options_and_values(words)}


def number_of_ranks(words: list[str]) -> int:
    """The number that mpirun is given by -n or another name of this option; 1 if it is given none."""
    numbers = [int(value) for name, value in options_and_values(words) if name in NUMBER_OPTIONS and value.isdigit()]
    return max(1, numbers[0]) if numbers else 1


def complaint(words: list[str]) -> str:
    """What is wrong with the numbers of ranks; empty if nothing is. mpirun takes what is no number, and 0, for one rank on each core."""
    begin = 0
    for end in [i for i, word in enumerate(words) if word == ":"] + [len(words)]:  # programs that form one job together
        for name, value in options_and_values(words[begin:end]):
            if name in NUMBER_OPTIONS:
                if not (value.isascii() and value.isdigit() and int(value) > 0):
                    return f"-{name}: expected a number of ranks, at least 1, not '{value}'"
                break
            if name not in WITH_VALUE | WITH_TWO_VALUES | WITHOUT_VALUE and not value.startswith("-"):
                break  # this word may be the program already
        begin = end + 1
    return ""


def names_hosts(words: list[str]) -> bool:
    """Whether mpirun is told on which hosts to run."""
    return not HOST_OPTIONS.isdisjoint(options(words))


def without_options(words: list[str], names: set[str]) -> list[str]:
    """The words without these options of mpirun and their values."""
    rest, end = [], 0
    for option in parsed(words):
        rest += [] if option.name in names else words[option.begin:option.end]
        end = option.end
    return rest + words[end:]


def with_at_most(ranks: int, words: list[str]) -> list[str]:
    """The words with a smaller number of ranks if it is larger than this."""
    return words if number_of_ranks(words) <= ranks else ["-n", str(ranks), *without_options(words, set(NUMBER_OPTIONS))]
