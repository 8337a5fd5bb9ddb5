#!/bin/sh
# Expected: standard data with the states 0, 1 and 2 and gaps are written as NEXUS with the symbols "012" and GAP = -, in the same way each time. Readers
# number states by the list of symbols (Maddison, Swofford and Maddison 1997), which ordered characters depend on.
# What happens: DendroPy lists the states and the gap, in an order that changes from process to process, and names no gap. It reads its own text
# back as it was; for every other reader of the format, '-' is a state like 0, and 0 is a state with another number each time.
# Versions: DendroPy 5.1.3 (PyPI). Date: 2026-11-29.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet dendropy==5.1.3
cat > symbols.py <<'END'
import re

import dendropy

text = '#NEXUS\nbegin data;\ndimensions ntax=3 nchar=3;\nformat datatype=standard symbols="012" missing=? gap=-;\nmatrix\na 01-\nb 210\nc 1?2\n;\nend;\n'
written = dendropy.StandardCharacterMatrix.get(data=text, schema="nexus").as_string("nexus")
line = next(line for line in written.splitlines() if "FORMAT" in line)
print("gap" if "GAP" in line.upper() else "no gap", re.search('SYMBOLS="(.*?)"', line)[1])
END
venv/bin/pip list 2> /dev/null | grep -i "dendropy"
for seed in 1 2 3 4; do PYTHONHASHSEED=$seed venv/bin/python symbols.py; done | tee said.txt
test "$(grep -c '^no gap .*-' said.txt)" = 4
test "$(sort -u said.txt | wc -l)" -gt 1
echo "as described"
