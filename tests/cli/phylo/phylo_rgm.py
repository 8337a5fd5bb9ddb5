#!/usr/bin/env python3
"""regraft-phylo shares the decoding of .rgm files among its ranks: the bits of the text, in less memory, whichever ranks die. phylo_rgm.py ... alike|kills"""
import json
import multiprocessing
import pathlib
import random
import resource
import subprocess
import sys

import phylo_job

CODECS = ("native", "sparse")
SAME = ("log_likelihood", "taxa", "sites", "patterns", "tree", "partitions", "evaluations", "starts", "bootstrap", "supports", "warnings", "model_choice")


def rows(taxa: int, sites: int, changes: int, seed: int) -> list[bytearray]:
    """Rows that evolved from each other by some changes each."""
    draw = random.Random(seed)
    made = [bytearray(draw.choices(b"ACGT", k=sites))]
    while len(made) < taxa:
        row = bytearray(draw.choice(made))
        for _ in range(changes):
            row[draw.randrange(sites)] = draw.choice(b"ACGT")
        made.append(row)
    return made


class Files:
    """An alignment as a text and in .rgm files."""

    def __init__(self, jobs: phylo_job.Jobs, args, name: str, made: list[bytearray], codecs=CODECS):
        directory = pathlib.Path(jobs.directory.name)
        self.text = directory / f"{name}.fa"
        self.text.write_bytes(b"".join(b">t%d\n%s\n" % (i, row) for i, row in enumerate(made)))
        self.packed = {codec: directory / f"{name}.{codec}.rgm" for codec in codecs}
        for codec, path in self.packed.items():
            subprocess.run([args.regraft_msa, "compress", "-q", "--codec", codec, "-o", str(path), str(self.text)], check=True)


def results(found: phylo_job.Result) -> tuple:
    """All that must be the same, also the warnings."""
    return found.bits(), json.dumps({key: found.report.get(key) for key in SAME})


def small(taxa: int = 16) -> list[bytearray]:
    """Lower case, gaps, unknown characters, equal rows, a row and sites without data."""
    made = rows(taxa, 400, 12, 1)
    made[5][:] = made[4]
    made[6][:] = made[4].lower()
    made[7][:] = b"-" * 400
    made[8][90:130] = b"N" * 40
    for row in made:
        row[200:203] = b"-?n"
    return made


def alike(jobs: phylo_job.Jobs, args) -> None:
    """Kinds of files and jobs, on one to three ranks"""
    memory(jobs, args)
    files = Files(jobs, args, "small", small())
    directory = pathlib.Path(jobs.directory.name)
    partitions = directory / "two.part"
    partitions.write_text("GTR+G, one = 1-400\\3, 2-400\\3\nHKY+FC, two = 3-400\\3\n", encoding="utf-8")
    tree = directory / "small.nwk"
    tree.write_text(ladder(16), encoding="utf-8")
    for more in (["--model", "GTR+FC+I+G4m"], ["--partitions", str(partitions), "--starts", "rand{1}", "--bs-trees", "2", "--alrt", "10"], ["--model", "auto", "--tree", str(tree), "--starts", "tree"]):
        def search(alignment: pathlib.Path, ranks: int):
            found = jobs.run(ranks, ["search", "--msa", str(alignment), "--effort", "fast", "--spr-radius", "2", *more])
            found.require(found.codes == [0] * ranks, f"{alignment} {more} on {ranks} ranks")
            return results(found)
        expected = search(files.text, 1)
        assert "1 taxon without data" in expected[1] and "2 sequences are the same" in expected[1], expected[1]
        for codec, path in files.packed.items():
            for ranks in (1, 2, 3):
                assert search(path, ranks) == expected, f"{codec} on {ranks} ranks, {more}: expected the same as from the text"
    refused(jobs, args, files)


