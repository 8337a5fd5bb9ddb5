"""Results of operations on MPI ranks: OPERATION/VARIANT/bytes:N/pes:P/replicas:R/TRANSPORT, with the counter over_floor.

over_floor is the time over that of the floor: MPI alone moves the same bytes between the same pairs of ranks. The context may name
another floor (`floor`), and what the means are taken over: `mean_pes` and `mean_mebibytes`, numbers with commas between them.
"""
import math
import re
from dataclasses import dataclass

from drawings.svg import COLOURS, document, in_lines, text
from results import Results, family_in_words, in_words

# The means are taken over these if the context does not say otherwise.
MEAN_PES, MEAN_BYTES, MEAN_TRANSPORT = (4, 8, 16), (4 << 20, 16 << 20), "collective"


@dataclass
class Run:
    operation: str
    variant: str
    bytes: int
    pes: int
    replicas: int
    transport: str
    counters: dict

    @property
    def over_floor(self) -> float:
        return self.counters["over_floor"]


def runs(results: Results) -> list[Run]:
    found = []
    for variant, operations in results.families.items():
        for operation, points in operations.items():
            for point in points:
                pes, replicas, transport = re.search(r"/pes:(\d+)/replicas:(\d+)/(\w+)", point.run["name"]).groups()
                if "over_floor" not in point.run:
                    continue  # no rank sends anything
                found.append(Run(operation, variant, point.size, int(pes), int(replicas), transport, point.run))
    return found


def geometric_mean(numbers: list[float]) -> float:
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers else math.nan


def named(results: Results, key: str) -> list[int]:
    return [int(number) for number in results.context.get(key, "").split(",") if number]


def in_mean(results: Results) -> list[Run]:
    """The runs that the means are taken over. Erasure codes are left out, because their floor is that of replication."""
    pes = named(results, "mean_pes") or MEAN_PES
    sizes = [size << 20 for size in named(results, "mean_mebibytes")] or MEAN_BYTES
    return [run for run in runs(results)
            if run.pes in pes and run.bytes in sizes and run.transport == MEAN_TRANSPORT and not run.variant.startswith("erasure")]


def operations(results: Results) -> list[str]:
    return list(dict.fromkeys(run.operation for run in runs(results)))


def summary(results: Results) -> list[str]:
    """A line per operation and variant, then the means over all of them."""
    lines = []
    everything = in_mean(results)
    for operation in operations(results):
        for variant in dict.fromkeys(run.variant for run in everything if run.operation == operation):
            here = [run for run in everything if (run.operation, run.variant) == (operation, variant)]
            lines.append(f"{operation} {variant}: {geometric_mean([run.over_floor for run in here]):.2f} times the floor "
                         f"({min(run.over_floor for run in here):.2f} .. {max(run.over_floor for run in here):.2f})")
    pes = ", ".join(map(str, sorted({run.pes for run in everything})))
    sizes = ", ".join(f"{size >> 20}" for size in sorted({run.bytes for run in everything}))
    means = ", ".join(f"{operation} {geometric_mean([run.over_floor for run in everything if run.operation == operation]):.2f}"
                      for operation in operations(results))
    lines.append(f"geometric means over the floor ({pes} PEs, {sizes} MiB): {means}")
    return lines


def table_rows(results: Results) -> tuple[list[str], list[list[str]]]:
    """The head of the table, and a row per operation and number of PEs."""
    head = ["operation", "PEs", "MiB", "replicas", "ModK", "floor", "ratio", "permuted", "floor", "ratio"]
    rows = []
    everything = [run for run in runs(results) if run.transport == MEAN_TRANSPORT]
    largest = max(run.bytes for run in everything)
    for operation in operations(results):
        for pes in sorted({run.pes for run in everything if run.operation == operation and run.pes in MEAN_PES}):
            row = [operation.replace("_", " "), str(pes), str(largest >> 20), "2"]
            for variant in ["mod_k", "permuted_256K"]:
                match = [run for run in everything
                         if (run.operation, run.variant, run.bytes, run.pes, run.replicas) == (operation, variant, largest, pes, 2)]
                row += cells(match[0]) if match else ["-"] * 3
            rows.append(row)
    return head, rows


