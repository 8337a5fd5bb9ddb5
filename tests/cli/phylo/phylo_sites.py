#!/usr/bin/env python3
"""Results of single sites: rates (--site-rates) and the states of ancestors (--ancestral).

values  both are what pruning in this script finds, for models whose probabilities have a closed form; partitions, roots, full disks
kills   the same bytes on any number of ranks, and whichever ranks die
"""
import math
import pathlib
import random
import subprocess
import sys

import phylo_choice
import phylo_job
from phylo_trees import Node, one_side, parse

TREE = "(((a:0.1,b:0.3):0.05,c:0.2):0.4,(d:0.15,e:0.6):0.1,((f:0.02,g:0.3):0.2,h:0.25):0.3);"
STATES = {"DNA": "ACGT", "BIN": "01", "MULTI": "012"}
SETS = {"DNA": {"M": "AC", "R": "AG", "W": "AT", "S": "CG", "Y": "CT", "K": "GT", "V": "ACG", "H": "ACT", "D": "AGT", "B": "CGT", "N": "ACGT", "-": "ACGT"},
        "BIN": {"-": "01"}, "MULTI": {"-": "012"}}
FILES = ("rate", "ancestralProbs", "ancestralStates", "ancestralTree", "siteLH", "bestTree", "bestModel")
PLANS = [  # ranks, plan: every rank in it must die
    (2, "ancestral:before:0:0"),
    (2, "ancestral:inside:1:0"),
    (3, "ancestral:after:0:0"),
    (3, "ancestral:inside:0:1,ancestral:inside:1:1"),
    (4, "ancestral:before:3:1,ancestral:after:0:3"),
    (4, "ancestral:inside:0:1,recover:inside:2:0,ancestral:inside:1:2"),
    (3, "gather_sites:inside:0:0,ancestral:before:1:0"),
    (3, "gather_sites:after:1:1,output:inside:0:0"),
    (5, "ancestral:inside:0:0,ancestral:inside:1:0,ancestral:inside:2:0,ancestral:inside:3:0"),
    (3, "ancestral:after:2:1,output:before:0:0"),
    (4, "gather:before:2:0,gather:inside:0:2,gather:after:1:1"),
]


class Model:
    """F81 (of two or four states) or MK (of three), free rates and sites that never change."""

    def __init__(self, frequencies, rates=(1,), weights=(1,), invariant=0.0, scale=1.0):
        self.frequencies, self.weights, self.invariant = frequencies, [w / sum(weights) for w in weights], invariant
        mean = sum(r * w for r, w in zip(rates, self.weights)) * (1 - invariant)
        self.rates = [r / mean for r in rates]
        self.speed = scale / (1 - sum(f * f for f in frequencies))

    def text(self) -> str:
        kind = "BIN" if len(self.frequencies) == 2 else "F81"
        is_mk = len(self.frequencies) == 3
        name = "MULTI3_MK" if is_mk else f"{kind}+FU{{{'/'.join(map(repr, self.frequencies))}}}"
        name += f"+I{{{self.invariant}}}" if self.invariant else ""
        many = len(self.rates) > 1
        return name + (f"+R{len(self.rates)}{{{'/'.join(map(repr, self.rates))}}}{{{'/'.join(map(repr, self.weights))}}}" if many else "")

    def step(self, time: float, likelihoods: list[float]) -> list[float]:
        """What the end of an edge says at its other end."""
        stays = math.exp(-self.speed * time)
        mean = sum(f * x for f, x in zip(self.frequencies, likelihoods))
        return [mean * (1 - stays) + x * stays for x in likelihoods]


def neighbours(root: Node) -> dict[Node, list[tuple[Node, float]]]:
    found: dict[Node, list[tuple[Node, float]]] = {root: []}
    for parent in [root, *root.below()]:
        for child in parent.children:
            found.setdefault(parent, []).append((child, child.length))
            found.setdefault(child, []).append((parent, child.length))
    return found


