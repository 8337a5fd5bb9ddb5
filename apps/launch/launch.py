#!/usr/bin/env python3
"""Starts MPI jobs whose ranks may die.

regraft-run [OPTION]... [OPTION OF mpirun]... -n P [--] PROGRAM ARGS...

  --mpirun PATH        in place of the one that belongs to this installation
  --rank-library PATH  in place of this installation's library that is preloaded into the ranks and tells how they end
  --node-library PATH  in place of this installation's library that is preloaded into mpirun, notes which ranks end, and lets the job
                       outlive a node
  --node-timeout N     on several hosts: a node that is silent for N seconds is lost (default: 30)
  --restarts N         start a job that is lost up to N times again, on those of its hosts that still answer
  --job NAME           what starts of the same job have in common, for programs that keep data on their nodes (default: the
                       number that the batch system gave the job, with the name of PROGRAM, or a random name)
  --stop-timeout N     end the job if its ranks have not ended N seconds after SIGTERM (default: 300)
  --resume             go on from what an earlier job of this name has kept on the nodes
  --settings           write what lets jobs survive as a parameter file of Open MPI, and stop
  --version, --help    write the version, or this text, and stop

All other options are mpirun's; `--` tells them from those of PROGRAM. Jobs on hosts that are named (--host, --hostfile, ...) or given
by a batch system may use the network and get no more ranks than cores. Any other job stays on this machine, with as many ranks
as you like.

A job on several hosts outlives the loss of nodes, except that of the node of mpirun, with the versions of Open MPI for which this was
tried. With others it says so when it starts.

Exit code: the highest of the ranks that came to MPI_Finalize. If none did, the highest that a rank exited with, or 1 if all were
killed. 2 if the command line is wrong, and 69 if a rank died before all ranks had left MPI_Init: there is no MPI yet that could
survive it, so the job is ended. MPI_Abort ends the job with its code.

A job is lost if all its ranks are killed, if a rank dies in MPI_Init, or if mpirun is. Then no process of it stays on any host.
A program that ends by itself, with whatever code, or by MPI_Abort, is not started again. With an MPI without ULFM a job is lost
if its exit code is none of 0, 2 and 75 (stopped as planned). If a job without --job leaves data on this host, its name is printed, by
which it can go on.

Ctrl-C and SIGTERM go to the ranks, which may save their work; a second one ends the job. SIGUSR1 goes to the ranks, too. If regraft-run
itself is killed, the job ends, and its temporary files are removed.
"""
import glob
import pathlib
import re
import signal
import sys
from typing import NoReturn

# The installation fills these in. Paths are relative to its prefix.
CONFIGURED_MPIRUN = "@MPIRUN@"
CONFIGURED_RANK_LIBRARY = "@LIBDIR@/libregraft_rank.so"
CONFIGURED_NODE_LIBRARY = "@LIBDIR@/libregraft_node_loss.so"
CONFIGURED_VERSION = "@VERSION@"
CONFIGURED_MODULES = "@DATADIR@/regraft"

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / CONFIGURED_MODULES))  # in a checkout they are beside this file
from regraft_run import openmpi  # noqa: E402
from regraft_run.folders import own_folder  # noqa: E402, F401
from regraft_run.job import STOP_TIMEOUT, USAGE_ERROR, Options, job_id, random_name, run  # noqa: E402
from regraft_run.processes import say  # noqa: E402

# Options with a value: what is expected after each.
WITH_VALUE = {"--mpirun": "a path", "--rank-library": "a path", "--node-library": "a path", "--node-timeout": "a number",
              "--restarts": "a number", "--stop-timeout": "a number", "--job": "a name"}


def find_library(named: str, configured: str) -> str:
    """The absolute path of a library: the one that is named, else that of this installation; empty if there is none."""
    library = pathlib.Path(named) if named else pathlib.Path(__file__).resolve().parent.parent / configured
    return str(library.absolute()) if named or library.is_file() else ""


def checked_mpirun(named: str) -> str:
    """The path of an mpirun that can be run. If there is none, this process ends."""
    try:
        return openmpi.find(named, pathlib.Path(__file__).resolve().parent.parent, CONFIGURED_MPIRUN)
    except LookupError as problem:
        fail(str(problem))


def write(text: str) -> None:
    """To standard output. A reader that has enough, such as head, ends this process."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    print(text, end="", flush=True)


def fail(why: str) -> NoReturn:
    say(why)
    sys.exit(USAGE_ERROR)


def parse(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Our options with their values, and the words behind them."""
    given = {}
    while words and (words[0] in WITH_VALUE or words[0] == "--resume"):
        option, words = words[0], words[1:]
        if option in WITH_VALUE and not words[:1] > [""]:
            fail(f"{option}: expected {WITH_VALUE[option]} after it")
        if option == "--resume":
            given[option] = "yes"
        else:
            given[option], words = words[0], words[1:]
    return given, words


def number(option: str, text: str, least: int, what: str) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= 10**6:
        fail(f"{option}: expected {what}, at least {least}, not '{text}'")
    return int(text)


def seconds(option: str, text: str) -> int:
    return number(option, text, 1, "seconds")


def job_name(given: dict[str, str]) -> str:
    name = given.get("--job", "")
    if name and not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}", name):
        fail(f"--job: expected letters, digits, '_', '.' and '-', at most 64, not '{name}'")
    return name


def tell_of_kept(name: str, words: list[str]) -> None:
    """Says under which name the job has left data on this host, in the folder where programs keep them or in one that its words name."""
    folders = ["/dev/shm", *(word.rpartition("=")[2] for word in openmpi.program_and_arguments(words))]
    for folder in folders:
        kept = pathlib.Path(folder) / f"regraft-{name}"
        if glob.glob(glob.escape(str(kept)) + "*"):
            say(f"the job has left {kept}*: to go on from there, give --job {name} --resume; otherwise remove it on all nodes")
            return


def main(words: list[str]) -> int:
    if words[:1] in (["-h"], ["--help"], []):
        write(__doc__.strip() + "\n")
        return 0 if words else USAGE_ERROR
    given, words = parse(words)
    texts = {"--settings": openmpi.parameter_file, "--initialisers": openmpi.initialisers, "--sharing": openmpi.sharing,
             "--version": lambda: f"regraft-run {CONFIGURED_VERSION}\n"}
    if words and words[0] in texts:
        write(texts[words[0]]())
        return 0
    options = Options(find_library(given.get("--rank-library", ""), CONFIGURED_RANK_LIBRARY),
                      find_library(given.get("--node-library", ""), CONFIGURED_NODE_LIBRARY),
                      seconds("--node-timeout", given.get("--node-timeout", str(openmpi.NODE_TIMEOUT))),
                      number("--restarts", given.get("--restarts", "0"), 0, "a number"), "--resume" in given, job_name(given),
                      stop_timeout=seconds("--stop-timeout", given.get("--stop-timeout", str(STOP_TIMEOUT))))
    if options.resume and not job_id(options, words):
        fail("--resume: expected --job NAME, too, because no batch system has given this job a number")
    options.name = job_id(options, words) or random_name()
    code = run(checked_mpirun(given.get("--mpirun", "")), words, options).code
    if "--job" not in given:
        tell_of_kept(options.name, words)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
