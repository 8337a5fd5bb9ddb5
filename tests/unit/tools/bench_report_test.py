#!/usr/bin/env python3
"""How results of benchmarks become a page, and how two sets of results are compared. All numbers are made by hand."""
import copy
import importlib.util
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

TOOLS = pathlib.Path(__file__).resolve().parents[3] / "tools/bench"
sys.path.insert(0, str(TOOLS))
sys.path.insert(0, str(TOOLS / "report"))
import compare  # noqa: E402
import job  # noqa: E402
import report  # noqa: E402
from drawings import recoveries, svg  # noqa: E402
from results import Broken, read  # noqa: E402

CONTEXT = {"date": "2026-01-02T03:04:05+00:00", "cpu": "Abacus 3", "num_cpus": 4, "memory_bytes": 8 << 30, "system": "Linux x86_64", "kernel": "6.1",
           "mpi": "mpirun (Open MPI) 5.0.9", "compiler": "c++ 12", "flags": "-O3 -std=c++20", "commit": "abc1234", "load": 0.1, "cores_of_others": 0.02,
           "seconds": 7.0}


def line(name: str, median: float, low: float | None = None, high: float | None = None, unit: str = "ms", **counters: object) -> dict:
    spread = {} if low is None else {"p10": low, "p90": high}
    return {"name": name, "n": 1 if low is None else 5, "median": median, **spread, "unit": unit, **counters}


def write(folder: pathlib.Path, name: str, lines: list[dict], **context: object) -> pathlib.Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.json"
    file.write_text(json.dumps({"context": {**CONTEXT, "executable": f"{name}_bench", **context}, "benchmarks": lines}), encoding="utf-8")
    return file


def of_store(operation: str, seconds: float, over_floor: float, pes: int, mebibytes: int = 4) -> dict:
    return line(f"{operation}/permuted_256K/bytes:{mebibytes << 20}/pes:{pes}/replicas:2/collective/iterations:9/manual_time", seconds * 1e3,
                over_floor=over_floor, s_per_call=seconds, s_per_call_10th=0.9 * seconds, s_per_call_90th=1.1 * seconds, s_per_memcpy=seconds / 5)


def of_recovery(pes: int, factor: float) -> list[dict]:
    """Phases that take 1, 2, ... ms times the factor."""
    times = {phase.name: factor * (i + 1) for i, phase in enumerate(recoveries.PHASES)}
    times |= {"total": sum(times.values()), "restart": 1000}
    return [line(f"{name}/one_dies_1_MiB/pes:{pes}", time, 0.5 * time, 2 * time) for name, time in times.items()]


def some_results(folder: pathlib.Path) -> None:
    """A set of results in which each ratio is easy to see."""
    write(folder, "matching", [line("min_b_matching/restore/blocks:1000/pes:10", 2), line("ford_fulkerson/restore/blocks:1000/pes:10", 4),
                               line("min_b_matching/hot/blocks:1000/pes:10", 1), line("ford_fulkerson/hot/blocks:1000/pes:10", 8),
                               line("min_b_matching/restore/blocks:5000/pes:10", 3)], subject="min_b_matching", unit="blocks")
    write(folder, "store", [of_store("submit", 0.03, 1.5, 4), of_store("submit", 0.06, 6, 8), of_store("load_all", 0.02, 2, 4)], drawing="floor")
    write(folder, "recovery", [*of_recovery(2, 1), *of_recovery(4, 2)], drawing="recovery")
    write(folder, "shield", [line("plain/allreduce_pes_2/bytes:8", 2, unit="us", over_plain=1), line("shield/allreduce_pes_2/bytes:8", 3, unit="us", over_plain=1.5),
                             line("shield/repair_pes_4/deaths:1", 30000, unit="us", repair_ms=5)], drawing="none", cores_of_others=0.7)