def joint(tree: dict, node: Node, model: Model, tips: dict[str, list[float]]) -> list[list[float]]:
    """[category][state] at the node; first the category of sites that never change."""
    def conditional(here: Node, origin: Node | None, rate: float) -> list[float]:
        if here.name in tips and not here.children:
            return tips[here.name]
        product = [1.0] * len(model.frequencies)
        for other, length in tree[here]:
            if other is not origin:
                product = [p * x for p, x in zip(product, model.step(rate * length, conditional(other, here, rate)))]
        return product

    common = [all(tip[i] for tip in tips.values()) for i in range(len(model.frequencies))]
    rows = [[model.invariant * f * c for f, c in zip(model.frequencies, common)]]
    for rate, weight in zip(model.rates, model.weights):
        rows.append([(1 - model.invariant) * weight * f * x for f, x in zip(model.frequencies, conditional(node, None, rate))])
    return rows


def tips_of(rows: dict[str, str], site: int, kind: str) -> dict[str, list[float]]:
    states = STATES[kind]
    return {name: [float(state in SETS[kind].get(row[site], row[site])) for state in states] for name, row in rows.items()}


def table(result: phylo_job.Result, extension: str) -> list[list[str]]:
    path = pathlib.Path(f"{result.prefix}.{extension}")
    result.require(path.exists(), f"expected {path.name}")
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def named_nodes(result: phylo_job.Result) -> dict[str, Node]:
    """The inner nodes of PREFIX.ancestralTree. Names are distinct, and none lacks one."""
    root = parse(pathlib.Path(f"{result.prefix}.ancestralTree").read_text(encoding="utf-8"))
    inner = [node for node in [root, *root.below()] if node.children]
    names = {node.name: node for node in inner}
    result.require(sorted(names) == sorted(f"Node{i + 1}" for i in range(len(inner))), f"names of nodes: {sorted(names)}")
    return names


def sides_of(nodes: dict[str, Node], taxa: list[str]) -> dict[str, frozenset]:
    """The splits of the three edges around each node, which tell the nodes of a tree apart."""
    root = next(node for node in nodes.values() if all(child is not node for other in nodes.values() for child in other.children))
    splits = {node: one_side(node.taxa(), taxa) for node in root.below()}
    return {name: frozenset([splits[child] for child in node.children] + ([splits[node]] if node is not root else [])) for name, node in nodes.items()}


class Case(phylo_job.Folder):
    def run(self, ranks: int, words: list[str], **how) -> phylo_job.Result:
        result = self.jobs.run(ranks, [*words, "--ancestral", "--site-rates"], timeout=100, **how)
        result.require_survival(" ".join(words))
        return result


def mutated(rows: dict[str, str], letters: str, seed: int) -> dict[str, str]:
    draw = random.Random(seed)
    return {name: "".join(draw.choice(letters) if draw.random() < 0.08 else cell for cell in row) for name, row in rows.items()}


def check_states(result: phylo_job.Result, rows: dict[str, str], model: Model, kind: str) -> None:
    nodes = named_nodes(result)
    root = next(node for node in nodes.values() if len(node.children) == 3)
    tree = neighbours(root)
    states, num_sites = STATES[kind], len(next(iter(rows.values())))
    head, *lines = table(result, "ancestralProbs")
    result.require(head == ["Node", "Site", "State", *(f"p_{state}" for state in states)], f"head: {head}")
    result.require([line[:2] for line in lines] == [[f"Node{i + 1}", str(site + 1)] for i in range(len(nodes)) for site in range(num_sites)], "order of the lines")
    letters = {frozenset(letters): letter for letter, letters in [*SETS[kind].items(), *((s, s) for s in states)]}
    for line in lines:
        rows_of = joint(tree, nodes[line[0]], model, tips_of(rows, int(line[1]) - 1, kind))
        parts = [sum(row[i] for row in rows_of) for i in range(len(states))]
        expected = [part / sum(parts) for part in parts]
        found = [float(word) for word in line[3:]]
        result.require(all(len(word) == 7 for word in line[3:]) and max(abs(a - b) for a, b in zip(found, expected)) < 6e-6, f"{line}: expected {expected}")
        distances = [max(expected) - p - 0.5 / len(states) for p in expected]
        if min(map(abs, distances)) > 1e-9:
            likely = frozenset(state for state, distance in zip(states, distances) if distance < 0)
            best = [state for state, p in zip(states, expected) if p > max(expected) - 1e-9]
            result.require(line[2] in ([letters[likely]] if likely in letters else best), f"{line}: expected {set(likely)}")
    sequences = dict(table(result, "ancestralStates"))
    told = {name: "".join(line[2] for line in lines if line[0] == name) for name in nodes}
    result.require(sequences == told, "expected the sequences that the probabilities tell")


