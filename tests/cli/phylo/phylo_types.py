#!/usr/bin/env python3
"""Binary and multistate data, and corrections for sites that were left out: likelihoods are compared with pruning in Python, and
searches end with the same bits on any number of ranks."""
import itertools
import math
import pathlib
import random
import sys

import phylo_job

SYMBOLS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,/:;<=>@[\\]^_{|}~"
TREE = "((a:0.1,b:0.25):0.05,(c:0.3,d:0.02):0.4,e:0.15);"
TAXA = "abcde"


def evolved(taxa: int, sites: int, states: int, seed: int) -> list[list[int]]:
    """Rows of states, of taxa that split off from each other and changed after that."""
    draw = random.Random(seed)
    rows = [[draw.randrange(states) for _ in range(sites)]]
    while len(rows) < taxa:
        parent = draw.randrange(len(rows))
        rows.append(rows[parent])
        for i in (parent, -1):
            rows[i] = [draw.randrange(states) if draw.random() < 0.12 else state for state in rows[i]]
    return rows


def spelt(rows: list[list[int]], seed: int, symbols: str = SYMBOLS) -> list[str]:
    """The rows in symbols, some in lower case, some cells without data."""
    draw = random.Random(seed)
    def cell(state: int) -> str:
        kind = draw.random()
        return draw.choice("-?.") if kind < 0.03 else symbols[state].lower() if kind < 0.3 else symbols[state]
    return ["".join(map(cell, row)) for row in rows]


def varying(rows: list[str]) -> list[str]:
    """The rows without columns that may show one state."""
    columns = [column for column in zip(*rows) if len(set("".join(column).upper()) - set("-?.")) > 1]
    return ["".join(row) for row in zip(*columns)]


def phylip(rows: list[str], names: str | None = None) -> str:
    names = names or [f"t{i}" for i in range(len(rows))]
    return f"{len(rows)} {len(rows[0])}\n" + "".join(f"{name} {row}\n" for name, row in zip(names, rows))


def column_likelihood(column: str, states: int) -> float:
    """The likelihood on TREE if all changes are equally likely (Lewis 2001)."""
    def along(below: list[float], length: float) -> list[float]:
        decay = math.exp(-length * states / (states - 1))
        return [decay * x + (1 - decay) * sum(below) / states for x in below]

    def tip(taxon: str) -> list[float]:
        symbol = column[TAXA.index(taxon)].upper()
        return [1.0 if symbol in "-?." or symbol == SYMBOLS[s] else 0.0 for s in range(states)]

    def joined(*branches: tuple[list[float], float]) -> list[float]:
        return [math.prod(values) for values in zip(*(along(below, length) for below, length in branches))]

    left = joined((tip("a"), 0.1), (tip("b"), 0.25))
    right = joined((tip("c"), 0.3), (tip("d"), 0.02))
    return sum(joined((left, 0.05), (right, 0.4), (tip("e"), 0.15))) / states


def likelihoods(jobs: phylo_job.Jobs, _) -> None:
    directory = pathlib.Path(jobs.directory.name)
    tree = directory / "five.nwk"
    tree.write_text(TREE, encoding="utf-8")
    for states, model in ((2, "BIN+FE"), (2, "MULTI2_MK"), (5, "MULTI5_MK"), (36, "MULTI36_JC"), (64, "MULTI64_MK")):
        rows = varying(spelt(evolved(5, 150, states, states), states))
        alignment = directory / "five.phy"
        alignment.write_text(phylip(rows, TAXA), encoding="utf-8")
        data = sum(math.log(column_likelihood("".join(column), states)) for column in zip(*rows))
        constant = [column_likelihood(SYMBOLS[s] * 5, states) for s in range(states)]
        numbers = [s * 7 % 5 for s in range(states)]
        expected = {
            "": data,
            "+ASC_LEWIS": data - len(rows[0]) * math.log1p(-sum(constant)),
            "+ASC_FELS{40}": data + 40 * math.log(sum(constant)),
            f"+ASC_STAM{{{'/'.join(map(str, numbers))}}}": data + sum(n * math.log(x) for n, x in zip(numbers, constant)),
        }
        for ranks, (correction, value) in enumerate(expected.items(), 1):
            result = jobs.run(ranks, ["loglh", "--msa", str(alignment), "--tree", str(tree), "--model", model + correction])
            result.require(result.codes == [0] * ranks, model + correction)
            found = result.report["log_likelihood"]
            result.require(abs(found - value) < 1e-9 * abs(value), f"{model}{correction}: {found}, expected {value}")
            print(f"{model}{correction}: {found}")


