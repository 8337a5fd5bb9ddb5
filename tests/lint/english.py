#!/usr/bin/env python3
"""english.py ROOT [FOLDER...]: a doc comment begins with a subject or a verb, and a process is "it". Refuses doc comments, and docstrings of
Python, that begin with a bare preposition or pronoun ("Of which term to add: the correction."), and sentences in comments that begin with
"Who" or "Whoever". FOLDER: checks these instead of the folders below."""
import ast
import io
import pathlib
import re
import sys
import tokenize

FOLDERS = ["include", "lib", "apps", "bench", "bindings", "docs/reader", "examples", "tests", "tools"]
SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".py"}
# The text of a comment on one line: of a comment alone on its line, with its mark, or of one behind code. In a comment that begins with
# /* the lines that follow begin with *.
ALONE = re.compile(r"^\s*(?P<mark>///?<?|/\*\*?|\*(?!/))\s*(?P<text>.*?)\s*(?:\*/)?$")
BEHIND = re.compile(r"\s(?P<mark>//[/<]*|/\*)\s+(?P<text>.*?)\s*(?:\*/)?$")
OPENS_DOC = {"///", "/*", "/**"}
NO_SUBJECT = re.compile(r"(Of|As|That|Those|Who|Whoever|Whom) ")
WHO = re.compile(r"(?:^|[.:;!?] )(Who|Whoever) ")


def about_begin(word: str) -> str:
    return f"expected a subject or a verb at the begin of a doc comment, not '{word}'"


def about_who(word: str) -> str:
    return f"expected a noun ('a rank that ...', 'the PE that ...'), not '{word}'"


def docstrings(text: str) -> list[tuple[int, str]]:
    """Line numbers and lines."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node, clean=False):
            expression = node.body[0]
            found += enumerate((line.strip() for line in ast.get_docstring(node, clean=False).splitlines()), expression.lineno)
    return found


def complaints_of_python(text: str) -> list[tuple[int, str]]:
    """The same as complaints(), for a file in Python."""
    found = []
    lines = docstrings(text)
    begins = {number for number, _ in lines} - {number + 1 for number, _ in lines}
    for number, line in lines:
        if begin := NO_SUBJECT.match(line) if number in begins else None:
            found.append((number, about_begin(begin[1])))
        elif who := WHO.search(line):
            found.append((number, about_who(who[1])))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and (who := WHO.search(token.string.lstrip("#: "))):
            found.append((token.start[0], about_who(who[1])))
    return found


def complaints(text: str) -> list[tuple[int, str]]:
    """Line numbers, and what is expected there."""
    found = []
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        alone = ALONE.match(line)
        comment = alone or BEHIND.search(line)
        mark = alone["mark"] if alone else ""
        if comment:
            begin = NO_SUBJECT.match(comment["text"])
            who = WHO.search(comment["text"])
            if begin and mark in OPENS_DOC and not (mark == "///" and before == "///"):
                found.append((number, about_begin(begin[1])))
            elif who:
                found.append((number, about_who(who[1])))
        before = mark
    return found


def main() -> int:
    root, folders = pathlib.Path(sys.argv[1]), sys.argv[2:] or FOLDERS
    files = [path for folder in folders for path in sorted((root / folder).rglob("*.*"))
             if path.suffix in SUFFIXES]
    if not files:
        sys.exit(f"no sources in {root}: {' '.join(folders)}")
    bad = [f"{path.relative_to(root)}:{number}: {expected}"
           for path in files
           for number, expected in (complaints_of_python if path.suffix == ".py" else complaints)(path.read_text(encoding="utf-8"))]
    print("\n".join(bad) or f"the comments of {len(files)} files begin as sentences do")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
