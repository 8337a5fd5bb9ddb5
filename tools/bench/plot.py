#!/usr/bin/env python3
"""plot.py RESULT.json [RESULT.svg]: draws what a benchmark measured, time against size on logarithmic axes.

A benchmark is named ALGORITHM/FAMILY/SIZE:N/... The picture has a panel per family and a line per algorithm. If an algorithm was measured
with several settings at the same size, it has a line per setting, in different dashes. A benchmark that did not finish in time is an open
triangle at the time at which it was stopped.

The context of the JSON decides about the clock (`clock`: real_time, the default, or cpu_time), the names in the legend (`labels`:
"algorithm=label,...") and the picture (`drawing`): compression draws bytes and speed (compressors.py), floor draws times over a floor
(floors.py), search draws likelihood against time (searches.py), programs draws what surviving costs (programs.py), recovery draws the
phases of recoveries (recoveries.py), bytes_per_taxon draws this counter in place of time, none draws nothing.
"""
import math
import pathlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

from drawings import compressors, floors, programs, recoveries, searches
from drawings.svg import COLOURS, document, text
from results import Broken, Point, Results, family_in_words, in_words, read  # noqa: F401  (other scripts take these from here)

# --- drawing ------------------------------------------------------------------------------------------------------------

PANEL_WIDTH, PANEL_HEIGHT, MARGIN = 230, 190, 8
LEFT, TOP, GAP_X, GAP_Y = 70, 66, 20, 56
LEGEND_LINE = 18
MAX_COLUMNS = 5
DASHES = ["", "7 3", "2 2", "9 3 2 3", "1 4", "14 3", "5 5 1 5", "3 6"]  # of the settings, in turn


@dataclass
class Scale:
    """A map from whole decades to pixels, with a margin."""

    first: int
    last: int
    begin: float
    end: float

    def __call__(self, number: float) -> float:
        margin = math.copysign(MARGIN, self.end - self.begin)
        part = (math.log10(number) - self.first) / (self.last - self.first)
        return self.begin + margin + part * (self.end - self.begin - 2 * margin)

    def decades(self) -> list[int]:
        return list(range(self.first, self.last + 1))


def decades_around(numbers: list[float]) -> tuple[int, int]:
    first = math.floor(math.log10(min(numbers)) + 1e-9)
    return first, max(first + 1, math.ceil(math.log10(max(numbers)) - 1e-9))


def short_number(decade: int) -> str:
    for suffix, exponent in (("G", 9), ("M", 6), ("k", 3)):
        if decade >= exponent:
            return f"{10 ** (decade - exponent)}{suffix}"
    return str(10**decade)


def short_time(decade: int) -> str:
    for suffix, exponent in (("s", 0), ("ms", -3), ("µs", -6)):
        if decade >= exponent:
            return f"{10 ** (decade - exponent)} {suffix}"
    return f"{10 ** (decade + 9)} ns" if decade >= -9 else f"1e{decade} s"


def marker(x: float, y: float, finished: bool, colour: str) -> str:
    if finished:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>'
    return f'<path d="M{x - 4:.1f} {y + 3:.1f}h8l-4 -7z" fill="#ffffff" stroke="{colour}" stroke-width="1.3"/>'


@dataclass
class Line:
    """Points that are joined: those of one algorithm with one setting."""

    colour: str
    dash: str
    points: list[Point]


def by_setting(points: list[Point]) -> dict[str, list[Point]]:
    """Groups of points that differ in size only, by their setting. If no size comes twice, all points are one group with the setting "":
    a setting may then change with the size."""
    if len({point.size for point in points}) == len(points):
        return {"": points}
    groups: dict[str, list[Point]] = {}
    for point in points:
        groups.setdefault(" ".join(point.settings), []).append(point)
    return groups


def panel(title: str, lines: list[Line], x: Scale, y: Scale, names: tuple[bool, bool],
          y_name: Callable[[int], str] = short_time) -> list[str]:
    """The panel of a family. names: whether sizes, and whether times, are written at the axes."""
    svg = [text(x.begin, y.end - 8, title, font_weight="bold")]
    for decade in x.decades():
        at = x(10.0**decade)
        svg.append(f'<path d="M{at:.1f} {y.begin:.1f}V{y.end:.1f}" stroke="#e2e2e2"/>')
        if names[0]:
            svg.append(text(at, y.begin + 15, short_number(decade), text_anchor="middle", fill="#555555"))
    for decade in y.decades():
        at = y(10.0**decade)
        svg.append(f'<path d="M{x.begin:.1f} {at:.1f}H{x.end:.1f}" stroke="#e2e2e2"/>')
        if names[1]:
            svg.append(text(x.begin - 7, at + 4, y_name(decade), text_anchor="end", fill="#555555"))
    svg.append(f'<rect x="{x.begin:.1f}" y="{y.end:.1f}" width="{x.end - x.begin:.1f}" height="{y.begin - y.end:.1f}" fill="none" '
               'stroke="#999999"/>')
    for line in reversed(lines):  # the first line, which is ours, is on top
        at = [(x(point.size), y(point.seconds), point) for point in line.points]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py, _ in at)
        dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
        svg.append(f'<polyline points="{path}" fill="none" stroke="{line.colour}" stroke-width="1.7"{dash}/>')
        for px, py, point in at:
            svg.append(marker(px, py, point.finished, line.colour))
    return svg