IQTREE = """(LngfishAu:0.1473787813,(LngfishSA:0.1632511635,LngfishAf:0.1491430473):0.0989706830,(Frog:0.2186927010,((((Turtle:0.2000143211,
(Crocodile:0.2643788358,Bird:0.1981666255):0.0598129341):0.0315313620,Sphenodon:0.2936426433):0.0189756639,Lizard:0.3353654069):0.0673967083,
(((Human:0.1721060731,(Seal:0.0882040107,(Cow:0.0782912756,Whale:0.0957551555):0.0383044339):0.0238140509):0.0291311239,(Mouse:0.0554106391,
Rat:0.0865759129):0.1122781345):0.0557428799,(Platypus:0.1737210562,Opossum:0.1453961228):0.0355626104):0.1244967281):0.1152936305):0.0783861021);"""
CHARSETS = r"#nexus begin sets; charset c1 = 1-999\3 2-999\3; charset c3 = 3-999\3; charset g2 = 1000-.; charpartition p = "
F = "+F{0.3,0.25,0.2,0.25}"


def partitions_of_iqtree(jobs: phylo_job.Jobs, args) -> None:
    """The values are those of iqtree2 -s vertebrates.phy -Q FILE -te TREE -blfix (version 2.0.7)."""
    directory = pathlib.Path(jobs.directory.name)
    tree, partitions = directory / "iqtree.nwk", directory / "iqtree.nex"
    tree.write_text(IQTREE, encoding="utf-8")
    msa = str(pathlib.Path(args.msa).parent / "vertebrates.phy")
    command = ["loglh", "--msa", msa, "--tree", str(tree), "--partitions", str(partitions)]
    for models, value in (((f"TN{{2,3}}{F}", f"GTR{{1,2,3,2,4}}{F}+G4{{0.5}}", f"HKY{{2.5}}{F}"), -23066.3293),
                          ((f"TPM2{{2,3}}{F}+I{{0.2}}", f"TIM{{2,3,4}}{F}+G4{{0.7}}", "JC+FQ"), -22926.5385),
                          ((f"TVM{{2,3,4,5}}{F}", f"TIM3{{2,3,4}}{F}+R2{{0.6,0.4,0.4,1.9}}", "K2P{3}"), -23481.0155),
                          (("K3P{2,3}+FQ", "TNe{2,3}+FQ+I{0.15}", "TPM3{2,3}+FQ+R3{0.3,0.1,0.3,0.9,0.4,1.75}"), -22885.5567),
                          (("010232{2,3,4}+FQ", f"012012{{2,3}}{F}", f"F81{F}+G4{{2}}"), -22802.6197)):
        partitions.write_text(CHARSETS + ", ".join(map("{}: {}".format, models, ("c1", "c3", "g2"))) + "; end;", encoding="utf-8")
        result = jobs.run(1, command)
        result.require(result.codes == [0], f"{models}")
        result.require(abs(result.report["log_likelihood"] - value) < 1e-4, f"{models}: {result.report['log_likelihood']}, expected {value}")
    # The file .best_model.nex of -p, with lengths of trees.
    partitions.write_text(CHARSETS + """TIM2{5.18655,8.10861,23.3398}+F{0.338664,0.243506,0.202156,0.215674}+G4{0.496496}: c1{4.10481},
        TVM{5.95907,12.6621,3.51963,1.68944}+FO{0.355333,0.239805,0.146495,0.258367}+G4{0.7}: c3{3.41931},
        TPM3{0.909448,2.57297}+F{0.354038,0.223559,0.187341,0.235062}+R2{0.538302,0.136207,0.461698,2.00711}: g2{3.63407};
        end;""", encoding="utf-8")
    result = jobs.run(2, command)
    result.require(abs(result.report["log_likelihood"] + 21390.3408) < 2e-3, "expected the value but for rounding of the parameters")
    result.require("lengths of partitions' trees" not in result.output, "expected that lengths are used")
    linked = jobs.run(1, [*command, "--brlen", "linked", "--memory", "1G"])
    linked.require("lengths of partitions' trees, which are not used" in " ".join(linked.output.split()), "expected a warning")


