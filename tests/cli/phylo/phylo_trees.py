#!/usr/bin/env python3
"""The commands on files of trees write what a naive reading of the definitions gives, and what dendropy gives where it is
installed; bad input is refused. Mode files or kills."""
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys

import phylo_job

try:
    import dendropy
except ImportError:
    dendropy = None

Split = frozenset  # the side without the first taxon


# --- the definitions, taken literally ---------------------------------------------------------------------------------


class Node:
    def __init__(self, children=(), name="", length=None):
        self.children, self.name, self.length = list(children), name, length

    def taxa(self) -> set[str]:
        return set().union(*(child.taxa() for child in self.children)) if self.children else {self.name}

    def below(self):
        for child in self.children:
            yield child
            yield from child.below()

    def text(self) -> str:
        inside = f"({','.join(child.text() for child in self.children)})" if self.children else self.name
        return inside + ("" if self.length is None else f":{self.length}")


def parse(text: str) -> Node:
    """Newick without quotes and comments, by recursion."""
    tokens = re.findall(r"[(),;]|[^(),;]+", text.strip())

    def node() -> Node:
        children = []
        if tokens[0] == "(":
            while tokens.pop(0) in "(,":
                children.append(node())
                if tokens[0] == ")":
                    tokens.pop(0)
                    break
        word = tokens.pop(0) if tokens[0] not in "(),;" else ""
        name, _, length = word.partition(":")
        return Node(children, name, float(length) if length else None)

    return node()


def one_side(taxa: set[str], everybody: list[str]) -> Split:
    return Split(set(everybody) - taxa if everybody[0] in taxa else taxa)


def splits(tree: Node, everybody: list[str], trivial: bool = False) -> dict[Split, Node]:
    found = {one_side(node.taxa(), everybody): node for node in tree.below()}
    return {split: node for split, node in found.items() if trivial or 2 <= len(split) <= len(everybody) - 2}


def transfer_support(split: Split, replicates: list[Node], everybody: list[str]) -> float:
    def distance(other: Split) -> int:
        return min(len(split ^ other), len(everybody) - len(split ^ other))

    least = [min(map(distance, splits(tree, everybody, trivial=True))) for tree in replicates]
    lighter = min(len(split), len(everybody) - len(split))
    return 1 - sum(least) / len(least) / (lighter - 1)


def random_tree(taxa: list[str], draw: random.Random, resolution: float) -> Node:
    """A random tree, rooted or not, binary or not, with or without lengths."""
    nodes = [Node(name=name, length=draw.randrange(1, 99) / 64) for name in taxa]
    while len(nodes) > 3:
        pair = [nodes.pop(draw.randrange(len(nodes))) for _ in range(2)]
        while len(nodes) > 3 and draw.random() > resolution:
            pair.append(nodes.pop(draw.randrange(len(nodes))))
        nodes.append(Node(pair, length=draw.randrange(1, 99) / 64))
    if len(nodes) == 3 and draw.random() < 0.5:
        nodes = [Node(nodes[:2], length=0.5), nodes[2]]
    return Node(nodes)


def shaken(tree: Node, draw: random.Random) -> Node:
    """The tree with some tips exchanged and some inner edges gone."""
    copy = parse(tree.text() + ";")
    tips = [node for node in copy.below() if not node.children]
    for _ in range(draw.randrange(4)):
        a, b = draw.sample(tips, 2)
        a.name, b.name = b.name, a.name
    return copy


# --- what is written --------------------------------------------------------------------------------------------------


class Files(phylo_job.Folder):
    def run(self, ranks: int, arguments: list[str], extension: str) -> str:
        """The text of the output of a run that succeeds."""
        result = self.jobs.run(ranks, arguments)
        result.require(result.codes == [0] * ranks, f"{arguments}: expected success")
        output = pathlib.Path(f"{result.prefix}{extension}")
        result.require(output.exists(), f"{arguments}: expected {output}")
        result.require(result.output.count("written: ") <= 4, "expected one report, not one per rank")
        return output.read_text(encoding="utf-8")


def labels(text: str, everybody: list[str]) -> dict[Split, float]:
    return {split: float(node.name) for split, node in splits(parse(text), everybody).items()}


