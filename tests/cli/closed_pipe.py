#!/usr/bin/env python3
"""Programs in Python end without a word when nobody reads what they print.

closed_pipe.py ROOT
"""
import os
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
COMMANDS = ["apps/launch/launch.py --help", "apps/launch/launch.py --settings", "apps/launch/launch.py --version", "apps/launch/shield.py --help",
            "tools/bench/command.py --help", "tools/bench/command.py --version", "docs/reader/rgm.py --explain data/golden/layout-clustal.rgm",
            "docs/reader/rgm.py --help"]


def run(words: list[str], reads: bool) -> subprocess.CompletedProcess:
    """Standard output is a pipe with a reader, or one whose reader has gone."""
    if reads:
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run(words, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(writer)


def main() -> None:
    for command in COMMANDS:
        words = [sys.executable, *command.split()]
        done = run(words, reads=True)
        if done.returncode != 0 or not done.stdout:
            sys.exit(f"{command}: {done.stderr}")
        done = run(words, reads=False)
        print(command, "->", done.returncode)
        if done.stderr or done.returncode not in (-signal.SIGPIPE, 128 + signal.SIGPIPE):
            sys.exit(f"{done.stderr}\n{command}: exit code {done.returncode}, expected the end by SIGPIPE, and nothing on standard error")


if __name__ == "__main__":
    main()
