#!/usr/bin/env python3
"""search_test.py REGRAFT_PHYLO: the benchmark of searches refuses what is wrong, runs nothing twice, and makes the same data always."""
import hashlib
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools/bench"))

import simulate
from drawings import searches
from phylo_bootstrap_bench import resampled
from results import Point, Results
from search_bench import Bench, simulated
from tree_programs import Dataset, Found, IqTree, Regraft, Start, Usage, dataset_of


class Pretender:
    """A program that prints `said` of a tree."""

    name = "pretender"

    def __init__(self, tree: str, said: float):
        self.tree, self.said, self.searches = tree, said, 0

    def search(self, dataset: Dataset, start: Start, folder: pathlib.Path) -> Found:
        self.searches += 1
        return Found(self.tree, self.said, Usage(1.5, 2.0, 1 << 20, 0.0))


def measured(program, judge: Regraft, dataset: Dataset, runs: pathlib.Path) -> dict:
    bench = Bench(judge, runs)
    bench.measure(program, dataset, Start(1, None))
    return bench.records[0]


def check_judge(judge: Regraft, folder: pathlib.Path) -> None:
    dataset = simulated(8, 100, folder)
    real = judge.search(dataset, Start(1, None), folder)
    fair = Pretender(real.tree, real.log_likelihood)
    record = measured(fair, judge, dataset, folder / "fair")
    assert abs(record["log_likelihood"] - real.log_likelihood) < 0.01 and record["cpu_time"] == 1.5, record
    assert measured(fair, judge, dataset, folder / "fair") == record and fair.searches == 1, "what is kept is not run again"
    boaster = measured(Pretender(real.tree, real.log_likelihood + 1), judge, dataset, folder / "boaster")
    assert "but the program says" in boaster["error_message"], boaster
    pruned = re.sub(r"\bt3:[-+.\de]+", "t3x:1", real.tree)
    assert "error_message" in measured(Pretender(pruned, -1e9), judge, dataset, folder / "pruned")


def check_data(folder: pathlib.Path) -> None:
    digest = hashlib.sha256(simulate.evolved(40, 500, seed=7).encode()).hexdigest()
    assert digest == "2fc8ae4402b8716b2e831905cc9080405d651d2bd32db4c96918fe33f0f8c8cd", digest
    assert simulate.evolved(40, 500, seed=8) != simulate.evolved(40, 500, seed=7)
    (folder / "aln.phy").write_text("4 4\na ACGT\nb ACGT\nc ACGA\nd ACGA\n", encoding="utf-8")
    (folder / "model.txt").write_text("part.txt --brlen linked\n", encoding="utf-8")
    (folder / "part.txt").write_text("GTR+FC+G4m, 1st = 1-2\nLG+G4m, rest = 3, 4\n", encoding="utf-8")
    dataset = dataset_of(folder)
    assert (dataset.partitions, dataset.linkage, dataset.start) == (folder / "part.txt", "linked", None), dataset
    assert IqTree.model(dataset, folder) == ["-q", "partitions.nex"]
    sets = (folder / "partitions.nex").read_text(encoding="utf-8")
    assert "GTR+F+G4:p1, LG+G4:p2" in sets and "p2 =  3  4;" in sets, sets


def check_resampling() -> None:
    blocks = "2 6\nx AC G\ny CAT\n\nTTA\nGG C\n"
    rows = dict(line.split() for line in resampled(blocks, 3).splitlines()[1:])
    columns = set(zip("ACGTTA", "CATGGC"))
    assert len(rows["x"]) == 6 and set(zip(rows["x"], rows["y"])) <= columns, rows
    assert resampled(blocks, 3) != resampled(blocks, 4) and resampled(blocks, 3) == resampled("2 6\nx ACGTTA\ny CATGGC\n", 3)


def check_table() -> None:
    runs = [{"log_likelihood": number, "taxa": 4, "sites": 9, "peak_bytes": 3 * 2**20, **distance}
            for number, distance in ((-12.0, {}), (-10.0, {"distance": 0}), (-11.5, {}))]
    results = Results({}, "start", {"data": {"normal": [Point(i, -run["log_likelihood"], True, run) for i, run in enumerate(runs, 1)]}})
    row = ["data", "4 x 9", "-10.000", "`normal`", "3", "0.000", "1.500", "2.000", "0", "11.5", "10.0", "12.0", "3"]
    assert searches.table_rows(results)[1] == [row]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        judge, place = Regraft(pathlib.Path(sys.argv[1]).resolve(), "fast"), pathlib.Path(place).resolve()
        check_judge(judge, place)
        check_data(place)
        check_resampling()
        check_table()