def check_rates(result: phylo_job.Result, rows: dict[str, str], model: Model, kind: str) -> None:
    root = parse(TREE)
    tree = neighbours(root)
    head, *lines = table(result, "rate")
    result.require(head == ["Site", "Rate", "Cat", "C_Rate"] and len(lines) == len(next(iter(rows.values()))), f"head: {head}, {len(lines)} lines")
    rates = [0.0, *model.rates]
    for site, line in enumerate(lines):
        parts = [sum(row) for row in joint(tree, root, model, tips_of(rows, site, kind))]
        expected = sum(part * rate for part, rate in zip(parts, rates)) / sum(parts)
        result.require(int(line[0]) == site + 1 and abs(float(line[1]) - expected) < 1e-7, f"{line}: expected {expected}")
        best = sorted(parts)[-1]
        number = int(line[2])
        by_rate = sorted(range(1, len(rates)), key=lambda c: rates[c])
        category = 0 if number == 0 else by_rate[number - 1]
        result.require(parts[category] >= best * (1 - 1e-9) and abs(float(line[3]) - rates[category]) < 1e-7, f"{line}: expected the best of {parts}")


def usual(case: Case) -> None:
    """At fixed parameters, states and rates are what pruning finds"""
    tree = case.write("usual.nwk", TREE)
    dna = mutated(phylo_choice.evolved(1, 40), "RYNB-", 1)
    binary = mutated({name: "".join("01"[cell in "AG"] for cell in row) for name, row in phylo_choice.evolved(2, 30).items()}, "-", 2)
    # Two of three states are often probable, for which there is no letter.
    multistate = mutated({name: "".join("0122"["ACGT".index(cell)] for cell in row) for name, row in phylo_choice.evolved(3, 30).items()}, "-", 3)
    models = [("DNA", dna, Model([0.25] * 4)), ("DNA", dna, Model([0.35, 0.15, 0.2, 0.3], [0.1, 0.9, 3.0], [0.3, 0.5, 0.2])),
              ("DNA", dna, Model([0.4, 0.1, 0.2, 0.3], invariant=0.3)), ("DNA", dna, Model([0.4, 0.1, 0.2, 0.3], [2.0, 0.4], [0.5, 0.5], invariant=0.15)),
              ("BIN", binary, Model([0.3, 0.7], [0.2, 1.8], [0.5, 0.5])), ("MULTI", multistate, Model([1 / 3] * 3, [0.2, 1.8], [0.5, 0.5]))]
    for number, (kind, rows, model) in enumerate(models):
        msa = case.write(f"usual{number}.phy", phylo_choice.phylip(rows))
        result = case.run(1 + number % 3, ["loglh", "--msa", msa, "--model", model.text(), "--tree", tree])
        check_states(result, rows, model, kind)
        check_rates(result, rows, model, kind)


def roots(case: Case) -> None:
    """Names stay with their nodes wherever the tree is rooted; files of an earlier job go"""
    rows = phylo_choice.evolved(3, 50)
    msa, tree = case.write("roots.phy", phylo_choice.phylip(rows)), case.write("roots.nwk", TREE)
    words = ["search", "--msa", msa, "--model", "JC+G", "--tree", tree, "--starts", "tree", "--effort", "fast"]
    plain = case.run(1, words)
    sides = sides_of(named_nodes(plain), sorted(rows))
    for outgroup in ("a", "h", "d,e", "f,g,h", "a,b", "a,h"):  # the last one is no clade
        rooted = case.run(1, [*words, "--outgroup", outgroup])
        rooted.require(sides_of(named_nodes(rooted), sorted(rows)) == sides, f"outgroup {outgroup}: expected the same names")
        rooted.require(table(rooted, "ancestralProbs") == table(plain, "ancestralProbs"), f"outgroup {outgroup}: expected the same probabilities")
    evaluated = [case.jobs.run(1, [*command, "--msa", msa, "--model", "JC+G", "--tree", tree]) for command in (["evaluate", "--ancestral"], ["--ancestral"])]
    evaluated[0].require(len(table(evaluated[0], "ancestralStates")) == 6, "expected the states of six ancestors")
    evaluated[1].require(table(evaluated[0], "ancestralProbs") == table(evaluated[1], "ancestralProbs"), "expected that --ancestral of RAxML-NG does the same")
    again = case.jobs.run(1, [*words, "--redo"], prefix=plain.prefix)
    left = [name for name in FILES[:4] if pathlib.Path(f"{plain.prefix}.{name}").exists()]
    again.require(not left, f"expected that no files of an earlier job remain: {left}")


