#!/usr/bin/env python3
"""from_help.py PROGRAM bash|fish|PAGE: writes the completion for a shell, or the man page, of a program with commands, from what --help
says. PAGE is the man page without options.
"""
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

from manual import escaped

# The values of options, as far as they are words.
WORDS = {
    "--brlen": "linked scaled unlinked", "--bs-trees N|auto": "auto", "--codec": "native sparse thesis plain",
    "--criterion": "bic aicc aic",
    "--effort": "fast normal thorough", "--format": "fasta phylip maple", "--instructions": "avx512 avx2 sse4 scalar",
    "--metric": "fbp tbe", "--model": "auto GTR+G HKY+G JC LG+G WAG+G BIN+G",
    "--placement": "mod-k permuted pairwise node-aware", "--repeats": "auto on off", "--threshold": "strict mr mre",
}
FILES = ("FILE", "TSV", "OUT", "PATH", "MODEL")
# Files that are no input of a command, for bash.
UNWANTED = {"compress": "*.rgm", **dict.fromkeys(("decompress", "verify", "tree"), "!*.rgm"), "MODEL": "!*.bestModel"}


class Option(NamedTuple):
    group: str  # the heading in --help
    names: tuple[str, ...]
    value: str  # what --help calls its value; empty: it has none
    meaning: str

    def words(self) -> str:
        return WORDS.get(self.names[0], WORDS.get(f"{self.names[0]} {self.value}", ""))


def help_of(program: str, *command: str) -> str:
    return subprocess.run([program, *command, "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout


def options_in(text: str) -> list[Option]:
    found: dict[str, Option] = {}
    group = ""
    for heading, names, value, meaning in re.findall(r"^(\S.*):$|^  (-[-\w,]+)((?: \S+)*)((?: {2,}\S.*)?(?:\n {10,}\S.*)*)", text, re.M):
        group = heading or group
        if names:
            value, depends_on_machine, _ = value.removesuffix(" (needed)").strip().partition(":{")
            meaning = " ".join(meaning.split())
            if depends_on_machine:
                meaning = meaning.partition(" (default")[0]
            option = Option(group, tuple(names.split(",")), value, meaning)
            found.setdefault(option.names[-1], option)  # examples may follow
    return list(found.values())


def commands_in(program: str) -> dict[str, tuple[str, list[Option], bool]]:
    """What each command is for, its options, and whether it has arguments."""
    listing = help_of(program).split("\nSubcommands:\n")[1].split("\n\n")[0]
    result = {}
    for name, meaning in re.findall(r"^  (\w+) +(.*)", listing, re.M):
        text = help_of(program, name)
        result[name] = (meaning, options_in(text), bool(re.search(r"^Usage: .*\[OPTIONS\] \S", text, re.M)))
    return result


def bash(name: str, program: str) -> str:
    commands = commands_in(program)
    function = "_" + name.replace("-", "_")
    values, offered = [], []
    for command, (_, options, has_arguments) in commands.items():
        for option in options:
            pattern = " | ".join(f"'{command} {each}'" for each in option.names)
            what = f" words='{option.words()}'" * bool(option.words())
            if option.value in FILES:
                what += f" files=1 unwanted='{UNWANTED.get(option.value, '')}'"
            if option.value:
                values.append(f"        {pattern}) value=1{what} ;;")
        names = " ".join(each for option in options for each in option.names if each.startswith("--"))
        offered.append(f"        {command}) words='{names}' files={'1' * has_arguments} unwanted='{UNWANTED.get(command, '')}' ;;")
    lines = "\n".join
    return f"""# Completion of {name} for bash.
{function}() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} word command= value= words= files= unwanted=
    local commands='{' '.join(commands)}'
    COMPREPLY=()
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        [[ " $commands " == *" $word "* ]] && command=$word && break
    done
    if [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$cur")
        return
    fi
    case "$command $previous" in
{lines(values)}
    esac
    [[ $value ]] || case $command in
{lines(offered)}
    esac
    if [[ -z $value && $files ]]; then
        [[ $cur == -* ]] && files= || words=
    fi
    mapfile -t COMPREPLY < <(
        [[ $words ]] && compgen -W "$words" -- "$cur"
        [[ $files ]] && {{ compgen -d -- "$cur"; compgen -f -X "$unwanted" -- "$cur"; }} | sort -u)
    [[ $files ]] && compopt -o filenames 2>/dev/null
    return 0
}}
complete -F {function} {name}
"""


def fish(name: str, program: str) -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def described(text: str) -> str:
        return f" -d {quoted(re.split(r'[;(]', text)[0].strip())}"

    commands = commands_in(program)
    none = f"complete -c {name} -n 'not __fish_seen_subcommand_from {' '.join(commands)}'"
    lines = [f"# Completion of {name} for fish.", f"complete -c {name} -f", f"{none} -l version", f"{none} -l help"]
    lines += [f"{none} -a {command}{described(meaning)}" for command, (meaning, _, _) in commands.items()]
    for command, (_, options, has_arguments) in commands.items():
        this = f"complete -c {name} -n '__fish_seen_subcommand_from {command}'"
        lines += [f"{this} -F"] * has_arguments
        for option in options:
            line = this + "".join(f" -l {each[2:]}" if each.startswith("--") else f" -s {each[1:]}" for each in option.names)
            line += " -r -F" if option.value in FILES else " -x" if option.value else ""
            line += f" -a {quoted(option.words())}" if option.words() else ""
            lines.append(line + described(option.meaning))
    return "\n".join(lines) + "\n"


def page(program: str, text: str) -> str:
    """The man page. An option is described once, and by the commands that have it unless all do."""
    commands = commands_in(program)
    owners: dict[Option, list[str]] = {}
    for command, (_, options, _) in commands.items():
        for option in options:
            if "--help" not in option.names:
                owners.setdefault(option, []).append(command)
    lines = [".SH OPTIONS"]
    for group in dict.fromkeys(["Options", *(option.group for option in owners)]):
        lines += [f".SS {escaped(group)}"] * (group != "Options")
        for option, of in owners.items():
            if option.group == group:
                names = ", ".join(f"\\fB{escaped(name)}\\fR" for name in option.names)
                meaning = option.meaning[0].upper() + option.meaning[1:]
                if len(of) < len(commands):
                    meaning = f"For {', '.join(of)}: {option.meaning}"
                lines += [".TP", f"{names} \\fI{escaped(option.value)}\\fR", escaped(meaning) + "."]
    return text.replace(".SH OPTIONS", "\n".join(lines))


def main() -> None:
    program, form = sys.argv[1:]
    name = pathlib.Path(program).name
    if form.endswith(".1"):
        print(page(program, pathlib.Path(form).read_text(encoding="utf-8")), end="")
    else:
        print({"bash": bash, "fish": fish}[form](name, program), end="")


if __name__ == "__main__":
    main()
