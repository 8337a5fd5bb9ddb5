"""Results of programs_bench.py, which tell what programs pay for surviving: VARIANT/PROGRAM/pes:P/repetition:N of k-means and the stencil.
Each job is a benchmark of its own, so the median of its times is the time that it took, in milliseconds."""
import math
import statistics

from drawings.svg import COLOURS, document, text
from results import Results

KMEANS = {"unprotected": "without copies", "protected": "with copies and checkpoints", "three_die": "three ranks die",
          "three_die_unprotected": "three die, and all begins again"}
WIDTH, HEIGHT, LEFT, TOP, GAP = 260, 190, 60, 112, 64  # TOP has room for three lines of a legend


def runs(results: Results, program: str, variant: str, pes: int) -> list[dict]:
    return [point.run for point in results.families.get(program, {}).get(variant, []) if point.size == pes]


def number_of_pes(results: Results, program: str) -> list[int]:
    return sorted({point.size for points in results.families.get(program, {}).values() for point in points})


def overhead(results: Results, program: str, variant: str, base: str, pes: int) -> float:
    """The additional time of a variant over the base; 0.1 means 10 % more. Both are the fastest repetitions, which other programs on the
    machine have disturbed least."""
    times = [[run["median"] for run in runs(results, program, name, pes)] for name in (variant, base)]
    return min(times[0]) / min(times[1]) - 1 if all(times) else math.nan


def overhead_with_deaths(results: Results, pes: int) -> float:
    """The time of snapshots, recoveries and repeated steps over that of all other steps. It is a median, because other ranks die in each
    repetition. Times of whole jobs would be no measure, because survivors compute with fewer ranks."""
    overheads = []
    for run in runs(results, "stencil", "young_deaths", pes):
        surviving = run["snapshots_ms"] + run["recoveries_ms"]
        again = (run["median"] - surviving) * run["steps_again"] / (run["steps"] + run["steps_again"])
        overheads.append((surviving + again) / (run["median"] - surviving - again))
    return median(overheads)


def median(numbers: list[float]) -> float:
    return statistics.median(numbers) if numbers else math.nan


def commit_ms(found: list[dict]) -> float:
    """The milliseconds of a snapshot in the fastest repetition."""
    return min((run["snapshots_ms"] / run["snapshots"] for run in found), default=math.nan)


def intervals(results: Results) -> list[int]:
    return sorted(int(name.removeprefix("every_")) for name in results.families.get("stencil", {}) if name.startswith("every_"))


def summary(results: Results) -> list[str]:
    lines = []
    for pes in number_of_pes(results, "kmeans"):
        told = ", ".join(f"{label} {100 * overhead(results, 'kmeans', variant, 'unprotected', pes):+.1f} %"
                         for variant, label in KMEANS.items() if variant != "unprotected")
        lines.append(f"k-means on {pes} ranks: {told}")
    for pes in number_of_pes(results, "stencil"):
        told = ", ".join(f"every {interval} {100 * overhead(results, 'stencil', f'every_{interval}', 'without', pes):+.1f} %"
                         for interval in intervals(results))
        for mode in ("automatic", "always"):
            variant = f"differential_{mode}_10"
            if runs(results, "stencil", variant, pes):
                told += f", every 10 with {mode} differences {100 * overhead(results, 'stencil', variant, 'without', pes):+.1f} %"
        cost = commit_ms([run for interval in intervals(results) for run in runs(results, "stencil", f"every_{interval}", pes)])
        lines.append(f"stencil on {pes} ranks, steps from snapshot to snapshot: {told}; {cost:.2f} ms each")
        sizes = ", ".join(f"{size:.3g} MB {cost:.2f} ms" for size, cost in snapshot_sizes(results, pes))
        lines.append(f"a snapshot on {pes} ranks: {sizes}")
    return lines + at_young(results)


def at_young(results: Results) -> list[str]:
    """A line per number of ranks: what deaths cost, and what they cost according to Young's formula."""
    lines = []
    for pes in sorted({point.size for point in results.families.get("stencil", {}).get("young_deaths", [])}):
        found = runs(results, "stencil", "young_deaths", pes)
        mtbf = median([run["mtbf_ms"] for run in found])
        cost = commit_ms(runs(results, "stencil", "young", pes))
        lines.append(f"stencil on {pes} ranks at Young's interval, a death each {mtbf:.0f} ms: "
                     f"{100 * overhead(results, 'stencil', 'young', 'long_without', pes):+.1f} % without deaths, "
                     f"{100 * overhead_with_deaths(results, pes):+.1f} % with "
                     f"{median([run['deaths'] for run in found]):.0f} of them; "
                     f"sqrt(2 cost / mtbf) is {100 * math.sqrt(2 * cost / mtbf):.1f} %")
    return lines


def snapshot_sizes(results: Results, pes: int) -> list[tuple[float, float]]:
    """The MB of all ranks together, and the milliseconds of a snapshot, by size."""
    points = []
    for name in results.families.get("stencil", {}):
        if name.startswith("height_") and (found := runs(results, "stencil", name, pes)):
            points.append((found[0]["bytes"] / 1e6, commit_ms(found)))
    return sorted(points)


