#!/usr/bin/env python3
"""The golden files of regraft-phylo, data/golden/phylo: checkpoints of searches that stopped at a known moment, a tree and a model.

A checkpoint is continued with the same bits as a search in one go, or is refused by name, and this version writes the same bytes at the same
moment. phylo_golden.py ... --make writes the files anew (HACKING.md, Change the format)."""
import json
import pathlib
import shutil
import sys
from typing import NamedTuple

import phylo_job
from phylo_job import KILLED

ROOT = pathlib.Path(__file__).resolve().parents[3]
DATA, FOLDER = ROOT / "data", ROOT / "data/golden/phylo"
LIST = FOLDER / "golden.json"
sys.path.insert(0, str(ROOT / "docs/reader"))
from xxh3 import xxh3  # noqa: E402

LAYOUT_AT = 8  # behind the magic number


class Case(NamedTuple):
    """A job, and the checkpoint on disk behind which it is stopped."""
    arguments: list[str]
    stop: int


PRIMATES = ["search", "--msa", str(DATA / "primates.phy"), "--model", "GTR+FC+G4m", "--effort", "normal", "--spr-radius", "2", "--starts", "pars{2},rand{1}",
            "--bs-trees", "2", "--alrt", "20"]
PARTITIONS = ["search", "--msa", str(DATA / "vertebrates.phy"), "--partitions", str(DATA / "vertebrates.part"), "--effort", "fast", "--spr-radius", "1",
              "--starts", "pars{1}", "--brlen"]
TEST = ["test", "--msa", str(DATA / "primates.phy"), "--model", str(FOLDER / "search.bestModel"), "--trees", str(FOLDER / "trees.nwk"), "--samples", "1000"]
CASES = {
    "climb": Case(PRIMATES, 30),
    "supports": Case(PRIMATES, 60),
    "done": Case(PRIMATES, 81),
    "automatic": Case(["search", "--msa", str(DATA / "primates.phy"), "--model", "HKY+G", "--effort", "auto", "--spr-radius", "2"], 20),
    "scaled": Case([*PARTITIONS, "scaled"], 5),
    "unlinked": Case([*PARTITIONS, "unlinked"], 9),
    "proteins": Case(["search", "--msa", str(DATA / "globins.phy"), "--model", "LG+R2", "--effort", "fast", "--spr-radius", "2"], 4),
    "test": Case(TEST, 2),
}
ANOTHER_VERSION = "was written by another version of the program; --redo starts anew"
# Checkpoints that earlier versions wrote and that are refused now: what is said of each.
REFUSED = {"layout-1": ANOTHER_VERSION, "layout-2": ANOTHER_VERSION, "layout-3": ANOTHER_VERSION}


def golden(name: str) -> pathlib.Path:
    return FOLDER / f"{name}.ckp"


def options(case: Case) -> list[str]:
    return [*case.arguments, "--checkpoint-interval", "0"]


def stopped(jobs: phylo_job.Jobs, case: Case) -> bytes:
    """The checkpoint that this version writes."""
    result = jobs.run(1, options(case), plan=f"save:after:0:{case.stop}")
    result.require(result.codes == [KILLED], f"expected that it stops behind checkpoint {case.stop}")
    return pathlib.Path(f"{result.prefix}.ckp").read_bytes()


def results(result: phylo_job.Result) -> dict[str, str]:
    """Every file with results by the end of its name, without what tells of the job itself."""
    files = {path.name.removeprefix(result.prefix.name): path for path in result.prefix.parent.glob(f"{result.prefix.name}.*")}
    return {name: path.read_text(encoding="utf-8") for name, path in files.items() if name not in (".json", ".log")}


def log_likelihood(result: phylo_job.Result) -> str:
    text = pathlib.Path(f"{result.prefix}.json").read_text(encoding="utf-8")
    return next(line for line in text.splitlines() if "log_likelihood" in line).strip(" ,")


def continued(jobs: phylo_job.Jobs) -> None:
    references: dict[str, phylo_job.Result] = {}
    for number, (name, case) in enumerate(CASES.items()):
        key = " ".join(case.arguments)
        reference = references.setdefault(key, references.get(key) or jobs.run(1, options(case)))
        for ranks in (1, 2 + number % 3):
            prefix = pathlib.Path(jobs.directory.name, f"{name}{ranks}")
            shutil.copyfile(golden(name), f"{prefix}.ckp")
            again = jobs.run(ranks, options(case), prefix=prefix)
            again.require(again.codes == [0] * ranks and "resumed from" in again.output, f"{name}, {ranks} ranks: expected that it goes on")
            again.require(results(again) == results(reference) and log_likelihood(again) == log_likelihood(reference),
                          f"{name}, {ranks} ranks: other results than in one go")


