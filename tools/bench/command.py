#!/usr/bin/env python3
"""Measures how fast regraft is on this machine, or on the nodes of a job.

regraft-bench [OPTION]... [NAME]...

Runs the benchmarks that are installed, all of them or those that are named, and writes a page about them: DIR/report/report.html, and
report.md with the same content. Every answer is compared with what it should be before it is timed. Results stand beside a floor, which
moves or copies the same bytes without regraft, or beside a peer, which is another program that does the same. All of it takes an hour,
--short some minutes, and the machine should have nothing else to do. The page in HTML needs Python's package markdown.

  --short              a quick look: small sizes, little time, few repetitions
  --out DIR            folder for the page, and for the results as JSON and SVG (default: regraft-bench)
  --compare OLD        say what is different from earlier results: their DIR, or one of its JSON files
  --folder DIR         store_disk writes into a new folder in DIR, on the disk to be measured (default: the folder of results)
  --host HOST:N,...    measure on these nodes, with up to N ranks on each
  --hostfile FILE      the same; FILE has a line `HOST slots=N` for each node
  --launch WORDS       more options of mpirun, as one word, such as '--bind-to none'
  --mpirun PATH        in place of the one that belongs to this installation
  --list               write the names of all benchmarks, and stop
  --version, --help    write the version, or this text, and stop

Inside a job of Slurm, PBS, LSF or Grid Engine the nodes of the job are found, and --host is not needed. On several nodes, messages, agree,
store, sums and snapshot are measured: with one rank on each node, two, four and so on, and with all ranks that the job has. Results then
name each node, with its CPU, cores, memory and load.

The constants of the machine, which `regraft-plan simulate --constants` reads, are in DIR/report/constants.json. The page says how well the
simulator predicts with them what was measured. The shrink and the time until a death is noticed are measured on one machine only.

Examples: `regraft-bench --short` measures everything quickly. `regraft-bench store --out new --compare old` measures the store again and
says whether it has changed. `salloc --nodes=4 --ntasks-per-node=48 regraft-bench --out four-nodes` measures on four nodes of Slurm, and
`regraft-bench --host n0:2,n1:2` on two nodes that ssh reaches.

Exit code: 0, or 1 if a benchmark failed or gave a wrong answer. 2 if the command line is wrong.
"""
import os
import pathlib
import signal
import sys
from typing import NoReturn

# The installation fills these in. Paths are relative to its prefix.
CONFIGURED_MPIRUN = "@MPIRUN@"
CONFIGURED_MODULES = "@DATADIR@/regraft/bench"
CONFIGURED_VERSION = "@VERSION@"

HERE = pathlib.Path(__file__).resolve().parent
WITH_VALUE = {"--out": "a folder", "--compare": "a folder or a file", "--folder": "a folder", "--host": "names of hosts",
              "--hostfile": "a file", "--launch": "options of mpirun", "--mpirun": "a path"}
USAGE_ERROR = 2


def fail(why: str) -> NoReturn:
    print(f"regraft-bench: {why}", file=sys.stderr)
    sys.exit(USAGE_ERROR)


def parse(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """The options with their values, and the names."""
    given, names = {}, []
    rest = iter(words)
    for word in rest:
        option, sign, value = word.partition("=")
        if option in WITH_VALUE:
            given[option] = value if sign else next(rest, "")
            if not given[option]:
                fail(f"{option}: expected {WITH_VALUE[option]} after it")
        elif word in ("--short", "--list"):
            given[word] = "yes"
        elif word.startswith("-"):
            fail(f"there is no option {word}: see regraft-bench --help")
        else:
            names.append(word)
    return given, names


def main(words: list[str]) -> int:
    if "-h" in words or "--help" in words:
        print((__doc__ or "").strip())
        return 0
    if words[:1] == ["--version"]:
        print(f"regraft-bench {CONFIGURED_VERSION}")
        return 0
    given, names = parse(words)
    sys.path.insert(0, str(HERE.parent / CONFIGURED_MODULES))
    import bench
    from regraft_run import openmpi

    try:
        mpirun = openmpi.find(given.get("--mpirun", ""), HERE.parent, CONFIGURED_MPIRUN)
    except LookupError as problem:
        fail(str(problem))
    if "--list" in given:
        print("\n".join(bench.Build(bench.installed_programs(), mpirun).all_names()))
        return 0
    options = [word for option in WITH_VALUE if option in given and option not in ("--out", "--mpirun")
               for word in (option, given[option])]
    short = ["--short"] if "--short" in given else []
    return bench.run_all(["--results", given.get("--out", "regraft-bench"), "--mpirun", mpirun, *options, *short, *names])


def until_closed(words: list[str]) -> int:
    """The same, until the reader of standard output has enough, such as head."""
    try:
        code = main(words)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the rest goes nowhere
        return 128 + signal.SIGPIPE


if __name__ == "__main__":
    sys.exit(until_closed(sys.argv[1:]))
