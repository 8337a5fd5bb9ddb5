"""One interface to programs that search trees. A search takes a start, and gives a tree, its log-likelihood, seconds and memory."""
import dataclasses
import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time


class Failed(Exception):
    """A program did not do what it was asked to. The message says what happened."""


@dataclasses.dataclass(frozen=True)
class Dataset:
    name: str
    alignment: pathlib.Path
    model: str = "GTR+FC+G4m"  # the model of all sites, if there is no partition file
    partitions: pathlib.Path | None = None
    linkage: str = "scaled"  # of branch lengths between partitions: linked, scaled, unlinked
    start: pathlib.Path | None = None  # a tree


@dataclasses.dataclass(frozen=True)
class Start:
    number: int  # from 1; it is the seed of all random choices
    tree: pathlib.Path | None  # none: the program makes its own, by parsimony


@dataclasses.dataclass
class Usage:
    """The resources of a process that has ended, and of its children."""

    user_s: float
    wall_s: float
    peak_bytes: int
    load: float  # the number of processes that wanted to run on the machine when this one began


@dataclasses.dataclass
class Found:
    tree: str  # Newick
    log_likelihood: float  # according to the program
    usage: Usage
    reductions: int | None = None  # of one rank, as regraft-phylo counts them; peers tell none


def run(command: list, folder: pathlib.Path) -> Usage:
    """Runs a command in a folder. Its output goes to FOLDER/output."""
    load = os.getloadavg()[0]
    begin = time.monotonic()
    with open(folder / "output", "wb") as output:
        process = subprocess.Popen([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        said = (folder / "output").read_text(encoding="utf-8", errors="replace")
        raise Failed(f"{shlex.join(map(str, command))}: exit code {process.returncode}\n{said[-2000:]}")
    return Usage(used.ru_utime, time.monotonic() - begin, used.ru_maxrss * 1024, load)


OTHER = "_other"  # ends the name of a search by an earlier build of regraft-phylo


class Regraft:
    """regraft-phylo. effort: the value of --effort. one_start: from the start alone, as RAxML-NG does; otherwise it adds starts as it
    sees fit."""

    def __init__(self, program: pathlib.Path, effort: str, name: str = "", one_start: bool = False):
        self.program, self.effort, self.name, self.one_start = program, effort, name or effort, one_start

    def command(self, what: str, dataset: Dataset, *words) -> list:
        model = ["--partitions", dataset.partitions, "--brlen", dataset.linkage] if dataset.partitions else ["--model", dataset.model]
        return [self.program, what, "--msa", dataset.alignment, *model, "--threads", "1", "--prefix", "run", "--redo", *words]

    def search(self, dataset: Dataset, start: Start, folder: pathlib.Path) -> Found:
        tree = ["--tree", start.tree] if start.tree else []
        if self.one_start:
            tree += ["--starts", "tree" if start.tree else "pars{1}"]
        usage = run(self.command("search", dataset, "--effort", self.effort, "--seed", start.number, *tree), folder)
        report = self.report(folder)
        reductions = report.get("points_reached", {}).get("reduce:after")
        return Found((folder / "run.bestTree").read_text(encoding="utf-8"), report["log_likelihood"], usage, reductions)

    def evaluate(self, dataset: Dataset, tree: str) -> dict:
        """The JSON of an evaluation, with optimised model and branch lengths."""
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            (folder / "tree.nwk").write_text(tree, encoding="utf-8")
            run(self.command("evaluate", dataset, "--tree", "tree.nwk"), folder)
            return self.report(folder)

    def distances(self, trees: list[str], reference: str) -> list[int]:
        """The distance of Robinson and Foulds from each tree to the reference."""
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            (folder / "trees.nwk").write_text("\n".join(trees), encoding="utf-8")
            (folder / "reference.nwk").write_text(reference, encoding="utf-8")
            words = ["--trees", "trees.nwk", "--tree", "reference.nwk", "--json", "found.json", "--prefix", "run"]
            run([self.program, "rfdist", *words], folder)
            return json.loads((folder / "found.json").read_text(encoding="utf-8"))["distances"]

    @staticmethod
    def report(folder: pathlib.Path) -> dict:
        return json.loads((folder / "run.json").read_text(encoding="utf-8"))


class IqTree:
    """IQ-TREE, which makes many starts of its own. fast: with -fast."""

    LINKAGE = {"linked": "-q", "scaled": "-p", "unlinked": "-Q"}

    def __init__(self, program: str, fast: bool):
        self.program, self.fast, self.name = program, fast, "iqtree_fast" if fast else "iqtree"

    def command(self, dataset: Dataset, seed: int, folder: pathlib.Path, *words) -> list:
        return [self.program, "-s", dataset.alignment, *self.model(dataset, folder), "-T", "1", "-seed", seed, "--prefix", "run", "-redo",
                "-quiet", *words]

    def search(self, dataset: Dataset, start: Start, folder: pathlib.Path) -> Found:
        usage = run(self.command(dataset, start.number, folder, *(["-fast"] if self.fast else [])), folder)
        said = re.search(r"^BEST SCORE FOUND : (-[\d.]+)", (folder / "run.log").read_text(encoding="utf-8"), re.M)
        return Found((folder / "run.treefile").read_text(encoding="utf-8"), float(said[1]), usage)

    @classmethod
    def model(cls, dataset: Dataset, folder: pathlib.Path) -> list:
        if not dataset.partitions:
            return ["-m", cls.model_name(dataset.model)]
        sets, models = [], []
        for number, line in enumerate(dataset.partitions.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip():
                model, ranges = line.split(",", 1)[0], line.split("=", 1)[1].replace(",", " ")
                sets.append(f"charset p{number} = {ranges};\n")
                models.append(f"{cls.model_name(model.strip())}:p{number}")
        text = f"#nexus\nbegin sets;\n{''.join(sets)}charpartition all = {', '.join(models)};\nend;\n"
        (folder / "partitions.nex").write_text(text, encoding="utf-8")
        return [cls.LINKAGE[dataset.linkage], "partitions.nex"]

    @staticmethod
    def model_name(name: str) -> str:
        """IQ-TREE's name of a model. Its counted frequencies are +F, and means of the categories of gamma are its default."""
        return re.sub(r"(\+[GI]\d*)m", r"\1", re.sub(r"\+FC\b", "+F", name))


class Piqtree:
    """IQ-TREE 3 as the Python library piqtree. It takes one model for all sites. Its seconds are those of a Python process, which needs
    about three to begin and to end."""

    name = "piqtree"
    SCRIPT = """
import sys
import cogent3
import piqtree
alignment, model, seed = sys.argv[1:]
rows = {}
for line in open(alignment, encoding="utf-8").read().splitlines()[1:]:
    name, *parts = line.split()
    rows[name] = "".join(parts)
kind = "dna" if set("".join(rows.values()).upper()) <= set("ACGTURYSWKMBDHVN-?") else "protein"
tree = piqtree.build_tree(cogent3.make_aligned_seqs(rows, moltype=kind), model, rand_seed=int(seed), num_threads=1)
print(tree.params["lnL"], tree.get_newick(with_distances=True).replace("'", ""))
"""

    def __init__(self, program: str):
        self.program = program  # Python

    def search(self, dataset: Dataset, start: Start, folder: pathlib.Path) -> Found:
        if dataset.partitions:
            raise Failed("piqtree has no partitions")
        usage = run([self.program, "-c", self.SCRIPT, dataset.alignment, IqTree.model_name(dataset.model), start.number], folder)
        said, tree = (folder / "output").read_text(encoding="utf-8").splitlines()[-1].split(maxsplit=1)
        return Found(tree, float(said), usage)

    @staticmethod
    def installed() -> bool:
        return subprocess.run([sys.executable, "-c", "import piqtree"], stderr=subprocess.DEVNULL, check=False).returncode == 0

    def version(self) -> str:
        code = "import piqtree; print(f'piqtree {piqtree.__version__} (IQ-TREE {piqtree.__iqtree_version__})')"
        return subprocess.run([self.program, "-c", code], capture_output=True, text=True, check=False).stdout.strip()


class RaxmlNg:
    name = "raxml_ng"

    def __init__(self, program: str):
        self.program = program

    def search(self, dataset: Dataset, start: Start, folder: pathlib.Path) -> Found:
        model = [dataset.partitions, "--brlen", dataset.linkage] if dataset.partitions else [dataset.model]
        usage = run([self.program, "--search", "--msa", dataset.alignment, "--model", *model, "--tree", start.tree or "pars{1}",
                     "--seed", start.number, "--threads", "1", "--prefix", "run", "--redo"], folder)
        said = re.search(r"Final LogLikelihood: (-[\d.]+)", (folder / "run.raxml.log").read_text(encoding="utf-8"))
        return Found((folder / "run.raxml.bestTree").read_text(encoding="utf-8"), float(said[1]), usage)


class FastTree:
    """FastTree, or VeryFastTree, which has the same options. Both make a start of their own. words: how a command begins."""

    def __init__(self, name: str, words: list):
        self.name, self.words = name, words

    def search(self, dataset: Dataset, start: Start, folder: pathlib.Path) -> Found:
        """Precondition: DNA without partitions. The program searches with categories of rates, then fits a gamma distribution."""
        options = ["-nt", "-gtr", "-gamma", "-nosupport", "-seed", start.number, "-out", "run.fasttree"]
        usage = run([*self.words, *options, dataset.alignment], folder)
        said = re.search(r"Gamma\(20\) LogLk = (-[\d.]+)", (folder / "output").read_text(encoding="utf-8"))
        return Found((folder / "run.fasttree").read_text(encoding="utf-8"), float(said[1]), usage)

    def version(self) -> str:
        said = subprocess.run([*self.words, "-help"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        return next((line.strip().rstrip(":") for line in (said.stdout + said.stderr).splitlines() if re.search(r"\d\.\d", line)), "")


def fast_trees() -> list[FastTree]:
    """FastTree and VeryFastTree, if they are installed, the latter as a program or as a module of this Python."""
    found = []
    if program := shutil.which("fasttree") or shutil.which("FastTree"):
        found.append(FastTree("fasttree", [program]))
    program = shutil.which("VeryFastTree")
    if program or importlib.util.find_spec("veryfasttree"):
        found.append(FastTree("veryfasttree", [*([program] if program else [sys.executable, "-m", "veryfasttree"]), "-threads", "1"]))
    return found


EFFORTS = ("fast", "normal", "auto", "thorough")
ONE_START = "normal_one_start"


def searchers(regraft: pathlib.Path) -> list:
    """The searches of regraft-phylo, and the peers that are installed."""
    found = [Regraft(regraft, effort) for effort in EFFORTS] + [Regraft(regraft, "normal", ONE_START, one_start=True)]
    if iqtree := shutil.which("iqtree2") or shutil.which("iqtree3"):
        found += [IqTree(iqtree, fast=True), IqTree(iqtree, fast=False)]
    if Piqtree.installed():
        found.append(Piqtree(sys.executable))
    if raxml := shutil.which("raxml-ng"):
        found.append(RaxmlNg(raxml))
    return found


def version(program) -> str:
    """What a program says of itself, or the first line of --version that has a version number."""
    if hasattr(program, "version"):
        return program.version()
    said = subprocess.run([program.program, "--version"], capture_output=True, text=True, check=False).stdout
    return next((line.strip() for line in said.splitlines() if re.search(r"\d\.\d", line)), "")


# --- data ----------------------------------------------------------------------------------------------------------------

def dataset_of(folder: pathlib.Path) -> Dataset:
    """The data of a folder: aln.phy, model.txt (a model, or the name of a partition file with --brlen HOW), and perhaps start.nwk."""
    folder = folder.resolve()
    words = (folder / "model.txt").read_text(encoding="utf-8").split()
    start = folder / "start.nwk" if (folder / "start.nwk").exists() else None
    if not (folder / words[0]).is_file():
        return Dataset(folder.name, folder / "aln.phy", words[0], start=start)
    linkage = words[words.index("--brlen") + 1] if "--brlen" in words else "scaled"
    return Dataset(folder.name, folder / "aln.phy", "", folder / words[0], linkage, start)


def taxa_of(tree: str) -> set[str]:
    """The names of the tips of a tree. Precondition: no names in quotes."""
    return set(re.findall(r"[(,]\s*([^\s(),:;]+)", tree))
