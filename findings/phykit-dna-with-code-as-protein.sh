#!/bin/sh
# Expected: DNA with a code such as R (A or G) is DNA, where N says that the base is unknown, so that N is no state. A site is parsimony-informative
# if at least two states occur in two taxa each.
# What happens: an R in any cell makes PhyKIT take the alignment for amino acids. Then every N is an asparagine: columns of A and N count as
# informative, and columns with one N as variable. There is no option for the kind of data, and nothing warns of it.
# AMAS, which is told that it is DNA, and PhyKIT without the R say 0 informative sites and 1 variable one.
# Versions: PhyKIT 2.8.0, AMAS 1.0 (PyPI). Date: 2026-11-30.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet phykit==2.8.0 amas==1.0
printf '>a\nANRAC\n>b\nANAAC\n>c\nNAAAC\n>d\nNAAAT\n' > code.fa
sed '/>/!s/R/A/' code.fa > plain.fa
for file in plain code; do
    for what in parsimony_informative_sites variable_sites; do
        echo "$file $what $(venv/bin/phykit $what $file.fa | cut -f 1)"
    done
    venv/bin/python -m amas.AMAS summary -i $file.fa -f fasta -d dna -o amas.txt > log.txt
    echo "$file AMAS $(tail -n 1 amas.txt | cut -f 9,7 | tr '\t' ' ')"
done | tee said.txt
cat > expected.txt <<'END'
plain parsimony_informative_sites 0
plain variable_sites 1
plain AMAS 1 0
code parsimony_informative_sites 2
code variable_sites 4
code AMAS 1 0
END
cmp expected.txt said.txt
venv/bin/phykit parsimony_informative_sites --help > help.txt
if grep -iE 'protein|amino|dna' help.txt; then exit 1; fi
echo "as described"