def page_of(fill, comparison: compare.Comparison | None = None) -> tuple[str, str, dict[str, str]]:
    """The page in Markdown and in HTML, and its pictures."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        fill(folder)
        written = report.write(folder, comparison).files
        assert written[0] == folder / "report/report.md" and not list(folder.glob("*.tmp"))
        pictures = {file.name: file.read_text(encoding="utf-8") for file in (folder / "report").glob("*.svg")}
        html = "".join(file.read_text(encoding="utf-8") for file in written if file.name == "report.html")
        return written[0].read_text(encoding="utf-8"), html, pictures


def rows_of(page: str, heading: str) -> list[list[str]]:
    """The cells of the first table below a heading."""
    section = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in section.splitlines() if row.startswith("|")][2:]


def the_summary_has_results_beside_others_and_ratios() -> None:
    rows = {re.sub(r"\[(.*)\]\(.*\)", r"\1", row[0]): row[1:] for row in rows_of(page_of(some_results)[0], "Summary")}
    # The largest size that both have, 2 / 4; over both families the mean of 2 / 4 and 1 / 8 is 1 / 4.
    assert rows["choose which rank sends each of 1,000 blocks (restore)"] == ["2 ms", "Algorithm 11 (Huebner 2020)", "4 ms", "0.50", "0.25 (2)"], rows
    assert rows["keep input on several ranks, 4 MiB per rank on 8 ranks"] == ["60 ms", "MPI alone", "10 ms", "6.00", "3.00 (2)"], rows
    assert rows["the same load, 4 MiB per rank on 4 ranks"] == ["20 ms", "memcpy of what arrives", "4 ms", "5.00", "5.00 (1)"], rows
    # 2 (1 + ... + 7) = 56 ms beside 1 s on 4 ranks, and half of that on 2.
    assert rows["from the death of one of 4 ranks to work"] == ["56 ms", "start of the job anew", "1 s", "0.056", "0.04 (2)"], rows
    assert rows["allreduce, 8 B on 2 ranks, with the shield"] == ["3 us", "plain MPI", "2 us", "1.50", "1.50 (1)"], rows


def the_machine_and_its_load_are_told() -> None:
    page = page_of(some_results)[0]
    facts = dict(rows_of(page, "The machine"))
    assert facts["CPU"] == "Abacus 3" and facts["cores"] == "4" and facts["memory"] == "8.0 GiB" and facts["commit of regraft"] == "abc1234", facts
    assert facts["MPI"] == CONTEXT["mpi"] and facts["flags"] == "`-O3 -std=c++20`" and facts["measured"] == "2026-01-02 03:04", facts
    assert facts["other programs meanwhile"] == "0.02 to 0.7 cores, by benchmark", facts
    assert "**The machine was not quiet**: while 1 of 4 benchmarks ran" in page and "(`shield`)" in page

    def quiet(folder: pathlib.Path) -> None:
        write(folder, "store", [of_store("submit", 0.03, 1.5, 4)], drawing="floor")

    page = page_of(quiet)[0]
    assert "not quiet" not in page and "Not measured here:" in page and "`matching`" in page.split("Not measured here:")[1]


def each_section_has_a_picture_and_says_how_to_read_it() -> None:
    page, _, pictures = page_of(some_results)
    for name, title in {"recovery": "From the death of a rank to work", "matching": "Matching: who sends which block",
                        "store": "Store: input in the memory of the ranks", "shield": "Shield: programs that know nothing of failures"}.items():
        section = page.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
        assert f"![{title}]({name}.svg)" in section and f"{name}.svg" in pictures, section
        assert len(re.findall(r"[.] [A-Z]|[.]$", section.strip().splitlines()[0])) >= 2, "two sentences"
    assert set(re.findall(r"\]\(([^#)]+)\)", page)) == set(pictures), "each picture is shown, and each that is shown is there"
    assert "30 ms on 4 ranks, 5 ms of which are the repair" in page
    for picture in pictures.values():
        ElementTree.fromstring(picture)


def the_page_in_html_needs_no_other_file() -> None:
    _, html, pictures = page_of(some_results)
    with tempfile.TemporaryDirectory() as place:
        some_results(pathlib.Path(place))
        missing = report.write(pathlib.Path(place)).missing
    if importlib.util.find_spec("markdown") is None:
        assert html == "", "without the package there is only Markdown"
        assert len(missing) == 1 and "report.html is not written" in missing[0] and "python3-markdown" in missing[0], missing
        return
    assert not missing and "@page { size: A4;" in html and "@media print" in html
    assert html.count("<svg ") == len(pictures) and "<img" not in html and "src=" not in html and "<link" not in html and "<script" not in html
    targets = set(re.findall(r'href="([^"]*)"', html))
    assert targets and all(target.startswith("#") for target in targets), targets
    assert targets <= {f"#{name}" for name in re.findall(r' id="([^"]*)"', html)}, "each link leads to a heading"
    assert html.count("<table>") == html.count('<div class="wide"><table>') and 'name="viewport"' in html


def pictures_say_in_words_what_they_show() -> None:
    def texts(picture: str) -> list[str]:
        return [node.text or "" for node in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]

    def plans(folder: pathlib.Path) -> None:
        names = ("choose_range_senders/of_the_dead", "erasure_plan/8_2", "repair_plan/mod_k")
        write(folder, "scale", [line(f"{name}/pes:{pes}", pes / 1000) for name in names for pes in (1000, 10000)], unit="PEs")

    scale = texts(page_of(plans)[2]["scale.svg"])
    assert {"input of the dead", "erasure code 8 + 2", "mod-k", "ranks"} <= set(scale) and not {"of_the_dead", "8_2", "pes"} & set(scale), scale
    store = texts(page_of(some_results)[2]["store.svg"])
    assert "ranks" in store and "times the floor" in store, store
    lengths = [30.0, 90.0, 200.0, 10.0]
    places = svg.in_lines(lengths, 60, 260)
    assert places == [(60, 0), (90, 0), (60, 1), (60, 2)], places


def the_parts_of_a_recovery_are_stacked() -> None:
    with tempfile.TemporaryDirectory() as place:
        found = read(write(pathlib.Path(place), "recovery", [*of_recovery(2, 1), *of_recovery(4, 2)], drawing="recovery"))
    head, rows = recoveries.table_rows(found)
    assert [dict(zip(head, row))["total (10 to 90 %)"] for row in rows] == ["28 (14 to 56)", "56 (28 to 112)"], rows
    assert [row[2:9] for row in rows] == [["1", "2", "3", "4", "5", "6", "7"], ["2", "4", "6", "8", "10", "12", "14"]], rows
    assert recoveries.summary(found)[1].startswith("one dies; 1 MiB per rank, 4 ranks: 56 ms from the death to work (28 to 112), most of it first step"), \
        recoveries.summary(found)
    bars = [node for node in ElementTree.fromstring(recoveries.draw(found, "title")).iter("{http://www.w3.org/2000/svg}rect") if len(node)]
    assert len(bars) == 2 * len(recoveries.PHASES)
    heights = [float(bar.get("height")) for bar in bars]
    for height, factor in zip(heights, [*range(1, 8), *range(2, 16, 2)]):
        assert abs(height / heights[0] - factor) < 0.05 * factor, heights
    for below, above in itertools.pairwise(bars[:7]):
        assert abs(float(above.get("y")) + float(above.get("height")) - float(below.get("y"))) < 0.02, "a part begins where the one below it ends"


def regraft_plan_draws_losses_and_predicts() -> None:
    with tempfile.TemporaryDirectory() as place:
        plan = pathlib.Path(place, "plan")
        plan.write_text(f"""#!{sys.executable}