# --- drawing ------------------------------------------------------------------------------------------------------------


def draw(results: Results, title: str) -> str:
    """Three panels. Bars show how much longer k-means takes. Lines, one per number of ranks, show the stencil against the interval between
    snapshots, and a snapshot against its size."""
    bars = {(variant, pes): overhead(results, "kmeans", variant, "unprotected", pes)
            for variant in KMEANS if variant != "unprotected" for pes in number_of_pes(results, "kmeans")}
    measured = [pes for pes in number_of_pes(results, "stencil") if runs(results, "stencil", "without", pes)]
    by_interval = {pes: [(interval, overhead(results, "stencil", f"every_{interval}", "without", pes))
                         for interval in intervals(results) if runs(results, "stencil", f"every_{interval}", pes)] for pes in measured}
    by_size = {pes: snapshot_sizes(results, pes) for pes in measured}
    if not bars or not measured:
        return ""
    middle, right = LEFT + WIDTH + GAP, LEFT + 2 * (WIDTH + GAP)
    svg = [*bar_panel(bars, number_of_pes(results, "kmeans"), LEFT),
           *line_panel("stencil: additional time by snapshots", "steps from snapshot to snapshot", by_interval, middle, percent),
           *line_panel("stencil: a snapshot", "MB of all ranks together", by_size, right, lambda number: f"{number:g} ms")]
    return document(right + WIDTH + 20, TOP + HEIGHT + 50, LEFT, title, svg)


def percent(number: float) -> str:
    return f"{100 * number:.3g} %"


def frame(name: str, left: float, y, most: float, words) -> list[str]:
    """The frame of a panel, with lines at round numbers. y maps a number to pixels, and words writes it."""
    svg = [f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999999"/>',
           text(left, 46, name, font_weight="bold")]
    step = next(size * 10.0**power for power in range(-4, 6) for size in (1, 2, 5) if most / (size * 10.0**power) <= 6)
    for i in range(math.floor(most / step) + 1):
        svg += [f'<path d="M{left} {y(i * step):.1f}h{WIDTH}" stroke="{"#333333" if i == 0 else "#dddddd"}"/>',
                text(left - 6, y(i * step) + 4, words(i * step), text_anchor="end")]
    return svg


def scale(numbers: list[float]):
    """A map from numbers to pixels, and the largest number that is drawn. Negative overheads are noise; they are drawn as they are."""
    most, least = max([1e-3, *numbers]) * 1.1, min([0.0, *numbers])
    return lambda number: TOP + HEIGHT * (1 - (number - least) / (most - least)), most


def legend(left: float, i: int, colour: str, words: str) -> list[str]:
    return [f'<rect x="{left}" y="{54 + 15 * (i % 3)}" width="10" height="10" fill="{colour}"/>', text(left + 16, 63 + 15 * (i % 3), words)]


def bar_panel(bars: dict[tuple[str, int], float], pes: list[int], left: float) -> list[str]:
    variants = list(dict.fromkeys(variant for variant, _ in bars))
    y, most = scale(list(bars.values()))
    svg = frame("k-means: additional time", left, y, most, percent)
    slot = WIDTH / len(pes)
    for i, p in enumerate(pes):
        svg.append(text(left + (i + 0.5) * slot, TOP + HEIGHT + 15, f"{p} ranks", text_anchor="middle"))
        for j, variant in enumerate(variants):
            width = 0.8 * slot / len(variants)
            top, bottom = sorted((y(bars[variant, p]), y(0)))
            svg.append(f'<rect x="{left + i * slot + 0.1 * slot + j * width:.1f}" y="{top:.1f}" width="{width - 2:.1f}" '
                       f'height="{bottom - top:.1f}" fill="{COLOURS[j]}"/>')
    for j, variant in enumerate(variants):
        svg += legend(left, j, COLOURS[j], KMEANS[variant])
    return svg


def line_panel(name: str, along: str, lines: dict[int, list[tuple[float, float]]], left: float, words) -> list[str]:
    """A panel with a line per number of ranks. The axis along the panel is logarithmic."""
    y, most = scale([number for points in lines.values() for _, number in points])
    sizes = sorted({size for points in lines.values() for size, _ in points})
    svg = frame(name, left, y, most, words)

    def x(size: float) -> float:
        return left + WIDTH * (0.05 + 0.9 * math.log(size / sizes[0]) / max(math.log(sizes[-1] / sizes[0]), 1e-9))

    svg += [text(x(size), TOP + HEIGHT + 15, f"{size:.3g}", text_anchor="middle") for size in sizes]
    svg.append(text(left + WIDTH / 2, TOP + HEIGHT + 32, along, text_anchor="middle", fill="#555555"))
    for i, (pes, points) in enumerate(lines.items()):
        path = " ".join(f"{x(size):.1f},{y(number):.1f}" for size, number in points)
        svg += [f'<polyline points="{path}" fill="none" stroke="{COLOURS[i]}" stroke-width="1.7"/>',
                *(f'<circle cx="{x(size):.1f}" cy="{y(number):.1f}" r="2.6" fill="{COLOURS[i]}"/>' for size, number in points),
                *legend(left, i, COLOURS[i], f"{pes} ranks")]
    return svg