def close(a: float, b: float, tolerance: float) -> bool:
    return abs(a - b) <= tolerance + 1e-9


def supports(files: Files, draw: random.Random, ranks: int) -> None:
    everybody = sorted(f"t{i}" for i in range(draw.randrange(4, 20)))
    reference = random_tree(everybody, draw, 0.9)
    replicates = [shaken(reference, draw) for _ in range(draw.randrange(1, 10))]
    tree = files.write("ref.nwk", reference.text() + ";")
    trees = files.write("bs.nwk", "".join(t.text() + ";" + draw.choice(["\n", " ", ""]) for t in replicates))
    expected = splits(reference, everybody)
    found = labels(files.run(ranks, ["support", "--tree", tree, "--bs-trees", trees], ".support"), everybody)
    assert found.keys() == expected.keys(), (found, expected)
    for split, percent in found.items():
        share = sum(split in splits(t, everybody) for t in replicates) / len(replicates)
        assert close(percent, 100 * share, 0.5), (split, percent, share)
    text = files.run(ranks, ["support", "--tree", tree, "--bs-trees", trees, "--metric", "tbe"], ".support")
    for split, value in labels(text, everybody).items():
        assert close(value, transfer_support(split, replicates, everybody), 5e-5), (split, value)
    lengths = {split: node.length for split, node in splits(parse(text), everybody, trivial=True).items()}
    rooted = len(reference.children) == 2  # two edges became one
    for split, node in splits(reference, everybody, trivial=True).items():
        assert lengths[split] == node.length or (rooted and lengths[split] > node.length), split


def consensus_trees(files: Files, draw: random.Random, ranks: int) -> None:
    everybody = sorted(f"t{i}" for i in range(draw.randrange(4, 16)))
    first = random_tree(everybody, draw, 1)
    trees = [shaken(first, draw) for _ in range(2 * draw.randrange(1, 6) + 1)]
    path = files.write("trees.nwk", "\n".join(t.text() + ";" for t in trees))
    count = {}
    for split in itertools.chain.from_iterable(splits(t, everybody) for t in trees):
        count[split] = count.get(split, 0) + 1
    for threshold, least in (("mr", 0.5), ("strict", 1), ("0.7", 0.7), ("MR70", 0.7)):
        found = labels(files.run(ranks, ["consensus", "--trees", path, "--threshold", threshold], ".consensus"), everybody)
        expected = {s: n for s, n in count.items() if n == len(trees) or n > least * len(trees)}
        assert found.keys() == expected.keys(), (threshold, found, expected)
        assert all(close(found[s], 100 * n / len(trees), 0.5) for s, n in expected.items()), threshold
    text = files.run(ranks, ["consensus", "--trees", path, "--threshold", "mre"], ".consensus")
    extended = labels(text, everybody)
    for split, number in count.items():  # in it, or contradicted by others at least as frequent
        def contradicts(other: Split) -> bool:
            return not (split <= other or other <= split or not split & other)
        assert split in extended or any(contradicts(s) and count[s] >= number for s in extended), split
    mean = {split: node.length for split, node in splits(parse(text), everybody, trivial=True).items()}
    for split, length in mean.items():
        if len(first.children) == 3:  # otherwise edges at the root are sums
            given = [s[split].length for t in trees if split in (s := splits(t, everybody, trivial=True))]
            assert close(length, sum(given) / len(given), 1e-9), split
    if dendropy:
        like_dendropy(path, extended, trees)


def like_dendropy(path: str, extended: dict[Split, float], trees: list[Node]) -> None:
    everything = dendropy.TreeList.get(path=path, schema="newick", rooting="force-unrooted")
    majority = everything.consensus(min_freq=0.5 + 0.25 / len(trees), is_bipartitions_updated=False)  # odd: no ties
    names = sorted(taxon.label for taxon in everything.taxon_namespace)
    theirs = splits(parse(majority.as_string("newick", suppress_rooting=True, suppress_internal_node_labels=True)), names)
    ours = {split for split, percent in extended.items() if percent > 50}
    assert ours == theirs.keys(), (ours, theirs.keys())