import json, sys
if sys.argv[1] == "simulate":
    life = dict(life=[dict(seconds=dict(shrink=0.009, plan=1, load=1, repair=1))])
    print(json.dumps(life | dict(candidates=[dict(lives=[dict(submit_seconds=1, commit_seconds=2, commits=2)])])))
    sys.exit()
numbers = [int(number) for number in sys.argv[sys.argv.index("--failures") + 1].split(",")] if "--failures" in sys.argv else []
probabilities = [dict(failures=number, loss=1e-12 if number < 300 else 0.5) for number in numbers]
print(json.dumps(dict(safety=[dict(replicas=3, computed=dict(probabilities=probabilities))])) if numbers else "<svg>drawn by the plan</svg>")
""", encoding="utf-8")
        plan.chmod(0o755)
        some_results(pathlib.Path(place, "results"))
        report.write(pathlib.Path(place, "results"), plan=plan)
        folder = pathlib.Path(place, "results/report")
        text = (folder / "report.md").read_text(encoding="utf-8")
        assert "| shrink | 4 |  | 4 ms | 9 ms | 2.25 (off) |" in text and "0 of 1 predictions are within a factor of 2" in text, text
        assert "drawn by the plan" in (folder / "as_loss.svg").read_text(encoding="utf-8")
        drawn = ElementTree.fromstring((folder / "as_loss_probability.svg").read_text(encoding="utf-8"))
    # 1024 ranks: none of 0.03 to 10 % reaches 300 failures. 24576: 3 and 10 % do. 2^25: all do.
    assert [len(line.get("points").split()) for line in drawn.iter("{http://www.w3.org/2000/svg}polyline")] == [2, 6]


# --- comparisons --------------------------------------------------------------------------------------------------------


def compared(old: list[dict], new: list[dict], least: float = compare.LEAST) -> dict[str, compare.Change]:
    with tempfile.TemporaryDirectory() as place:
        olds, news = pathlib.Path(place, "old"), pathlib.Path(place, "new")
        write(olds, "some", old)
        write(news, "some", new)
        return {change.name: change for change in compare.compare([compare.samples(olds)], [compare.samples(news)], least).changes}


def a_change_is_named_only_if_the_spreads_do_not_overlap() -> None:
    names = ["slower", "faster", "noisy", "touching"]
    old = [line(name, 10, 9, 11) for name in names]
    new = [line("slower", 20, 18, 22), line("faster", 5, 4, 6), line("noisy", 12, 10, 30), line("touching", 12, 11, 13)]
    found = compared(old, new)
    assert {name: change.verdict for name, change in found.items()} == {"slower": "slower", "faster": "faster", "noisy": "", "touching": ""}
    slower = found["slower"]
    assert slower.ratio == 2 and abs(slower.low - 18 / 11) < 1e-12 and abs(slower.high - 22 / 9) < 1e-12, slower
    assert found["faster"].ratio == 0.5, found


def small_changes_are_not_named_however_exact() -> None:
    old, new = [line("a", 100, 99.9, 100.1)], [line("a", 102, 101.9, 102.1)]
    assert compared(old, new)["a"].verdict == "" and compared(old, new, least=1)["a"].verdict == "slower"
    assert compared(new, old, least=1)["a"].verdict == "faster"


def one_repetition_is_no_spread() -> None:
    found = compared([line("a", 10)], [line("a", 30)])["a"]
    assert found.ratio == 3 and found.verdict == "" and not found.new.judged
    percentiles = {"s_per_call_10th": 0.009, "s_per_call_90th": 0.011}
    calls = compared([line("a/iterations:9/manual_time", 99, s_per_call=0.01, **percentiles)],
                     [line("a/iterations:5/manual_time", 99, s_per_call=0.03, s_per_call_10th=0.029, s_per_call_90th=0.031)])["a"]
    assert abs(calls.ratio - 3) < 1e-9 and calls.verdict == "slower", "iterations have percentiles of their own"
    jobs = compared([line(f"a/pes:2/repetition:{i}", 10 + i) for i in range(3)], [line(f"a/pes:2/repetition:{i}", 22 + i) for i in range(3)])
    assert list(jobs) == ["a/pes:2"] and jobs["a/pes:2"].verdict == "slower" and abs(jobs["a/pes:2"].ratio - 23 / 11) < 1e-9, jobs


def units_do_not_matter() -> None:
    assert abs(compared([line("a", 1, 0.9, 1.1, "ms")], [line("a", 500, 490, 510, "us")])["a"].ratio - 0.5) < 1e-12


def turns_are_compared_by_their_medians(turns: int = 5) -> None:
    with tempfile.TemporaryDirectory() as place:
        folders: dict[str, list[pathlib.Path]] = {"old": [], "new": []}
        for turn in range(turns):
            drift = 1 + turn / 2  # the machine gets slower and slower, which the spread within a turn does not show
            for which, factor in (("old", 1.0), ("new", 1.1)):
                folder = pathlib.Path(place, f"{which}-{turn}")
                write(folder, "some", [line("drifting", 10 * drift * factor, 10 * drift * factor, 10 * drift * factor),
                                       line("slower", 10 * factor + 0.1 * turn, 1, 99), line("same", 10 + (turn * 3 + (which == "new")) % 4, 10, 10)])
                folders[which].append(folder)
        found = compare.compare(*([compare.samples(folder) for folder in folders[which]] for which in ("old", "new")))
        text = "\n".join(compare.markdown(found))
    changes = {change.name: change for change in found.changes}
    assert abs(changes["drifting"].ratio - 1.1) < 1e-9 and changes["drifting"].verdict == "", "the drift is larger than the change"
    assert changes["slower"].verdict == "slower" and changes["same"].verdict == "", changes
    assert "5 turns" in text and "1 of 3** have changed" in text, text


def the_chance_of_a_false_alarm_is_that_of_all_orders() -> None:
    for turns in (3, 4):
        orders = list(itertools.combinations(range(2 * turns), turns))  # the ranks of the old medians
        apart = sum(max(olds) - min(olds) == turns - 1 and (0 in olds or 2 * turns - 1 in olds) for olds in orders)
        assert abs(compare.by_chance(turns) - apart / len(orders)) < 1e-12


def what_no_noise_changes_is_told_apart() -> None:
    with tempfile.TemporaryDirectory() as place:
        old = write(pathlib.Path(place, "old"), "some", [line("a", 10, 9, 11, rounds=7, bytes=100), line("gone", 1), {"name": "b", "n": 1, "error": "did not finish"}])
        new = write(pathlib.Path(place, "new"), "some", [line("a", 10, 9, 11, rounds=8, bytes=100), line("b", 1), line("come", 1)], load=9.5)
        found = compare.compare([compare.samples(old)], [compare.samples(new)])
        text = "\n".join(compare.markdown(found))
    assert [change.name for change in found.changes] == ["a"] and found.only_old == ["some/gone"] and found.only_new == ["some/b", "some/come"], found
    assert "| some: `a` | rounds | 7 | 8 |" in text and "bytes" not in text.split("noise does not change them")[1], text
    assert "load 0.1 to 0.1" in text and "load 9.5 to 9.5" in text, "how busy the machine was, of both"


def the_page_has_the_comparison() -> None:
    with tempfile.TemporaryDirectory() as place:
        old, new = pathlib.Path(place, "old"), pathlib.Path(place, "new")
        some_results(new)
        some_results(old)
        content = json.loads((old / "recovery.json").read_text(encoding="utf-8"))
        faster = copy.deepcopy(content)
        for benchmark in faster["benchmarks"]:
            if benchmark["name"].startswith("detection"):
                benchmark.update({key: benchmark[key] / 10 for key in ("median", "p10", "p90")})
        (old / "recovery.json").write_text(json.dumps(faster), encoding="utf-8")
        run = subprocess.run([sys.executable, TOOLS / "report/report.py", new, "--compare", old], capture_output=True, text=True, check=False)
        page = (new / "report/report.md").read_text(encoding="utf-8")
        again = subprocess.run([sys.executable, TOOLS / "report/compare.py", old, new], capture_output=True, text=True, check=False)
    assert run.returncode == 0 and "report.md" in run.stdout, run
    section = page.split("## Compared with earlier results\n")[1].split("\n## ")[0]
    assert "| recovery: `detection/one_dies_1_MiB/pes:2` | 100 us | 1 ms | 10.00 | 2.50 | 40.00 | slower |" in section, section
    assert "**2 of" in section and again.returncode == 0 and "10.00" in again.stdout, again


FAKE = """#!{python}
import json, pathlib, sys
words = dict(word.split("=") for word in sys.argv[1:] if "=" in word)
place = pathlib.Path("{place}")
with (place / "order").open("a") as order: order.write("{which} ")
turn = (place / "order").read_text().count("{which} ")
runs = [dict(name=name + "/all/bytes:8", run_type="iteration", time_unit="ms", real_time=time, cpu_time=time)
        for name, base in dict(changed={time}, same=50).items() for time in (base + 1e-4 * turn, base + 2e-4 * turn, base)]
