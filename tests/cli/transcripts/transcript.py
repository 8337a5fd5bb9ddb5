#!/usr/bin/env python3
"""transcript.py [--write] FILE.exact PROGRAM...: runs the commands of a transcript one after the other, and compares what they print with what
the transcript says, byte for byte.

Lines that begin with `$ ` are commands for bash; what they print, on either stream, follows, then `[exit code N]` if that is not 0. Lines
that begin with `# ` tell the reader what comes. The folder has the project's data/, and what earlier commands have made. The programs are on
PATH. Times are <time>. --write takes over what is printed now.
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TIME = re.compile(r"\b\d[\d.]* (us|ms|s|min)\b")
DATA = pathlib.Path(__file__).resolve().parents[3] / "data"


def run(command: str, folder: pathlib.Path, env: dict[str, str]) -> str:
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    text = TIME.sub("<time>", done.stdout.decode())
    if text and not text.endswith("\n"):
        text += "\n"
    return text + (f"[exit code {done.returncode}]\n" if done.returncode else "")


def replay(transcript: str, programs: list[pathlib.Path]) -> str:
    """The transcript with what its commands print now."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "data").symlink_to(DATA)
        path = os.pathsep.join([*(str(program.resolve().parent) for program in programs), "/usr/bin", "/bin"])
        env = {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        said = []
        for line in transcript.splitlines():
            if line.startswith("# "):
                said.append(("\n" if said else "") + line + "\n")
            elif line.startswith("$ "):
                said.append(line + "\n" + run(line[2:], folder, env))
        return "".join(said)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    before = args.file.read_text(encoding="utf-8")
    assert "\n$ " in before, f"{args.file} has no commands"
    now = replay(before, args.programs)
    if args.write:
        args.file.write_text(now, encoding="utf-8")
        return 0
    sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), now.splitlines(True), str(args.file), "now"))
    return int(before != now)


if __name__ == "__main__":
    sys.exit(main())