def distances(files: Files, draw: random.Random, ranks: int) -> None:
    everybody = sorted(f"t{i}" for i in range(draw.randrange(4, 16)))
    first = random_tree(everybody, draw, 0.8)
    trees = [shaken(first, draw) for _ in range(draw.randrange(1, 8))]
    sets = [splits(t, everybody).keys() for t in trees]
    path = files.write("trees.nwk", "\n".join(t.text() + ";" for t in trees))
    reference = files.write("ref.nwk", first.text() + ";")
    out = files.directory / "rf.json"
    most = 2 * (len(everybody) - 3)

    text = files.run(ranks, ["rfdist", "--trees", path, "--json", str(out), "--redo"], ".rfDistances")
    pairs = list(itertools.combinations(range(len(trees)), 2))
    expected = [len(sets[i] ^ sets[j]) for i, j in pairs]
    assert text == "".join(f"{i}\t{j}\t{d}\t{d / most:.6f}\n" for (i, j), d in zip(pairs, expected)), text
    report = json.loads(out.read_text(encoding="utf-8"))
    assert [d for row in report["distances"] for d in row] == expected and len(report["distances"]) == len(trees), report
    assert report["unique_topologies"] == len(set(map(frozenset, sets))) and report["reference"] is None, report
    assert close(report["mean"], sum(expected) / max(1, len(expected)), 1e-9) and report["largest_possible"] == most, report

    text = files.run(ranks, ["rfdist", "--trees", path, "--tree", reference, "--json", str(out), "--redo"], ".rfDistances")
    expected = [len(s ^ splits(first, everybody).keys()) for s in sets]
    assert text == "".join(f"{i}\t{d}\t{d / most:.6f}\n" for i, d in enumerate(expected)), text
    assert json.loads(out.read_text(encoding="utf-8"))["distances"] == expected
    if dendropy:
        both = dendropy.TreeList.get(data=f"{first.text()};\n{trees[0].text()};", schema="newick", rooting="force-unrooted")
        assert dendropy.calculate.treecompare.symmetric_difference(both[0], both[1]) == expected[0]


def ends_of(split: Split, sides: list[Split], everybody: list[str]) -> tuple[list[set], list[set]]:
    """The subtrees at both ends of an edge, by their first taxa: on a side of the edge, the largest sides of other edges."""
    def subtrees(end: set[str]) -> list[set]:
        within = [side for one in sides for side in (set(one), set(everybody) - one) if side < end]
        return sorted((side for side in within if not any(side < other for other in within)), key=min)
    return subtrees(set(split)), subtrees(set(everybody) - split)


def quartet_shares(rows: dict[str, str], a: str, b: str, c: str, d: str) -> list[float]:
    count = [0, 0, 0]
    for w, x, y, z in zip(rows[a], rows[b], rows[c], rows[d]):
        if {w, x, y, z} <= set("ACGT"):
            for k, (pair, other) in enumerate((((w, x), (y, z)), ((w, y), (x, z)), ((w, z), (x, y)))):
                count[k] += pair[0] == pair[1] != other[0] == other[1]
    return [number / max(1, sum(count)) for number in count]


def pruned(tree: Node, taxa: set[str]) -> Node | None:
    if not tree.children:
        return tree if tree.name in taxa else None
    children = [child for child in (pruned(child, taxa) for child in tree.children) if child]
    return Node(children, length=tree.length) if len(children) > 1 else children[0] if children else None


