#!/bin/sh
# Expected: in a quoted label two single quotes stand for one (the Newick format, G. Olsen 1990), so what Biopython writes it reads back.
# What happens: Biopython writes the name 'Candidatus Foo' bar, whose quotes belong to it, as '''Candidatus Foo'' bar', which is right, and reads it back without the first quote: a label that begins
# with a quote is cut at its beginning, one with a quote in the middle is not. DendroPy reads the same text rightly.
# Versions: Biopython 1.88, DendroPy 5.1.3 (PyPI). Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet biopython==1.88 dendropy==5.1.3
cat > names.py <<'END'
import io

import dendropy
from Bio import Phylo
from Bio.Phylo.BaseTree import Clade, Tree

for name in ["'Candidatus Foo' bar", "it's"]:
    written = io.StringIO()
    Phylo.write(Tree(Clade(clades=[Clade(name=name, branch_length=1), Clade(name="b", branch_length=1)])), written, "newick")
    text = written.getvalue().strip()
    read = next(Phylo.read(io.StringIO(text), "newick").find_clades(terminal=True)).name
    other = next(dendropy.Tree.get(data=text, schema="newick").leaf_node_iter()).taxon.label
    print(f"{name} | written {text} | Biopython {'the same' if read == name else read} | DendroPy {'the same' if other == name else other}")
END
venv/bin/pip list 2> /dev/null | grep -i -e "dendropy" -e "biopython"
venv/bin/python names.py | tee said.txt
grep -qF "'Candidatus Foo' bar | written ('''Candidatus Foo'' bar':1,b:1):0; | Biopython Candidatus Foo' bar | DendroPy the same" said.txt
grep -qF "it's | written ('it''s':1,b:1):0; | Biopython the same | DendroPy the same" said.txt
echo "as described"
