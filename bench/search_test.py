#!/usr/bin/env python3
"""search_test.py REGRAFT_PHYLO: the benchmark of searches refuses what is wrong, runs nothing twice, compares two builds, and makes the
same data always."""
import hashlib
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools/bench"))

import simulate
from drawings import search_builds, searches
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


def check_kinds() -> None:
    assert simulate.alignment("gtr", 6, 50, 1) == simulate.evolved(6, 50, 1)
    for kind, letters in (("hky", "ACGT"), ("lg", "ARNDCQEGHILKMFPSTWYV"), ("random", "ACGT")):
        head, *rows = simulate.alignment(kind, 6, 400, 1).splitlines()
        assert head == "6 400" and len(rows) == 6 and {len(row.split()[1]) for row in rows} == {400}, kind
        assert set("".join(row.split()[1] for row in rows)) - {"-"} == set(letters), kind
        again, others = (simulate.alignment(kind, 6, 400, seed).splitlines() for seed in (1, 2))
        assert again == [head, *rows] != others, kind
    lg = simulate.empirical("LG")
    letters = lg.letters.decode()
    rates = {a + b: rate for a, row in zip(letters, lg.exchangeabilities) for b, rate in zip(letters, row)}
    assert abs(sum(lg.frequencies) - 1) < 1e-4 and rates["IV"] == rates["VI"] > rates["WG"] > 0 == rates["II"], rates


def compare_with_itself(program: pathlib.Path, folder: pathlib.Path, *words: str) -> subprocess.CompletedProcess:
    tool = pathlib.Path(__file__).resolve().parents[1] / "tools/bench/search_bench.py"
    return subprocess.run([sys.executable, tool, "--program", program, "--smoke", "--out", folder / "compared.json", *words],
                          capture_output=True, text=True, check=False)


def check_a_build_beside_itself(program: pathlib.Path, folder: pathlib.Path) -> None:
    run = compare_with_itself(program, folder, "--compare-build", str(program), "--starts", "2")
    assert run.returncode == 0, run.stdout + run.stderr
    content = json.loads((folder / "compared.json").read_text(encoding="utf-8"))
    order = [record["name"] for record in content["benchmarks"]]
    assert order[:2] == ["fast_other/sim_12/start:1", "fast/sim_12/start:1"] and len(order) == 2 * 2 * 3, order
    comparison = content["context"]["comparison"]
    assert [(row["effort"], row["starts"]) for row in comparison["rows"]] == [("fast", 2), ("normal", 2), ("auto", 2)], comparison
    for row in comparison["rows"]:
        assert row["log_likelihood"][0] == row["log_likelihood"][1] < 0, row
        assert row["reductions"][0] == row["reductions"][1] > 100, row
    for effort, sums in comparison["totals"].items():
        assert math.isclose(sums["reductions_ratio"], 1) and sums["higher"] == sums["lower"] == 0, (effort, sums)
        assert sums["searches"] == (6 if effort == "all" else 2) and sums["time_ratio"] > 0, (effort, sums)
    assert comparison["lower"] == []
    assert comparison["rows"][0]["reductions"][1] < comparison["rows"][2]["reductions"][1], "more effort takes more reductions"
    for words, expected in ((["--compare-build", str(folder / "missing")], "is no file"),
                            (["--compare-build", str(program), "--starts", "0"], "expected at least 1, not 0"),
                            (["--untuned", "--sets", str(folder)], "not allowed with")):
        run = compare_with_itself(program, folder, *words)
        assert run.returncode == 2 and expected in run.stderr and "Traceback" not in run.stderr, run.stderr


def check_comparison() -> None:
    def record(name: str, log_likelihood: float, seconds: float, reductions: int) -> dict:
        return {"name": name, "log_likelihood": log_likelihood, "cpu_time": seconds, "reductions": reductions}

    records = [record("fast_other/a/start:1", -10.0, 1.0, 100), record("fast/a/start:1", -9.5, 2.0, 50),
               record("fast_other/a/start:2", -10.0, 3.0, 300), record("fast/a/start:2", -10.25, 6.0, 150),
               record("fast_other/b/start:1", -20.0, 1.0, 10), record("fast/b/start:1", -20.000009, 0.5, 20),
               record("auto_other/b/start:1", -20.0, 8.0, 10), record("auto/b/start:1", -20.00002, 1.0, 10),
               record("auto/c/start:1", -30.0, 1.0, 10), {"name": "auto_other/c/start:1", "error_message": "did not end"}]
    comparison = search_builds.compared(records)
    assert comparison["rows"][0] == {"data": "a", "effort": "fast", "starts": 2, "log_likelihood": [-10.0, -9.875], "user_s": [2.0, 4.0],
                                     "reductions": [200, 100]}, comparison["rows"]
    fast, both = comparison["totals"]["fast"], comparison["totals"]["all"]
    assert math.isclose(fast["time_ratio"], 1) and math.isclose(fast["reductions_ratio"], 1), fast
    assert math.isclose(both["time_ratio"], 0.5), both
    assert (fast["higher"], fast["gained"], fast["lower"], fast["lost"], fast["most_lost"]) == (1, 0.5, 1, 0.25, 0.25), fast
    assert [search["search"] for search in comparison["lower"]] == ["fast/a/start:2", "auto/b/start:1"], comparison["lower"]
    lines = search_builds.table(comparison)
    assert lines[1].split() == ["a", "fast", "2", "-9.8750", "+0.12500", "2.00", "4.00", "2.000", "200", "100", "0.500"], lines
    assert lines[-2] == "lower by 0.25000: fast/a/start:2" and "of 4 searches 1 end higher" in lines[-3], lines
    assert search_builds.compared([record for record in records if "_other" not in record["name"]]) == {}
    del records[0]["reductions"]
    assert search_builds.table(search_builds.compared(records))[1].split()[-3:] == ["-", "-", "-"], "an early build tells no reductions"


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
        check_kinds()
        check_a_build_beside_itself(judge.program, place)
        check_comparison()
        check_resampling()
        check_table()