def concordances(files: Files, draw: random.Random, ranks: int) -> None:
    everybody = sorted(f"t{i}" for i in range(draw.randrange(4, 14)))
    tree = random_tree(everybody, draw, 0.9)
    genes = [shaken(random_tree(everybody, draw, 0.9) if draw.random() < 0.3 else tree, draw) for _ in range(draw.randrange(1, 12))]
    genes = [pruned(gene, set(draw.sample(everybody, draw.randrange(2, len(everybody) + 1)))) if draw.random() < 0.5 else gene for gene in genes]
    rows = {name: "".join(draw.choice("ACGTACGTACGTN-R") for _ in range(90)) for name in everybody}
    paths = files.write("sp.nwk", tree.text() + ";"), files.write("genes.nwk", "".join(gene.text() + ";\n" for gene in genes))
    msa = files.write("genes.fa", "".join(f">{name}\n{row}\n" for name, row in [*rows.items(), ("not_in_the_tree", "A" * 90)]))
    out = files.directory / "cf.json"
    words = ["concordance", "--tree", paths[0], "--gene-trees", paths[1], "--msa", msa, "--quartets", "4000", "--json", str(out), "--redo"]
    labelled = files.run(ranks, words, ".concordance")
    prefix = files.directory / f"job{files.jobs.count}"
    head, *lines = [line.split("\t") for line in pathlib.Path(f"{prefix}.concordanceTable").read_text(encoding="utf-8").splitlines()]
    edges = splits(parse(pathlib.Path(f"{prefix}.concordanceEdges").read_text(encoding="utf-8")), everybody)
    assert edges.keys() == splits(tree, everybody).keys() and sorted(int(node.name) for node in edges.values()) == list(range(1, len(lines) + 1)), edges
    sides = list(splits(tree, everybody, trivial=True))
    report = json.loads(out.read_text(encoding="utf-8"))
    assert (report["gene_trees"], report["sites"], report["quartets"], len(report["edges"])) == (len(genes), 90, 4000, len(lines)), report
    texts = {split: node.name for split, node in splits(parse(labelled), everybody).items()}
    for split, node in edges.items():
        row = dict(zip(head, lines[int(node.name) - 1], strict=True))
        told = report["edges"][int(node.name) - 1]
        assert one_side(set(told["split"]), everybody) == split and 2 * len(told["split"]) <= len(everybody), told
        ends = ends_of(split, sides, everybody)
        if min(ends[1]) < min(ends[0]):  # which end is below is no matter
            ends = ends[::-1]
        counts = [0] * 5
        for gene in genes:
            taxa = gene.taxa()
            if not all(sum(bool(subtree & taxa) for subtree in end) >= 2 for end in ends):
                continue
            names = sorted(taxa)
            has = splits(gene, names).keys()
            found = [one_side(set().union(*ends[0]) & taxa, names) in has]
            if len(ends[0]) == len(ends[1]) == 2:
                found += [one_side((ends[0][0] | ends[1][k]) & taxa, names) in has for k in (0, 1)]
            counts = [n + bool(f) for n, f in zip(counts, [*found, *([0] * (3 - len(found))), not any(found), True])]
        assert [int(row[name]) for name in ("gCF_N", "gDF1_N", "gDF2_N", "gDFP_N", "gN")] == counts, (row, counts)
        assert all(row[name] == "NA" if counts[4] == 0 else close(float(row[name]), 100 * counts[k] / counts[4], 0.005) for k, name in enumerate(("gCF", "gDF1", "gDF2", "gDFP"))), row
        mean = [0.0, 0.0, 0.0]
        pairs = [[pair for i, j in itertools.combinations(range(len(end)), 2) for pair in [(sorted(end[i]), sorted(end[j]))]] for end in ends]
        for (a, b), (c, d) in itertools.product(*pairs):
            some = [quartet_shares(rows, *(draw.choice(taxa) for taxa in (a, b, c, d))) for _ in range(60)]
            mean = [m + sum(shares[k] for shares in some) / len(some) / len(pairs[0]) / len(pairs[1]) for k, m in enumerate(mean)]
        if len(ends[0]) == len(ends[1]) == 2:
            assert all(close(float(row[name]), 100 * mean[k], 12) for k, name in enumerate(("sCF", "sDF1", "sDF2"))), (row, mean)
        else:
            assert close(float(row["sCF"]), 100 * mean[0], 12), (row, mean)
        genes_told, sites_told = texts[split].split("/")
        assert (genes_told == "NA") == (counts[4] == 0) and close(float(sites_told), float(row["sCF"]), 0.06), texts[split]
    alone = files.run(1, ["concordance", "--tree", paths[0], "--gene-trees", paths[1]], ".concordanceTable")
    assert [line.split("\t")[:10] for line in alone.splitlines()[1:]] == [line[:10] for line in lines], alone
    again = files.run(2, ["concordance", "--tree", paths[0], "--msa", msa, "--quartets", "4000"], ".concordanceTable")
    assert [line.split("\t")[1:-1] for line in again.splitlines()[1:]] == [line[10:-1] for line in lines], again


