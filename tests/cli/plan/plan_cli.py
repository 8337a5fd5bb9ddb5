"""Runs regraft-plan for the tests of its commands, and judges how it ends."""
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import cli


@dataclasses.dataclass
class Result(cli.Result):
    peak_bytes: int


class Program(cli.Command):
    """regraft-plan."""

    def file(self, name: str, content: str | bytes) -> str:
        return str(super().file(name, content))

    def run(self, *arguments: str, stdin: str | bytes = b"") -> Result:
        command = [self.exe, *arguments]
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            source.write(stdin.encode() if isinstance(stdin, str) else stdin)
            source.seek(0)
            process = subprocess.Popen(command, stdin=source, stdout=out, stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            return Result(command, process.returncode, out.read().decode(), err.read().decode(), usage.ru_maxrss * 1024)

    def json(self, *arguments: str, stdin: str | bytes = b"") -> dict:
        """What it prints with --json -, and nothing else."""
        result = self.run(*arguments, "--json", "-", stdin=stdin)
        result.require(result.code == 0 and not result.err, "expected a plan")
        return json.loads(result.out)

    def text(self, *arguments: str, stdin: str | bytes = b"") -> str:
        result = self.run(*arguments, stdin=stdin)
        result.require(result.code == 0 and not result.err, "expected a plan")
        return result.out

    def refuses(self, *arguments: str, message: str, code: int = 2, stdin: str | bytes = b"") -> None:
        """Requires one message that contains the given one, the exit code, and no output, not even in part."""
        target = self.path / "refused.json"
        before = set(self.path.iterdir())
        result = self.run(*arguments, "--json", str(target), stdin=stdin)
        result.require(result.code == code, f"expected exit code {code}")
        result.require(message in result.err, f"expected a message with '{message}'")
        result.require(result.err.startswith("regraft-plan: ") and result.err.count("regraft-plan: ") == 1, "expected one message")
        result.require(result.err.isascii() and result.err.count("\n") <= 2, "expected a short message, without raw bytes of the input")
        result.require(not result.out, "expected nothing on standard output")
        result.require(set(self.path.iterdir()) == before, "left files behind")


def check_json_files(program: Program, *arguments: str) -> None:
    """Checks --json OUT for all kinds of OUT. arguments: a command that gives the same JSON each time."""
    expected = program.run(*arguments, "--json", "-").out
    json.loads(expected)
    target = program.path / "out.json"
    text = program.text(*arguments, "--json", str(target))
    assert text, "expected a text beside the file"
    assert target.read_text() == expected
    target.write_text("something longer than the result" * 1000)
    program.text(*arguments, "--json", str(target))
    assert target.read_text() == expected, "expected that the file is replaced"

    link = program.path / "link.json"
    link.symlink_to(target)
    target.write_text("old")
    program.text(*arguments, "--json", str(link))
    assert link.is_symlink() and target.read_text() == expected, "expected that a link stays, and its target is replaced"
    program.text(*arguments, "--json", "/dev/null")
    assert not pathlib.Path("/dev/null").is_file(), "expected that a device stays one"

    for out, message in ((str(program.path), "Is a directory"), (str(program.path / "none" / "x"), "No such file"), ("/dev/full", "No space left")):
        result = program.run(*arguments, "--json", out)
        result.require(result.code == 1, "expected exit code 1")
        result.require(f"{out}: cannot be written: {message}" in result.err, "expected to be told which file cannot be written, and why")
        result.require(not result.out, "expected no text about a plan that is not there")
    nameless = program.run(*arguments, "--json", "")
    nameless.require(nameless.code == 2 and "--json" in nameless.err, "expected that an empty name is refused")
    leftovers = [path.name for path in program.path.iterdir() if path.suffix == ".tmp"]
    assert not leftovers, f"temporary files left: {leftovers}"


def check_standard_output(program: Program, *arguments: str) -> None:
    """A full disk is told; a reader that goes away is no error."""
    for more in ([], ["--json", "-"]):
        with open("/dev/full", "wb") as full:
            run = subprocess.run([program.exe, *arguments, *more], stdout=full, stderr=subprocess.PIPE, check=False)
        assert run.returncode == 1 and b"standard output: cannot be written" in run.stderr, run
        read, write = os.pipe()
        os.close(read)
        run = subprocess.run([program.exe, *arguments, *more], stdout=write, stderr=subprocess.PIPE, check=False)
        os.close(write)
        assert run.returncode != 0 and not run.stderr, f"expected a silent end: {run}"


def check_usage(program: Program, *arguments: str) -> None:
    """arguments: a command that works."""
    help_text = program.text(arguments[0], "--help")
    assert "Usage" in help_text and f"regraft-plan {arguments[0]}" in help_text
    program.refuses(*arguments, "--frobnicate", message="--frobnicate")
    program.refuses(*arguments, "one-too-many", message="one-too-many")


def main(*checks) -> int:
    """Runs the checks, functions of a Program, on the program that the command line names."""
    program = Program(sys.argv[1])
    return cli.run_checks(checks, lambda: program)
