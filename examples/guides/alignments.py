#!/usr/bin/env python3
"""alignments.py data/primates.phy RESULT.rgm: reads an alignment, looks at its columns, compresses it, and reads parts of it again."""
import pathlib
import sys

import numpy as np

from regraft import InputError, msa

TREE = ("((Tarsius_syrichta,Lemur_catta),(Saimiri_sciureus,((Macaca_fuscata,M_mulatta,M_fascicularis,M_sylvanus),"
        "(Hylobates,(Pongo,(Gorilla,(Homo_sapiens,Pan)))))));")


def main(source: str, target: str) -> None:
    alignment = msa.read(source)  # or msa.parse(text)
    print(f"{alignment.num_taxa} taxa, {alignment.num_sites} sites")

    # Partitions, and the different columns of each.
    for name, sites in {"front": slice(0, 400), "back": slice(400, 898)}.items():
        cells = alignment.cells[:, sites]
        weights = np.unique(cells.view(np.uint8), axis=1, return_counts=True)[1]
        print(f"{name}: {cells.shape[1]} sites, {weights.size} patterns, the most frequent at {weights.max()} sites")

    # Compressed to a file that appears whole or not at all.
    text = pathlib.Path(source).read_bytes()
    packed = msa.compress(source, target)
    print(f"{len(text)} bytes become {packed.stat().st_size}")

    # Parts of the file. Other blocks are neither read nor decoded.
    file = msa.open(packed)
    part = file.rows(100, 103)
    for name in ("Homo_sapiens", "Pan"):
        print(f"sites 100 to 102 of {name}: {part[file.names.index(name)].tobytes().decode()}")
    print(f"the whole text is {'the same' if file.text() == text else 'another one'}")

    # The tree along which it was compressed, and another one to compress along.
    print(file.newick)
    print(f"along the given tree {len(msa.compress_text(text, source, tree=TREE))} bytes")


try:
    main(*sys.argv[1:])
except InputError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