def concordances_of_alignments(files: Files) -> None:
    """Names of the alignment are as --names says, and records of VCF that are no SNPs are skipped if that is asked for."""
    columns = ["AACC", "CCTT", "AGAG", "TTTT"]
    def table(words: list[str], names: list[str]) -> str:
        quoted = [f"'{name}'" if " " in name else name for name in names]
        tree = files.write("four.nwk", f"(({quoted[0]},{quoted[1]}),{quoted[2]},{quoted[3]});")
        return files.run(1, ["concordance", "--tree", tree, *words], ".concordanceTable")
    rows = ["".join(column[i] for column in columns) for i in range(4)]
    names = [f"Homo sapiens {i}" for i in range(4)]
    described = files.write("described.fa", "".join(f">{name}\n{row}\n" for name, row in zip(names, rows)))
    whole = table(["--msa", described, "--names", "whole"], names)
    assert whole.splitlines()[1].split("\t")[1] == "66.67", whole
    assert table(["--msa", described, "--names", "joined"], [name.replace(" ", "_") for name in names]) == whole
    cells = ["0088", "0{01}11", "1313", "88{78}{89}"]  # the second and the last have no one state for each taxon
    standard = ["".join(re.findall(r"{\w+}|\w", column)[i] if "{" in column else column[i] for column in cells) for i in range(4)]
    sets = files.write("sets.nex", "#nexus\nbegin data;\ndimensions nchar=4;\nformat datatype=standard;\nmatrix\n"
                       + "".join(f"t{i} {row}\n" for i, row in enumerate(standard)) + ";\nend;\n")
    assert table(["--msa", sets], [f"t{i}" for i in range(4)]).splitlines()[1].split("\t")[1] == "50", "expected one of two decisive sites"
    head = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n"
    records = [f"c\t{i}\t.\t{column[0]}\t{(column.replace(column[0], '') or '.')[0]}\t.\t.\t.\tGT\t" + "\t".join(str(int(base != column[0])) for base in column)
               for i, column in enumerate(columns, 1)]
    vcf = files.write("four.vcf", head + "\n".join([*records, "c\t9\t.\tAC\tA\t.\t.\t.\tGT\t0\t1\t0\t1"]) + "\n")
    out = files.directory / "four.json"
    assert table(["--msa", vcf, "--not-snps", "skip", "--json", str(out)], list("abcd")) == whole
    told = json.loads(out.read_text(encoding="utf-8"))
    assert (told["sites"], told["skipped_records"]) == (4, 1), told
    result = files.jobs.run(1, ["concordance", "--tree", files.write("t.nwk", "((a,b),c,d);"), "--msa", vcf])
    result.require(result.codes == [2] and "expected SNPs" in result.output, "expected a refusal")


def names_and_outgroups(files: Files) -> None:
    """Names that need quotes come back in them; the text is rooted where the options say."""
    tree = files.write("q.nwk", "('a b':1,'it''s'[x]:1,('(c)':1,(d_d:1,é:1)99:1)'x,y':2);")
    plain = files.run(1, ["support", "--tree", tree, "--bs-trees", tree], ".support")
    assert plain == "(('(c)':1,(d_d:1,é:1)100:1)100:2,'a b':1,'it''s':1);\n", plain
    rooted = files.run(2, ["support", "--tree", tree, "--bs-trees", tree, "--outgroup", "é,d_d"], ".support")
    assert rooted == "('(c)':1,('a b':1,'it''s':1)100:2,(d_d:1,é:1)100:1);\n", rooted
    nexus = files.run(1, ["support", "--tree", tree, "--bs-trees", tree, "--format", "nexus"], ".support")
    assert nexus == ("#NEXUS\nbegin taxa;\n  dimensions ntax=5;\n  taxlabels\n    '(c)'\n    'a b'\n    d_d\n    'it''s'\n    é;\nend;\nbegin trees;\n"
                     "  tree tree_1 = [&U] (('(c)':1,(d_d:1,é:1)[&support=100]:1)[&support=100]:2,'a b':1,'it''s':1);\nend;\n"), nexus
    again = files.run(1, ["support", "--tree", files.write("q.nex", nexus), "--bs-trees", tree], ".support")
    assert again == plain, again
    star = files.run(1, ["consensus", "--trees", files.write("s.nwk", "(b,c,a);(b,a,c);"), "--outgroup", "b"], ".consensus")
    assert star == "(a,b,c);\n", star


