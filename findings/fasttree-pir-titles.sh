#!/bin/sh
# Expected: a file in PIR (NBRF), where '>P1;name' is followed by a line with a title, is refused, or read without its titles, as Biopython
# reads it.
# What happens: it is taken for FASTA. If all titles are of one length, their letters become sites of the alignment, and names keep 'P1;'. The
# only sign is that '*' at the ends counts as an unknown character. The tree has other splits than that of the sequences. The exit code is 0.
# Versions: FastTree 2.1.11-2 (Debian 12). Date: 2026-11-29.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q -o APT::Sandbox::User=root fasttree=2.1.11-2 > download.txt 2>&1
dpkg-deb -x fasttree_*.deb .
printf '>P1;%s\n%s\n%s*\n' \
    a TATTATTATTATTA ACGTACGTACGTACGT b CAGGACAGGACAGG ACGTACGTACGTACGA \
    c TATTATTATTATTC ACGTTCGAACGAACGA d CAGGACAGGACAGA ACGTTCGAACGAACGT > x.pir
sed 's/^>..;/>/;/^>/{n;d;};s/\*$//' x.pir > x.fa
tree_of() {
    usr/bin/fasttree -nt -nosupport "$1" 2> log.txt | sed 's/:[0-9.]*//g'
}
as_pir=$(tree_of x.pir)
grep -i unknown log.txt || true
as_fasta=$(tree_of x.fa)
echo "PIR:   $as_pir"
echo "FASTA: $as_fasta"
test "$as_fasta" = "(c,d,(a,b));"
test "$as_pir" = "(P1;b,P1;d,(P1;a,P1;c));"
echo "as described"
