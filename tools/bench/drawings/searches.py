"""Results of tree searches: PROGRAM/DATA/start:N, with the log_likelihood as judged. The best tree of a program also has the distance to
the best tree known."""
import math
import statistics
from dataclasses import dataclass

from drawings import search_builds
from drawings.svg import COLOURS, document, in_lines, text
from results import Point, Results
from tree_programs import ONE_START, OTHER

OURS = {"fast": "`fast`", ONE_START: "`normal`, one start", "normal": "`normal`", "auto": "`auto`", "thorough": "`thorough`"}
NAMES = OURS | {"iqtree_fast": "IQ-TREE `-fast`", "iqtree": "IQ-TREE", "raxml_ng": "RAxML-NG"}
NAMES |= {name + OTHER: f"{words}, earlier build" for name, words in OURS.items()}
PEERS = {"fast": "iqtree_fast", ONE_START: "raxml_ng", "normal": "raxml_ng", "auto": "raxml_ng", "thorough": "iqtree"}  # of similar length


@dataclass
class Spread:
    """The range of a number over the starts."""

    least: float
    median: float
    most: float

    @classmethod
    def of(cls, numbers: list[float]) -> "Spread":
        return cls(min(numbers), statistics.median(numbers), max(numbers))


@dataclass
class Row:
    data: str
    program: str
    taxa: int
    sites: int
    starts: int
    log_likelihood: Spread
    seconds: Spread
    peak_bytes: float  # median
    best_known: float
    distance: int


def rows(results: Results) -> list[Row]:
    found = []
    for data, programs in results.families.items():
        best_known = max(point.run["log_likelihood"] for points in programs.values() for point in points)
        for program in NAMES:
            if points := programs.get(program):
                found.append(row(data, program, points, best_known))
    return found


def row(data: str, program: str, points: list[Point], best_known: float) -> Row:
    runs = [point.run for point in points]
    return Row(data, program, int(runs[0]["taxa"]), int(runs[0]["sites"]), len(runs), Spread.of([run["log_likelihood"] for run in runs]),
               Spread.of([point.seconds for point in points]), statistics.median(run["peak_bytes"] for run in runs), best_known,
               next(int(run["distance"]) for run in runs if "distance" in run))