def like_raxml(files: Files) -> None:
    """The options of RAxML-NG do the same."""
    trees = files.write("r.nwk", "((A,B),C,(D,E));((A,B),C,(D,E));((A,C),B,(D,E));")
    tree = files.write("t.nwk", "((A,B),C,(D,E));")
    for ours, theirs, extension in (
            (["support", "--tree", tree, "--bs-trees", trees], ["--support", "--tree", tree, "--bs-trees", trees], ".support"),
            (["support", "--tree", tree, "--bs-trees", trees, "--metric", "tbe"],
             ["--bs-trees", trees, "--tree", tree, "--bs-metric", "tbe", "--support"], ".support"),
            (["rfdist", "--trees", trees], ["--rfdist", "--tree", trees], ".rfDistances"),
            (["consensus", "--trees", trees], ["--consense", "--tree", trees], ".consensus"),
            (["consensus", "--trees", trees, "--threshold", "mre"], ["--tree", trees, "--consense", "MRE"], ".consensus"),
            (["consensus", "--trees", trees, "--threshold", "strict"], [f"--tree={trees}", "--consense=STRICT"], ".consensus")):
        assert files.run(1, ours, extension) == files.run(1, theirs, extension), theirs


FILES = {
    "good.nwk": "((A,B),C,(D,E));",
    "two.nwk": "((A,B),C,(D,E));\n((A,B),C,(D,E));",
    "empty.nwk": "",
    "blank.nwk": "\n\n",
    "cut.nwk": "((A,B),C,(D,E));\n((A,B),C,(D,",
    "unended.nwk": "((A,B),C,(D,E))",
    "fewer.nwk": "((A,B),C,(D,E));\n((A,B),C,D);",
    "more.nwk": "((A,B),C,(D,E));\n((A,B),C,(D,(E,F)));",
    "other.nwk": "((A,B),C,(D,X));",
    "twins.nwk": "((A,B),C,(D,A));",
    "later_twins.nwk": "((A,B),C,(D,E));\n((A,B),C,(D,D));",
    "length.nwk": "((A,B):x,C,(D,E));",
    "text.nwk": "no tree at all",
    "pair.nwk": "(A,B);",
    "four.fa": ">A\nACGT\n>B\nACGT\n>C\nACGT\n>D\nACGT\n",
}
BOTH = ["--tree", "{d}/good.nwk", "--bs-trees", "{d}/two.nwk"]
CASES = [  # arguments, what the message must contain
    (["support"], "--tree"),
    (["support", "--tree", "{d}/good.nwk"], "--bs-trees"),
    (["support", *BOTH, "--metric", "mad"], "--metric"),
    (["support", *BOTH, "--outgroup", "A,Q"], "--outgroup: taxon 'Q' is not in the tree"),
    (["support", *BOTH, "--outgroup", "A,A"], "--outgroup: taxon 'A' is given twice"),
    (["support", *BOTH, "--outgroup", "B,C"], "the outgroup 'B', 'C' is not a clade"),
    (["support", *BOTH, "--outgroup", "A,B,C,D,E"], "expected at least one, but not all"),
    (["support", "--tree", "{d}/two.nwk", "--bs-trees", "{d}/two.nwk"], "two.nwk: has 2 trees, expected one"),
    (["support", "--tree", "{d}/good.nwk", "--bs-trees", "{d}/none.nwk"], "none.nwk: cannot be read"),
    (["support", "--tree", "{d}", "--bs-trees", "{d}/two.nwk"], "cannot be read"),
    (["support", "--tree", "{d}/good.nwk", "--bs-trees", "{d}/empty.nwk"], "empty.nwk:1:1: expected '('"),
    (["support", "--tree", "{d}/empty.nwk", "--bs-trees", "{d}/two.nwk"], "empty.nwk:1:1: expected '('"),
    (["support", "--tree", "{d}/good.nwk", "--bs-trees", "{d}/cut.nwk"], "cut.nwk:2:13: expected a taxon or '(', found the end"),
    (["support", "--tree", "{d}/good.nwk", "--bs-trees", "{d}/fewer.nwk"], "fewer.nwk:2:1: the tree lacks 1 of the 5 taxa: 'E'"),
    (["support", "--tree", "{d}/good.nwk", "--bs-trees", "{d}/more.nwk"], "more.nwk:2:16: taxon 'F' is not in {d}/good.nwk"),
    (["support", "--tree", "{d}/good.nwk", "--bs-trees", "{d}/other.nwk"], "other.nwk:1:13: taxon 'X' is not in {d}/good.nwk"),
    (["support", "--tree", "{d}/twins.nwk", "--bs-trees", "{d}/two.nwk"], "twins.nwk:1:13: taxon 'A' is in the tree twice"),
    (["support", "--tree", "{d}/good.nwk", "--bs-trees", "{d}/later_twins.nwk"], "later_twins.nwk:2:13: taxon 'D' is in the tree twice"),
    (["consensus"], "--trees"),
    (["consensus", "--trees", "{d}/two.nwk", "--threshold", "0.3"], "'0.3', expected strict, mr, mre or a number from 0.5 to 1"),
    (["consensus", "--trees", "{d}/two.nwk", "--threshold", "nan"], "--threshold"),
    (["consensus", "--trees", "{d}/two.nwk", "--threshold", "mr20"], "--threshold"),
    (["consensus", "--trees", "{d}/two.nwk", "--json", "x"], "--json"),
    (["consensus", "--trees", "{d}/blank.nwk"], "blank.nwk:3:1: expected '('"),
    (["consensus", "--trees", "{d}/unended.nwk"], "unended.nwk:1:16: expected ';' after the tree"),
    (["consensus", "--trees", "{d}/fewer.nwk"], "fewer.nwk:2:1: the tree lacks 1 of the 5 taxa: 'E'"),
    (["consensus", "--trees", "{d}/more.nwk"], "more.nwk:2:16: taxon 'F' is not in the first tree"),
    (["consensus", "--trees", "{d}/length.nwk"], "length.nwk:1:8: expected the length of a branch"),
    (["consensus", "--trees", "{d}/pair.nwk"], "pair.nwk: a tree needs at least three taxa"),
    (["concordance", "--tree", "{d}/good.nwk"], "needs --gene-trees, --msa or both"),
    (["concordance", "--gene-trees", "{d}/two.nwk"], "--tree"),
    (["concordance", "--tree", "{d}/good.nwk", "--gene-trees", "{d}/more.nwk"], "more.nwk:2:16: taxon 'F' is not in {d}/good.nwk"),
    (["concordance", "--tree", "{d}/good.nwk", "--gene-trees", "{d}/later_twins.nwk"], "later_twins.nwk:2:13: taxon 'D' is in the tree twice"),
    (["concordance", "--tree", "{d}/good.nwk", "--gene-trees", "{d}/empty.nwk"], "empty.nwk:1:1: expected '('"),
    (["concordance", "--tree", "{d}/two.nwk", "--gene-trees", "{d}/two.nwk"], "two.nwk: has 2 trees, expected one"),
    (["concordance", "--tree", "{d}/good.nwk", "--msa", "{d}/four.fa"], "four.fa: lacks taxon 'E', expected all taxa of {d}/good.nwk"),
    (["concordance", "--tree", "{d}/good.nwk", "--msa", "{d}/good.nwk"], "good.nwk"),
    (["concordance", "--tree", "{d}/good.nwk", "--gene-trees", "{d}/two.nwk", "--quartets", "0"], "--quartets"),
    (["concordance", "--tree", "{d}/good.nwk", "--gene-trees", "{d}/two.nwk", "--json", "{d}/two.nwk", "--redo"], "two.nwk: is the input"),
    (["rfdist", "--trees", "{d}/text.nwk"], "text.nwk:1:1: expected '('"),
    (["rfdist", "--trees", "{d}/two.nwk", "--tree", "{d}/other.nwk"], "two.nwk:1:13: taxon 'E' is not in {d}/other.nwk"),
    (["rfdist", "--trees", "{d}/two.nwk", "--json", "{d}/good.nwk"], "good.nwk: exists already"),
    (["rfdist", "--trees", "{d}/two.nwk", "--json", "{d}/two.nwk", "--redo"], "two.nwk: is the input"),
    (["rfdist", "--trees", "{d}/two.nwk", "--threads", "2"], "--threads"),
    (["--rfdist", "--trees", "{d}/two.nwk", "--spr-radius", "2"], "--spr-radius"),
]


