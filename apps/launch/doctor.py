#!/usr/bin/env python3
"""Says whether an MPI is fit for programs that must survive the loss of ranks.

regraft-doctor [OPTION]...

Kills ranks of small jobs on this machine, for less than a minute, and writes a table and what to do. Each job has a limit of time, so
an MPI that hangs is reported and ended. Nothing of it is left, neither processes nor files, also after Ctrl-C.

  --mpirun PATH   the mpirun of the MPI to look at (default: the one that comes first in PATH, else that of regraft-run)
  --programs DIR  a folder that has the programs of the trials, canary and trust, in place of compiling them
  --json FILE     write the result as JSON, too, for a report of a bug; - is standard output, and the table goes to standard error
  --timeout N     end all trials after N seconds (default: 50)
  --version       write the version, and stop
  --help          write this text, and stop

The table has a row for each thing that was looked at. Its verdict is `yes` or `NO` if regraft needs that, `not tried` if it could not be
tried, and `-` if regraft does not need it, or makes up for it:

MPI, library: which MPI this is, and where. Programs have to be compiled by the mpicxx beside its mpirun.

ULFM: the functions of MPI by which survivors go on. Open MPI 5 can have them. With others a death ends the job.

Programs: small programs that lose ranks, in plain MPI. They are compiled by the mpicxx beside mpirun. Without a compiler, those of this
installation serve, if this is the MPI with which regraft was built.

Deaths: which are survived, outside of calls, in waits for messages, and in each collective that regraft uses. A collective that says
MPI_SUCCESS and gives wrong data to a survivor is not fit. The jobs run with the settings of regraft-run.

Settings: those of Open MPI without which survivors hang. regraft-run sets them, except where the environment has other values.

Loss of a node, restart from memory, ranks caught in Open MPI, regraft-run: what jobs under regraft-run can do with this MPI.

Exit code: 0 if all that regraft needs is right, 1 if something is not or could not be tried, and 2 if the command line is wrong.
"""
import argparse
import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import NoReturn

# The installation fills these in. Paths are relative to its prefix.
CONFIGURED_MPIRUN = "@MPIRUN@"
CONFIGURED_NODE_LIBRARY = "@LIBDIR@/libregraft_node_loss.so"
CONFIGURED_PROGRAMS = "@LIBEXECDIR@/regraft"
CONFIGURED_VERSION = "@VERSION@"
CONFIGURED_MODULES = "@DATADIR@/regraft"
PREFIX = pathlib.Path(__file__).resolve().parent.parent

sys.path.append(str(PREFIX / CONFIGURED_MODULES))  # in a checkout they are beside this file
from regraft_doctor import facts, report, trials  # noqa: E402
from regraft_doctor.facts import NO, NOTE, UNKNOWN, YES, Mpi, Row  # noqa: E402
from regraft_run import guardian, openmpi  # noqa: E402
from regraft_run.folders import own_folder  # noqa: E402
from regraft_run.processes import kill, processes_with  # noqa: E402

USAGE_ERROR = 2
MARK = "REGRAFT_DOCTOR"  # all processes of the trials carry it in their environment


class Ended(Exception):
    """A signal has come."""


def fail(why: str) -> NoReturn:
    print(f"regraft-doctor: {why}", file=sys.stderr)
    sys.exit(USAGE_ERROR)


def tell(what: str) -> None:
    """Says what is under way, to people who wait."""
    if sys.stderr.isatty():
        print(f"regraft-doctor: {what} ...", file=sys.stderr)


def parsed(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="regraft-doctor", add_help=False, allow_abbrev=False)
    parser.error = fail  # type: ignore[method-assign]
    for name, default in {"--mpirun": None, "--programs": None, "--json": None, "--timeout": "50"}.items():
        parser.add_argument(name, default=default)
    args = parser.parse_args(words)
    if not (args.timeout.isascii() and args.timeout.isdigit() and 0 < int(args.timeout) <= 3600):
        fail(f"--timeout: expected seconds, at least 1, not '{args.timeout}'")
    if empty := [name for name, value in vars(args).items() if value == ""]:
        fail(f"--{empty[0]}: expected a value after it")
    if args.mpirun and not shutil.which(args.mpirun):
        fail(f"--mpirun: cannot run {args.mpirun}")
    judges = [judge.stem for judge in trials.compiled.JUDGES if args.programs]
    if missing := [name for name in judges if not os.access(pathlib.Path(args.programs, name), os.X_OK)]:
        fail(f"--programs: expected programs in {args.programs}, which lacks {' and '.join(missing)}")
    return args


def of_regraft_run() -> str:
    """The path of the mpirun that regraft-run takes; empty if it finds none."""
    with contextlib.suppress(LookupError):
        return os.path.abspath(shutil.which(openmpi.find("", PREFIX, CONFIGURED_MPIRUN)) or "")
    return ""


def shipped(mpirun: str) -> pathlib.Path | None:
    """The folder of the programs that were built with this MPI; None if regraft was built with another one."""
    configured = PREFIX / CONFIGURED_MPIRUN
    return PREFIX / CONFIGURED_PROGRAMS if configured.exists() and os.path.samefile(configured, mpirun) else None