def partitions(case: Case) -> None:
    """Each partition has the states and rates that it has alone, with its own branch lengths"""
    rows, digits = phylo_choice.evolved(4, 60), phylo_choice.evolved(5, 40)
    both = {name: row + "".join("01"[cell in "AG"] for cell in digits[name]) for name, row in rows.items()}
    msa = case.write("both.phy", phylo_choice.phylip(both))
    for kinds, last in (("alike", "JC+R2"), ("mixed", "BIN+FO")):
        ends = (60, 60) if kinds == "alike" else (60, 100)
        data = msa if kinds == "mixed" else case.write("alike.phy", phylo_choice.phylip(rows))
        first = "HKY+FC+G4m+I, x = 1-59\\2\n" if kinds == "alike" else "HKY+FC+G4m+I, x = 1-60\n"
        second = f"{last}, y = 2-60\\2\n" if kinds == "alike" else f"{last}, y = 61-{ends[1]}\n"
        parts = case.write(f"{kinds}.part", first + second)
        for linkage in ("unlinked", "scaled"):
            words = ["evaluate", "--msa", data, "--partitions", parts, "--brlen", linkage, "--tree", case.write("parts.nwk", TREE)]
            result = case.run(3, words)
            lines, rates = table(result, "ancestralProbs"), table(result, "rate")
            taxa = sorted(rows)
            sides = sides_of(named_nodes(result), taxa)
            models = pathlib.Path(f"{result.prefix}.bestModel").read_text(encoding="utf-8").splitlines()
            for q in range(2):
                if linkage == "unlinked":
                    tree = pathlib.Path(f"{result.prefix}.bestPartitionTrees").read_text(encoding="utf-8").splitlines()[q]
                else:
                    tree = scaled(result, q)
                columns = range(q, 60, 2) if kinds == "alike" else range(60) if q == 0 else range(60, 100)
                alone = case.write("alone.phy", phylo_choice.phylip({name: "".join(row[i] for i in columns) for name, row in both.items()}))
                model = models[q].rpartition(",")[0]
                single = case.run(1, ["loglh", "--msa", alone, "--model", unscaled(model), "--tree", case.write("alone.nwk", tree)])
                name_there = {split: name for name, split in sides_of(named_nodes(single), taxa).items()}
                theirs = {(line[0], line[1]): line[2:] for line in table(single, "ancestralProbs")[1:]}
                ours = [line for line in lines[1:] if line[1] == str(q + 1)]
                result.require(len(ours) == len(theirs), f"{kinds}, {linkage}: {len(ours)} lines")
                for node, _, site, letter, *values in ours:
                    other = theirs[name_there[sides[node]], site]
                    near = max(abs(float(a) - float(b)) for a, b in zip(values, other[1:], strict=True))
                    result.require(near < 2.1e-5 and (letter == other[0] or near > 0), f"{kinds}, {linkage}: {node} {site} {values}, alone {other}")
                of_part = [line[1:] for line in rates[1:] if line[0] == str(q + 1)]
                for line, other in zip(of_part, table(single, "rate")[1:], strict=True):
                    result.require(line[0] == other[0] and abs(float(line[1]) - float(other[1])) < 1e-6, f"{kinds}, {linkage}: rate {line}, alone {other}")
            wanted = ["p_A", "p_C", "p_G", "p_T"] if kinds == "alike" else ["p_1", "p_2", "p_3", "p_4"]
            result.require(lines[0] == ["Node", "Part", "Site", "State", *wanted], f"head: {lines[0]}")
            sequences = dict(table(result, "ancestralStates"))
            result.require(all(sequences[name] == "".join(line[3] for line in lines if line[0] == name) for name in sides), "sequences")


def unscaled(model: str) -> str:
    return model.partition("+BU{")[0]


def scaled(result: phylo_job.Result, q: int) -> str:
    """The tree with the lengths of a partition."""
    model = pathlib.Path(f"{result.prefix}.bestModel").read_text(encoding="utf-8").splitlines()[q]
    factor = float(model.partition("+BU{")[2].partition("}")[0] or 1)
    tree = parse(pathlib.Path(f"{result.prefix}.bestTree").read_text(encoding="utf-8"))
    for node in tree.below():
        node.length *= factor
    return tree.text() + ";"