def written(jobs: phylo_job.Jobs) -> None:
    for name, case in CASES.items():
        if stopped(jobs, case) != golden(name).read_bytes():
            raise phylo_job.Failed(f"{name}.ckp: this version writes other bytes. If that is meant: HACKING.md, Change the format")


def sealed(data: bytes) -> bytes:
    return data + xxh3(data).to_bytes(8, "little")


def refused(jobs: phylo_job.Jobs) -> None:
    """Checkpoints of other layouts, of other jobs and with a changed byte are refused by name, and no result appears."""
    case, data = CASES["climb"], golden("climb").read_bytes()
    assert sealed(data[:-8]) == data, "expected the checksum at the end"
    assert golden("supports").read_bytes()[12:20] == data[12:20] != golden("scaled").read_bytes()[12:20], "expected the number of the job behind the layout"
    changed = data[:100] + bytes([data[100] ^ 1]) + data[101:]
    older, newer = (sealed(data[:LAYOUT_AT] + layout.to_bytes(4, "little") + data[LAYOUT_AT + 4:-8]) for layout in (0, data[LAYOUT_AT] + 1))
    cases = [(older, ANOTHER_VERSION), (newer, ANOTHER_VERSION), (changed, "is damaged: its checksum is wrong"),
             (golden("scaled").read_bytes(), "is the checkpoint of another job, expected the same command, alignment and options"),
             *((golden(name).read_bytes(), said) for name, said in REFUSED.items())]
    for number, (contents, said) in enumerate(cases):
        prefix = pathlib.Path(jobs.directory.name, f"refused{number}")
        pathlib.Path(f"{prefix}.ckp").write_bytes(contents)
        result = jobs.run(1, options(case), prefix=prefix)
        result.require(result.codes == [2] and f"{prefix}.ckp: {said}" in result.output, f"expected exit code 2 and '{said}'")
        result.require(result.report is None, "expected no result")


def models(jobs: phylo_job.Jobs) -> None:
    """A tree and a model that were written have the log-likelihood that they had, to the last digit."""
    listed = json.loads(LIST.read_text(encoding="utf-8"))
    for ranks in (1, 3):
        result = jobs.run(ranks, ["loglh", "--msa", str(DATA / "primates.phy"), "--model", str(FOLDER / "search.bestModel"), "--tree",
                                  str(FOLDER / "search.bestTree")])
        result.require(log_likelihood(result) == listed["search"], f"expected {listed['search']}")


def complete(_jobs: phylo_job.Jobs) -> None:
    names = {path.stem for path in FOLDER.glob("*.ckp")}
    if names != {*CASES, *REFUSED}:
        raise phylo_job.Failed(f"the folder has checkpoints {sorted(names)}, expected {sorted({*CASES, *REFUSED})}")


def make(jobs: phylo_job.Jobs) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    best = jobs.run(1, PRIMATES)
    for ending in ("bestModel", "bestTree"):
        shutil.copyfile(f"{best.prefix}.{ending}", FOLDER / f"search.{ending}")
    shutil.copyfile(f"{best.prefix}.mlTrees", FOLDER / "trees.nwk")
    same = jobs.run(1, ["loglh", "--msa", str(DATA / "primates.phy"), "--model", str(FOLDER / "search.bestModel"), "--tree", str(FOLDER / "search.bestTree")])
    LIST.write_text(json.dumps({"regraft-phylo": best.report["version"], "search": log_likelihood(same)}, indent=1) + "\n", encoding="utf-8")
    for name, case in CASES.items():
        before = golden(name).read_bytes() if golden(name).exists() else b""
        packed = stopped(jobs, case)
        if packed != before:
            print(f"{name}.ckp: {len(before)} bytes became {len(packed)}")
        golden(name).write_bytes(packed)


def main() -> int:
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("--make", action="store_true")
    args = parser.parse_args()

    def test(jobs: phylo_job.Jobs, _args) -> None:
        for step in [make] if args.make else [complete, continued, written, refused, models]:
            step(jobs)
            print(f"{step.__name__}: well", flush=True)

    return phylo_job.main(args, test, needs_deaths=True)


if __name__ == "__main__":
    sys.exit(main())
