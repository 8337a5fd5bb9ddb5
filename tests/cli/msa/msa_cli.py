"""Runs regraft-msa for the tests of its commands, and makes alignments and their texts."""
import dataclasses
import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from cli import Command, Result, run_checks

DATA = pathlib.Path(__file__).resolve().parents[3] / "data"
PATIENCE = 1000  # seconds for one command, on a busy machine
DNA = {"A": 1, "C": 2, "G": 4, "T": 8, "U": 8, "R": 5, "Y": 10, "S": 6, "W": 9, "K": 12, "M": 3, "B": 14, "D": 13, "H": 11, "V": 7} | dict.fromkeys("NXO?-.~*!", 15)


class Program(Command):
    """regraft-msa."""

    def run(self, *arguments: str | pathlib.Path, stdin: bytes = b"", **options) -> Result:
        command = [self.exe, *map(str, arguments)]
        run = subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=PATIENCE, **options)
        return Result(command, run.returncode, run.stdout, run.stderr.decode())

    def ok(self, *arguments: str | pathlib.Path, stdin: bytes = b"", **options) -> bytes:
        result = self.run(*arguments, stdin=stdin, **options)
        result.require(result.code == 0, "expected exit code 0")
        return result.out

    def contents(self) -> dict[str, bytes | None]:
        return {path.name: path.read_bytes() if path.is_file() else None for path in self.path.iterdir()}

    def refuses(self, *arguments: str | pathlib.Path, message: str, code: int = 2, stdin: bytes = b"", **options) -> None:
        """Requires one message that contains the given one, the exit code, no output, and that all files are as they were."""
        before = self.contents()
        result = self.run(*arguments, stdin=stdin, **options)
        result.require(result.code == code, f"expected exit code {code}")
        result.require(message in result.err, f"expected a message with '{message}'")
        result.require(result.err.startswith("regraft-msa: ") and result.err.count("regraft-msa: ") == 1, "expected one message")
        result.require(result.err.count("\n") <= 2 and "internal error" not in result.err, "expected a short message that blames the input")
        result.require(not result.out, "expected nothing on standard output")
        result.require(self.contents() == before, "expected that no file changes")

    def compressed(self, name: str, content: str | bytes, *options: str) -> pathlib.Path:
        path = self.file(name, content)
        self.ok("compress", "-f", *options, path)
        return path.with_name(path.name + ".rgm")


@dataclasses.dataclass
class Alignment:
    names: list[str]
    rows: list[str]


def evolved(seed: int, taxa: int, sites: int, letters: str = "ACGT", missing: str = "-N?") -> Alignment:
    """Rows that descend from each other, with a few gaps, unknown and lower-case letters."""
    dice = random.Random(seed)
    rows: list[str] = []
    for i in range(taxa):
        row = list(rows[dice.randrange(i)]) if i else [dice.choice(letters) for _ in range(sites)]
        for _ in range(max(1, sites // 20)):
            row[dice.randrange(sites)] = dice.choice(letters + missing[:1] + letters.lower()[:1])
        if missing and dice.random() < 0.3:
            first = dice.randrange(sites)
            row[first:first + sites // 8] = dice.choice(missing) * len(row[first:first + sites // 8])
        rows.append("".join(row))
    return Alignment([f"taxon_{i * 7919 % 1000}.{i}" for i in range(taxa)], rows)


def surveyed(seed: int, taxa: int, sites: int) -> Alignment:
    """Nearly equal genomes, with unknown stretches."""
    dice = random.Random(seed)
    rows = ["".join(dice.choices("ACGT", k=sites))]
    while len(rows) < taxa:
        row = list(dice.choice(rows[-500:]))
        for _ in range(dice.randrange(3)):
            row[dice.randrange(sites)] = dice.choice("ACGT")
        if dice.random() < 0.1:
            first, size = dice.randrange(sites), dice.choice([1, 5, 300])
            row[first:first + size] = dice.choice("NN-R") * len(row[first:first + size])
        rows.append("".join(row))
    return Alignment([f"hCoV/{i * 7919 % 100003}/{2020 + i // 1000}" for i in range(taxa)], rows)


def lines_of(row: str, width: int) -> list[str]:
    return [row[i:i + width] for i in range(0, len(row), width)] if width else [row]


def fasta(alignment: Alignment, width: int = 0, end: str = "\n", describe=lambda name: "") -> str:
    return "".join(f">{name}{describe(name)}{end}" + "".join(line + end for line in lines_of(row, width))
                   for name, row in zip(alignment.names, alignment.rows))


def phylip(alignment: Alignment, end: str = "\n", gap: str = "") -> str:
    """The text, with sequences below each other, or each behind `gap`."""
    width = 0 if gap else max(map(len, alignment.names)) + 1
    return f"{len(alignment.names)} {len(alignment.rows[0])}{end}" + "".join(f"{name + gap:<{width}}{row}{end}" for name, row in zip(alignment.names, alignment.rows))


def interleaved(alignment: Alignment, width: int = 60, end: str = "\n") -> str:
    blocks = zip(*(lines_of(row, width) for row in alignment.rows))
    text = f" {len(alignment.names)} {len(alignment.rows[0])}{end}"
    for i, block in enumerate(blocks):
        text += end * (i > 0)
        text += "".join((f"{name:<14}" if i == 0 else "") + " ".join(lines_of(line, 10)) + end for name, line in zip(alignment.names, block))
    return text


def stockholm(alignment: Alignment, width: int) -> str:
    """The rows in blocks, with annotations; 0: in one block."""
    text = "# STOCKHOLM 1.0\n#=GF ID   family\n"
    for block in zip(*(lines_of(row, width) for row in alignment.rows)):
        text += "\n" + "".join(f"{name:<20} {cells}\n" for name, cells in zip(alignment.names, block)) + f"{'#=GC RF':<20} {'x' * len(block[0])}\n"
    return text + "//\n"


def clustal(alignment: Alignment) -> str:
    """The rows in blocks of 60, with counts of residues and with marks below columns that are all the same."""
    text = "CLUSTAL W (1.83) multiple sequence alignment\n\n"
    counts = [0] * len(alignment.rows)
    for block in zip(*(lines_of(row, 60) for row in alignment.rows)):
        text += "\n"
        for i, (name, cells) in enumerate(zip(alignment.names, block)):
            counts[i] += len(cells) - cells.count("-")
            text += f"{name:<20} {cells} {counts[i]}\n"
        text += " " * 21 + "".join("*" if len(set(column)) == 1 else " " for column in zip(*block)) + "\n"
    return text


def read_phylip(path: pathlib.Path) -> Alignment:
    """The rows of a sample file with a name and a row on each line."""
    rows = [line.split() for line in path.read_text().splitlines()[1:] if line.strip()]
    return Alignment([row[0] for row in rows], ["".join(row[1:]) for row in rows])


def main(*checks) -> int:
    """Runs the checks, functions of a Program, on the program that the command line names."""
    os.environ.pop("OMP_NUM_THREADS", None)
    return run_checks(checks, lambda: Program(sys.argv[1]))