def in_seconds(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def table_rows(results: Results) -> tuple[list[str], list[list[str]]]:
    """The head of the table, and a row per data and program. Log-likelihoods are differences to the best known."""
    head = ["data", "taxa x sites", "best known", "search", "starts", "best", "median", "worst", "RF", "user s", "least", "most", "MiB"]
    table, last = [], ""
    for r in rows(results):
        data = [r.data, f"{r.taxa} x {r.sites}", f"{r.best_known:.3f}"] if r.data != last else [""] * 3
        below = [f"{r.best_known - number + 0:.3f}" for number in (r.log_likelihood.most, r.log_likelihood.median, r.log_likelihood.least)]
        times = [in_seconds(number) for number in (r.seconds.median, r.seconds.least, r.seconds.most)]
        table.append([*data, NAMES[r.program], str(r.starts), *below, str(r.distance), *times, f"{r.peak_bytes / 2**20:.0f}"])
        last = r.data
    return head, table


def summary(results: Results) -> list[str]:
    """A line per data and search of regraft-phylo, with the peer that searches about as long, if it was measured. The table of two builds,
    if they were compared."""
    lines = []
    by_name = {(r.data, r.program): r for r in rows(results)}
    for (data, program), ours in by_name.items():
        peer = by_name.get((data, PEERS.get(program, "")))
        if program not in PEERS:
            continue
        line = (f"{data} {program}: {ours.best_known - ours.log_likelihood.median:.3f} below the best known "
                f"in {in_seconds(ours.seconds.median)} s")
        if peer:
            line += (f"; {peer.program} {peer.best_known - peer.log_likelihood.median:.3f} in {in_seconds(peer.seconds.median)} s"
                     f" ({peer.seconds.median / max(ours.seconds.median, 0.01):.2g}x)")
        lines.append(line)
    compared = results.context.get("comparison")
    return search_builds.table(compared) if compared else lines


# --- drawing ------------------------------------------------------------------------------------------------------------

WIDTH, HEIGHT, LEFT, TOP, GAP = 190, 170, 60, 90, 46
COLUMNS = 4
LEGEND_LINE = 18
LEAST = 0.01  # units of log-likelihood; smaller differences are drawn as this one


def least_words() -> str:
    return f"≤ {LEAST:g}"


def draw(results: Results, title: str) -> str:
    """A panel per data, with a dot per search: how far its tree is below the best tree known, against seconds. Both axes are
    logarithmic."""
    families = {data: programs for data, programs in results.families.items() if any(programs.values())}
    if not families:
        return ""
    names = [name for name in NAMES if any(name in programs for programs in families.values())]
    svg = []
    labels = [NAMES[name].replace("`", "") for name in names]
    width = LEFT + max(2, min(COLUMNS, len(families))) * (WIDTH + GAP)
    places = in_lines([36 + 6.6 * len(label) for label in labels], LEFT, width)
    for i, (label, (x, line)) in enumerate(zip(labels, places)):
        svg += [f'<circle cx="{x + 4:.1f}" cy="{42 + LEGEND_LINE * line}" r="4" fill="{COLOURS[i]}"/>',
                text(x + 14, 46 + LEGEND_LINE * line, label)]
    more = LEGEND_LINE * places[-1][1]
    svg.append(text(LEFT, 64 + more, f"units of log-likelihood below the best tree known, against user seconds; {least_words()}: the best "
                                     "tree known", fill="#555555"))
    for i, (data, programs) in enumerate(families.items()):
        left, top = LEFT + i % COLUMNS * (WIDTH + GAP), TOP + more + i // COLUMNS * (HEIGHT + GAP)
        svg += panel(data, [(COLOURS[names.index(name)], points) for name, points in programs.items()], left, top)
    height = TOP + more + math.ceil(len(families) / COLUMNS) * (HEIGHT + GAP)
    return document(width, height, LEFT, title, svg)


def panel(data: str, programs: list[tuple[str, list[Point]]], left: float, top: float) -> list[str]:
    best = max(point.run["log_likelihood"] for _, points in programs for point in points)
    dots = [(colour, max(point.seconds, 0.01), max(best - point.run["log_likelihood"], LEAST))
            for colour, points in programs for point in points]

    def decades(numbers: list[float]) -> tuple[int, int]:
        first = math.floor(math.log10(min(numbers)))
        return first, max(first + 1, math.ceil(math.log10(max(numbers))))

    (x0, x1), (y0, y1) = decades([seconds for _, seconds, _ in dots]), decades([LEAST, *(below for _, _, below in dots)])

    def x(number: float) -> float:
        return left + WIDTH * (math.log10(number) - x0) / (x1 - x0)

    def y(number: float) -> float:
        return top + HEIGHT * (1 - (math.log10(number) - y0) / (y1 - y0))

    svg = [text(left + WIDTH / 2, top - 6, data, text_anchor="middle", font_weight="bold")]
    for decade in range(x0, x1 + 1):
        label = f"{10.0 ** decade:g}"
        svg += [f'<path d="M{x(10.0 ** decade):.1f} {top}v{HEIGHT}" stroke="#dddddd"/>',
                text(x(10.0**decade), top + HEIGHT + 15, label, text_anchor="middle")]
    for decade in range(y0, y1 + 1):
        label = least_words() if 10.0**decade <= LEAST else f"{10.0 ** decade:g}"
        svg += [f'<path d="M{left} {y(10.0 ** decade):.1f}h{WIDTH}" stroke="#dddddd"/>',
                text(left - 6, y(10.0**decade) + 4, label, text_anchor="end")]
    svg.append(f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999999"/>')
    return svg + [f'<circle cx="{x(seconds):.1f}" cy="{y(below):.1f}" r="4" fill="{colour}" fill-opacity="0.7"/>'
                  for colour, seconds, below in dots]
