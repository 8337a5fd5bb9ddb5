#!/bin/sh
# Expected: in a matrix of NEXUS (Maddison, Swofford and Maddison 1997), the symbol after MATCHCHAR stands for the state of the first taxon, '{AC}' is
# one character that is A or C, and a name in quotes may have a blank.
# What happens: NexusReader gives the matching symbol as a state, so that taxa which are alike are unlike. It makes four characters of '{AC}', so
# that all characters behind it are at wrong places, and it cuts a name at its blank and reads the rest of it as characters. Nothing warns of
# it, unless the first row is the one that became too long.
# Versions: python-nexus 2.9.0 (PyPI). Date: 2026-11-30.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet python-nexus==2.9.0
cat > matrix.py <<'END'
import warnings

from nexus import NexusReader

FRAME = "#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nformat datatype=dna missing=? gap=- matchchar=.;\nmatrix\n{}\n;\nend;\n"


def read(rows):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        matrix = NexusReader.from_string(FRAME.format(rows)).data.matrix
    found = {name: "".join(row) for name, row in matrix.items()}, len(caught)
    print(repr(rows), "->", *found, "warnings")
    return found


assert read("a ACGT\nb ...A") == ({"a": "ACGT", "b": "...A"}, 0)
assert read("a ACGT\nb {AC}CGT") == ({"a": "ACGT", "b": "{AC}CGT"}, 0)
assert read("a ACGT\n'b c' ACGA") == ({"a": "ACGT", "'b": "c'ACGA"}, 0)
assert read("'b c' ACGA\na ACGT") == ({"'b": "c'ACGA", "a": "ACGT"}, 1)
END
venv/bin/python matrix.py
echo "as described"
