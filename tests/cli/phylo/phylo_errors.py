#!/usr/bin/env python3
"""Bad input and bad usage of regraft-phylo: a clear message, exit code 2 on every rank, no output, no hang."""
import json
import os
import pathlib
import subprocess
import sys

import phylo_job

SMALL = ["--msa", "{dir}/small.phy", "--model", "JC"]
GOOD = ["--msa", "{msa}", "--model", "GTR+FC+G4m"]
FILES = {
    "empty.phy": "",
    "three.phy": "3 4\na ACGT\nb ACGT\nc ACGA\n",
    "siteless.fa": ">a\n>b\n>c\n>d\n",
    "twins.phy": "4 4\na ACGT\nb ACGT\na ACGA\nd ACGT\n",
    "short.phy": "4 4\na ACGT\nb ACG\nc ACGA\nd ACGT\n",
    "odd.phy": "4 4\na ACGT\nb AC5T\nc ACGA\nd ACGT\n",
    "huge.phy": "4000000000 4000000000\na ACGT\n",
    "small.phy": "4 4\na ACGT\nb ACGA\nc ACTT\nd AGGT\n",
    "bad.part": "GTR+FC+G4m, all = 1-898\nGTR, more = 800-900\n",
    "good.part": "GTR+FC+G4m, all = 1-4\n",
    "model.part": "GTR+FC+Q, all = 1-4\n",
    "binary.phy": "4 4\na 0101\nb 0110\nc 1001\nd 0011\n",
    "binary.part": "BIN, all = 1-4\n",
    "scaled.part": "JC, a = 1-2\nJC+B{2}, b = 3-4\n",
    "types.part": "DNA, a = 1-2\nGTR+G4m, b = 3-4\n",
    "bare.nex": "#nexus begin sets; charset a = 1-2; charset b = 3-.; end;\n",
    "cut.nex": "#nexus\nbegin sets;\ncharset a = 1-2\nend;\n",
    "gaps.phy": "4 4\na ----\nb ????\nc NNNN\nd ----\n",
    "bad.nwk": "((a,b),(c,e));",
    "cut.nwk": "((a,b),(c,d)",
    "abcd.nwk": "((a,b),(c,d));",
    "two.nwk": "((a,b),(c,d));\n((a,c),(b,d));\n",
}
CASES = [  # arguments, what the message must contain
    (["search"], "--msa"),
    (["search", "--msa", "{dir}/binary.phy"], "binary.phy: partition all: model 'auto', the default, chooses among models of DNA and amino acids"),
    (["merge", "--msa", "{msa}"], "--partitions is needed"),
    (["evaluate", "--msa", "{msa}"], "--tree: FILE is needed"),
    (["search", *GOOD, "--frobnicate"], "there is no option --frobnicate"),
    (["search", *GOOD, "--modle", "JC"], "there is no option --modle; did you mean --model?"),
    (["--evaluate", *GOOD], "--tree: FILE is needed"),
    ([*GOOD, "--lh-epsilon", "0.1"], "--lh-epsilon of RAxML-NG has no counterpart here"),
    (["frobnicate"], "frobnicate"),
    ([], "--msa"),
    (["search", *GOOD, "--brlen", "long"], "--brlen"),
    (["search", *GOOD, "--seed", "x"], "--seed"),
    (["search", *GOOD, "--seed", "-1"], "--seed"),
    (["search", *GOOD, "--replicas", "0"], "--replicas"),
    *((["search", *GOOD, option, ""], f"{option}: the value is empty") for option in ("--partitions", "--constraint", "--tree", "--starts", "--seed", "--outgroup", "--prefix", "--brlen", "--bs-trees", "--fail", "--threads")),
    (["search", "--model", "JC", "--msa", ""], "--msa: the value is empty"),
    (["search", "--msa", "{msa}", "--model", ""], "--model: the value is empty"),
    (["consensus", "--trees", "{dir}/two.nwk", "--threshold", ""], "--threshold: the value is empty"),
    (["rfdist", "--trees", "{dir}/two.nwk", "--tree", ""], "--tree: the value is empty"),
    (["search", *GOOD, "--instructions", "vax"], "--instructions: vax not in"),
    (["evaluate", *GOOD, "--tree", "{dir}/bad.nwk", "--effort", "fast"], "--effort"),
    (["loglh", *GOOD, "--tree", "{dir}/bad.nwk", "--start", "random"], "--start"),
    (["loglh", *GOOD, "--tree", "{dir}/bad.nwk", "--spr-radius", "2"], "--spr-radius"),
    (["search", "--msa", "{dir}/small.phy", "--model", "JC", "--partitions", "{dir}/good.part"], "good.part: has a model for each partition"),
    (["loglh", *GOOD], "--tree: FILE is needed"),
    (["evaluate", *GOOD], "to find a tree, use search"),
    (["search", "--msa", "{dir}/missing.phy", "--model", "JC"], "missing.phy: cannot be"),
    (["search", "--msa", "{dir}", "--model", "JC"], "{dir}"),
    (["search", "--msa", "{dir}/empty.phy", "--model", "JC"], "empty.phy"),
    (["search", "--msa", "{dir}/three.phy", "--model", "JC"], "three.phy: 3 taxa, expected at least 4"),
    (["search", "--msa", "{dir}/siteless.fa", "--model", "JC"], "siteless.fa: no sites, expected at least 1"),
    (["search", "--msa", "{dir}/twins.phy", "--model", "JC"], "twins.phy:4:1: "),
    (["search", "--msa", "{dir}/short.phy", "--model", "JC"], "short.phy:"),
    (["search", "--msa", "{dir}/odd.phy", "--model", "JC"], "odd.phy:3:5: "),
    (["search", "--msa", "{dir}/huge.phy", "--model", "JC"], "huge.phy:"),
    (["search", "--msa", "{dir}/small.phy", "--model", "GTR+FC+X"], "'+X' is unknown"),
    (["search", "--msa", "{dir}/small.phy", "--model", "gone.bestModel"], "--model: 'gone.bestModel' is no model, and no file of this name is there"),
    (["search", "--msa", "{dir}/small.phy", "--model", "LGG+G{{0.5}}"], "'LGG' is unknown, expected a name such as GTR, LG, BIN or MULTI3_MK; the nearest is LG"),
    (["search", "--msa", "{dir}/small.phy", "--model", "BIN"], "small.phy:2:3: partition 'all', taxon 'a', site 1: not a binary symbol"),
    (["search", "--msa", "{dir}/small.phy", "--model", "MULTI20_MK"], "taxon 'a', site 4: not a multistate symbol; these are not: 'T' (4 cells); allowed are 0123456789ABCDEFGHIJ?-."),
    (["search", "--msa", "{dir}/small.phy", "--model", "JC+ASC_LEWIS"], "small.phy:2:3: the model corrects for sites that do not vary"),
    (["search", "--msa", "{dir}/small.phy", "--model", "JC+ASC_LEWIS"], "regraft-msa trim --no-constant removes them"),
    (["search", "--msa", "{dir}/small.phy", "--model", "JC+ASC_LEWIS+I"], "has +I and +ASC_, expected one"),
    (["search", "--msa", "{dir}/small.phy", "--model", "JC+ASC_FELS{{0.5}}"], "gives 0.5, expected a number of sites"),
    (["search", "--msa", "{dir}/small.phy", "--model", "JC+B"], "model 'JC+B' scales branch lengths (+B), expected several partitions"),
    (["search", "--msa", "{dir}/small.phy", "--partitions", "{dir}/scaled.part", "--brlen", "linked"], "scaled.part: partition b: model 'JC+B{{2}}' scales"),
    (["search", *GOOD, "--instructions", "mmx"], "--instructions"),
    (["search", *GOOD, "--memory", "0"], "--memory"),
    (["search", *GOOD, "--memory", "16X"], "--memory: '16X', expected a number"),
    (["search", *GOOD, "--memory", "101%"], "'101%', expected at most 100%"),
    (["search", "--msa", "{dir}/small.phy", "--model", "LG+FC+G4m+"], "unknown"),
    (["search", "--msa", "{dir}/small.phy", "--partitions", "{dir}/bad.part"], "bad.part:1:"),
    (["search", "--msa", "{dir}/small.phy", "--partitions", "{dir}/model.part"], "model.part: partition all: model 'GTR+FC+Q'"),
    (["search", "--msa", "{dir}/small.phy", "--partitions", "{dir}/none.part"], "none.part"),
    (["search", "--msa", "{dir}/small.phy", "--partitions", "{dir}/binary.part"], "small.phy:2:3: partition 'all', taxon 'a', site 1: not a binary symbol"),
    (["search", "--msa", "{dir}/small.phy", "--partitions", "{dir}/types.part"], "types.part:2:1: expected a type word of RAxML 8"),
    (["search", "--msa", "{dir}/small.phy", "--partitions", "{dir}/bare.nex"], "bare.nex: has charsets without models"),
    (["search", "--msa", "{dir}/small.phy", "--model", "JC", "--partitions", "{dir}/cut.nex"], "cut.nex:4:1: expected a site"),
    (["search", "--msa", "{dir}/gaps.phy", "--model", "JC"], "gaps.phy: there are only gaps"),
    (["search", "--msa", "{dir}/small.phy", "--model", "JC", "--reduced", "{dir}/small.phy"], "small.phy: is the input"),
    (["search", "--msa", "{dir}/small.phy", "--model", "JC", "--reduced", "{dir}/good.part"], "good.part: exists already"),
    (["check", "--model", "JC"], "--msa"),
    (["check", "--msa", "{dir}/missing.phy"], "missing.phy: cannot be"),
    (["check", "--msa", "{dir}/twins.phy"], "twins.phy:4:1: "),
    (["check", "--msa", "{dir}/small.phy", "--partitions", "{dir}/bad.part"], "bad.part:1:"),
    (["check", "--msa", "{dir}/small.phy", "--json", "{dir}/good.part"], "good.part: exists already"),
    (["check", "--msa", "{dir}/small.phy", "--json", "{dir}/none/x.json"], "x.json: cannot be written: No such file"),
    (["evaluate", "--msa", "{dir}/small.phy", "--model", "JC", "--tree", "{dir}/bad.nwk"], "bad.nwk:1:"),
    (["evaluate", "--msa", "{dir}/small.phy", "--model", "JC", "--tree", "{dir}/cut.nwk"], "cut.nwk:1:"),
    (["evaluate", "--msa", "{dir}/small.phy", "--model", "JC", "--tree", "{dir}/none.nwk"], "none.nwk"),
    (["search", *SMALL, "--starts", "nj"], "--starts: 'nj': expected pars{{N}}, rand{{N}}"),
    (["search", *SMALL, "--starts", "tree"], "--starts tree: there is no tree, expected --tree FILE"),
    (["search", *SMALL, "--outgroup", "a,x"], "--outgroup: 'x' is not in the alignment"),
    (["search", *SMALL, "--outgroup", "a,b,c,d"], "--outgroup: has all taxa"),
    (["search", *SMALL, "--constraint", "{dir}/bad.nwk"], "bad.nwk: 'e' is not in the alignment"),
    (["search", *SMALL, "--constraint", "{dir}/cut.nwk"], "cut.nwk:1:"),
    (["search", *SMALL, "--constraint", "{dir}/two.nwk"], "two.nwk: has 2 trees, expected one"),
    (["search", *SMALL, "--constraint", "{dir}/abcd.nwk", "--tree", "{dir}/two.nwk"], "two.nwk: tree 2 lacks a split of {dir}/abcd.nwk"),
    (["search", *SMALL, "--bs-trees", "many"], "--bs-trees: 'many', expected a number"),
    (["search", *SMALL, "--alrt", "0"], "--alrt"),
    (["search", *SMALL, "--ufboot", "1"], "--ufboot"),
    (["search", *SMALL, "--time-limit", "-1"], "--time-limit"),
    (["search", *SMALL, "--profile", "--groups", "2"], "--profile: compares ranks that work on the same"),
    (["loglh", *SMALL, "--tree", "{dir}/two.nwk"], "two.nwk:2:1"),
    (["search", *GOOD, "--fail", "nowhere:0:0"], "no point named 'nowhere'"),
    (["search", *GOOD, "--fail", "spr:inside"], "expected point:rank:occurrence"),
    (["search", *GOOD, "--fail", "spr:inside:99:0"], "there is no rank 99 among"),
    (["search", *GOOD, "--fail", "random:1"], "expected random:SEED:COUNT"),
    (["search", *GOOD, "--fail", "random:1:5"], "at least one survives"),
]


