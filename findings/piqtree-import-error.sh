#!/bin/sh
# Expected: pip installs versions that fit each other. piqtree 0.7.0 (IQ-TREE in Python) asks for cogent3 >= 2025.7.10a8 only, so pip takes the newest.
# What happens: with cogent3 2026.10.22 pip finds no conflict (pip check), but `import piqtree` raises ImportError: it takes a name from
# cogent3.util.misc that is no longer there.
# Versions: piqtree 0.7.0, cogent3 2026.10.22 (PyPI). Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet piqtree==0.7.0 cogent3==2026.10.22
grep '^Requires-Dist: cogent3' venv/lib/python3*/site-packages/piqtree-0.7.0.dist-info/METADATA
venv/bin/pip check
code=0
venv/bin/python -c "import piqtree" 2> said.txt || code=$?
tail -n 1 said.txt
test "$code" = 1
grep -q "ImportError: cannot import name 'get_object_provenance' from 'cogent3.util.misc'" said.txt
echo "as described"
