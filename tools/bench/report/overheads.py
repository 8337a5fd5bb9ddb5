"""Results of shield_bench.py: VARIANT/CALL_pes_P/bytes:N with the counter over_plain, the time over the one of the variant `plain`. The
picture has a row per call, and a dot per number of ranks."""
import math
import pathlib
import re
import sys
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from drawings.svg import COLOURS, document, text
from results import SECONDS, Results

WIDTH, LEFT, TOP, ROW = 520, 190, 72, 20


@dataclass
class Cost:
    """One call on one number of ranks."""

    call: str
    bytes: int
    ranks: int
    plain: float  # seconds
    protected: float
    ratio: float

    @property
    def row(self) -> str:
        size = f"{self.bytes} B" if self.bytes < 1024 else f"{self.bytes >> 10} KiB" if self.bytes < 1 << 20 else f"{self.bytes >> 20} MiB"
        return f"{self.call}, {size}" if self.bytes else self.call


def costs(results: Results) -> list[Cost]:
    found = []
    for family, variants in results.families.items():
        if not (name := re.fullmatch(r"(.+)_pes_(\d+)", family)) or "plain" not in variants:
            continue
        plain = {point.size: point for point in variants["plain"]}
        for variant, points in variants.items():
            found += [Cost(name[1], point.size, int(name[2]), plain[point.size].seconds, point.seconds, point.run["over_plain"])
                      for point in points if variant != "plain" and point.size in plain]
    return found


def pauses(results: Results) -> list[tuple[int, float, float]]:
    """Ranks, seconds for which a death has delayed the survivors, and seconds of that which were the repair."""
    return [(int(family.removeprefix("repair_pes_")), point.seconds, point.run["repair_ms"] * SECONDS["ms"])
            for family, variants in results.families.items() if family.startswith("repair_pes_")
            for points in variants.values() for point in points]


def draw(results: Results, title: str) -> str:
    found = costs(results)
    if not found:
        return ""
    rows, sizes = list(dict.fromkeys(cost.row for cost in found)), sorted({cost.ranks for cost in found})
    most = max(1.25, math.ceil(max(cost.ratio for cost in found) * 4) / 4)
    least = min(0.75, math.floor(min(cost.ratio for cost in found) * 4) / 4)
    step = 0.25 if most - least <= 2 else 0.5 if most - least <= 5 else 1 if most - least <= 10 else math.ceil((most - least) / 10)
    bottom = TOP + ROW * len(rows)

    def x(ratio: float) -> float:
        return LEFT + WIDTH * (ratio - least) / (most - least)

    svg = []
    for i, ranks in enumerate(sizes):
        svg += [f'<circle cx="{LEFT + 10 + 95 * i}" cy="42" r="4.5" fill="{COLOURS[i]}"/>', text(LEFT + 20 + 95 * i, 46, f"{ranks} ranks")]
    for i in range(math.floor((most - least) / step) + 1):
        ratio = math.ceil(least / step) * step + i * step
        if ratio <= most:
            strong = abs(ratio - 1) < 1e-9
            svg += [f'<path d="M{x(ratio):.1f} {TOP}V{bottom}" stroke="{"#333333" if strong else "#e2e2e2"}"/>',
                    text(x(ratio), bottom + 16, f"{ratio:g}", text_anchor="middle", fill="#555555")]
    svg.append(text(LEFT + WIDTH / 2, bottom + 34, "time over that of plain MPI (1: as fast)", text_anchor="middle", fill="#555555"))
    for i, row in enumerate(rows):
        y = TOP + ROW * (i + 0.5)
        svg += [text(LEFT - 8, y + 4, row, text_anchor="end"), f'<path d="M{LEFT} {y:.1f}h{WIDTH}" stroke="#f0f0f0"/>']
        svg += [f'<circle cx="{x(cost.ratio):.1f}" cy="{y:.1f}" r="4.5" fill="{COLOURS[sizes.index(cost.ranks)]}" fill-opacity="0.85"/>'
                for cost in found if cost.row == row]
    return document(max(LEFT + WIDTH + 30, LEFT + 9 * len(title) + 10), bottom + 50, LEFT, title, svg)
