"""Reads the alignments and trees in the tests of Biopython and scikit-bio with Biopython, DendroPy and scikit-bio, and with regraft.

compare.py FOLDER BUILD [NAME] downloads what it needs from PyPI to FOLDER, calls the programs and the Python module in BUILD, and prints a
line for each library and file whose path contains NAME: whether it is read alike, the message if it is refused, or what differs. It fails if contents
differ. It needs the network, so it is no part of the CI.
"""

import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import warnings

VERSIONS = ["biopython==1.88", "dendropy==5.1.3", "scikit-bio==0.7.4"]
LARGEST = 1 << 20
ENDINGS = {".py", ".pyc", ".xml", ".gz", ".bgz", ".bam", ".html", ".json", ".so"}


def set_up(folder):
    """Installs the libraries, unless they are there. Returns the Python that has them."""
    python = folder / "venv/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *VERSIONS], check=True)
    for library in VERSIONS:
        name = library.replace("==", "-")
        if library.startswith("biopython") and not (folder / name).exists():
            command = [python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", folder, library]
            subprocess.run(command, check=True)
            with tarfile.open(folder / f"{name}.tar.gz") as archive:
                archive.extractall(folder)
    return python


def collections(folder):
    """Yields the files of the tests that may hold alignments or trees; the wheel of scikit-bio has its tests."""
    roots = [*folder.glob("biopython-*/Tests"), *folder.glob("venv/lib/python*/site-packages/skbio")]
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.suffix not in ENDINGS and 0 < path.stat().st_size < LARGEST:
                yield path.relative_to(root.parent), path


def same_lengths(rows):
    return len(rows) > 1 and len({len(row) for _, row in rows}) == 1 and rows[0][1] != ""


def format_of(text):
    start = text.lstrip()
    if start.startswith(">"):
        return "fasta"
    if start.startswith("# STOCKHOLM"):
        return "stockholm"
    if start[:6].lower() == "#nexus":
        return "nexus"
    if re.match(r"CLUSTAL|MUSCLE|PROBCONS|MSAPROBS|Kalign", start):
        return "clustal"
    return "phylip" if re.match(r"\d+\s+\d+", start) else ""


def by_biopython(text):
    """The alignments that Biopython reads, as lists of names and rows; its readers of PHYLIP may differ."""
    from Bio import AlignIO

    form = format_of(text)
    found = []
    for name in ["phylip-relaxed", "phylip-sequential", "phylip"] if form == "phylip" else [form] if form else []:
        with contextlib.suppress(Exception):
            read = list(AlignIO.parse(io.StringIO(text), name))
            rows = [(record.id, str(record.seq)) for record in read[0]]
            if len(read) == 1 and same_lengths(rows):
                found.append(rows)
    return found


def by_skbio(text):
    """The alignment that scikit-bio reads: as DNA, RNA or amino acids, whichever accepts all of its characters."""
    import skbio

    form = format_of(text)
    if form not in ("fasta", "stockholm", "clustal", "phylip"):
        return []
    for letters in (skbio.DNA, skbio.RNA, skbio.Protein):
        with contextlib.suppress(Exception):
            read = skbio.TabularMSA.read(io.StringIO(text), format=form, constructor=letters, **({"lowercase": "case"} if form == "fasta" else {}))
            names = [row.metadata["id"] for row in read] if form == "fasta" else [str(label) for label in read.index]
            rows = [(name, cells_of(row)) for name, row in zip(names, read, strict=True)]
            return [rows] if same_lengths(rows) else []
    return []


def cells_of(row):
    """The characters of a row of scikit-bio, in the case of its text."""
    text = str(row)
    if not row.has_positional_metadata() or "case" not in row.positional_metadata:
        return text
    return "".join(c.lower() if is_lower else c for c, is_lower in zip(text, row.positional_metadata["case"], strict=True))


def quoted(name):
    return "'" + name.replace("'", "''") + "'"


def newick(node):
    """A node of DendroPy as plain Newick, without labels of inner nodes."""
    children = node.child_nodes()
    text = f"({','.join(map(newick, children))})" if children else quoted(node.taxon.label if node.taxon else node.label or "")
    return text + (f":{node.edge_length!r}" if node.edge_length is not None else "")


def newick_of_skbio(node):
    """A node of scikit-bio as plain Newick, without labels of inner nodes."""
    text = f"({','.join(map(newick_of_skbio, node.children))})" if node.children else quoted(node.name or "")
    return text + (f":{node.length!r}" if node.length is not None else "")


def trees_by_skbio(text):
    """The tree that scikit-bio reads, which reads one; none of a text with several."""
    import skbio

    if not re.match(r"(\[.*?\]\s*)*\(", text.lstrip(), re.DOTALL) or text.count(";") != 1:
        return []
    with contextlib.suppress(Exception):
        return [newick_of_skbio(skbio.TreeNode.read(io.StringIO(text), format="newick", convert_underscores=False)) + ";"]
    return []


def trees_by_dendropy(text):
    """The trees that DendroPy reads, as plain Newick."""
    import dendropy

    start = text.lstrip()
    is_nexus = start[:6].lower() == "#nexus"
    if not is_nexus and not re.match(r"(\[.*?\]\s*)*\(", start, re.DOTALL):
        return []
    with contextlib.suppress(Exception):
        read = dendropy.TreeList.get(data=text, schema="nexus" if is_nexus else "newick", preserve_underscores=True)
        return [newick(tree.seed_node) + ";" for tree in read]
    return []


READERS = {"Biopython": by_biopython, "scikit-bio": by_skbio, "DendroPy, trees": trees_by_dendropy, "scikit-bio, trees": trees_by_skbio}


def call(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    return done.stdout if done.returncode == 0 else None, done.stderr.strip().replace("\n", " ")


def rows_by_regraft(path, build):
    """The rows that regraft-msa writes, or the Python module if names have blanks, which FASTA cannot hold; or a message."""
    text, message = call([build / "apps/msa/regraft-msa", "cat", "--format", "fasta", "--width", "0", path])
    if text is not None:
        lines = text.splitlines()
        return [(name[1:].split()[0], row) for name, row in zip(lines[::2], lines[1::2], strict=True)], ""
    if "has a blank in its name" not in message:
        return None, message
    from regraft import msa

    read = msa.read(path)
    return [(name, row.tobytes().decode()) for name, row in zip(read.names, read.cells, strict=True)], ""


def compare_alignment(path, expected, build):
    rows, message = rows_by_regraft(path, build)
    if rows is None:
        return "refused", message
    if path.read_text().lstrip().startswith("# STOCKHOLM"):  # Biopython replaces the dots
        rows, *expected = [[(name, row.replace(".", "-")) for name, row in read] for read in (rows, *expected)]
    if rows in expected:
        return "alike", ""
    for (name, row), (other_name, other_row) in zip(rows, expected[0], strict=False):
        if name != other_name or row != other_row:
            return "differs", f"{name} {row[:60]} | {other_name} {other_row[:60]}"
    return "differs", f"{len(rows)} rows | {len(expected[0])} rows"


def of_trees(path, build, prefix):
    """What regraft tells of trees: how far they are from each other, and their consensus with its mean lengths."""
    told = []
    for command, ending in [(["rfdist"], ".rfDistances"), (["consensus", "--threshold", "mr"], ".consensus")]:
        said, message = call([build / "apps/phylo/regraft-phylo", *command, "--trees", path, "--prefix", prefix, "--redo"])
        if said is None and not (ending == ".rfDistances" and "tree" in message and "two" in message):
            return None, message
        if said is not None:
            told.append(pathlib.Path(f"{prefix}{ending}").read_text())
    return told, ""


def compare_trees(path, expected, build, folder):
    plain = folder / "plain.nwk"
    plain.write_text("\n".join(expected) + "\n")
    found, message = of_trees(path, build, folder / "found")
    if found is None:
        return "refused", message
    wanted, message = of_trees(plain, build, folder / "wanted")
    if found == wanted:
        return "alike", ""
    return "differs", message or f"{found[-1][:100].strip()} | {wanted[-1][:100].strip()}"


def compare(folder, build, part):
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(build / "bindings/python"))
    counts = {"alike": 0, "refused": 0, "differs": 0}
    with tempfile.TemporaryDirectory() as temporary:
        for name, path in collections(folder):
            if part not in str(name):
                continue
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            for library, read in READERS.items():
                if not (expected := read(text)):
                    continue
                arguments = (path, expected, build)
                are_trees = read in (trees_by_dendropy, trees_by_skbio)
                result, what = compare_trees(*arguments, pathlib.Path(temporary)) if are_trees else compare_alignment(*arguments)
                counts[result] += 1
                print(f"{result:8} {library:20} {name}  {what.replace(str(path), path.name)}".rstrip())
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    return 1 if counts["differs"] else 0


def main():
    folder, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    folder.mkdir(exist_ok=True)
    part = sys.argv[3] if len(sys.argv) > 3 else ""
    python = set_up(folder)
    if pathlib.Path(sys.prefix) != folder / "venv":
        os.execv(python, [python, __file__, str(folder), str(build), part])
    sys.exit(compare(folder, build, part))


if __name__ == "__main__":
    main()