class Legend:
    """The legend, in as many lines as its entries need within a width."""

    def __init__(self, width: float):
        self.width, self.x, self.y, self.svg = width, float(LEFT), 42.0, []

    def add(self, label: str, colour: str, dash: str = "", *, marked: bool = True, finished: bool = True) -> None:
        length = 46 + 6.6 * len(label)
        if self.x > LEFT and self.x + length > self.width:
            self.new_line()
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        if finished:
            self.svg.append(f'<path d="M{self.x:.1f} {self.y:.1f}h22" stroke="{colour}" stroke-width="2"{dashes}/>')
        if marked:
            self.svg.append(marker(self.x + 11, self.y, finished, colour))
        self.svg.append(text(self.x + 28, self.y + 4, label))
        self.x += length

    def new_line(self) -> None:
        self.x, self.y = float(LEFT), self.y + LEGEND_LINE


def draw(results: Results, title: str, counter: str = "") -> str:
    """The SVG; empty if there is nothing to draw, or more than colours and dashes can tell apart. counter: drawn in place of times."""
    families = {family: {name: by_setting(points) for name, points in algorithms.items() if points}
                for family, algorithms in results.families.items() if any(algorithms.values())}
    if counter:
        families = {family: {name: {setting: [replace(point, seconds=point.run[counter]) for point in points if counter in point.run]
                                    for setting, points in groups.items()} for name, groups in algorithms.items()}
                    for family, algorithms in families.items()}
    everything = [point for algorithms in families.values() for groups in algorithms.values() for points in groups.values()
                  for point in points]
    if not everything:
        return ""
    names = list(dict.fromkeys(name for algorithms in families.values() for name in algorithms))
    settings = list(dict.fromkeys(setting for algorithms in families.values() for groups in algorithms.values() for setting in groups
                                  if setting))
    if len(names) > len(COLOURS) or len(settings) > len(DASHES):
        return ""
    colour = dict(zip(names, COLOURS))
    dash = {"": "", **dict(zip(settings, DASHES))}
    sizes = decades_around([point.size for point in everything])
    times = decades_around([point.seconds for point in everything])

    rows = math.ceil(len(families) / MAX_COLUMNS)
    columns = math.ceil(len(families) / rows)
    width = max(LEFT + columns * (PANEL_WIDTH + GAP_X) + 10, LEFT + 9 * len(title) + 10)
    legend = Legend(width)
    for name in names:
        legend.add(results.label(name), colour[name])
    if not all(point.finished for point in everything):
        legend.add("stopped", "#555555", finished=False)
    if settings:
        legend.new_line()
    for setting in settings:
        legend.add(setting.replace(":", " "), "#555555", dash[setting], marked=False)
    first_row = TOP + legend.y - 24
    height = first_row + rows * (PANEL_HEIGHT + GAP_Y) + 10

    svg = legend.svg
    for i, (family, algorithms) in enumerate(families.items()):
        left = LEFT + i % columns * (PANEL_WIDTH + GAP_X)
        top = first_row + i // columns * (PANEL_HEIGHT + GAP_Y)
        x = Scale(*sizes, left, left + PANEL_WIDTH)
        y = Scale(*times, top + PANEL_HEIGHT, top)
        lines = [Line(colour[name], dash[setting], points) for name in names for setting, points in algorithms.get(name, {}).items()]
        svg += panel(family_in_words(family), lines, x, y, (True, i % columns == 0), short_time if not counter else short_number)
        svg.append(text(left + PANEL_WIDTH / 2, top + PANEL_HEIGHT + 30, results.size_words, text_anchor="middle", fill="#555555"))
    clock = counter.replace("_", " ") or ("CPU time" if results.context.get("clock") == "cpu_time" else "time")
    middle = first_row + PANEL_HEIGHT / 2
    svg.append(text(16, middle, clock, text_anchor="middle", fill="#555555", transform=f"rotate(-90 16 {middle})"))
    return document(width, height, LEFT, title, svg)


def drawn(results: Results, name: str) -> str:
    """The SVG of the results of benchmark NAME; empty if there is nothing to draw."""
    context = results.context
    where = ", ".join(filter(None, [context.get("cpu", ""), context.get("commit", "")]))
    where = f" ({where})" if where else ""
    drawing = context.get("drawing")
    if drawing == "none":
        return ""
    if drawing == "compression":
        return compressors.draw(results, f"{name}: size and speed{where}")
    if drawing == "bytes_per_taxon":
        return draw(results, f"{name}: bytes per taxon{where}", "bytes_per_taxon")
    if drawing == "floor":
        return floors.draw(results, f"{name}: time over the floor{where}")
    if drawing == "search":
        return searches.draw(results, f"{name}: how far below the best tree known, after how long{where}")
    if drawing == "programs":
        return programs.draw(results, f"What surviving costs{where}")
    if drawing == "recovery":
        return recoveries.draw(results, f"From the death of a rank to work{where}")
    return draw(results, f"{name}: time against {results.size_words}{where}")


def plot(source: pathlib.Path, target: pathlib.Path) -> bool:
    """Draws results into a file. Returns whether there was something to draw."""
    svg = drawn(read(source), source.stem)
    if svg:
        target.write_text(svg, encoding="utf-8")
    return bool(svg)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    json_file = pathlib.Path(sys.argv[1])
    try:
        if not plot(json_file, pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else json_file.with_suffix(".svg")):
            sys.exit(f"{json_file}: no benchmark is named ALGORITHM/FAMILY/SIZE:N")
    except Broken as problem:
        sys.exit(str(problem))
