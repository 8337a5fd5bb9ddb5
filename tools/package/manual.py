#!/usr/bin/env python3
"""manual.py PROGRAM NAME: writes the man page of a Python program that is installed as NAME, from what --help says.

--help begins with a line of what the program is for, and how it is called. Paragraphs follow, and options with a blank line before and
after them. Values of an option are indented further, as '  NAME  meaning'. A meaning goes on in lines that begin in its column.
"""
import re
import subprocess
import sys


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.splitlines())


def items(lines: list[str]) -> list[str]:
    """Options as tagged paragraphs. Lines that are indented further become a list of their own."""
    page: list[str] = []
    inner = False
    column = -1  # of the meaning
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if indent == column:
            page.append(escaped(line.strip()))
            continue
        if indent > 2 and not inner:
            page.append(".RS")
        if indent <= 2 and inner:
            page.append(".RE")
        inner = indent > 2
        tag, _, meaning = re.sub(r"\s{2,}", "\0", line.strip(), count=1).partition("\0")
        column = len(line.rstrip()) - len(meaning)
        page += [".TP", f".B {escaped(tag)}", escaped(meaning)]
    return page + [".RE"] * inner


def page(name: str, text: str) -> str:
    purpose, synopsis, *paragraphs = text.strip().split("\n\n")
    result = [f'.TH {name.upper()} 1 "" "regraft" "User commands"', ".SH NAME", escaped(f"{name} - {purpose.rstrip('.')}"),
              ".SH SYNOPSIS", f".B {escaped(synopsis)}", ".SH DESCRIPTION"]
    options = [paragraph for paragraph in paragraphs if paragraph.startswith("  ")]
    for paragraph in paragraphs:
        if paragraph not in options:
            result += [".PP", escaped(paragraph)]
    if options:
        result += [".SH OPTIONS", *(line for paragraph in options for line in items(paragraph.splitlines()))]
    return "\n".join(result) + "\n"


def main() -> None:
    program, name = sys.argv[1:]
    text = subprocess.run([sys.executable, program, "--help"], capture_output=True, text=True, check=True).stdout
    print(page(name, text), end="")


if __name__ == "__main__":
    main()