def models_of_iqtree(jobs: phylo_job.Jobs, _) -> None:
    """The values are those of iqtree2 -s FILE -te TREE -blfix (version 2.0.7)."""
    directory = pathlib.Path(jobs.directory.name)
    tree, alignment = directory / "morph.nwk", directory / "morph.phy"
    tree.write_text(TREE, encoding="utf-8")
    five, two = (spelt(evolved(5, 60, states, 11), 11) for states in (5, 2))
    for rows, model, value in ((five, "MK", -355.2063), (five, "MK+G4{0.6}", -354.8921), (five, "ORDERED", -502.1733),
                               (five, "ORDERED+G4{0.6}", -442.3843), (varying(spelt(evolved(5, 150, 5, 11), 11)), "MK+ASC", -597.5477),
                               (two, "JC2", -150.4041), (two, "GTR2+F{0.3,0.7}", -168.4080)):
        alignment.write_text(phylip(rows, TAXA), encoding="utf-8")
        result = jobs.run(1, ["loglh", "--msa", str(alignment), "--tree", str(tree), "--model", model])
        result.require(result.codes == [0], model)
        result.require(abs(result.report["log_likelihood"] - value) < 1e-4, f"{model}: {result.report['log_likelihood']}, expected {value}")


def own_matrix(jobs: phylo_job.Jobs, args) -> None:
    """A matrix of PAML is PROTGTR with the same values, whose pairs are above the diagonal. IQ-TREE 2.0.7 has the same value."""
    directory = pathlib.Path(jobs.directory.name)
    draw = random.Random(5)
    below = [[round(draw.uniform(0.01, 3), 4) for _ in range(i)] for i in range(20)]
    counts = [draw.randrange(10, 90) for _ in range(20)]
    frequencies = [round(count / sum(counts), 6) for count in counts]
    frequencies[-1] = round(1 - sum(frequencies[:-1]), 6)
    matrix, partitions, tree = directory / "own.dat", directory / "own.part", directory / "own.nwk"
    rows = "\n".join(" ".join(map(str, row)) for row in below[1:])
    matrix.write_text(f"{rows}\n\n{' '.join(map(str, frequencies))}\n\nA matrix for tests.\n", encoding="utf-8")
    tree.write_text("(HBB_HUMAN:0.1,HBB_HORSE:0.1,((HBA_HUMAN:0.1,HBA_HORSE:0.1):0.3,(MYG_PHYCA:0.5,(GLB5_PETMA:0.6,LGB2_LUPLU:0.9):0.2):0.3):0.2);",
                    encoding="utf-8")
    command = ["loglh", "--msa", str(pathlib.Path(args.msa).parent / "globins.phy"), "--tree", str(tree)]
    upper = "/".join(str(below[j][i]) for i in range(20) for j in range(i + 1, 20))
    expected = jobs.run(1, [*command, "--model", f"PROTGTR{{{upper}}}+FU{{{'/'.join(map(str, frequencies))}}}+G4{{0.7}}"])
    partitions.write_text(f"{matrix}+G4{{0.7}}, a = 1-128\n", encoding="utf-8")
    for more in (["--model", f"{matrix}+G4{{0.7}}"], ["--partitions", str(partitions)]):
        found = jobs.run(1, [*command, *more])
        found.require(found.codes == [0], f"{more}")
        found.require(abs(found.report["log_likelihood"] - expected.report["log_likelihood"]) < 1e-6, f"{more}: {found.report['log_likelihood']}")
        found.require(abs(found.report["log_likelihood"] + 1960.5937) < 1e-4, f"{found.report['log_likelihood']}, expected the value of IQ-TREE")
    plain = jobs.run(1, [*command, "--model", str(matrix)])
    plain.require(plain.codes == [0], "expected that a matrix alone is no partition file")
    matrix.write_text(rows, encoding="utf-8")
    cut = jobs.run(1, [*command, "--model", f"{matrix}+G4"])
    cut.require(cut.codes == [2] and "own.dat:19:" in cut.output and "expected number 191 of 210" in " ".join(cut.output.split()), "expected a refusal")


