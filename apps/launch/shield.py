#!/usr/bin/env python3
"""Runs an MPI program that knows nothing of failures so that it goes on without its dead ranks.

regraft-shield [OPTION]... [OPTION OF mpirun]... -n P [--] PROGRAM ARGS...

  --report FILE        write what was done, as JSON
  --tolerate           exit with 0 also if ranks have died
  --policy NAME=VALUE  say what to do where the dead are missing; the first value is the default:
%(policies)s
  --node-timeout N     on several hosts: a node that is silent for N seconds is lost (default: 30)
  --mpirun PATH, --library PATH, --node-library PATH  use these in place of those that belong to this installation
  --version, --help    write the version, or this text, and stop

Ranks and sizes never change. The exit code is that of the program if it is not 0. It is 0 if no rank has died, and 3 if the program has
ended but lacks what the dead would have contributed. It is 4 if a policy has ended the job, or a call that the shield cannot do. It is 5
if a repair has made no step for WATCHDOG seconds, or if MPI has made none in MPI_Comm_create_group or, after a death, in a call that is
passed on. It is 6 if fewer than MIN_SURVIVORS ranks live, 69 if a rank died before all ranks had left MPI_Init, and 2 if the command
line is wrong.
"""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import signal
import struct
import sys
import threading
import time
import types

HERE = pathlib.Path(__file__).resolve().parent
# The installation fills these in. The path of the library is relative to its prefix.
LIBRARY = "@LIBDIR@/libregraft_shield.so"
VERSION = "@VERSION@"
POLICIES = {  # those of lib/shield/session/policy.cpp, with their values and what they mean; N is a number
    "ROOT_DEAD_FROM": ("abort|hole", "a broadcast or scatter whose root is dead ends the job, or gives a hole"),
    "ROOT_DEAD_TO": ("skip|abort", "a reduce or gather whose root is dead is left out, or ends the job"),
    "SEND_DEAD": ("skip|error|abort", "a message to the dead is left out, is an error for the program, or ends the job"),
    "RECV_DEAD": ("hole|error|abort", "a receive from the dead gives a hole, an error, or ends the job"),
    "HOLES": ("zero|keep|poison", "places of the dead in receive buffers are zeros, as they were, or all ones (NaN, -1)"),
    "HOLES_IN_A_ROW": ("N", "so many holes in a row from one dead rank end the job; 0: never; the default is 1000"),
    "COMMIT": ("forward|confirm", "small results and inputs are kept for others, or confirmed by a barrier"),
    "ANY_SOURCE": ("wait|obituary|error", "a receive from any source waits, or gets an empty message of each dead rank, or an error"),
    "STARVATION": ("N", "seconds without a step of any rank until a waiting rank gets an obituary; 0: never; the default is 10"),
    "UNSUPPORTED": ("abort|error|pass", "what the shield cannot do ends the job, is an error for the program, or is tried"),
    "ABORT": ("job|self", "MPI_Abort ends the job, or only the rank that calls it"),
    "MIN_SURVIVORS": ("N", "fewer ranks end the job; the default is 1"),
    "WATCHDOG": ("N", "seconds for a step of a repair, or of MPI in a call that is passed on; 0: no limit; the default is 60"),
}
CONTRIBUTIONS_MISSING = 3
DIED_IN_INIT = 69  # the launcher has ended the job
OURS = (3, 4, 5, 6)  # exit codes of the shield; a program may have them, too
NOTHING_IS_HEARD = 0.05  # seconds between two looks at the board
LAST_WORDS = 0.3  # seconds in which ranks may still print before the job is ended


def usage() -> str:
    width = max(len(f"{name}={values}") for name, (values, _) in POLICIES.items())
    policies = "\n".join(f"      {f'{name}={values}':{width}}  {meaning}" for name, (values, meaning) in POLICIES.items())
    return __doc__.strip() % {"policies": policies}


def load_launcher() -> types.ModuleType:
    """The launcher as a module: launch.py in a checkout, regraft-run where it is installed."""
    file = next(path for path in (HERE / "launch.py", HERE / "regraft-run") if path.exists())
    loader = importlib.machinery.SourceFileLoader("launch", str(file))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("launch", loader))
    sys.modules["launch"] = module
    loader.exec_module(module)
    return module


def say(text: str) -> None:
    """Precondition: the launcher is loaded."""
    sys.modules["launch"].say(text, "regraft-shield")


def fail(why: str) -> None:
    print(f"regraft-shield: {why}", file=sys.stderr)
    sys.exit(2)