def judge(mpi: Mpi, args: argparse.Namespace, begin: float, folder: pathlib.Path) -> list[Row]:
    """Rows of what ranks do."""
    tried = trials.Trials(mpi, begin, int(args.timeout), tell)
    start = tried.starts()
    verdict, said = {True: (YES, "as ompi_info says"), False: (NO, "a death ends the job"),
                     None: (NOTE, "no ompi_info beside mpirun; the trials tell")}[mpi.has_ulfm]
    rows = [start, Row("ULFM", verdict, said)]
    if mpi.has_ulfm is False:
        advice = f"This MPI cannot survive the death of a rank. {trials.BEST}. {trials.RESTART}"
        return rows + tried.nothing("this MPI has no ULFM", NO, advice, 1)
    if start.verdict == NO:
        return rows + tried.nothing("mpirun starts no ranks", UNKNOWN, "", 1)
    tell("compiling the programs of the trials")
    programs = trials.programs(mpi, args.programs, shipped(mpi.mpirun), folder, tried.deadline)
    if not programs.folder:
        advice = f"No rank could be killed: {programs.said}. Install a C++20 compiler and the headers of this MPI."
        return [*rows, Row("programs", UNKNOWN, programs.said, advice, 1), *tried.nothing("no programs", UNKNOWN, "", 1)]
    rows.append(Row("programs", YES, programs.said))
    rows += tried.all(programs)
    return rows + [Row("library", NOTE, mpi.library(programs.path("canary")) or "not found")]


def examine(mpirun: str, args: argparse.Namespace, begin: float, folder: pathlib.Path) -> tuple[Mpi, list[Row]]:
    tell("asking mpirun for its version")
    mpi = Mpi.of(mpirun, min(facts.LIMIT, int(args.timeout)))
    head = Row("MPI", NOTE, f"{mpi.name}, {mpirun}")
    if mpi.problem:
        head = Row("MPI", NO, f"{mpirun} --version {mpi.problem}", f"{mpirun} does not even tell its version. {trials.BEST}.", 0)
        return mpi, [head, facts.restart()]
    rows = judge(mpi, args, begin, folder)
    found = next((row for row in rows if row.what == "library"), None) or Row("library", NOTE, mpi.library() or "not found")
    rows = [head, found, *(row for row in rows if row is not found)]
    if mpi.name.startswith("Open MPI") and mpi.has_ulfm is not False:
        library = PREFIX / CONFIGURED_NODE_LIBRARY
        rows += [*facts.settings(mpirun, os.environ), facts.nodes(mpi, str(library) if library.exists() else "")]
    return mpi, [*rows, facts.restart(), facts.caught(), *facts.launcher(mpi, of_regraft_run(), mpi.has_ulfm is not False)]


@contextlib.contextmanager
def nothing_left() -> Iterator[pathlib.Path]:
    """A folder for the programs. At the end it and all processes of the trials are gone, also if this process is killed."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))  # ranks that crash leave no files

    def end(number: int, _frame: object) -> NoReturn:
        answer(signal.SIG_IGN)  # what follows has to run to its end
        raise Ended(number)

    def answer(how: Callable | signal.Handlers) -> None:
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(one, how)

    answer(end)
    with own_folder() as folder:
        mark = f"{MARK}={folder}"
        os.environ[MARK] = folder
        guardian.of_this_process().watch(mark)
        try:
            yield pathlib.Path(folder)
        finally:
            answer(signal.SIG_IGN)
            for process in processes_with(mark):
                kill(process)
            guardian.of_this_process().forget()


def write(rows: list[Row], args: argparse.Namespace, mpi: dict[str, str], seconds: float) -> None:
    table = report.text(rows, seconds)
    if args.json:
        found = json.dumps(report.as_json(rows, CONFIGURED_VERSION, mpi, seconds), indent=2) + "\n"
        if args.json == "-":
            print(table, file=sys.stderr)
            print(found, end="")
            return
        try:
            pathlib.Path(args.json).write_text(found, encoding="utf-8")
        except OSError as error:
            print(table, end="")
            fail(f"--json: cannot write {args.json}: {error.strerror}")
    print(table, end="")


def main(words: list[str]) -> int:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has enough, such as head, ends this process
    if words[:1] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    if words[:1] == ["--version"]:
        print(f"regraft-doctor {CONFIGURED_VERSION}")
        return 0
    args = parsed(words)
    begin = time.monotonic()
    mpirun = shutil.which(args.mpirun or "mpirun") or of_regraft_run()
    if not mpirun:
        rows = [Row("MPI", NO, "no mpirun in PATH", f"{trials.BEST}. Or name one: --mpirun PATH", 0), facts.restart()]
        write(rows, args, {}, time.monotonic() - begin)
        return 1
    try:
        with nothing_left() as folder:
            mpi, rows = examine(os.path.abspath(mpirun), args, begin, folder)
    except Ended as ended:
        print("regraft-doctor: ended by a signal; nothing is left of the trials", file=sys.stderr)
        return 128 + int(ended.args[0])
    write(rows, args, {"name": mpi.name, "mpirun": mpi.mpirun}, time.monotonic() - begin)
    return 0 if report.is_fit(rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
