#!/usr/bin/env python3
"""report.py RESULTS: makes one page of all results of benchmarks in a folder, for a reader who does not know regraft. It is written as
RESULTS/report/report.md with pictures beside it, and as report.html, which needs no other file.

With --compare OLD it also says what is different from earlier results: a folder or a file.
"""
import argparse
import pathlib
import shutil
import sys
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
import compare  # noqa: E402
import overheads  # noqa: E402
import page  # noqa: E402
import papers  # noqa: E402
import plot  # noqa: E402
import simulator  # noqa: E402
import where  # noqa: E402
from compare import table  # noqa: E402
from drawings import recoveries  # noqa: E402
from results import Broken, Results, in_words, read  # noqa: E402
from sections import SECTIONS, Row, Section  # noqa: E402

TITLE = "regraft, measured on this machine"
INTRODUCTION = (
    "regraft lets MPI programs survive the loss of ranks with the same result, bit for bit: it keeps their data in the memory of several "
    "ranks, decides after a death which rank takes over which work, and moves what that takes. This page says how long the parts of it "
    "take here. Every answer was compared with what it should be before it was timed.")
QUIET = 0.2  # cores; up to here other programs have hardly disturbed what was measured


@dataclass
class Written:
    files: list[pathlib.Path]
    missing: list[str]  # what was not written, and why
    validation: list[str]  # lines for a terminal: how well the simulator predicts what was measured


def write(results: pathlib.Path, comparison: compare.Comparison | None = None, plan: pathlib.Path | None = None) -> Written:
    """Writes the report. plan: regraft-plan, which draws one of the pictures and predicts what was measured."""
    found = {file.stem: read(file) for file in sorted(results.glob("*.json"))}
    folder = results / "report"
    unfinished = results / "report.tmp"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    model = simulator.model_of(found, unfinished, plan)
    text = "\n".join(markdown(found, unfinished, comparison, plan, model)) + "\n"
    (unfinished / "report.md").write_text(text, encoding="utf-8")
    missing = []
    if html := page.html(text, unfinished, TITLE):
        (unfinished / "report.html").write_text(html, encoding="utf-8")
    else:
        missing.append(f"{folder / 'report.html'} is not written: Python's package markdown is missing (Debian: python3-markdown)")
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)
    files = [folder / name for name in ("report.md", "report.html", simulator.FILE) if (folder / name).exists()]
    return Written(files, missing, simulator.told(model))


def markdown(found: dict[str, Results], folder: pathlib.Path, comparison: compare.Comparison | None,
             plan: pathlib.Path | None, model: simulator.Model) -> list[str]:
    measured = [section for section in SECTIONS if section.name in found]
    lines = [f"# {TITLE}", "", INTRODUCTION, "", *summary(found, measured), "", *machine(found)]
    if comparison:
        lines += ["", "## Compared with earlier results", "", *compare.markdown(comparison)]
    for section in measured:
        lines += ["", *section_lines(section, found[section.name], folder)]
    lines += ["", *simulator.section(model)]
    lines += ["", *like_papers(found, folder, plan), "", *missing(found)]
    return lines


# --- the machine --------------------------------------------------------------------------------------------------------


def all_of(found: dict[str, Results], key: str) -> list[str]:
    return list(dict.fromkeys(str(results.context[key]) for results in found.values() if results.context.get(key)))


def machine(found: dict[str, Results]) -> list[str]:
    """What the results were measured on; several values if they come from several places."""
    memory = [f"{int(size) / 2**30:.1f} GiB" for size in all_of(found, "memory_bytes")]
    rows = {"CPU": all_of(found, "cpu"), "cores": all_of(found, "num_cpus"), "memory": memory,
            "system": [f"{system} {kernel}".strip() for system in all_of(found, "system") for kernel in all_of(found, "kernel") or [""]],
            "MPI": all_of(found, "mpi"), "compiler": all_of(found, "compiler"), "flags": common_flags(all_of(found, "flags")),
            "commit of regraft": all_of(found, "commit"), "measured": dates(found), "other programs meanwhile": [busy(found)]}
    lines = ["## The machine", "", "| | |", "| --- | --- |", *(f"| {name} | {', '.join(values)} "
                                                               f"|" for name, values in rows.items() if values)]
    return [*lines, *nodes(found), *warning(found)]


def nodes(found: dict[str, Results]) -> list[str]:
    """A table of the nodes, if there were several. The load is that before each benchmark."""
    loads: dict[tuple, list[float]] = {}
    for results in found.values():
        for node in results.context.get("nodes_of_job", []):
            key = (node["host"], node["cpu"], str(node["cores"]), f"{node['memory_bytes'] / 2**30:.1f} GiB")
            loads.setdefault(key, []).append(node["load"])
    if not loads:
        return []
    rows = [[*key, f"{min(load):g} to {max(load):g}"] for key, load in sorted(loads.items())]
    return ["", *table(["node", "CPU", "cores", "memory", "load"], rows)]


def common_flags(flags: list[str]) -> list[str]:
    """The flags of all benchmarks; what only some have is left out."""
    words = [line.split() for line in flags]
    common = [word for word in words[0] if all(word in line for line in words)] if words else []
    return [f"`{' '.join(common)}`"] if common else []


