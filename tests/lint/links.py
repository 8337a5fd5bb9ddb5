#!/usr/bin/env python3
"""links.py ROOT: links between pages lead to files and headings that exist, as do pages that sources mention; each page of docs is on the map,
docs/README.md, and README.md stays short."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
LONGEST_README = 120  # lines
LINK = re.compile(r"\]\(([^)\s]+)\)")
MENTIONED = re.compile(r"\bdocs/[\w/-]+\.md\b")
SOURCES = {".c", ".cpp", ".h", ".hpp", ".py", ".pyi", ".f90", ".build", ".txt", ".md", ".in", ".yml", ".toml", ".sh", ""}
FENCED = re.compile(r"^```.*?^```", re.M | re.S)


def anchors(page: pathlib.Path) -> set[str]:
    """The anchors of the headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.M):
        plain = LINK.sub("]", heading).replace("[", "").replace("]", "")
        found.add(re.sub(r"[^\w\- ]", "", plain).strip().lower().replace(" ", "-"))
    return found


def complaints(page: pathlib.Path) -> list[str]:
    bad = []
    for target in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        if not file.exists():
            bad.append(f"{target} is not there")
        elif anchor and anchor not in anchors(file):
            bad.append(f"{target}: no such heading")
    return [f"{page.relative_to(ROOT)}: {what}" for what in bad]


def mentions() -> list[str]:
    """Pages that a source names, and that are not there."""
    folders = ["apps", "bench", "bindings", "examples", "include", "lib", "packaging", "tests", "tools"]
    files = [path for folder in folders for path in (ROOT / folder).rglob("*")
             if path.suffix in SOURCES and path.is_file() and not {"__pycache__", "results"} & set(path.parts)]
    return [f"{path.relative_to(ROOT)}: {page} is not there" for path in [ROOT / "run", *files]
            for page in MENTIONED.findall(path.read_text(encoding="utf-8")) if not (ROOT / page).exists()]


def main() -> None:
    pages = sorted(page for pattern in ("*.md", "docs/**/*.md", "*/README.md", "bench/results/README.md", "examples/embed/README.md") for page in ROOT.glob(pattern))
    bad = [what for page in dict.fromkeys(pages) for what in complaints(page)]
    bad += mentions()
    listed = set(LINK.findall((ROOT / "docs/README.md").read_text(encoding="utf-8")))
    bad += [f"docs/README.md does not list {page.name}" for page in pages
            if page.is_relative_to(ROOT / "docs") and page.relative_to(ROOT / "docs").as_posix() not in listed | {"README.md"}]
    if (lines := (ROOT / "README.md").read_text(encoding="utf-8").count("\n")) > LONGEST_README:
        bad.append(f"README.md has {lines} lines, more than {LONGEST_README}")
    sys.exit("\n".join(bad) if bad else 0)


main()