def full_disk(case: Case) -> None:
    """A file that grows too large is told, and the same command goes on when there is room"""
    rows = {name: row * 400 for name, row in phylo_choice.evolved(6, 50).items()}
    words = ["loglh", "--msa", case.write("full.phy", phylo_choice.phylip(rows)), "--model", "JC", "--tree", case.write("full.nwk", TREE), "--ancestral"]
    prefix = case.directory / "full"
    command = [case.jobs.args.exe, *words, "--prefix", str(prefix)]
    limited = subprocess.run(["bash", "-c", 'ulimit -f 1000; exec "$0" "$@"', *command], capture_output=True, text=True, check=False)
    left = {path.name for path in case.directory.glob("full.*")} - {"full.phy", "full.nwk"}
    assert limited.returncode == 1 and "full.ancestralProbs: cannot be written" in limited.stderr, limited
    assert not [name for name in left if "ancestral" in name or "best" in name], left
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 0 and "resumed" in again.stdout and pathlib.Path(f"{prefix}.ancestralProbs").stat().st_size > 1e6, again


def values(jobs: phylo_job.Jobs, _) -> None:
    case = Case(jobs)
    for test in (usual, roots, partitions, full_disk):
        test(case)
        print(f"{test.__name__}: as expected", flush=True)


def bytes_of(result: phylo_job.Result) -> list:
    for name in FILES:
        result.require(pathlib.Path(f"{result.prefix}.{name}").exists(), f"expected .{name}")
    # The head of .rate has its name.
    return [pathlib.Path(f"{result.prefix}.{name}").read_bytes().replace(result.prefix.name.encode(), b"job") for name in FILES]


def kills(jobs: phylo_job.Jobs, _) -> None:
    case = Case(jobs)
    # So many sites that the probabilities come in several pieces.
    rows = {name: "".join(row[i:] + row[:i] for i in range(0, 200, 1)) for name, row in phylo_choice.evolved(7, 200).items()}
    msa, tree = case.write("kills.phy", phylo_choice.phylip(rows)), case.write("kills.nwk", TREE)
    parts = case.write("kills.part", "HKY+G4m+I, x = 1-25000\nGTR+R2, y = 25001-40000\n")
    words = ["loglh", "--msa", msa, "--partitions", parts, "--brlen", "unlinked", "--tree", tree, "--sitelh"]
    reference = case.run(1, words)
    for ranks, threads in ((2, 1), (3, 2), (5, 1)):
        result = case.run(ranks, [*words, "--threads", str(threads)])
        result.require(bytes_of(result) == bytes_of(reference), f"{ranks} ranks, {threads} threads: other bytes")
    for ranks, plan in PLANS:
        result = case.run(ranks, words, plan=plan)
        victims = phylo_job.victims(plan)
        result.require(result.killed() == victims, f"{plan}: expected the deaths of {sorted(victims)}")
        result.require(bytes_of(result) == bytes_of(reference), f"{ranks} ranks, {plan}: other bytes")
        result.require(not list(result.prefix.parent.glob(f"{result.prefix.name}*.tmp")), f"{plan}: a file of a dead rank is left")
        print(f"{ranks} ranks, {plan}: same bytes, {len(victims)} died", flush=True)
    for point, occurrence in (("ancestral:inside", 1), ("ancestral:after", 2), ("output:inside", 0)):
        killed = jobs.run(2, [*words, "--ancestral", "--site-rates", "--checkpoint-interval", "0"], plan=",".join(f"{point}:{rank}:{occurrence}" for rank in (0, 1)), timeout=100)
        killed.require(killed.killed() == {0, 1} and killed.report is None, f"{point}: expected that all die")
        again = case.run(3, words, prefix=killed.prefix)
        again.require(bytes_of(again) == bytes_of(reference), f"{point}: another result")
        again.require(not list(again.prefix.parent.glob(f"{again.prefix.name}*.tmp")), f"{point}: a file of a dead job is left")
        print(f"{point}: all died, went on, same bytes", flush=True)


if __name__ == "__main__":
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("mode", choices=["values", "kills"])
    options = parser.parse_args()
    sys.exit(phylo_job.main(options, {"values": values, "kills": kills}[options.mode], options.mode == "kills"))