def refused(jobs: phylo_job.Jobs, args) -> None:
    directory = pathlib.Path(jobs.directory.name)
    for name, text in FILES.items():
        (directory / name).write_text(text, encoding="utf-8")
    fill = {"msa": args.msa, "dir": str(directory)}
    for number, (arguments, message) in enumerate(CASES):
        ranks = 1 if number % 2 else 5
        case = " ".join(arguments)
        result = jobs.run(ranks, [argument.format(**fill) for argument in arguments])
        code = 1 if "cannot be written: No such" in message else 2
        result.require(result.codes == [code] * ranks, f"{case}: expected exit code {code} on all ranks")
        result.require(message.format(**fill) in result.output, f"{case}: expected a message with '{message}'")
        result.require(result.output.count("regraft-phylo:") == 1, f"{case}: expected one message, not one per rank")
        result.require(not list(directory.glob("job*")), f"{case}: left files behind")
        print(f"{case}: {result.output.split('regraft-phylo:')[1].strip().splitlines()[0]}")


def outputs(jobs: phylo_job.Jobs, args) -> None:
    """Existing files are kept without --redo; output that cannot be written is told."""
    first = jobs.search(2)
    bits = first.bits()
    tree = pathlib.Path(jobs.directory.name, "start.nwk")
    tree.write_text(bits[0], encoding="utf-8")
    evaluate = ["evaluate", "--msa", args.msa, "--model", "JC", "--tree", str(tree)]
    again = jobs.run(2, evaluate, prefix=first.prefix)
    again.require(again.codes == [2, 2] and "exists already" in again.output, "expected a refusal to overwrite")
    again.require(again.bits() == bits, "a refused run has changed the output")
    redo = jobs.run(2, [*evaluate, "--redo"], prefix=first.prefix)
    redo.require(redo.codes == [0, 0] and redo.bits() != bits, "expected that --redo overwrites")
    for option in ("--msa", "--tree", "--constraint"):
        own = pathlib.Path(f"{first.prefix}.bestTree")
        own.unlink()
        own.symlink_to(args.msa if option == "--msa" else tree)
        over = jobs.run(2, ["search", "--msa", args.msa, "--model", "JC", "--redo", *([option, str(tree)] if option != "--msa" else [])], prefix=first.prefix)
        over.require(over.codes == [2, 2] and ".bestTree: is the input; expected another name" in over.output, f"{option}: expected that the input is kept")
    nowhere = jobs.run(2, ["loglh", "--msa", args.msa, "--model", "JC", "--tree", str(tree)], prefix=pathlib.Path("/proc/none/x"))
    nowhere.require(nowhere.codes == [1, 1] and "cannot be written" in nowhere.output, "expected that an unwritable prefix is said")
    leftovers = [path.name for path in pathlib.Path(jobs.directory.name).iterdir() if path.suffix == ".tmp"]
    first.require(not leftovers, f"temporary files left: {leftovers}")