def refused(files: Files) -> None:
    for name, text in FILES.items():
        files.write(name, text)
    for number, (arguments, message) in enumerate(CASES):
        ranks = 1 if number % 4 else 3
        case = " ".join(arguments)
        result = files.jobs.run(ranks, [argument.format(d=files.directory) for argument in arguments])
        result.require(result.codes == [2] * ranks, f"{case}: expected exit code 2 on all ranks")
        result.require(message.format(d=files.directory) in result.output, f"{case}: expected a message with '{message}'")
        result.require(result.output.count("regraft-phylo:") == 1, f"{case}: expected one message, not one per rank")
        result.require(not list(files.directory.glob(f"{result.prefix.name}*")), f"{case}: left files behind")


def outputs(files: Files) -> None:
    """Output is named after the input; existing files are kept without --redo; output that cannot be written is told."""
    trees = files.write("named.nwk", "((A,B),C,(D,E));((A,C),B,(D,E));")
    output = files.directory / "named.nwk.consensus"

    def run(*more: str) -> subprocess.CompletedProcess:
        return subprocess.run([files.jobs.args.exe, "consensus", "--trees", trees, *more], capture_output=True, text=True, check=False)

    first = run()
    assert first.returncode == 0 and not first.stderr and "1 of 2 possible inner edges" in first.stdout, first
    text = output.read_text(encoding="utf-8")
    again = run("--threshold", "mre")
    assert again.returncode == 2 and "exists already; --redo" in again.stderr and output.read_text(encoding="utf-8") == text, again
    redo = run("--threshold", "mre", "--redo")
    assert redo.returncode == 0 and output.read_text(encoding="utf-8") != text, redo
    nowhere = run("--prefix", "/proc/none/x")
    assert nowhere.returncode == 1 and "cannot be written" in nowhere.stderr, nowhere
    assert not list(files.directory.glob("*.tmp"))
    for command, words in (("support", "transfer bootstrap expectation"), ("consensus", "--threshold mre"), ("rfdist", "--json distances.json")):
        told = subprocess.run([files.jobs.args.exe, command, "--help"], capture_output=True, text=True, check=False)
        assert told.returncode == 0 and words in told.stdout and f"regraft-phylo {command} --" in told.stdout, told


