#!/usr/bin/env python3
"""The reader of .rgm files in docs/reader: its page, and what it says of files that it cannot read. msa_reader.py EXE"""
import os
import pathlib
import re
import subprocess
import sys

import msa_cli

ROOT = pathlib.Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```(console|hex \S+)\n(.*?)^```$", re.M | re.S)
BYTES = re.compile(r" *(\d+)  ((?:[0-9a-f]{2} )*[0-9a-f]{2})  ")


def run_commands(folder: pathlib.Path, block: str, environment: dict[str, str]) -> None:
    """Runs the lines behind $, and expects what follows them."""
    for entry in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, expected = entry.partition("\n")
        run = subprocess.run(["bash", "-ec", command], cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert run.returncode == 0, f"{command}: {run.stderr}"
        assert run.stdout == expected, f"{command}: the page has\n{expected}and it prints\n{run.stdout}"


def compare_dump(file: bytes, block: str) -> None:
    """Expects a dump of all bytes of the file, each line at its offset."""
    dumped = b""
    for line in block.splitlines():
        offset, numbers = BYTES.match(line).groups()
        assert int(offset) == len(dumped), f"{line}: expected the offset {len(dumped)}"
        dumped += bytes.fromhex(numbers)
    assert dumped == file, f"the page has the file\n{dumped.hex(' ')}, but it is\n{file.hex(' ')}"


def page(program: msa_cli.Program) -> None:
    """the commands of the page print what it says, and the bytes of its file are those"""
    (program.path / "docs").symlink_to(ROOT / "docs")
    environment = dict(os.environ, PATH=f"{pathlib.Path(program.exe).resolve().parent}:{os.environ['PATH']}", PYTHONDONTWRITEBYTECODE="1")
    blocks = BLOCK.findall((ROOT / "docs/reader/README.md").read_text(encoding="utf-8"))
    assert {kind.split()[0] for kind, _ in blocks} == {"console", "hex"}
    for kind, block in blocks:
        if kind == "console":
            run_commands(program.path, block, environment)
        else:
            compare_dump((program.path / kind.split()[1]).read_bytes(), block)


def read(path: pathlib.Path, *options: str) -> msa_cli.Result:
    command = [sys.executable, "-B", str(ROOT / "docs/reader/rgm.py"), *options, str(path)]
    run = subprocess.run(command, capture_output=True, check=False)
    return msa_cli.Result(command, run.returncode, run.stdout, run.stderr.decode())


def refused(program: msa_cli.Program) -> None:
    """what is no .rgm file, is cut off or is of another version: a message that names the file, exit code 2, and no output"""
    packed = program.ok("compress", "--codec", "native", stdin=b">a\nACGT\n>b\nACGA\n")
    text = program.ok("compress", "--codec", "plain", stdin=b">a\nACGT\n>b\nACGA\n")
    newer = packed[:4] + b"\2" + packed[5:]
    for content, options, message in ((b"", [], "too short"), (b">a\nACGT\n", [], "first four bytes"), (newer, [], "version 2"), (newer, ["--explain"], "version 2"),
                                      (packed[:5] + b"\2" + packed[6:], [], "features 2"), (packed[:-1], [], "size"), (text[:-1], [], "size"),
                                      (text, ["--steps"], "kind is not native")):
        path = program.file("some.rgm", content)
        result = read(path, *options)
        result.require(result.code == 2 and not result.out, "expected exit code 2 and no output")
        result.require(result.err.startswith(f"rgm.py: {path}: ") and message in result.err, f"expected a message with '{message}'")
    result = read(program.path / "absent.rgm")
    result.require(result.code == 2 and "absent.rgm" in result.err, "expected exit code 2 and the file's name")


if __name__ == "__main__":
    sys.exit(msa_cli.main(page, refused))