def policy(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if name not in POLICIES:
        fail(f"--policy {text}: expected NAME=VALUE with one of the names {', '.join(POLICIES)}")
    values = POLICIES[name][0]
    if not (re.fullmatch("[0-9]{1,9}", value) if values == "N" else value in values.split("|")):
        fail(f"--policy {text}: expected {name}={values}")
    return name, value


class Options:
    def __init__(self, words: list[str]):
        self.report, self.mpirun, self.library = "", "", str(HERE.parent / LIBRARY)
        self.node_library, self.node_timeout = "", ""
        self.tolerates, self.policies = False, {}
        while words:
            if words[0] == "--tolerate":
                self.tolerates, words = True, words[1:]
            elif words[0] in ("--report", "--policy", "--mpirun", "--library", "--node-library", "--node-timeout"):
                if len(words) < 2:
                    fail(f"{words[0]}: expected a value")
                self.set(words[0], words[1])
                words = words[2:]
            else:
                break
        self.library = str(pathlib.Path(self.library).absolute())  # ranks may begin in another directory
        self.rest = words

    def set(self, name: str, value: str) -> None:
        if name == "--policy":
            self.policies.update([policy(value)])
        else:
            setattr(self, name.removeprefix("--").replace("-", "_"), value)


class Board:
    """A file in which the ranks on this host tell things without MPI. lib/shield/session/board.hpp describes it."""

    HEAD, PLACE = 64, 128

    def __init__(self, file: pathlib.Path):
        self.file = file
        file.touch()
        self.over = threading.Event()
        self.watcher = threading.Thread(target=self.watch, daemon=True)
        self.watcher.start()

    def words(self) -> list[int]:
        """The whole file, as numbers of 32 bits."""
        data = self.file.read_bytes()
        return list(struct.unpack(f"{len(data) // 4}i", data[:len(data) // 4 * 4]))

    def end_code(self) -> int:
        return next(iter(self.words()), 0)

    def is_of_program(self) -> bool:
        """Whether the code with which a rank asked for the end is the program's own."""
        return self.words()[1:2] == [1]

    def exit_codes(self) -> list[int]:
        """The exit codes of ranks that have ended without MPI_Finalize."""
        return self.words()[(self.HEAD + 4) // 4::self.PLACE // 4]

    def watch(self) -> None:
        """Ends the job if a rank asks for it. MPI_Abort would leave other ranks spinning."""
        while not self.over.wait(NOTHING_IS_HEARD):
            if self.end_code():
                time.sleep(LAST_WORDS)
                if not self.over.is_set():
                    os.kill(os.getpid(), signal.SIGTERM)  # the launcher passes it on to mpirun
                return

    def close(self) -> None:
        self.over.set()
        self.watcher.join()


def tell(report: dict) -> None:
    dead = ", ".join(map(str, report["dead"]))
    skipped = {"collectives with a dead root": "skipped_roots", "sends to the dead": "skipped_sends",
               "receives from them": "skipped_receives", "places of theirs in buffers": "holes", "calls refused": "refused"}
    left_out = "; ".join(f"{report[key]} {what}" for what, key in skipped.items() if report[key])
    say(f"dead: rank{'s' if len(report['dead']) > 1 else ''} {dead} of {report['size']}, whose contributions are missing"
        + (f"; left out: {left_out}" if left_out else ""))


def complete(file: pathlib.Path, report: dict) -> None:
    """Adds what the launcher knows to the report that a rank has written."""
    temporary = file.with_name(file.name + ".tmp")
    try:
        temporary.write_text(json.dumps(report, indent=2) + "\n", encoding="ascii")
        temporary.replace(file)
    except OSError as error:
        say(f"cannot write the report {file}: {error.strerror}")


def run(launcher: types.ModuleType, options: Options, folder: str) -> tuple[int, dict]:
    """The exit code of the job, which is 0 if neither the program nor the shield has another, and the report, which is empty if no rank has
    written one."""
    file = pathlib.Path(options.report or pathlib.Path(folder, "report.json")).absolute()
    file.unlink(missing_ok=True)
    board = Board(pathlib.Path(folder, "board"))
    variables = {"LD_PRELOAD": launcher.openmpi.preload(options.library, os.environ), "REGRAFT_SHIELD_REPORT": file,
                 "REGRAFT_SHIELD_BOARD": board.file}
    variables |= {f"REGRAFT_SHIELD_{name}": value for name, value in options.policies.items()}
    for_ranks = [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
    node_library = launcher.find_library(options.node_library, launcher.CONFIGURED_NODE_LIBRARY)
    options_of_job = launcher.Options(node_library=node_library, ranks_tell=True)
    if options.node_timeout:
        options_of_job.node_timeout = launcher.seconds("--node-timeout", options.node_timeout)
    end = launcher.run(launcher.checked_mpirun(options.mpirun), [*for_ranks, *options.rest], options_of_job)
    board.close()
    code = end.code
    if code != DIED_IN_INIT:  # what other ranks say of that comes too late
        code = board.end_code() or max([code, *board.exit_codes()])
    is_ended = not board.is_of_program() if board.end_code() else end.by_shield
    if code in OURS and not is_ended:
        say(f"exit code {code} is the program's own")
    report = json.loads(file.read_text(encoding="ascii")) if file.exists() else {}
    if report:
        missing = code == 0 and report["dead"] and "aside" not in report and not options.tolerates
        report |= {"exit_code": CONTRIBUTIONS_MISSING if missing else code, "exit_code_of": "shield" if is_ended or missing else "program"}
        complete(file, report)
    return code, report


def main(words: list[str]) -> int:
    if words[:1] in (["-h"], ["--help"], []):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has enough, such as head, ends this process
        print(usage())
        return 0 if words else 2
    options = Options(words)
    if options.rest[:1] == ["--version"]:
        print(f"regraft-shield {VERSION}")
        return 0
    if not pathlib.Path(options.library).is_file():
        fail(f"{options.library} is not there")
    launcher = load_launcher()
    with launcher.own_folder() as folder:
        code, report = run(launcher, options, folder)
    if code != 0:
        return code
    if not report:
        say("no rank has come to MPI_Finalize")
        return 1
    if not report["dead"] or "aside" in report:
        return 0
    tell(report)
    return 0 if options.tolerates else CONTRIBUTIONS_MISSING


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
