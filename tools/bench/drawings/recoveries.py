"""Results of recovery_bench.py: PHASE/one_dies_M_MiB/pes:P, the time that a phase of a recovery takes on P ranks with M MiB of numbers and
of state each. `total` is the time from the death to the end of the last phase, `restart` that from the start of a job to its first step."""
from dataclasses import dataclass

from drawings.svg import COLOURS, document, text
from results import Point, Results


@dataclass(frozen=True)
class Phase:
    name: str
    ended: str  # the name of its end in the output of recovery_bench
    label: str
    what: str  # it is made of


PHASES = [
    Phase("detection", "noticed", "detection", "until the last survivor has noticed the death"),
    Phase("shrink", "shrunk", "shrink and agree", "until all have the communicator of the survivors"),
    Phase("plan", "planned", "plan", "which rank takes over which blocks"),
    Phase("exchange", "loaded", "exchange", "the blocks of the dead go to their new owners"),
    Phase("repair", "repaired", "repair", "copies that died are made again"),
    Phase("restore", "restored", "restore", "all state goes back to the last commit"),
    Phase("first_step", "worked", "first step", "until the first step after it has ended"),
]
WIDTH, HEIGHT, LEFT, TOP, GAP = 300, 240, 64, 92, 60
COLUMNS = 4  # of the legend
COLOUR = dict(zip((phase.name for phase in PHASES), (COLOURS[i] for i in (6, 0, 7, 5, 4, 2, 3))))


def point(results: Results, family: str, pes: int, name: str) -> Point | None:
    return next((found for found in results.families.get(family, {}).get(name, []) if found.size == pes), None)


def numbers_of_pes(results: Results, family: str) -> list[int]:
    return [found.size for found in results.families[family].get("total", [])]


def in_milliseconds(found: Point, key: str) -> float:
    """median, p10 or p90 of a line; of one repetition all are the same."""
    return found.seconds * 1e3 * found.run.get(key, found.run["median"]) / found.run["median"] if found.run["median"] else 0.0


def shown(milliseconds: float) -> str:
    return f"{milliseconds:.3g}" if milliseconds < 1000 else f"{milliseconds:,.0f}"


def family_in_words(family: str) -> str:
    return family.replace("_", " ").replace("dies ", "dies; ") + " per rank"


def table_rows(results: Results) -> tuple[list[str], list[list[str]]]:
    """The head of the table, and a row per family and number of ranks: medians, and of the total also the 10th and 90th percentile."""
    head = ["ranks", "MiB", *(phase.label for phase in PHASES), "total (10 to 90 %)", "restart"]
    rows = []
    for family in results.families:
        for pes in numbers_of_pes(results, family):
            total, restart = point(results, family, pes, "total"), point(results, family, pes, "restart")
            parts = [point(results, family, pes, phase.name) for phase in PHASES]
            low, high = (in_milliseconds(total, key) for key in ("p10", "p90"))
            rows.append([str(pes), family.split("_")[2], *(shown(part.seconds * 1e3) if part else "-" for part in parts),
                         f"{shown(total.seconds * 1e3)} ({shown(low)} to {shown(high)})", shown(restart.seconds * 1e3) if restart else "-"])
    return head, rows


def summary(results: Results) -> list[str]:
    """A line per family and number of ranks."""
    lines = []
    for family in results.families:
        for pes in numbers_of_pes(results, family):
            total, restart = point(results, family, pes, "total"), point(results, family, pes, "restart")
            low, high = (in_milliseconds(total, key) for key in ("p10", "p90"))
            longest = max(PHASES, key=lambda phase: getattr(point(results, family, pes, phase.name), "seconds", 0.0))
            lines.append(f"{family_in_words(family)}, {pes} ranks: {shown(total.seconds * 1e3)} ms from the death to work "
                         f"({shown(low)} to {shown(high)}), most of it {longest.label}"
                         + (f"; a restart takes {restart.seconds * 1e3:.0f} ms" if restart else ""))
    return lines


# --- drawing ------------------------------------------------------------------------------------------------------------


def draw(results: Results, title: str) -> str:
    """A panel per family, with a bar per number of ranks. The parts of a bar are the medians of the phases; the line beside it goes from
    the 10th to the 90th percentile of the total."""
    families = [family for family in results.families if numbers_of_pes(results, family)]
    if not families:
        return ""
    bars = [(family, pes) for family in families for pes in numbers_of_pes(results, family)]
    most = 1.1 * max(max(in_milliseconds(point(results, *key, "total"), "p90"), sum_of_medians(results, *key)) for key in bars)
    svg = []
    for i, phase in enumerate(PHASES):
        at, line = LEFT + i % COLUMNS * 125, 34 + i // COLUMNS * 17
        svg += [f'<rect x="{at}" y="{line}" width="11" height="11" fill="{COLOUR[phase.name]}"/>', text(at + 16, line + 10, phase.label)]
    for i, family in enumerate(families):
        svg += panel(results, family, LEFT + i * (WIDTH + GAP), most)
    width = max(LEFT + len(families) * (WIDTH + GAP), LEFT + COLUMNS * 125, LEFT + 9 * len(title) + 10)
    return document(width, TOP + HEIGHT + 46, LEFT, title, svg)


def sum_of_medians(results: Results, family: str, pes: int) -> float:
    return sum(found.seconds * 1e3 for phase in PHASES if (found := point(results, family, pes, phase.name)))


def round_step(most: float) -> float:
    """A round number that goes at most six times into the largest."""
    return next(size * 10.0**power for power in range(-4, 7) for size in (1, 2, 5) if most / (size * 10.0**power) <= 6)


def panel(results: Results, family: str, left: float, most: float) -> list[str]:
    def y(milliseconds: float) -> float:
        return TOP + HEIGHT * (1 - milliseconds / most)

    svg = [text(left, TOP - 8, family_in_words(family), font_weight="bold")]
    step = round_step(most)
    for i in range(int(most / step) + 1):
        svg += [f'<path d="M{left} {y(i * step):.1f}h{WIDTH}" stroke="#dddddd"/>',
                text(left - 6, y(i * step) + 4, f"{i * step:g} ms", text_anchor="end")]
    svg.append(f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999999"/>')
    sizes = numbers_of_pes(results, family)
    slot = WIDTH / len(sizes)
    for i, pes in enumerate(sizes):
        svg += bar(results, family, pes, left + (i + 0.5) * slot, min(0.5 * slot, 48), y)
        svg.append(text(left + (i + 0.5) * slot, TOP + HEIGHT + 16, f"{pes} ranks", text_anchor="middle"))
    return svg


def bar(results: Results, family: str, pes: int, middle: float, width: float, y) -> list[str]:
    svg, below = [], 0.0
    for phase in PHASES:
        if found := point(results, family, pes, phase.name):
            height = found.seconds * 1e3
            place = f'x="{middle - width / 2:.1f}" y="{y(below + height):.2f}" width="{width:.1f}" height="{y(0) - y(height):.2f}"'
            svg.append(f'<rect {place} fill="{COLOUR[phase.name]}"><title>{phase.label}: {height:.3g} ms</title></rect>')
            below += height
    total = point(results, family, pes, "total")
    low, high = (in_milliseconds(total, key) for key in ("p10", "p90"))
    at = middle + width / 2 + 7
    svg.append(f'<path d="M{at - 4:.1f} {y(low):.1f}h8m-4 0V{y(high):.1f}m-4 0h8" fill="none" stroke="#333333"/>')
    svg.append(text(middle, y(below) - 5, shown(total.seconds * 1e3), text_anchor="middle", font_weight="bold"))
    return svg
