#!/bin/sh
# Expected: a label with a single quote is written in quotes, and the quote in it twice: 'it''s'. A label without quotes may have no single quote
# (the Newick format, G. Olsen 1990: "Unquoted labels may not contain ... single quotes", which the documentation of skbio.io.format.newick repeats).
# What happens: scikit-bio reads 'it''s' as it's and writes it''s, doubled but without the quotes around it. It reads that back itself, and
# DendroPy takes the name for it''s, and Biopython for s: trees lose the names of their taxa without a message.
# Versions: scikit-bio 0.7.4, DendroPy 5.1.3, Biopython 1.88 (PyPI). Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet scikit-bio==0.7.4 dendropy==5.1.3 biopython==1.88
cat > names.py <<'END'
import io

import dendropy
import skbio
from Bio import Phylo

written = io.StringIO()
skbio.TreeNode.read(["('it''s':1,b:2);"]).write(written)
text = written.getvalue().strip()
print("written:", text)
print("scikit-bio:", [tip.name for tip in skbio.TreeNode.read([text]).tips()])
print("DendroPy:", [leaf.taxon.label for leaf in dendropy.Tree.get(data=text, schema="newick").leaf_nodes()])
print("Biopython:", [tip.name for tip in Phylo.read(io.StringIO(text), "newick").get_terminals()])
END
venv/bin/pip list 2> /dev/null | grep -i -e "scikit-bio" -e "dendropy" -e "biopython"
venv/bin/python names.py | tee said.txt
grep -qF "written: (it''s:1.0,b:2.0);" said.txt
grep -qF "scikit-bio: [\"it's\", 'b']" said.txt
grep -qF "DendroPy: [\"it''s\", 'b']" said.txt
grep -qF "Biopython: ['s', 'b']" said.txt
echo "as described"
