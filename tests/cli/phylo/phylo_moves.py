#!/usr/bin/env python3
"""What the pages for people from other programs say, line by line: a command line of the other program runs, or is answered with that of the
page; the latter runs, and writes the files that are named."""
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

import phylo_job

CODES = re.compile(r"`([^`]+)`")
TAXA = [f"t{i}" for i in range(8)]


# --- generated data ---------------------------------------------------------------------------------------------------


def evolved(symbols: str, sites: int, seed: int) -> str:
    """An alignment in PHYLIP, of taxa that split off from each other and changed after that."""
    draw = random.Random(seed)
    rows = [[draw.choice(symbols) for _ in range(sites)]]
    while len(rows) < len(TAXA):
        parent = draw.randrange(len(rows))
        rows.append(rows[parent])
        for i in (parent, -1):
            rows[i] = [draw.choice(symbols) if draw.random() < 0.15 else symbol for symbol in rows[i]]
    return f"{len(TAXA)} {sites}\n" + "".join(f"{name} {''.join(row)}\n" for name, row in zip(TAXA, rows))


def random_tree(seed: int) -> str:
    draw = random.Random(seed)
    parts = [f"{name}:0.1" for name in TAXA]
    while len(parts) > 3:
        draw.shuffle(parts)
        parts.append(f"({parts.pop()},{parts.pop()}):0.1")
    return f"({','.join(parts)});\n"


def files() -> dict[str, str]:
    """The files that the pages name."""
    half = 120
    return {
        "a.phy": evolved("ACGT", 2 * half, 1),
        "aa.phy": evolved("ARNDCQEGHILKMFPSTWYV", 40, 2),
        "m.phy": evolved("012", 60, 3),
        "t.nwk": random_tree(1),
        "r.nwk": "".join(map(random_tree, range(1, 6))),
        "c.nwk": "((t0,t1),t2,t3,t4,t5,t6,t7);\n",
        "p.part": f"GTR+G, one = 1-{half}\nHKY, two = {half + 1}-{2 * half}\n",
        "g.nex": f"#NEXUS\nbegin sets;\n charset one = 1-{half};\n charset two = {half + 1}-{2 * half};\nend;\n",
        "l.nex": "#NEXUS\nbegin sets;\n charset one = a.phy: 1-100;\n charset two = a.phy: 101-.;\nend;\n",
        "w.txt": "1 2 " * half + "\n",
        "s.sitefreq": "".join(f"{site}{' 0.05' * 20}\n" for site in range(1, 41)),
    }


# --- the pages --------------------------------------------------------------------------------------------------------


def rows(page: pathlib.Path) -> list[list[list[str]]]:
    """The words in backticks in the cells of each row of a table, without heads."""
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    return [[CODES.findall(cell) for cell in re.split(r"(?<!`)\|(?!`)", line)[1:-1]] for line in lines]


class Typed:
    """A command line, typed in a folder of its own where the files are. exe takes the place of the program's name."""

    def __init__(self, exe: str, line: str, folder: pathlib.Path):
        self.line, self.folder = line, folder
        folder.mkdir()
        for name, text in files().items():
            (folder / name).write_text(text, encoding="utf-8")
        words = [exe, *shlex.split(line)[1:]]
        ended = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.code, self.output = ended.returncode, ended.stdout.decode(errors="replace")

    def require(self, condition: bool, what: str) -> None:
        if not condition:
            raise phylo_job.Failed(f"{self.line}\n{what}, exit code {self.code}\n{self.output}")

    def require_files(self, names: list[str]) -> None:
        self.require(self.code == 0, "expected an end without errors")
        for name in names:
            self.require((self.folder / name).is_file(), f"expected the file {name}")

    def require_answer(self, text: str) -> None:
        self.require(self.code == 2 and text in self.output and "did you mean" not in self.output, f"expected the answer '{text}'")


def test_page(exe: str, page: pathlib.Path, runs: bool) -> int:
    """Types all lines of a page; runs: those of the other program run here, too. Returns their number."""
    count = 0
    with tempfile.TemporaryDirectory(prefix="rg") as folder:
        for there, here, *written in rows(page):
            count += 1
            theirs = Typed(exe, there[0], pathlib.Path(folder, f"there{count}"))
            if not written:
                theirs.require_answer(here[0])
                continue
            Typed(exe, here[0], pathlib.Path(folder, f"here{count}")).require_files(written[0])
            if runs:
                theirs.require_files(written[0])
            else:
                theirs.require_answer(f"\n  {here[0]}\n")
    return count


def test(args) -> None:
    docs = pathlib.Path(__file__).resolve().parents[3] / "docs/trees"
    for name, runs, least in (("from-raxml-ng.md", True, 38), ("from-iqtree.md", False, 40)):
        count = test_page(args.exe, docs / name, runs)
        if count < least:
            raise phylo_job.Failed(f"{name} has {count} lines, expected {least} at least")
        print(f"{name}: {count} lines")


if __name__ == "__main__":
    parsed = phylo_job.arguments(__doc__).parse_args()
    sys.exit(phylo_job.main(parsed, lambda _jobs, args: test(args), needs_deaths=False))