MESSY = """6 10
a ACGTACGTA-
b CCGTTCGTC-
c acgtacgta-
d ----------
e CAGTACCTC-
f GAGTACCAC-
"""
MESSY_SETS = "#NEXUS\nbegin sets;\n charset one = 1-10\\2;\n charset two = 2-10\\2;\nend;\n"


def checks(jobs: phylo_job.Jobs, _) -> None:
    """Defects are told by check and by search; those that can be left out are left out by --reduced, and then nothing more is found."""
    directory = pathlib.Path(jobs.directory.name)
    messy, sets, found, small = (directory / name for name in ("messy.phy", "messy.nex", "found.json", "small.phy"))
    messy.write_text(MESSY, encoding="utf-8")
    sets.write_text(MESSY_SETS, encoding="utf-8")
    small.unlink(missing_ok=True)
    told = ["warning", "1 taxon without data", "'d'", "1 site without data", "'a' = 'c'", "free parameters"]
    files = ["--msa", str(messy), "--model", "HKY", "--partitions", str(sets)]
    result = jobs.run(3, ["check", *files, "--json", str(found), "--reduced", str(small)])
    result.require(result.codes == [0, 0, 0], "expected that warnings do not forbid a search")
    for words in [*told, "two", "This can be searched"]:
        result.require(result.output.count(words) >= 1, f"expected '{words}'")
    result.require(result.output.count("This can be searched") == 1, "expected one report, not one per rank")
    report = json.loads(found.read_text(encoding="utf-8"))
    result.require(report["can_be_searched"] and report["same_sequences"] == [["a", "c"]], "expected the same in JSON")
    result.require(report["taxa_without_data"] == ["d"] and report["sites_without_data"] == [10], "expected the gaps in JSON")
    result.require(small.read_text(encoding="utf-8").splitlines()[:2] == ["4 9", "a ACGTACGTA"], "expected 4 taxa, 9 sites")
    partitions = pathlib.Path(f"{small}.partitions")
    result.require(partitions.read_text(encoding="utf-8") == "HKY, one = 1-9\\2\nHKY, two = 2-8\\2\n", "expected the partitions renumbered")
    again = jobs.run(1, ["check", "--msa", str(small), "--partitions", str(partitions)])
    again.require(again.codes == [0] and "without data" not in again.output and " = 'c'" not in again.output, "expected nothing more to leave out")

    protein = jobs.run(2, ["check", "--msa", str(messy), "--model", "LG"])
    protein.require(protein.codes == [0, 0] and "looks like DNA" in protein.output, "expected a warning of DNA")
    for name, words in (("odd.phy", "odd.phy:3:5: partition 'all', taxon 'b', site 3"), ("three.phy", "3 taxa, expected at least 4"),
                        ("siteless.fa", "no sites"), ("gaps.phy", "only gaps")):
        bad = jobs.run(2, ["check", "--msa", str(directory / name)])
        bad.require(bad.codes == [2, 2] and words in bad.output and "This cannot be searched" in bad.output, f"{name}: expected '{words}'")

    small.unlink()
    partitions.unlink()
    search = jobs.run(2, ["search", *files, "--reduced", str(small)])
    search.require(search.codes == [0, 0] and small.exists() and partitions.exists(), "expected that search writes it too")
    for words in told:
        search.require(words in search.output, f"expected '{words}' at the start of a search")
    search.require(len(search.report["warnings"]) == search.output.count("] warning: "), "expected the warnings in JSON")
    search.require(search.report["taxa"] == 6, "expected that the search itself uses all taxa")


