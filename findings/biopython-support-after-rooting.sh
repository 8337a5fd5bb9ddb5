#!/bin/sh
# Expected: a support belongs to a branch, that is, to the taxa on its two sides. Rooting a tree elsewhere changes neither the branches nor their
# supports (Czech, Huerta-Cepas and Stamatakis 2017).
# What happens: root_with_outgroup leaves a confidence at the node that it was read with. On the way from the old root to the new one the branch of
# a node is another one then: there each confidence moves to the next branch, and one branch has none. Only where the outgroup is next to
# the old root all stay right. Nothing warns of it.
# Versions: Biopython 1.88 (PyPI). Date: 2026-11-30.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet biopython==1.88
cat > rooting.py <<'END'
import io

from Bio import Phylo


def supports(tree):
    """The confidence of each inner branch, by the taxa on its side without a."""
    taxa = {tip.name for tip in tree.get_terminals()}
    found = {}
    for clade in tree.get_nonterminals():
        inside = {tip.name for tip in clade.get_terminals()}
        side = inside if "a" not in inside else taxa - inside
        if 1 < len(side) < len(taxa) - 1:
            found["".join(sorted(side))] = clade.confidence
    return dict(sorted(found.items()))


text = "((a:1,b:1)90:1,(c:1,d:1)50:1,(e:1,(f:1,g:1)70:1)60:1);"
tree = Phylo.read(io.StringIO(text), "newick")
before = supports(tree)
tree.root_with_outgroup("f")
after = supports(tree)
print("before:", before)
print("after: ", after)
assert before == {"cd": 50, "cdefg": 90, "efg": 60, "fg": 70}
assert after == {"cd": 50, "cdefg": 90, "efg": None, "fg": 60}
END
venv/bin/python rooting.py
echo "as described"
