#!/usr/bin/env python3
"""Man page and completions know all commands and options that --help knows, and are well-formed.
documentation.py EXE PAGE BASH FISH"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def help_of(exe: str, *command: str) -> str:
    return subprocess.run([exe, *command, "--help"], stdout=subprocess.PIPE, check=True, env=ENVIRONMENT).stdout.decode()


def commands_in(text: str) -> list[str]:
    listing = text.split("\nSubcommands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+) ", listing, re.M)


def options_in(text: str) -> set[str]:
    """The options that are listed, not those that texts mention."""
    lines = re.findall(r"^  (-\S+)", text, re.M)
    return {name for line in lines for name in line.split(",") if name.startswith("--")} - {"--help"}


def complete(script: pathlib.Path, name: str, *words: str) -> list[str]:
    function = "_" + name.replace("-", "_")
    line = f"source '{script}'; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); {function}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return subprocess.run(["bash", "-c", line, "bash", name, *words], stdout=subprocess.PIPE, check=True).stdout.decode().split()


def main() -> int:
    exe, page, script, fish_script = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    name = pathlib.Path(exe).name
    plain = page.read_text(encoding="utf-8").replace("\\-", "-")
    fish = fish_script.read_text(encoding="utf-8")
    overview = help_of(exe)
    commands = commands_in(overview)
    assert len(commands) > 1, overview
    for command in commands:
        text = help_of(exe, command)
        assert max(map(len, text.splitlines())) <= 140, text
        options = options_in(text)
        assert re.search(rf"\b{command}\b", plain), f"{command} is not in the man page"
        assert f"-a {command} " in fish, f"{command} is not in the completion for fish"
        offered = complete(script, name, command, "--") if shutil.which("bash") else []
        for option in options:
            assert re.search(rf"{option}(?![\w-])", plain), f"{option} is not in the man page"
            assert re.search(rf"-l {option[2:]}(?![\w-])", fish), f"{option} is not in the completion for fish"
            assert not offered or option in offered, f"{option} of {command} is not in the completion for bash"
        assert not offered or set(offered) - {"--help"} == options, f"bash offers what {command} does not know: {set(offered) - options}"
        print(f"{command}: {len(options)} options")
    if shutil.which("bash"):
        assert set(complete(script, name, "")) == {*commands, "--help", "--version"}
        assert complete(script, name, commands[0][:4]) == [c for c in commands if c.startswith(commands[0][:4])]
    if shutil.which("groff"):
        run = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-P-c", page], capture_output=True, check=True)
        assert not run.stderr and b"S\bSY\bYN\bNO" in run.stdout, run.stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())