def alone(jobs: phylo_job.Jobs, args) -> None:
    """Without a launcher the program is a job of one rank."""
    prefix = f"{jobs.directory.name}/alone"
    for arguments, expected in ((["--help"], "search"), (["search", "--help"], "--fail"), (["check", "--help"], "warnings  the search would run"), (["points"], "spr:inside")):
        run = subprocess.run([args.exe, *arguments], capture_output=True, text=True, check=False)
        assert run.returncode == 0 and expected in run.stdout and not run.stderr, (arguments, run)
    folder = f"{jobs.directory.name}/"
    before = sorted(os.listdir(folder))
    for words in (["search", "--msa", args.msa, "--model", "JC"], ["consensus", "--trees", args.msa]):
        for named in (folder, folder + "."):
            run = subprocess.run([args.exe, *words, "--prefix", named], capture_output=True, text=True, check=False)
            assert run.returncode == 2 and f"{named} is a folder; expected how the names of files begin, such as {folder}NAME" in run.stderr, run
    assert sorted(os.listdir(folder)) == before, "expected no hidden files"
    command = [args.exe, "search", "--msa", args.msa, "--model", "GTR+FC+G4m", "--spr-radius", "2", "--prefix", prefix]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1"))
    assert run.returncode == 0 and not run.stderr, run
    assert pathlib.Path(f"{prefix}.bestTree").read_text(encoding="utf-8") == jobs.search(3).bits()[0]


def all_cases(jobs: phylo_job.Jobs, args) -> None:
    refused(jobs, args)
    outputs(jobs, args)
    checks(jobs, args)
    alone(jobs, args)


if __name__ == "__main__":
    sys.exit(phylo_job.main(phylo_job.arguments(__doc__).parse_args(), all_cases, needs_deaths=False))