def cells(run: Run) -> list[str]:
    seconds = run.counters["s_per_call"]
    return [in_words(seconds), in_words(seconds / run.over_floor), f"{run.over_floor:.2f}"]


# --- drawing ------------------------------------------------------------------------------------------------------------

WIDTH, HEIGHT, LEFT, TOP, GAP = 190, 170, 66, 90, 58
COLUMNS = 3
LEGEND_LINE = 18


def draw(results: Results, title: str) -> str:
    """A panel per operation: over_floor against the number of PEs, with a line per variant. A point is the geometric mean over sizes and
    replicas."""
    everything = [run for run in runs(results) if run.transport == MEAN_TRANSPORT]
    if not everything:
        return ""
    variants = list(dict.fromkeys(run.variant for run in everything))
    names = operations(results)
    pes = sorted({run.pes for run in everything})
    rows = math.ceil(len(names) / COLUMNS)
    width = LEFT + COLUMNS * (WIDTH + GAP)
    svg = []
    labels = [family_in_words(variant) for variant in variants]
    places = in_lines([50 + 6.6 * len(label) for label in labels], LEFT, width)
    for i, (label, (x, line)) in enumerate(zip(labels, places)):
        y = 42 + LEGEND_LINE * line
        svg += [f'<path d="M{x:.1f} {y}h22" stroke="{COLOURS[i % len(COLOURS)]}" stroke-width="2"/>', text(x + 28, y + 4, label)]
    first_row = TOP + LEGEND_LINE * places[-1][1]
    height = first_row + rows * (HEIGHT + GAP)
    floor = results.context.get("floor", "MPI alone")
    svg.append(text(LEFT, first_row - 26, f"times the floor (1: as fast as {floor}), against the number of ranks", fill="#555555"))
    for i, operation in enumerate(names):
        left, top = LEFT + i % COLUMNS * (WIDTH + GAP), first_row + i // COLUMNS * (HEIGHT + GAP)
        if i % COLUMNS == 0:
            middle = top + HEIGHT / 2
            svg.append(text(16, middle, "times the floor", text_anchor="middle", fill="#555555", transform=f"rotate(-90 16 {middle})"))
        svg.append(text(left + WIDTH / 2, top + HEIGHT + 30, "ranks", text_anchor="middle", fill="#555555"))
        svg += panel(operation, [run for run in everything if run.operation == operation], variants, pes, left, top)
    return document(width, height, LEFT, title, svg)


def panel(operation: str, here: list[Run], variants: list[str], pes: list[int], left: float, top: float) -> list[str]:
    means = {(variant, p): geometric_mean([run.over_floor for run in here if (run.variant, run.pes) == (variant, p)])
             for variant in variants for p in pes if any((run.variant, run.pes) == (variant, p) for run in here)}
    most = max(2.0, math.ceil(max(means.values())))

    def x(p: int) -> float:
        return left + WIDTH * (pes.index(p) + 0.5) / len(pes)

    def y(ratio: float) -> float:
        return top + HEIGHT * (1 - ratio / most)

    svg = [f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999999"/>',
           text(left + WIDTH / 2, top - 6, operation.replace("_", " "), text_anchor="middle", font_weight="bold")]
    for ratio in range(0, int(most) + 1, max(1, int(most) // 4)):
        svg += [f'<path d="M{left} {y(ratio):.1f}h{WIDTH}" stroke="{"#333333" if ratio == 1 else "#dddddd"}"/>',
                text(left - 6, y(ratio) + 4, str(ratio), text_anchor="end")]
    svg += [text(x(p), top + HEIGHT + 15, str(p), text_anchor="middle") for p in pes]
    for i, variant in enumerate(variants):
        points = [(x(p), y(means[variant, p])) for p in pes if (variant, p) in means]
        colour = COLOURS[i % len(COLOURS)]
        if points:
            svg.append(f'<path d="M{"L".join(f"{px:.1f} {py:.1f}" for px, py in points)}" fill="none" stroke="{colour}" stroke-width="2"/>')
            svg += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}"/>' for px, py in points]
    return svg
