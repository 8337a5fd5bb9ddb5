#!/usr/bin/env python3
"""Runs an MPI program that knows nothing of failures so that it goes on without its dead ranks.

regraft-shield [OPTION]... [OPTION OF mpirun]... -n P [--] PROGRAM ARGS...

  --report FILE        what was done, as JSON
  --tolerate           exit code 0 also if ranks have died
  --policy NAME=VALUE  what to do where the dead are missing; the first value is the default:
      HOLES=zero|keep                 places of the dead in receive buffers are filled with zeros, or left as they are
      ROOT_DEAD_FROM=abort|hole       a broadcast or scatter whose root is dead ends the job, or gives a hole
      ROOT_DEAD_TO=skip|abort         a reduce or gather whose root is dead is left out, or ends the job
      COMMIT=forward|confirm          small results and inputs are kept for others, or confirmed by a barrier
      ANY_SOURCE=wait|obituary|error  a receive from any source waits for the living, or gets an empty message of the dead, or an error
  --mpirun PATH, --library PATH  in place of those that belong to this installation

Ranks and sizes never change. Exit code: that of the program; 0 if nobody died; 3 if the program has ended, but what the dead would
have contributed is missing; 4 if it was ended because of a policy, or because the shield cannot do what it called.
"""
import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = "@LIBDIR@/libregraft_shield.so"  # filled in where this is installed as regraft-shield, relative to the prefix
POLICIES = {"HOLES": ("zero", "keep"), "ROOT_DEAD_FROM": ("abort", "hole"), "ROOT_DEAD_TO": ("skip", "abort"), "COMMIT": ("forward", "confirm"),
            "ANY_SOURCE": ("wait", "obituary", "error")}
CONTRIBUTIONS_MISSING = 3


def load_launcher():
    """tools/launch.py, which is installed beside this as regraft-run."""
    file = next(path for path in (HERE / "launch.py", HERE / "regraft-run") if path.exists())
    loader = importlib.machinery.SourceFileLoader("launch", str(file))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("launch", loader))
    sys.modules["launch"] = module
    loader.exec_module(module)
    return module


def fail(why: str) -> None:
    print(f"regraft-shield: {why}", file=sys.stderr)
    sys.exit(2)


def policy(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if name not in POLICIES:
        fail(f"--policy {text}: expected NAME=VALUE with one of the names {', '.join(POLICIES)}")
    if value not in POLICIES[name]:
        fail(f"--policy {text}: expected {name}={'|'.join(POLICIES[name])}")
    return name, value


class Options:
    def __init__(self, words: list[str]):
        self.report, self.mpirun, self.library = "", "", str(HERE.parent / LIBRARY)
        self.tolerates, self.policies = False, {}
        while words:
            if words[0] == "--tolerate":
                self.tolerates, words = True, words[1:]
            elif words[0] in ("--report", "--policy", "--mpirun", "--library"):
                if len(words) < 2:
                    fail(f"{words[0]}: expected a value")
                self.set(words[0], words[1])
                words = words[2:]
            else:
                break
        self.rest = words

    def set(self, name: str, value: str) -> None:
        if name == "--policy":
            self.policies.update([policy(value)])
        else:
            setattr(self, name.removeprefix("--"), value)


def tell(report: dict) -> None:
    dead = ", ".join(map(str, report["dead"]))
    skipped = {"collectives with a dead root": "skipped_roots", "sends to the dead": "skipped_sends", "receives from them": "skipped_receives"}
    left_out = "; ".join(f"{report[key]} {what}" for what, key in skipped.items() if report[key])
    print(f"regraft-shield: dead: rank{'s' if len(report['dead']) > 1 else ''} {dead} of {report['size']}, whose contributions are missing; "
          f"left out at rank {report['rank']}: {left_out or 'nothing'}", file=sys.stderr)


def main(words: list[str]) -> int:
    if words[:1] in (["-h"], ["--help"], []):
        print(__doc__.strip())
        return 0 if words else 2
    options = Options(words)
    if not pathlib.Path(options.library).is_file():
        fail(f"{options.library} is not there")
    with tempfile.TemporaryDirectory(prefix="rgs") as folder:
        file = pathlib.Path(options.report or pathlib.Path(folder, "report.json")).absolute()
        file.unlink(missing_ok=True)
        variables = {"LD_PRELOAD": options.library, "REGRAFT_SHIELD_REPORT": file}
        variables |= {f"REGRAFT_SHIELD_{name}": value for name, value in options.policies.items()}
        for_ranks = [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
        code = load_launcher().main([*(["--mpirun", options.mpirun] if options.mpirun else []), *for_ranks, *options.rest])
        if code != 0:
            return code
        if not file.exists():
            print("regraft-shield: no rank has come to MPI_Finalize", file=sys.stderr)
            return 1
        report = json.loads(file.read_text(encoding="ascii"))
    if not report["dead"]:
        return 0
    tell(report)
    return 0 if options.tolerates else CONTRIBUTIONS_MISSING


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
