"""Two builds of regraft-phylo that made the same searches by turns: which one is faster, and whose trees are more likely.

A search is EFFORT/DATA/start:N by the new build, and EFFORT_other/DATA/start:N by the earlier one. A ratio is new / old. A difference of
log-likelihoods is new - old, of final trees that one program has judged.
"""
import statistics

from tree_programs import OTHER

EQUAL = 1e-5  # log-likelihoods that differ by no more count as equal
LEAST_SECONDS = 0.01


def pairs(records: list[dict]) -> dict[tuple[str, str], list[tuple[dict, dict]]]:
    """The searches (old, new) that both builds have finished, in the order of their starts, by data and effort."""
    done = {record["name"]: record for record in records if "log_likelihood" in record}
    found: dict[tuple[str, str], list[tuple[dict, dict]]] = {}
    for name, new in done.items():
        effort, data, start = name.split("/")
        if old := done.get(f"{effort}{OTHER}/{data}/{start}"):
            found.setdefault((data, effort), []).append((old, new))
    return found


def medians(searches: list[tuple[dict, dict]], key: str) -> list[float] | None:
    """The medians of old and new over the starts; None if a build does not tell this number."""
    if any(key not in record for pair in searches for record in pair):
        return None
    return [statistics.median(pair[which][key] for pair in searches) for which in (0, 1)]


def row(data: str, effort: str, searches: list[tuple[dict, dict]]) -> dict:
    return {"data": data, "effort": effort, "starts": len(searches), "log_likelihood": medians(searches, "log_likelihood"),
            "user_s": medians(searches, "cpu_time"), "reductions": medians(searches, "reductions")}


def mean_ratio(rows: list[dict], key: str, least: float) -> float | None:
    """The geometric mean of new / old over the rows that have this number; None if there are none."""
    ratios = [max(new, least) / max(old, least) for old, new in (row[key] for row in rows if row[key])]
    return statistics.geometric_mean(ratios) if ratios else None


def total(rows: list[dict], searches: list[tuple[dict, dict]]) -> dict:
    gains = [new["log_likelihood"] - old["log_likelihood"] for old, new in searches]
    higher, lower = [gain for gain in gains if gain > EQUAL], [-gain for gain in gains if gain < -EQUAL]
    return {"searches": len(searches),
            "time_ratio": mean_ratio(rows, "user_s", LEAST_SECONDS), "reductions_ratio": mean_ratio(rows, "reductions", 1),
            "higher": len(higher), "gained": sum(higher), "most_gained": max(higher, default=0),
            "lower": len(lower), "lost": sum(lower), "most_lost": max(lower, default=0)}


def compared(records: list[dict]) -> dict:
    """A row per data and effort, the total of each effort and of all, and the searches that end lower now. Empty without pairs."""
    found = pairs(records)
    if not found:
        return {}
    rows = [row(*key, searches) for key, searches in found.items()]
    efforts = list(dict.fromkeys(effort for _, effort in found))
    totals = {effort: total([row for row in rows if row["effort"] == effort],
                            [pair for key, searches in found.items() if key[1] == effort for pair in searches]) for effort in efforts}
    searches = [pair for of_row in found.values() for pair in of_row]
    lower = [{"search": new["name"], "by": old["log_likelihood"] - new["log_likelihood"]} for old, new in searches
             if new["log_likelihood"] < old["log_likelihood"] - EQUAL]
    return {"rows": rows, "totals": totals | {"all": total(rows, searches)}, "lower": lower}


# --- table --------------------------------------------------------------------------------------------------------------

HEAD = ["data", "effort", "starts", "log-likelihood", "new - old", "user s old", "new", "ratio", "reductions old", "new", "ratio"]


def ratio_words(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.3f}"


def cells(row: dict) -> list[str]:
    old, new = row["log_likelihood"]
    times, reductions = row["user_s"], row["reductions"]
    counts = [f"{number:.0f}" for number in reductions] if reductions else ["-", "-"]
    return [row["data"], row["effort"], str(row["starts"]), f"{new:.4f}", f"{new - old:+.5f}", *(f"{number:.2f}" for number in times),
            ratio_words(mean_ratio([row], "user_s", LEAST_SECONDS)), *counts, ratio_words(mean_ratio([row], "reductions", 1))]


def table(comparison: dict) -> list[str]:
    """The lines for people."""
    grid = [HEAD, *map(cells, comparison["rows"])]
    widths = [max(len(line[i]) for line in grid) for i in range(len(HEAD))]
    lines = ["  ".join(cell.ljust(width) if i < 2 else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths)))
             for line in grid]
    for effort, sums in comparison["totals"].items():
        time, reductions = ratio_words(sums["time_ratio"]), ratio_words(sums["reductions_ratio"])
        lines.append(f"{effort}: {time} of the earlier build's time, {reductions} of its reductions (geometric means over the data); of "
                     f"{sums['searches']} searches {sums['higher']} end higher, by {sums['gained']:.5f} in all and "
                     f"{sums['most_gained']:.5f} at most, and {sums['lower']} lower, by {sums['lost']:.5f} in all and "
                     f"{sums['most_lost']:.5f} at most")
    return lines + [f"lower by {search['by']:.5f}: {search['search']}" for search in comparison["lower"]]