def sets_of_states(jobs: phylo_job.Jobs, _) -> None:
    """NEXUS with sets of states: the likelihood of a set is the sum over its states. Another block has further sites."""
    directory = pathlib.Path(jobs.directory.name)
    tree, alignment = directory / "sets.nwk", directory / "sets.nex"
    tree.write_text(TREE, encoding="utf-8")
    blocks = [["0{01}21", "2(1 2)01", "12{0 1 2}0", "?110", "0x21"], ["2", "1", "{02}", "0", "0"]]
    text = "#NEXUS\n"
    for rows in blocks:
        matrix = "".join(f" {name} {row}\n" for name, row in zip(TAXA, rows))
        text += f"begin characters;\n dimensions ntax=5 nchar={len(rows[3])};\n format datatype=standard missing=? equate=\"x={{02}}\";\n matrix\n{matrix} ;\nend;\n"
    alignment.write_text(text, encoding="utf-8")
    columns = [["0", "2", "1", "?", "0"], ["01", "12", "2", "1", "02"], ["2", "0", "012", "1", "2"], ["1", "1", "0", "0", "1"], ["2", "1", "02", "0", "0"]]
    expected = sum(math.log(sum(column_likelihood("".join(states), 3) for states in itertools.product(*column))) for column in columns)
    result = jobs.run(2, ["loglh", "--msa", str(alignment), "--tree", str(tree), "--model", "MK", "--format", "nexus"])
    result.require(result.codes == [0, 0], "sets")
    result.require(abs(result.report["log_likelihood"] - expected) < 1e-9 * abs(expected), f"{result.report['log_likelihood']}, expected {expected}")
    written = pathlib.Path(f"{result.prefix}.bestTree.nex").read_text(encoding="utf-8")
    result.require(written.startswith("#NEXUS") and "tree tree_1 = [&U] (" in written, "expected the tree in NEXUS")


def sets_of_many_states(jobs: phylo_job.Jobs, _) -> None:
    """Sets of any states, also if each file of a partition file has other ones."""
    folder = phylo_job.Folder(jobs)
    tree = folder.write("many.nwk", TREE)
    columns = [["0", "89", "1", "?", "7"], ["79", "5", "08", "A", "A9"], ["01", "8", "12345", "1", "9"], ["01", "0", "02", "7", "A"], ["9", "9A", "9", "8", "89"]]

    def nexus(name: str, some: list[list[str]]) -> str:
        rows = [[f"{{{cell}}}" if len(cell) > 1 else cell for cell in row] for row in zip(*some)]
        matrix = "".join(f" {taxon} {''.join(row)}\n" for taxon, row in zip(TAXA, rows))
        return folder.write(name, f"#NEXUS\nbegin data;\n dimensions ntax=5 nchar={len(some)};\n format datatype=standard missing=? gap=-;\n matrix\n{matrix} ;\nend;\n")

    def expected(some: list[list[str]], states: int) -> float:
        return sum(math.log(sum(column_likelihood("".join(cells), states) for cells in itertools.product(*column))) for column in some)

    whole = jobs.run(2, ["loglh", "--msa", nexus("many.nex", columns), "--tree", tree, "--model", "MK"])
    whole.require(whole.codes == [0, 0], "many states")
    whole.require(abs(whole.report["log_likelihood"] - expected(columns, 11)) < 1e-9 * abs(expected(columns, 11)), f"{whole.report['log_likelihood']}")
    nexus("one.nex", columns[:2])
    nexus("two.nex", columns[2:])
    for names, states in ((("one.nex", "two.nex"), 11), (("two.nex", "one.nex"), 11)):
        charsets = "".join(f"charset c{i} = {name}: *;\n" for i, name in enumerate(names))
        parts = folder.write("parts.nex", f"#nexus\nbegin sets;\n{charsets}charpartition p = MULTI{states}_MK: c0, MULTI{states}_MK: c1;\nend;\n")
        joined = jobs.run(2, ["loglh", "--partitions", parts, "--tree", tree, "--brlen", "linked"])
        joined.require(joined.codes == [0, 0], "files with own sets")
        joined.require(abs(joined.report["log_likelihood"] - whole.report["log_likelihood"]) < 1e-9, f"{joined.report['log_likelihood']}")
    few = jobs.run(1, ["check", "--msa", nexus("few.nex", columns[:1]), "--model", "MULTI9_MK"])
    few.require(few.codes == [2] and "these are not: '{89}' (1 cell)" in " ".join(few.output.split()), "expected a refusal that names the set")


