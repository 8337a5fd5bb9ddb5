"""Compares log-likelihoods of regraft-phylo with those of IQ-TREE 2, for partition files that IQ-TREE has written.

partitions_of_iqtree.py PHYLO [IQTREE [SEEDS [FOLDER]]] simulates a data set for each seed, 20 by default, lets IQ-TREE merge its partitions and
choose models (-m MFP+MERGE) with linked, scaled or unlinked lengths, and then gives the tree and the models that it has written, with
their values, to both programs. It prints a line for each, and fails if log-likelihoods differ by more than 0.0001. IQ-TREE 2.0.7 cannot keep
lengths (-blfix) under free rates (+R). Then both programs optimise the lengths, and may differ by 0.01; linked lengths, which IQ-TREE keeps
while it merges, are tried without +R. It needs iqtree2, so it is no part of the CI.
"""

import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

LINKAGES = {"-q": "linked", "-p": "scaled", "-Q": "unlinked"}
MOST = 1e-4
MOST_OF_OPTIMA = 1e-2
AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"


def random_tree(draw, taxa):
    """A tree as nested pairs of (subtree, length)."""
    nodes = [(name, draw.expovariate(8)) for name in taxa]
    while len(nodes) > 3:
        draw.shuffle(nodes)
        nodes.append(((nodes.pop(), nodes.pop()), draw.expovariate(8)))
    return tuple(nodes)


def simulate(draw, tree, letters, sites, alpha, scale):
    """A row for each taxon, under equal exchangeabilities, frequencies of its own, and gamma rates over sites."""
    frequencies = [draw.gammavariate(4, 1) for _ in letters]
    rates = [draw.gammavariate(alpha, 1 / alpha) * scale for _ in range(sites)]
    rows = {}

    def evolve(node, row):
        for child, length in node:
            cells = [c if draw.random() < math.exp(-rate * length) else draw.choices(letters, frequencies)[0] for c, rate in zip(row, rates, strict=True)]
            if isinstance(child, str):
                rows[child] = "".join(cells)
            else:
                evolve(child, cells)

    evolve(tree, draw.choices(letters, frequencies, k=sites))
    return rows


def write_data(seed, folder):
    """An alignment with 3 to 6 genes, and its charsets; every fourth has amino acids."""
    draw = random.Random(seed)
    tree = random_tree(draw, [f"t{i}" for i in range(draw.randint(5, 9))])
    genes = []
    for number in range(draw.randint(3, 6)):
        is_protein = seed % 4 == 3
        letters, sites = (AMINO_ACIDS, draw.randint(40, 80)) if is_protein else ("ACGT", draw.randint(80, 240))
        genes.append((f"g{number}", simulate(draw, tree, letters, sites, draw.choice([0.3, 1, 4]), draw.choice([0.5, 1, 2]))))
    if seed % 3 == 1:  # a gene lacks a taxon
        genes[0][1][min(genes[0][1])] = "-" * len(genes[0][1]["t0"])
    names = sorted(genes[0][1])
    rows = {name: "".join(gene[name] for _, gene in genes) for name in names}
    (folder / "a.phy").write_text(f"{len(names)} {len(rows[names[0]])}\n" + "".join(f"{name} {row}\n" for name, row in rows.items()))
    text, first = "#nexus\nbegin sets;\n", 1
    for name, gene in genes:
        last = first + len(gene["t0"]) - 1
        text += f"  charset {name} = {first}-{last};\n"
        first = last + 1
    (folder / "a.nex").write_text(text + "end;\n")


def excess(scheme, sites):
    """By how much log-likelihoods of IQ-TREE are too high, as it takes rounded weights of +R as they are, which need not add up to 1."""
    sums = [sum(map(float, values.split(",")[::2])) for values in re.findall(r"\+R\d+\{([^}]*)\}", scheme)]
    return sites * max((abs(total - 1) for total in sums), default=0)


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, errors="replace")


def value_of_iqtree(prefix):
    report = prefix.with_suffix(".iqtree")
    found = re.search(r"Log-likelihood of the tree: (-[\d.]+)", report.read_text(errors="replace")) if report.exists() else None
    return float(found[1]) if found else None


def value_of_regraft(phylo, folder, command, linkage, scheme):
    prefix = folder / "ours"
    done = run([phylo, command, "--msa", "a.phy", "--partitions", scheme, "--tree", "chosen.treefile", "--brlen", linkage, "--prefix", prefix, "--redo"], folder)
    found = re.search(r'"log_likelihood": (-[\d.]+)', pathlib.Path(f"{prefix}.json").read_text()) if done.returncode == 0 else None
    return (float(found[1]) if found else None), (done.stdout + done.stderr).strip()


def compare(seed, phylo, iqtree, folder):
    """Whether both agree; prints a line."""
    write_data(seed, folder)
    option = list(LINKAGES)[seed % 3]
    rates = ["-mrate", "E,I,G,I+G"] if option == "-q" else []
    models = ["-m", "MFP+MERGE", "-mset", "JC,HKY,GTR" if seed % 4 != 3 else "LG,WAG,JTT", *rates]
    choose = [iqtree, "-s", "a.phy", option, "a.nex", *models, "-T", "1", "-seed", str(seed), "-redo", "--prefix", "chosen"]
    if run(choose, folder).returncode != 0 or not (folder / "chosen.best_model.nex").exists():
        print(f"{seed} {option}: IQ-TREE has chosen no models", flush=True)
        return False
    given = [iqtree, "-s", "a.phy", option, "chosen.best_model.nex", "-te", "chosen.treefile", "-T", "1", "-redo", "--prefix", "given"]
    command, most = "loglh", MOST
    run([*given, "-blfix"], folder)
    if "Fixing branch lengths not supported" in (folder / "given.log").read_text(errors="replace"):
        command, most = "evaluate", MOST_OF_OPTIMA
        run(given, folder)
    theirs = value_of_iqtree(folder / "given")
    ours, told = value_of_regraft(phylo, folder, command, LINKAGES[option], "chosen.best_model.nex")
    sites = int((folder / "a.phy").read_text().split(maxsplit=2)[1])
    most += excess((folder / "chosen.best_model.nex").read_text(), sites)
    is_alike = None not in (ours, theirs) and abs(ours - theirs) <= most
    difference = f"{ours - theirs:+.6f}" if None not in (ours, theirs) else told[-300:] if ours is None else "IQ-TREE gives no value"
    print(f"{seed} {option} {command}: {ours} | {theirs} | {difference}", flush=True)
    return is_alike


def main():
    phylo = pathlib.Path(sys.argv[1]).resolve()
    iqtree = sys.argv[2] if len(sys.argv) > 2 else "iqtree2"
    seeds = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(sys.argv[4] if len(sys.argv) > 4 else temporary).resolve()
        alike = 0
        for seed in range(seeds):
            folder = root / str(seed)
            folder.mkdir(parents=True, exist_ok=True)
            alike += compare(seed, phylo, iqtree, folder)
    print(f"{alike} of {seeds} are alike")
    return 0 if alike == seeds else 1


if __name__ == "__main__":
    sys.exit(main())