def refused(jobs: phylo_job.Jobs, args, files: Files) -> None:
    """A damaged file, and errors in the data, are told as of the text, and nothing is written"""
    wrong = small()
    wrong[3][17] = ord("7")
    for codec, path in Files(jobs, args, "wrong", wrong, ["native"]).packed.items():
        found = jobs.run(2, ["search", "--msa", str(path), "--model", "JC"])
        found.require(found.codes == [2, 2] and f"{path}: partition 'all', taxon 't3', site 18: not a DNA symbol" in found.output, codec)
    ascertained = jobs.run(2, ["search", "--msa", str(files.packed["native"]), "--model", "JC+ASC_LEWIS"])
    ascertained.require(ascertained.codes == [2, 2] and "do not vary" in ascertained.output, "expected sites that do not vary")
    for codec, path in files.packed.items():
        good = path.read_bytes()
        for at in range(0, len(good), len(good) // 5):
            path.write_bytes(good[:at] + bytes([good[at] ^ 8]) + good[at + 1:])
            found = jobs.run(2, ["search", "--msa", str(path), "--model", "JC"])
            found.require(found.codes == [2, 2] and str(path) in found.output and found.report is None, f"{codec}: expected that the damage at byte {at} is noticed")
        path.write_bytes(good)


def ladder(taxa: int) -> str:
    """A tree."""
    return "(" * (taxa - 1) + "t0:.001" + "".join(f",t{i}:.001):.001" for i in range(1, taxa)) + ";\n"


def apart(function, *arguments):
    """What the function returns in a process of its own, so that its memory, and that of what it runs, counts alone."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(function, arguments)


def peak_of_loglh(jobs: phylo_job.Jobs, alignment: pathlib.Path, tree: pathlib.Path, ranks: int, tag: str) -> tuple[int, tuple]:
    """The most bytes that any process of a job used, and its results."""
    prefix = pathlib.Path(jobs.directory.name, f"loglh-{tag}-{ranks}")
    found = jobs.run(ranks, ["loglh", "--msa", str(alignment), "--model", "GTR+G", "--tree", str(tree), "--memory", "4", "--replicas", "1", "--threads", "1"], prefix=prefix)
    found.require(found.codes == [0] * ranks, f"{alignment} on {ranks} ranks")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10, results(found)


def memory(jobs: phylo_job.Jobs, args) -> None:
    """No rank holds half of a text that is much longer than its differences; a rank that reads the text does"""
    taxa, sites = 200, 200_000
    files = apart(make_large, jobs, args, taxa, sites)
    tree = pathlib.Path(jobs.directory.name, "large.nwk")
    tree.write_text(ladder(taxa), encoding="utf-8")
    small = apart(make_small, jobs, args)
    least = {ranks: apart(peak_of_loglh, jobs, small, tree, ranks, "small")[0] for ranks in (1, 2, 3)}  # MPI takes more with several
    whole, expected = apart(peak_of_loglh, jobs, files.text, tree, 2, "text")
    assert whole - least[2] > taxa * sites, f"{whole - least[2]} bytes were enough to read a text of {taxa * sites}: the measurement is wrong"
    for codec, path in files.packed.items():
        for ranks in least:
            most, found = apart(peak_of_loglh, jobs, path, tree, ranks, codec)
            assert found == expected, f"{codec} on {ranks} ranks: expected the same bits as from the text"
            more = most - least[ranks]
            assert more < taxa * sites / 2, f"{codec} on {ranks} ranks: {more} bytes, expected less than half of the text"


def make_large(jobs: phylo_job.Jobs, args, taxa: int, sites: int) -> Files:
    return Files(jobs, args, "large", rows(taxa, sites, 2, 3))


def make_small(jobs: phylo_job.Jobs, args) -> pathlib.Path:
    """Makes an alignment with as many rows as the large one, and few sites."""
    return Files(jobs, args, "few-sites", rows(200, 500, 2, 3), []).text


def kills(jobs: phylo_job.Jobs, args) -> None:
    """Ranks die while they read, and later with the last copies of sites, which survivors then decode"""
    files = Files(jobs, args, "small", small())
    def search(alignment: pathlib.Path, plan: str = "") -> phylo_job.Result:
        return jobs.search(3, plan, "--replicas", "1", "--effort", "fast", msa=str(alignment))
    expected = results(search(files.text))
    for codec, path in files.packed.items():
        for plan in ("spr:inside:1:5,spr:inside:0:9", "read:before:1:0", "read:inside:0:0", "agree:inside:2:4", "checkpoint:inside:1:1", "reduce:inside:1:0", "reduce:before:2:2,reduce:after:0:1", "reduce:inside:0:4"):
            found = search(path, plan)
            assert results(found) == expected, f"{codec}, {plan}: expected the same as without deaths"
            found.require(len(found.killed()) == plan.count(",") + 1, f"{codec}: nobody died of {plan}")
            reread = sum(failure["blocks_reread"] for failure in found.report["failures"])
            found.require((reread > 0) == plan.startswith("spr"), f"{codec}, {plan}: {reread} patterns were read again")


if __name__ == "__main__":
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("--regraft-msa", required=True, help="the program, to make .rgm files")
    parser.add_argument("mode", choices=["alike", "kills"])
    given = parser.parse_args()
    sys.exit(phylo_job.main(given, {"alike": alike, "kills": kills}[given.mode], needs_deaths=given.mode == "kills"))