def sets_of_amino_acids(jobs: phylo_job.Jobs, _) -> None:
    """A set that has no letter."""
    folder = phylo_job.Folder(jobs)
    tree = folder.write("protein.nwk", TREE)

    def loglh(first: str) -> float:
        rows = "".join(f" {taxon} {cell}\n" for taxon, cell in zip(TAXA, (first, "I", "V", "L", "I")))
        data = folder.write("protein.nex", f"#NEXUS\nbegin data;\n dimensions nchar=1;\n format datatype=protein;\n matrix\n{rows} ;\nend;\n")
        result = jobs.run(1, ["loglh", "--msa", data, "--tree", tree, "--model", "LG"])
        result.require(result.codes == [0], first)
        return result.report["log_likelihood"]

    expected = math.log(math.exp(loglh("I")) + math.exp(loglh("V")))
    assert abs(loglh("{IV}") - expected) < 1e-9, (loglh("{IV}"), expected)


def choices(jobs: phylo_job.Jobs, args) -> None:
    """Words of a charpartition that are no models, types of charsets, and words for models that are to be chosen."""
    partitions = pathlib.Path(jobs.directory.name, "words.nex")
    sets = "#nexus begin sets; charset a = DNA, 1-400; charset b = DNA, 401-.; "
    for text, model, expected in ((sets + "charpartition p = one: a, two: b; end;", "JC", ["JC", "JC"]),
                                  (sets + "end;", "", ["auto", "auto"]),
                                  (sets + "charpartition p = MFP: a, DNA: b; end;", "", ["MFP", "auto"]),
                                  ("AA, a = 1-400\nDNA, b = 401-898\n", "", ["AA", "GTR+FC+G4m"])):
        partitions.write_text(text, encoding="utf-8")
        told = jobs.run(1, ["check", "--msa", args.msa, "--partitions", str(partitions), *(["--model", model] if model else [])])
        found = [line.split()[1] for line in told.output.splitlines() if line[:2] in ("a ", "b ")]
        told.require(found == expected, f"{text}: expected the models {expected}")


def types_of_raxml8(jobs: phylo_job.Jobs, args) -> None:
    """Each type word of RAxML 8 becomes a model that can be computed; MULTI has as many states as the data."""
    folder = phylo_job.Folder(jobs)
    proteins = folder.write("proteins.fa", "".join(f">t{i}\n{'ARNDCQEGHILKMFPSTWYV'[i:] * 2}{'ARNDCQEGHILKMFPSTWYV'[:i] * 2}\n" for i in range(5)))
    matrices = ("DAYHOFF", "DCMUT", "JTT", "MTREV", "WAG", "RTREV", "CPREV", "VT", "BLOSUM62", "MTMAM", "LG", "MTART", "MTZOA", "PMB", "HIVB", "HIVW", "JTTDCMUT", "FLU", "STMTREV")
    words = [matrix + ending for matrix in matrices for ending in ("F", "X")] + ["LG4M", "LG4X", "PROT"]
    for word in words:
        text = f"{word}, a = 1-40\\2\nWAGF, b = 2-40\\2\n"
        told = jobs.run(1, ["check", "--msa", proteins, "--partitions", folder.write("words.part", text)])
        told.require(told.codes == [0], f"{word}: expected a model")
    states = folder.write("states.fa", ">a\n0123A010\n>b\n1123401N\n>c\n2010001-\n>d\n31231011\n".replace("N", "1").replace("A", "4"))
    for word, model in (("MULTI", "MULTI5_GTR+FC+G4m"), ("MULTIX", "MULTI5_GTR+FO+G4m")):
        told = jobs.run(1, ["evaluate", "--msa", states, "--partitions", folder.write("multi.part", f"{word}, a = 1-5\nBIN, b = 6-8\n"), "--tree", folder.write("t.nwk", "(a,b,(c,d));\n")])
        told.require(told.codes == [0] and told.report["partitions"][0]["model"].startswith(model.split("+")[0]), f"{word}: expected {model}")
    for word in ("CODON", "GY+F", "MG94", "ECMK07"):
        told = jobs.run(1, ["check", "--msa", args.msa, "--model", word])
        told.require(told.codes == [2] and "is a model of codons, of which there are none; expected a model of DNA" in told.output, f"{word}: expected what is possible")


