#!/bin/sh
# Expected: in VCF an unknown base is the missing genotype '.', and the bases of REF and ALT are A, C, G, T and N (specification of VCF 4.1, which the
# output says it is; '*', for a deletion that begins earlier, comes with 4.2).
# What happens: N and gaps both become the allele '*', so that what was not sequenced cannot be told from what was deleted, and 'R' and 'Y' become
# alleles of their own, even that of the reference: a base that may be A counts as different from A. FASTA output of the same
# program keeps N and gaps apart, and only for sites where other taxa differ.
# Versions: snp-sites and libsnp-sites1 2.5.1-2+b1 (Debian 12). Date: 2026-11-30.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q -o APT::Sandbox::User=root snp-sites=2.5.1-2+b1 libsnp-sites1=2.5.1-2+b1 > download.txt 2>&1
for package in *.deb; do dpkg-deb -x "$package" .; done
LD_LIBRARY_PATH=$(dirname "$(find "$PWD/usr/lib" -name 'libsnp-sites.so.1')")
export LD_LIBRARY_PATH
printf '>a\nANR\n>b\nA-A\n>c\nCAG\n>d\nATG\n' > x.fa
usr/bin/snp-sites -v -o x.vcf x.fa
usr/bin/snp-sites -o x.snps.fa x.fa
grep '^##fileformat' x.vcf
grep -v '^##' x.vcf | cut -f 2,4,5,10- | tee table.txt
grep -q '^##fileformat=VCFv4.1$' x.vcf
printf 'POS\tREF\tALT\ta\tb\tc\td\n1\tA\tC\t0\t0\t1\t0\n2\tA\t*,T\t1\t1\t0\t2\n3\tR\tA,G\t0\t1\t2\t2\n' | cmp - table.txt
test "$(grep -v '>' x.snps.fa | tr '\n' ' ')" = "ANR A-A CAG ATG "
echo "as described"