def all_files(jobs: phylo_job.Jobs, _) -> None:
    files = Files(jobs)
    print("dendropy is another judge" if dendropy else "without dendropy, which is not installed")
    for seed in range(8):
        draw = random.Random(seed)
        print(f"seed {seed}")
        for test in (supports, consensus_trees, distances, concordances):
            test(files, draw, 3 if seed % 4 == 0 else 1)
    concordances_of_alignments(files)
    names_and_outgroups(files)
    like_raxml(files)
    outputs(files)
    refused(files)


def kills(jobs: phylo_job.Jobs, _) -> None:
    """Whichever ranks die, the others end well, and the output is there, even if the dead rank was to write it."""
    files = Files(jobs)
    trees = files.write("trees.nwk", "((A,B),C,(D,E));((A,C),B,(D,E));((A,C),B,(D,E));")
    expected = files.run(3, ["consensus", "--trees", trees], ".consensus")
    num_killed = 0
    for victim, occurrence in itertools.product((0, 1), range(6)):
        result = jobs.run(3, ["consensus", "--trees", trees], plan=f"agree:inside:{victim}:{occurrence}")
        num_killed += len(result.killed())
        result.require(result.killed() <= {victim} and set(result.codes) <= {0, phylo_job.KILLED}, "expected that the others end well")
        output = pathlib.Path(f"{result.prefix}.consensus")
        result.require(output.exists() and output.read_text(encoding="utf-8") == expected, "expected the same output")
    assert num_killed >= 6, f"only {num_killed} deaths"


if __name__ == "__main__":
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("mode", choices=["files", "kills"])
    parsed = parser.parse_args()
    sys.exit(phylo_job.main(parsed, all_files if parsed.mode == "files" else kills, needs_deaths=parsed.mode == "kills"))