def dates(found: dict[str, Results]) -> list[str]:
    days = sorted({str(results.context["date"])[:16].replace("T", " ") for results in found.values() if "date" in results.context})
    return [days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"] if days else []


def busy(found: dict[str, Results]) -> str:
    others = [results.context["cores_of_others"] for results in found.values() if "cores_of_others" in results.context]
    return f"{min(others):.2g} to {max(others):.2g} cores, by benchmark" if others else "not recorded"


def warning(found: dict[str, Results]) -> list[str]:
    others = {name: results.context.get("cores_of_others", 0.0) for name, results in found.items()}
    disturbed = {name: cores for name, cores in others.items() if cores > QUIET}
    if not disturbed:
        return []
    worst = max(disturbed, key=lambda name: disturbed[name])
    return ["", f"**The machine was not quiet**: while {len(disturbed)} of {len(found)} benchmarks ran, other programs used more than "
            f"{QUIET} cores, at most {disturbed[worst]:.1f} (`{worst}`). Times are longer than they would be alone, and ratios are less "
            f"exact."]


# --- the summary --------------------------------------------------------------------------------------------------------


def summary(found: dict[str, Results], measured: list[Section]) -> list[str]:
    rows = [(section, row) for section in measured for row in section.rows(found[section.name])]
    if not rows:
        return []
    lines = ["## Summary", "", "A result stands beside its *floor* (moving or copying the same bytes without regraft) or a *peer* "
             "(another program that does the same). The ratio is result / other, so below 1 regraft is smaller or faster. The last column "
             "is the geometric mean of the ratios of all sizes and kinds of input that were measured, with their number.", ""]
    return lines + table(["what", "result", "floor or peer", "its result", "ratio", "all sizes"],
                         [[f"[{row.what}](#{anchor(section.title)})", row.result, row.other, row.its_result, short(row.ratio),
                           f"{short(row.mean)} ({row.sizes})"] for section, row in rows])


def short(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"


def anchor(title: str) -> str:
    """The anchor of a heading, as GitHub and python-markdown make it."""
    return "".join(letter for letter in title.lower().replace(" ", "-") if letter.isalnum() or letter in "-_")


# --- a section ----------------------------------------------------------------------------------------------------------


def picture(section: Section, results: Results) -> str:
    """The SVG of a section; empty if there is nothing to draw."""
    if section.name in ("shield", "ulfm"):
        return overheads.draw(results, section.title)
    return plot.drawn(results, section.name)


def section_lines(section: Section, results: Results, folder: pathlib.Path) -> list[str]:
    lines = [f"## {section.title}", "", section.how_to_read, ""]
    if svg := picture(section, results):
        (folder / f"{section.name}.svg").write_text(svg, encoding="utf-8")
        lines += [f"![{section.title}]({section.name}.svg)", ""]
    if section.name == "recovery":
        lines += ["Medians in milliseconds:", "", *table(*recoveries.table_rows(results)), ""]
    if section.name == "shield" and (pauses := overheads.pauses(results)):
        told = (f"{in_words(pause)} on {ranks} ranks, {in_words(repair)} of which are the repair" for ranks, pause, repair in pauses)
        lines += [f"With the shield, a death delays the others until it is noticed and repaired: {'; '.join(told)}.", ""]
    if rows := section.rows(results):
        lines += [*details(rows), ""]
    return [*lines, source(results)]


def details(rows: list[Row]) -> list[str]:
    return [f"- {row.what}: **{row.result}**, beside {row.its_result} ({row.other}): {short(row.ratio)} times"
            + (f", and {short(row.mean)} times on average over {row.sizes} sizes and kinds of input." if row.sizes > 1 else ".")
            for row in rows]


def source(results: Results) -> str:
    context = results.context
    parts = [f"commit {context.get('commit') or 'unknown'}", str(context.get("date", "date unknown"))[:16].replace("T", " ")]
    if "seconds" in context:
        parts.append(f"measured in {context['seconds']:.0f} s")
    if "cores_of_others" in context:
        parts.append(f"other programs used {context['cores_of_others']:.2g} cores")
    name = str(context.get("executable", "")).removesuffix("_bench")
    command = "./run bench" if where.CHECKOUT else "regraft-bench"
    return f"<small>`{command} {name}`: `{context.get('command', '')}`, {', '.join(parts)}</small>"


def like_papers(found: dict[str, Results], folder: pathlib.Path, plan: pathlib.Path | None) -> list[str]:
    lines = []
    for figure in papers.figures(plan):
        if svg := figure.draw(found):
            (folder / f"as_{figure.file}.svg").write_text(svg, encoding="utf-8")
            lines += ["", f"### {figure.title}", "", figure.caption, "", f"![{figure.title}](as_{figure.file}.svg)"]
    return ["## Pictures as in the papers", "", "These are drawn as their models are, so that both can be laid side by "
                                                "side.", *lines] if lines else []


def missing(found: dict[str, Results]) -> list[str]:
    absent = [section.name for section in SECTIONS if section.name not in found]
    command = "./run bench" if where.CHECKOUT else "regraft-bench"
    place = " in a checkout of regraft" if where.CHECKOUT else ""
    lines = ["## How to repeat it", "", f"`{command}`{place} measures everything at full size, and `{command} --short` takes a few "
             f"minutes. `{command} NAME` measures one section again, and `{command} --compare OLD` says what is different from earlier "
             "results."]
    return lines + (["", f"Not measured here: {', '.join(f'`{name}`' for name in absent)}."] if absent else [])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--compare", type=pathlib.Path, metavar="OLD", help="earlier results")
    parser.add_argument("--plan", type=pathlib.Path, metavar="PROGRAM", help="regraft-plan, which draws one of the pictures")
    args = parser.parse_args()
    if not args.results.is_dir() or not any(args.results.glob("*.json")):
        sys.exit(f"{args.results}: no results of benchmarks (NAME.json) are there")
    comparison = compare.compare([compare.samples(args.compare)], [compare.samples(args.results)]) if args.compare else None
    written = write(args.results, comparison, args.plan)
    for file in written.files:
        print(file)
    for line in written.missing:
        print(line, file=sys.stderr)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as problem:
        sys.exit(str(problem))