pathlib.Path(words["--benchmark_out"]).write_text(json.dumps(dict(context=dict(date="2026-01-02"), benchmarks=runs)))
"""


def fake_build(place: pathlib.Path, which: str, time: float) -> pathlib.Path:
    """A build folder with one benchmark, of two names: one takes so long, the other always the same. It notes that it was called."""
    program = place / which / "bench/fake_bench"
    program.parent.mkdir(parents=True)
    program.write_text(FAKE.format(python=sys.executable, place=place, which=which, time=time), encoding="utf-8")
    program.chmod(0o755)
    return place / which


def run_bench(place: pathlib.Path, build: pathlib.Path, *words: object) -> subprocess.CompletedProcess:
    command = [sys.executable, TOOLS / "bench.py", "--programs", build / "bench", "--results", place / "results", "--build", place, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def two_builds_run_by_turns() -> None:
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        old, new = fake_build(place, "old", 10), fake_build(place, "new", 30)
        run = run_bench(place, new, "--compare-build", old, "--turns", "4")
        assert run.returncode == 0, run
        assert (place / "order").read_text(encoding="utf-8").split() == ["old", "new"] * 4
        assert re.search(r"[|] fake: `changed/all/bytes:8` [|] 10 ms [|] 30 ms [|] 3.00 [|] 3.00 [|] 3.00 [|] slower [|]", run.stdout), run.stdout
        assert "**1 of 2** have changed" in run.stdout
        assert "## Compared with earlier results" in (place / "results/report/report.md").read_text(encoding="utf-8")
        context = json.loads((place / "results/fake.json").read_text(encoding="utf-8"))["context"]
        assert {"cpu", "memory_bytes", "load", "cores_of_others", "seconds", "commit"} <= context.keys(), context
        again = run_bench(place, old, "--compare", place / "results")
        assert again.returncode == 0 and "| 30 ms | 10 ms | 0.33 |" in again.stdout and "faster" in again.stdout, again


def a_wrong_comparison_is_refused_before_anything_runs() -> None:
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        build = fake_build(place, "new", 30)
        other = write(place, "other", [line("a", 1)])
        for words in (["--compare", place / "missing"], ["--compare", other], ["--compare-build", place / "missing"], ["--compare-build", build, "--turns", "2"],
                      ["--compare", build, "--compare-build", build], ["search", "--compare-build", build], ["--sets", place, "--untuned"], ["--starts", "0"]):
            run = run_bench(place, build, *words)
            assert run.returncode != 0 and "Traceback" not in run.stderr and not (place / "order").exists(), run


def results_that_are_not_there_are_named() -> None:
    with tempfile.TemporaryDirectory() as place:
        missing, broken = pathlib.Path(place, "missing"), pathlib.Path(place, "broken.json")
        broken.write_text("{", encoding="utf-8")
        for old in (missing, broken, pathlib.Path(place, "empty")):
            pathlib.Path(place, "empty").mkdir(exist_ok=True)
            run = subprocess.run([sys.executable, TOOLS / "report/compare.py", old, old], capture_output=True, text=True, check=False)
            assert run.returncode == 1 and str(old) in run.stderr and "Traceback" not in run.stderr, run
        run = subprocess.run([sys.executable, TOOLS / "report/report.py", pathlib.Path(place, "empty")], capture_output=True, text=True, check=False)
        assert run.returncode == 1 and "empty" in run.stderr and not pathlib.Path(place, "empty/report").exists(), run
    try:
        compare.files(pathlib.Path("/nowhere"))
    except Broken as problem:
        assert "/nowhere" in str(problem)
    else:
        raise AssertionError("nothing is no set of results")


def what_nodes_say_is_read_however_it_arrives() -> None:
    n0, n1 = ({"host": name, "cores": 2, "inside": {"a": 1}} for name in ("n0", "n1"))
    first, second = json.dumps(n0), json.dumps(n1)
    for text in (f"{first}\n{second}\n", f"{first}{second}\n\n", f"n0: a word {{of}} a daemon {first}\nmore{second}"):
        assert job.objects_in(text) == [n0, n1], text
    assert job.objects_in(first[:-1]) == [{"a": 1}] and job.objects_in("") == []


the_summary_has_results_beside_others_and_ratios()
the_machine_and_its_load_are_told()
each_section_has_a_picture_and_says_how_to_read_it()
the_page_in_html_needs_no_other_file()
pictures_say_in_words_what_they_show()
the_parts_of_a_recovery_are_stacked()
regraft_plan_draws_losses_and_predicts()
a_change_is_named_only_if_the_spreads_do_not_overlap()
small_changes_are_not_named_however_exact()
one_repetition_is_no_spread()
units_do_not_matter()
turns_are_compared_by_their_medians()
the_chance_of_a_false_alarm_is_that_of_all_orders()
what_no_noise_changes_is_told_apart()
the_page_has_the_comparison()
two_builds_run_by_turns()
a_wrong_comparison_is_refused_before_anything_runs()
results_that_are_not_there_are_named()
what_nodes_say_is_read_however_it_arrives()
print("results of benchmarks become a page, and are compared, as they should")
