"""Results of compressors: a benchmark ALGORITHM/SET/cells:N per compressor and set, whose counters are bytes and speeds.

The algorithms in OURS are codings of regraft, and the context's `subject` is one of them. All others are peers.
"""
import math
import re
from dataclasses import dataclass

from drawings.svg import COLOURS, document, text
from results import Results, in_words

OURS = ("native", "thesis")
LABELS = {"thesis": "coding of Huebner 2020"}  # in pictures


@dataclass
class Set:
    """The counters of every algorithm that finished, on one alignment."""

    name: str
    runs: dict[str, dict]

    def best_peer(self) -> str:
        return min((name for name in self.runs if name not in OURS), key=lambda name: self.runs[name]["bytes"], default="")

    def relative(self, algorithm: str) -> float:
        """The bytes of an algorithm over those of the best peer."""
        return self.runs[algorithm]["bytes"] / self.runs[self.best_peer()]["bytes"]


def sets(results: Results) -> list[Set]:
    """The sets on which the subject and a peer finished."""
    found = [Set(name, {algorithm: points[0].run for algorithm, points in algorithms.items() if points})
             for name, algorithms in results.families.items()]
    return [one for one in found if results.context["subject"] in one.runs and one.best_peer()]


def summary(results: Results) -> list[str]:
    """A line per set."""
    lines = []
    for one in sets(results):
        ours = one.runs[results.context["subject"]]
        line = (f"{one.name}: {one.relative(results.context['subject']):.2f}x of the best peer ({results.label(one.best_peer())}), "
                f"decode {speed(ours['decode_MB_per_s'])} MB/s per thread, "
                f"{ours['decode_speedup']:.1f}x on {results.context['threads']} threads, 16 sites {in_words(ours['s_per_16_sites'])}")
        if "thesis" in one.runs:
            line += f"; thesis {one.relative('thesis'):.2f}x"
        lines.append(line)
    return lines


def speed(megabytes: float) -> str:
    return f"{megabytes:.3g}" if megabytes < 1000 else f"{megabytes:.0f}"


# --- table --------------------------------------------------------------------------------------------------------------


def table_rows(results: Results) -> tuple[list[str], list[list[str]]]:
    """The head of the table, and a row per set."""
    head = ["alignment", "taxa x sites", "bits per cell", "best peer", "ours / peer", "thesis / peer", "encode", "decode", "peer decodes",
            "16 sites"]
    rows = []
    for one in sets(results):
        ours, peer = one.runs[results.context["subject"]], one.runs[one.best_peer()]
        rows.append([one.name, f"{ours['taxa']:.0f} x {ours['sites']:.0f}", f"{ours['bits_per_cell']:.3f}", results.label(one.best_peer()),
                     f"{one.relative(results.context['subject']):.2f}", f"{one.relative('thesis'):.2f}" if "thesis" in one.runs else "-",
                     speed(ours["encode_MB_per_s"]), speed(ours["decode_MB_per_s"]), speed(peer["decode_MB_per_s"]),
                     in_words(ours["s_per_16_sites"])])
    return head, rows


# --- drawing ------------------------------------------------------------------------------------------------------------

LEFT, TOP, ROW, PANEL, GAP = 130, 76, 20, 330, 50


@dataclass
class Axis:
    """A logarithmic axis from left to right."""

    least: float
    most: float
    begin: float

    def __call__(self, number: float) -> float:
        return self.begin + PANEL * math.log(number / self.least) / math.log(self.most / self.least)

    def ticks(self) -> list[float]:
        decades = range(math.floor(math.log10(self.least)), math.ceil(math.log10(self.most)) + 1)
        return [digit * 10.0**decade for decade in decades for digit in (1, 2, 5) if self.least <= digit * 10.0**decade <= self.most]


def axis_around(numbers: list[float], begin: float) -> Axis:
    return Axis(min(numbers) / 1.3, max(numbers) * 1.3, begin)


def draw(results: Results, title: str) -> str:
    """A panel of the bytes over the best peer's, and one of the speed of decompression, with a line per set. A peer compresses rows and
    columns; the smaller result is drawn."""
    shown = sets(results)
    if not shown:
        return ""
    programs = list(dict.fromkeys(re.sub("_(rows|columns)$", "", name) for one in shown for name in one.runs))
    colour = dict(zip(programs, COLOURS))
    points = {(one.name, program): one.runs[name] for one in shown for program in programs if (name := smaller(one, program))}
    sizes = {key: run["bytes"] / one.runs[one.best_peer()]["bytes"] for one in shown for key, run in points.items() if key[0] == one.name}
    speeds = {key: run["decode_MB_per_s"] for key, run in points.items()}
    panels = [("bytes in relation to the best peer's", sizes, axis_around(list(sizes.values()), LEFT)),
              ("decompression, MB of cells per second and thread", speeds, axis_around(list(speeds.values()), LEFT + PANEL + GAP))]

    width, bottom = LEFT + 2 * PANEL + GAP + 20, TOP + ROW * len(shown)
    svg = []
    at = float(LEFT)
    for program in programs:
        label = LABELS.get(program) or re.sub(" (rows|columns)$", "", results.label(program if program in OURS else program + "_rows"))
        svg += [dot(at + 5, 42, program, colour[program]), text(at + 14, 46, label)]
        at += 30 + 6.2 * len(label)
    for name, numbers, axis in panels:
        for tick in axis.ticks():
            stroke = "#777777" if tick == 1 and numbers is sizes else "#e2e2e2"
            svg.append(f'<path d="M{axis(tick):.1f} {TOP}V{bottom}" stroke="{stroke}"/>')
            svg.append(text(axis(tick), bottom + 14, f"{tick:g}", text_anchor="middle", fill="#555555"))
        svg.append(text(axis.begin + PANEL / 2, bottom + 34, name, text_anchor="middle", fill="#555555"))
        for row, one in enumerate(shown):
            y = TOP + ROW * (row + 0.5)
            svg.append(f'<path d="M{axis.begin} {y:.1f}h{PANEL}" stroke="#eeeeee"/>')
            for program in reversed(programs):  # ours on top
                if (one.name, program) in numbers:
                    svg.append(dot(axis(numbers[one.name, program]), y, program, colour[program]))
    svg += [text(LEFT - 10, TOP + ROW * (row + 0.5) + 4, one.name, text_anchor="end") for row, one in enumerate(shown)]
    return document(width, bottom + 46, LEFT, title, svg)


def smaller(one: Set, program: str) -> str:
    """The algorithm of a program that needs the fewest bytes; empty if there is none."""
    names = [name for name in (program, program + "_rows", program + "_columns") if name in one.runs]
    return min(names, key=lambda name: one.runs[name]["bytes"], default="")


def dot(x: float, y: float, program: str, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{4.5 if program == OURS[0] else 3}" fill="{colour}"/>'
