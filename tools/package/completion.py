#!/usr/bin/env python3
"""completion.py bash|fish PROGRAM NAME: writes the completion of a Python program that is installed as NAME, from the options in --help.

An option stands there as '  --option VALUE  meaning' (manual.py). Its arguments are what NAME --list writes, if it has this option;
otherwise a program and its arguments.
"""
import re
import subprocess
import sys
from typing import NamedTuple

FILES = ("FILE", "DIR", "PATH", "OLD")


class Option(NamedTuple):
    name: str
    value: str  # what --help calls it; empty: it has none
    meaning: str


def options_in(text: str) -> list[Option]:
    found = []
    for names, value, meaning in re.findall(r"^  (--[\w-]+(?:, --[\w-]+)*)(?: (\S+))?  +(.*)", text, re.M):
        meanings = ["write the version", "say how it is used"] if names == "--version, --help" else [meaning]
        found += [Option(name, value, told) for name, told in zip(names.split(", "), meanings)]
    return found


def bash(name: str, options: list[Option]) -> str:
    function = "_" + name.replace("-", "_")
    files = " | ".join(option.name for option in options if option.value in FILES)
    others = " | ".join(option.name for option in options if option.value and option.value not in FILES)
    arguments = """compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -c -f -- "$cur" | sort -u)"""
    if any(option.name == "--list" for option in options):
        arguments = """mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" --list 2>/dev/null)" -- "$cur")"""
    return f"""# Completion of {name} for bash.
{function}() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}}
    COMPREPLY=()
    case ${{COMP_WORDS[COMP_CWORD - 1]}} in
        {files})
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            return ;;
        {others}) return ;;
    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '{' '.join(option.name for option in options)}' -- "$cur")
        return
    fi
    {arguments}
}}
complete -F {function} {name}
"""


def fish(name: str, options: list[Option]) -> str:
    lines = [f"# Completion of {name} for fish."]
    if any(option.name == "--list" for option in options):
        lines += [f"complete -c {name} -f", f"complete -c {name} -a '({name} --list 2>/dev/null)'"]
    for option in options:
        how = " -r -F" if option.value in FILES else " -x" if option.value else ""
        meaning = re.split(r"[;(]|, and stop", option.meaning)[0].strip().replace("\\", "\\\\").replace("'", "\\'")
        lines.append(f"complete -c {name} -l {option.name[2:]}{how} -d '{meaning}'")
    return "\n".join(lines) + "\n"


def main() -> None:
    shell, program, name = sys.argv[1:]
    text = subprocess.run([sys.executable, program, "--help"], capture_output=True, text=True, check=True).stdout
    print({"bash": bash, "fish": fish}[shell](name, options_in(text)), end="")


if __name__ == "__main__":
    main()
