"""Panels that several pictures are made of: lines over sizes, on one logarithmic axis."""
import math
import pathlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from drawings.svg import COLOURS, document, text

WIDTH, HEIGHT, LEFT, TOP, GAP_X, GAP_Y = 270, 200, 72, 66, 76, 64
LEGEND_LINE, COLUMNS, LEAST_WIDTH = 17, 4, 620


@dataclass
class Panel:
    """Lines over positions that have names, such as numbers of ranks. A point is a median, with the least and the most that is not drawn as
    noise, if they are known."""

    title: str
    along: str  # what the positions are
    lines: dict[str, dict[str, tuple[float, ...]]] = field(default_factory=dict)  # label -> position -> (number,) or (number, low, high)
    positions: list[str] = field(default_factory=list)  # all of them, in their order; empty: those of the lines, which are numbers

    def numbers(self) -> list[float]:
        return [number for points in self.lines.values() for point in points.values() for number in point]


def draw(title: str, panels: list[Panel], words: Callable[[float], str]) -> str:
    """The picture of all panels that have points, on one scale; empty if none has. words: writes a number beside the axis."""
    panels = [panel for panel in panels if panel.numbers()]
    if not panels:
        return ""
    labels = list(dict.fromkeys(label for panel in panels for label in panel.lines))
    columns = min(COLUMNS, len(panels))
    width = max(LEFT + columns * (WIDTH + GAP_X), LEAST_WIDTH)
    svg, top = legend(labels, width)
    colours = dict(zip(labels, [COLOURS[i % len(COLOURS)] for i in range(len(labels))]))
    everything = [number for panel in panels for number in panel.numbers()]
    for i, panel in enumerate(panels):
        left, upper = LEFT + i % columns * (WIDTH + GAP_X), top + i // columns * (HEIGHT + GAP_Y)
        svg += drawn(panel, left, upper, axis(everything, upper), words, colours)
    return document(width, top + math.ceil(len(panels) / columns) * (HEIGHT + GAP_Y), LEFT, title, svg)


def legend(labels: list[str], width: float) -> tuple[list[str], float]:
    """The names of the lines, and where panels may begin below them."""
    svg, x, y = [], float(LEFT), 42.0
    for i, label in enumerate(labels):
        length = 40 + 6.4 * len(label)
        if x > LEFT and x + length > width:
            x, y = float(LEFT), y + LEGEND_LINE
        svg += [f'<path d="M{x:.1f} {y:.1f}h20" stroke="{COLOURS[i % len(COLOURS)]}" stroke-width="2.4"/>', text(x + 26, y + 4, label)]
        x += length
    return svg, y + 36


@dataclass
class Axis:
    """A map from numbers to pixels, and the numbers at which it has lines."""

    place: Callable[[float], float]
    ticks: list[float]


def axis(numbers: list[float], top: float) -> Axis:
    """A logarithmic axis."""
    positive = [number for number in numbers if number > 0]
    low, high = math.log10(min(positive)), math.log10(max(positive))
    margin = 0.06 * (high - low) + 0.03
    low, high = low - margin, high + margin
    sizes = (1,) if high - low > 3 else (1, 3) if high - low > 1.6 else (1, 2, 5)
    ticks = [size * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for size in sizes]
    return Axis(lambda number: top + HEIGHT * (high - math.log10(max(number, 10**low))) / (high - low),
                [tick for tick in ticks if low <= math.log10(tick) <= high])


def drawn(panel: Panel, left: float, top: float, y: Axis, words: Callable[[float], str], colours: dict[str, str]) -> list[str]:
    svg = [text(left, top - 8, panel.title, font_weight="bold")]
    for tick in y.ticks:
        svg += [f'<path d="M{left} {y.place(tick):.1f}h{WIDTH}" stroke="#e2e2e2"/>',
                text(left - 6, y.place(tick) + 4, words(tick), text_anchor="end", fill="#555555")]
    svg.append(f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999999"/>')
    positions = panel.positions or sorted({position for points in panel.lines.values() for position in points}, key=int)
    at = {position: left + WIDTH * (i + 0.5) / len(positions) for i, position in enumerate(positions)}
    svg += [text(at[position], top + HEIGHT + 15, position, text_anchor="middle", fill="#555555") for position in positions]
    svg.append(text(left + WIDTH / 2, top + HEIGHT + 31, panel.along, text_anchor="middle", fill="#555555"))
    for label, points in panel.lines.items():
        svg += line({at[position]: points[position] for position in positions if position in points}, y, colours[label])
    return svg


def line(points: dict[float, tuple[float, ...]], y: Axis, colour: str) -> list[str]:
    path = " ".join(f"{x:.1f},{y.place(point[0]):.1f}" for x, point in points.items())
    svg = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.7"/>']
    for x, point in points.items():
        if len(point) == 3:
            style = f'stroke="{colour}" stroke-opacity="0.45" stroke-width="3"'
            svg.append(f'<path d="M{x:.1f} {y.place(point[1]):.1f}V{y.place(point[2]):.1f}" {style}/>')
        svg.append(f'<circle cx="{x:.1f}" cy="{y.place(point[0]):.1f}" r="2.8" fill="{colour}"/>')
    return svg


def short_time(seconds: float) -> str:
    """A time beside an axis."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size * 0.999:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns" if seconds else "0"
