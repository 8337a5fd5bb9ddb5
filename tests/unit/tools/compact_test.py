#!/usr/bin/env python3
"""How the output of Google Benchmark becomes results with a line per benchmark, and how these are read."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(__file__).resolve().parents[3] / "tools/bench"
sys.path.insert(0, str(TOOLS))
import compact  # noqa: E402
import results  # noqa: E402

NAME = "ours/random/blocks:100/pes:4"


def repetitions(*times: float, name: str = NAME, **counters: list) -> list[dict]:
    """Results as Google Benchmark writes them: wall clock 1000 times the CPU time, then aggregates that say something else."""
    fixed = {"family_index": 0, "per_family_instance_index": 0, "run_name": name, "repetitions": len(times), "threads": 1, "time_unit": "ms"}
    runs = [{"name": name, **fixed, "run_type": "iteration", "repetition_index": i, "iterations": 7, "real_time": 1e3 * time, "cpu_time": time,
             **{key: values[i] for key, values in counters.items()}} for i, time in enumerate(times)]
    aggregates = [{"name": f"{name}_{kind}", **fixed, "run_type": "aggregate", "aggregate_name": kind, "aggregate_unit": "time", "iterations": len(times),
                   "real_time": 77.0, "cpu_time": 77.0, **dict.fromkeys(counters, 77.0)} for kind in ("mean", "median", "stddev", "cv")]
    return runs + aggregates


def lines_of(*runs: dict, clock: str = "cpu_time") -> list[dict]:
    return compact.compacted({"context": {"clock": clock}, "benchmarks": list(runs)})["benchmarks"]


def line_of(*runs: dict, clock: str = "cpu_time") -> dict:
    [line] = lines_of(*runs, clock=clock)
    return line


def complaint_about(raw: str, *words: str) -> None:
    """Requires that compact.py refuses raw, names the file, prints these words and writes nothing."""
    with tempfile.TemporaryDirectory() as place:
        source, target = pathlib.Path(place, "broken.json"), pathlib.Path(place, "result.json")
        source.write_text(raw, encoding="utf-8")
        run = subprocess.run([sys.executable, TOOLS / "compact.py", source, target], capture_output=True, text=True, check=False)
        assert run.returncode == 1 and all(word in run.stderr for word in (str(source), *words)), (raw, run)
        assert "Traceback" not in run.stderr and not target.exists(), (raw, run)


def refused(file: pathlib.Path) -> None:
    """Requires that results.py does not read it, names it and says which tool makes results."""
    try:
        results.read(file)
    except results.Broken as problem:
        assert str(file) in str(problem) and "compact.py" in str(problem), problem
    else:
        raise AssertionError(f"taken for results: {file.read_text(encoding='utf-8')}")


def an_odd_number_of_times_has_one_in_the_middle() -> None:
    assert line_of(*repetitions(5, 1, 3)) == {"name": NAME, "n": 3, "median": 3, "p10": 1, "p90": 5, "unit": "ms"}


def an_even_number_of_times_has_the_mean_of_two_in_the_middle() -> None:
    assert line_of(*repetitions(4, 1, 2.5, 9))["median"] == 3.25


def percentiles_are_the_times_of_nearest_rank() -> None:
    ten = line_of(*repetitions(9, 3, 10, 1, 7, 2, 6, 8, 5, 4))
    assert (ten["p10"], ten["median"], ten["p90"]) == (2, 5.5, 9), ten
    twenty_one = line_of(*repetitions(*range(21, 0, -1)))
    assert (twenty_one["p10"], twenty_one["median"], twenty_one["p90"]) == (3, 11, 19), twenty_one
    two = line_of(*repetitions(8, 4))
    assert (two["p10"], two["p90"]) == (4, 8), two


def a_single_time_has_no_percentiles() -> None:
    assert line_of(*repetitions(2.5)) == {"name": NAME, "n": 1, "median": 2.5, "unit": "ms"}


def the_clock_is_that_of_the_context() -> None:
    assert line_of(*repetitions(2, 3, 4))["median"] == 3
    wall = line_of(*repetitions(2, 3, 4), clock="real_time")
    assert (wall["median"], wall["p10"], wall["p90"]) == (3000, 2000, 4000), wall
    assert compact.compacted({"context": {}, "benchmarks": repetitions(2, 3, 4)})["benchmarks"] == [wall]


def counters_have_medians_of_their_own() -> None:
    line = line_of(*repetitions(1, 2, 3, 4, rounds=[8, 2, 4, 6], bytes=[64.0] * 4, label=["own start"] * 4))
    assert {key: line[key] for key in line.keys() - compact.KEYS} == {"rounds": 5, "bytes": 64, "label": "own start"}, line
    some = line_of(repetitions(1, rounds=[3])[0], repetitions(2)[0], repetitions(3, rounds=[4])[0])
    assert some["rounds"] == 3.5, "the median of the repetitions that have the counter"


def numbers_keep_the_digits_that_count() -> None:
    line = line_of(*repetitions(1 / 3, bytes=[2.0**40 + 1], likelihood=[-161956.38789346907], rate=[1 / 7]))
    assert (line["bytes"], line["likelihood"], line["rate"]) == (2**40 + 1, -161956.387893, 0.142857142857), line
    assert isinstance(line["bytes"], int) and line["median"] == 0.333333333333, line


def benchmarks_stay_in_the_order_in_which_they_were_run() -> None:
    names = ["z/random/blocks:1", "a/random/blocks:9", "m/random/blocks:5"]
    turns = [repetitions(number, name=name)[0] for number in (1, 2, 3) for name in names]  # by turns
    assert [(line["name"], line["n"], line["median"]) for line in lines_of(*turns)] == [(name, 3, 2) for name in names]


def an_error_in_a_run_takes_the_place_of_all_times() -> None:
    good, bad, late = repetitions(1, rounds=[2])[0], repetitions(0, rounds=[0])[0], repetitions(0)[0]
    bad |= {"error_occurred": True, "error_message": "wrong bytes"}
    late |= {"error_occurred": True, "error_message": "did not finish 100 blocks in 10 s"}
    assert line_of(good, bad, good) == {"name": NAME, "n": 3, "error": "wrong bytes"}
    assert line_of(good, late) == {"name": NAME, "n": 2, "error": "did not finish 100 blocks in 10 s"}
    assert line_of(late, bad)["error"] == "wrong bytes", "a failure outweighs a limit of time"


def results_have_a_line_per_benchmark_and_are_read_again() -> None:
    late = repetitions(0, name="peer/random/blocks:100")[0] | {"error_occurred": True, "error_message": "did not finish 100 blocks in 10 s"}
    raw = {"context": {"clock": "cpu_time", "cpu": "some"}, "benchmarks": [*repetitions(5, 1, 3, rounds=[4, 4, 7]), late]}
    with tempfile.TemporaryDirectory() as place:
        source, target = pathlib.Path(place, "raw.json"), pathlib.Path(place, "result.json")
        source.write_text(json.dumps(raw), encoding="utf-8")
        compact.compact(source, target)
        text, read = target.read_text(encoding="utf-8"), results.read(target)
        refused(source)
        for key in ("name", "n", "median", "unit"):
            source.write_text(text.replace(f'"{key}": ', '"other": ', 1), encoding="utf-8")
            refused(source)
    assert text.splitlines() == ["{", ' "context": {', '  "clock": "cpu_time",', '  "cpu": "some"', " },", ' "benchmarks": [',
                                 f'  {{"name": "{NAME}", "n": 3, "median": 3, "p10": 1, "p90": 5, "unit": "ms", "rounds": 4}},',
                                 '  {"name": "peer/random/blocks:100", "n": 1, "error": "did not finish 100 blocks in 10 s"}', " ]", "}"], text
    [ours], [peer] = read.families["random"]["ours"], read.families["random"]["peer"]
    assert (ours.size, ours.seconds, ours.finished, ours.run["rounds"], ours.arguments) == (100, 3e-3, True, 4, "blocks:100/pes:4"), ours
    assert (peer.size, peer.seconds, peer.finished) == (100, 10.0, False), peer


def a_broken_file_is_named() -> None:
    complaint_about("", "JSON")
    complaint_about('{"context": {}, "benchmarks": [', "JSON")  # the disk was full
    complaint_about('{"context": {}}', "benchmarks")
    complaint_about("[1, 2]", "benchmarks")
    whole = {"context": {}, "benchmarks": repetitions(1, 2, rounds=[3, 4])}
    for key in ("name", "real_time", "time_unit"):
        without = [{k: v for k, v in run.items() if k != key} for run in whole["benchmarks"]]
        complaint_about(json.dumps({**whole, "benchmarks": without}), key)
    complaint_about(json.dumps({**whole, "benchmarks": [7]}), "not what a benchmark writes")
    complaint_about(json.dumps({**whole, "benchmarks": whole["benchmarks"][2:]}), "only aggregates")
    complaint_about(json.dumps({**whole, "benchmarks": repetitions(1, median=[3])}), "median")
    for number in (math.nan, math.inf):
        complaint_about(json.dumps({**whole, "benchmarks": repetitions(1, rounds=[number])}), "no measurement")


an_odd_number_of_times_has_one_in_the_middle()
an_even_number_of_times_has_the_mean_of_two_in_the_middle()
percentiles_are_the_times_of_nearest_rank()
a_single_time_has_no_percentiles()
the_clock_is_that_of_the_context()
counters_have_medians_of_their_own()
numbers_keep_the_digits_that_count()
benchmarks_stay_in_the_order_in_which_they_were_run()
an_error_in_a_run_takes_the_place_of_all_times()
results_have_a_line_per_benchmark_and_are_read_again()
a_broken_file_is_named()
print("output of benchmarks becomes results as it should")