def write_partitioned(directory: pathlib.Path) -> list[str]:
    """DNA, binary and multistate data of nine taxa, and the options that name them."""
    parts = [spelt(evolved(9, 200, 4, 1), 1, "ACGT"), varying(spelt(evolved(9, 150, 2, 2), 2)), varying(spelt(evolved(9, 100, 6, 3), 3))]
    alignment, partitions = directory / "types.phy", directory / "types.part"
    alignment.write_text(phylip(["".join(row) for row in zip(*parts)]), encoding="utf-8")
    ends = [sum(len(part[0]) for part in parts[: i + 1]) for i in range(3)]
    partitions.write_text(f"HKY+FC+G4m, dna = 1-{ends[0]}\nBIN+FO+ASC_LEWIS, bin = {ends[0] + 1}-{ends[1]}\n"
                          f"MULTI6_GTR+FC+G2m+ASC_FELS{{30}}, multi = {ends[1] + 1}-{ends[2]}\n", encoding="utf-8")
    return ["--msa", str(alignment), "--partitions", str(partitions)]


def searches(jobs: phylo_job.Jobs, _) -> None:
    directory = pathlib.Path(jobs.directory.name)
    files = write_partitioned(directory)
    command = ["search", *files, "--spr-radius", "2"]
    reference = jobs.run(1, command)
    reference.require(reference.codes == [0], "search")
    for ranks in (2, 5):
        result = jobs.run(ranks, command)
        result.require(result.bits() == reference.bits(), f"{ranks} ranks: another result")
    again = jobs.run(3, ["loglh", "--msa", files[1], "--model", f"{reference.prefix}.bestModel", "--tree", f"{reference.prefix}.bestTree"])
    again.require(again.report["log_likelihood"] == reference.report["log_likelihood"], "expected the same likelihood of the written model")


def scalers(jobs: phylo_job.Jobs, args) -> None:
    """A given scaler is kept; that of the other partition is free."""
    partitions = pathlib.Path(jobs.directory.name, "scaled.part")
    partitions.write_text("JC+B{2.5}, a = 1-400\nJC, b = 401-898\n", encoding="utf-8")
    found = jobs.run(2, ["search", "--msa", args.msa, "--partitions", str(partitions), "--spr-radius", "1"])
    found.require(found.codes == [0, 0], "search")
    models = pathlib.Path(f"{found.prefix}.bestModel").read_text(encoding="utf-8").splitlines()
    found.require("+BU{2.5}," in models[0] and "+BU{" in models[1] and "+BU{1}" not in models[1], f"{models}")


def checks(jobs: phylo_job.Jobs, _) -> None:
    directory = pathlib.Path(jobs.directory.name)
    rows = spelt(evolved(6, 60, 2, 9), 9)
    constant = next(i for i, column in enumerate(zip(*rows)) if len(set(column) - set("-?.")) < 2)
    alignment = directory / "bin.phy"
    alignment.write_text(phylip(rows), encoding="utf-8")
    guessed = jobs.run(1, ["check", "--msa", str(alignment)])
    guessed.require(guessed.codes == [0] and "BIN+FC+G4m fits" in guessed.output, "expected a model of binary data")
    for command in ("check", "search"):
        refused = jobs.run(2, [command, "--msa", str(alignment), "--model", "BIN+ASC_LEWIS"])
        refused.require(refused.codes == [2, 2], "expected that sites that do not vary are refused")
        refused.require(f"bin.phy:2:{constant + 4}: the model corrects for sites" in " ".join(refused.output.split()), "expected the first site")
        refused.require(f"the first is site {constant + 1}" in " ".join(refused.output.split()), "expected its number")
    alignment.write_text(phylip(varying(rows)), encoding="utf-8")
    accepted = jobs.run(2, ["check", "--msa", str(alignment), "--model", "BIN+ASC_LEWIS"])
    accepted.require(accepted.codes == [0, 0], "expected that others are accepted")
    alignment.write_text(phylip(spelt(evolved(6, 60, 7, 9), 9)), encoding="utf-8")
    guessed = jobs.run(1, ["check", "--msa", str(alignment)])
    guessed.require("MULTI7_MK+G4m fits" in guessed.output, "expected a model of seven states")


def all_cases(jobs: phylo_job.Jobs, args) -> None:
    likelihoods(jobs, args)
    searches(jobs, args)
    scalers(jobs, args)
    checks(jobs, args)
    partitions_of_iqtree(jobs, args)
    models_of_iqtree(jobs, args)
    own_matrix(jobs, args)
    sets_of_states(jobs, args)
    sets_of_many_states(jobs, args)
    sets_of_amino_acids(jobs, args)
    choices(jobs, args)
    types_of_raxml8(jobs, args)


if __name__ == "__main__":
    sys.exit(phylo_job.main(phylo_job.arguments(__doc__).parse_args(), all_cases, needs_deaths=False))
