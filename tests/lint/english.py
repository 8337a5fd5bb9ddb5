#!/usr/bin/env python3
"""english.py ROOT [FOLDER...]: a doc comment begins with a subject or a verb, and a process is "it". Refuses doc comments that begin with
a bare preposition or pronoun ("Of which term to add: the correction."), and sentences in comments that begin with "Who" or "Whoever".
It reads C++, C and Python. FOLDER: checks these instead of the folders below."""
import pathlib
import re
import sys

# Folders whose comments were read with this in mind; the list grows.
FOLDERS = ["include", "lib/assign", "lib/c", "lib/checkpoint", "lib/codec", "lib/core", "lib/disk", "lib/erasure", "lib/exchange",
           "lib/ft", "lib/likelihood", "lib/matching", "lib/msa", "lib/placement", "lib/repair", "lib/schedule", "lib/shield", "lib/store", "apps/common",
           "apps/launch", "apps/msa", "apps/phylo", "apps/plan", "tools"]
SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".py"}
# The text of a comment on one line: of a comment alone on its line, with its mark, or of one behind code. In a comment that begins with
# /* the lines that follow begin with *.
ALONE = re.compile(r"^\s*(?P<mark>///?<?|/\*\*?|\*(?!/))\s*(?P<text>.*?)\s*(?:\*/)?$")
BEHIND = re.compile(r"\s(?P<mark>//[/<]*|/\*)\s+(?P<text>.*?)\s*(?:\*/)?$")
# The same in Python, where # and the first line of a docstring are read.
ALONE_IN_PYTHON = re.compile(r'^\s*(?P<mark>#|""")\s*(?P<text>.*?)\s*(?:""")?$')
BEHIND_IN_PYTHON = re.compile(r"\s(?P<mark>#)\s+(?P<text>.*)$")
OPENS_DOC = {"///", "/*", "/**", '"""'}
NO_SUBJECT = re.compile(r"(Of|As|That|Those|Who|Whoever|Whom) ")
WHO = re.compile(r"(?:^|[.:;!?] )(Who|Whoever) ")


def complaints(text: str, is_python: bool) -> list[tuple[int, str]]:
    """Line numbers, and what is expected there."""
    alone_on_line, behind_code = (ALONE_IN_PYTHON, BEHIND_IN_PYTHON) if is_python else (ALONE, BEHIND)
    found = []
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        alone = alone_on_line.match(line)
        comment = alone or behind_code.search(line)
        mark = alone["mark"] if alone else ""
        if comment:
            begin = NO_SUBJECT.match(comment["text"])
            who = WHO.search(comment["text"])
            if begin and mark in OPENS_DOC and not (mark == "///" and before == "///"):
                found.append((number, f"expected a subject or a verb at the begin of a doc comment, not '{begin[1]}'"))
            elif who:
                found.append((number, f"expected a noun ('a rank that ...', 'the PE that ...'), not '{who[1]}'"))
        before = mark
    return found


def main() -> int:
    root, folders = pathlib.Path(sys.argv[1]), sys.argv[2:] or FOLDERS
    files = [path for folder in folders for path in sorted((root / folder).rglob("*.*"))
             if path.suffix in SUFFIXES]
    if not files:
        sys.exit(f"no sources in {root}: {' '.join(folders)}")
    bad = [f"{path.relative_to(root)}:{number}: {expected}"
           for path in files for number, expected in complaints(path.read_text(encoding="utf-8"), path.suffix == ".py")]
    print("\n".join(bad) or f"the comments of {len(files)} files begin as sentences do")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
