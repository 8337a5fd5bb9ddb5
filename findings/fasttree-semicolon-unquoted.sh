#!/bin/sh
# Expected: a tree that is written can be read again. Newick wants quotes around names with ':', ';', ',', '(' or ')' (Olsen, 1990).
# What happens: a name with ';' is written without quotes. The ';' ends the tree for every reader, and the rest of the line begins another one.
# Names with ':' or '(' are cut there without a word, so that the tree has other names than the alignment. The exit code is 0 each time.
# Versions: FastTree 2.1.11-2 (Debian 12). Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q -o APT::Sandbox::User=root fasttree=2.1.11-2 > download.txt 2>&1
dpkg-deb -x fasttree_*.deb .
tree_with() {
    printf '>%s\nACGTACGTAC\n>b\nACGTTCGTAC\n>c\nACGAACGTCC\n>d\nACGAACCTCC\n' "$1" > names.fa
    usr/bin/fasttree -nt -quiet -nosupport names.fa | sed 's/:[0-9.]*//g'
}
for name in 'a;1' 'a:1' 'a(1)'; do
    tree=$(tree_with "$name")
    echo "$name: $tree"
    case "$name" in 'a;1') test "$tree" = "(c,d,(a;1,b));" ;; *) test "$tree" = "(c,d,(a,b));" ;; esac
done
echo "as described"
