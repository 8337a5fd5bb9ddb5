#!/usr/bin/env python3
"""Makes the priors of the native coding: which states follow which, before anything is known of an alignment.

usage: priors.py [--check]    from the root of the sources

Writes lib/codec/native/prior_tables.hpp; with --check it compares instead. The numbers are codes of frequencies, as in
docs/alignments/file-format.md: two of them are a factor of 2, and 31 is the most frequent state. Amino acids change as in the model LG
(Le and Gascuel 2008) on a branch with one substitution per site, nucleotides as in the columns of data/.
"""
import itertools
import math
import pathlib
import re
import shutil
import subprocess
import sys

HEADER = pathlib.Path("lib/codec/native/prior_tables.hpp")
DIGITS = "0123456789abcdefghijklmnopqrstuv"
LG_ORDER = "ARNDCQEGHILKMFPSTWYV"
DNA_FILES = ("primates", "vertebrates")


def codes(masses):
    """A digit per mass, relative to the largest one; 0 for none."""
    largest = max(masses)
    return "".join(DIGITS[31 - min(31, math.floor(2 * math.log2(largest / mass) + 0.5))] if mass > 0 else "0" for mass in masses)


def product(left, right):
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*right)] for row in left]


def transitions(rates, frequencies):
    """The probabilities of changes on a branch with one substitution per site."""
    letters, squarings = list(frequencies), 20
    leaving = {old: sum(rates.get((old, new), 0) for new in letters) for old in letters}
    step = 1 / sum(frequencies[old] * leaving[old] for old in letters) / 2**squarings
    power = [[rates[old, new] * step if old != new else 1 - leaving[old] * step for new in letters] for old in letters]
    for _ in range(squarings):
        power = product(power, power)
    return {(old, new): mass for old, row in zip(letters, power) for new, mass in zip(letters, row) if old != new}


def amino_acids():
    """Frequencies of amino acids, and of changes, both by letter."""
    source = pathlib.Path("lib/likelihood/models/matrices.cpp").read_text()
    entry = source[source.index('{"LG",'):]
    lists = [[float(number) for number in re.findall(r"[\d.]+", part)] for part in re.findall(r"\{([\d.,\s]+)\}", entry)[:2]]
    exchange, frequency = lists
    assert len(exchange) == 190 and len(frequency) == 20
    below = iter(exchange)  # the triangle below the diagonal, row by row
    rates = {pair: rate for row in range(20) for column, rate in zip(range(row), below)
             for pair in ((LG_ORDER[row], LG_ORDER[column]), (LG_ORDER[column], LG_ORDER[row]))}
    frequencies = dict(zip(LG_ORDER, frequency))
    return frequencies, transitions({(a, b): rate * frequencies[b] for (a, b), rate in rates.items()}, frequencies)


def nucleotides():
    """The same from the columns of alignments: one of two letters counts as a change from each to the other."""
    count, changes = dict.fromkeys("ACGT", 0), dict.fromkeys(itertools.permutations("ACGT", 2), 0)
    for name in DNA_FILES:
        rows = [line.split() for line in pathlib.Path(f"data/{name}.phy").read_text().splitlines()[1:] if line.strip()]
        rows = ["".join(row[1:]).upper() for row in rows]
        assert len({len(row) for row in rows}) == 1, name
        for column in zip(*rows):
            letters = {letter for letter in column if letter in count}
            for letter in letters:
                count[letter] += column.count(letter)
            for pair in itertools.permutations(letters, 2) if len(letters) == 2 else ():
                changes[pair] += 1
    return count, changes


def table(name, frequencies, changes):
    letters = sorted(frequencies, key=lambda letter: (-frequencies[letter], letter))
    rows = [codes([changes.get((old, new), 0) for new in letters]) for old in letters]
    lines = [f"/// {name}: the letters, most frequent first; codes of their frequencies; and for each letter those of the letters to which",
             "/// it changes."]
    lines.append(f"inline constexpr Prior {name.lower().replace(' ', '_')}{{")
    lines.append(f'    "{"".join(letters)}", "{codes([frequencies[letter] for letter in letters])}",')
    quoted = [f'"{row}"' for row in rows]
    per_line = 5 if len(letters) > 4 else 4
    chunks = [", ".join(quoted[i:i + per_line]) for i in range(0, len(quoted), per_line)]
    lines.append("    {" + ",\n     ".join(chunks) + "}};")
    return lines


def header():
    lines = ["// Made by tools/codec/priors.py: what is known of letters before an alignment is. A digit is a code of a frequency, 0 to v.",
             "#pragma once", "", "#include <array>", "#include <string_view>", "", "namespace regraft::codec {", "",
             "struct Prior {", "    std::string_view letters;", "    std::string_view frequencies;",
             "    std::array<std::string_view, 20> changes;  // per letter", "};", ""]
    lines += table("Nucleotides", *nucleotides())
    lines.append("")
    lines += table("Amino acids", *amino_acids())
    lines += ["", "}  // namespace regraft::codec"]
    return formatted("\n".join(lines) + "\n")


def formatted(text):
    """The text as .clang-format lays it out."""
    tool = shutil.which("clang-format-14") or shutil.which("clang-format")
    if tool is None:
        sys.exit("priors.py needs clang-format 14")
    return subprocess.run([tool, f"--assume-filename={HEADER}"], input=text, capture_output=True, text=True, check=True).stdout


def main(arguments):
    made = header()
    if arguments == ["--check"]:
        return 0 if HEADER.read_text() == made else f"{HEADER} is not what tools/codec/priors.py makes"
    if arguments:
        return __doc__
    HEADER.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
