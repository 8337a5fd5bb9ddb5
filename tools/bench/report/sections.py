"""The sections of the report: what each benchmark measures in words, and its rows in the summary. A row compares a result with its floor,
which is what nothing can be faster than, or with a peer, which is another program that does the same."""
import pathlib
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import overheads
from drawings import compressors, floors, recoveries
from results import Point, Results, in_words


@dataclass
class Row:
    """One line of the summary. ratio: result / other; below 1 the result is smaller."""

    what: str
    result: str
    other: str  # what the result is beside
    its_result: str
    ratio: float
    mean: float  # of the ratios of all sizes that were measured, geometric
    sizes: int


@dataclass
class Section:
    name: str  # of the benchmark
    title: str
    how_to_read: str  # two sentences
    rows: Callable[[Results], list[Row]]


def mean(numbers: list[float]) -> float:
    return floors.geometric_mean(numbers)


def row_of_times(what: str, seconds: float, other: str, its_seconds: float, ratios: list[float]) -> Row:
    return Row(what, in_words(seconds), other, in_words(its_seconds), seconds / its_seconds, mean(ratios), len(ratios))


def pairs(results: Results, ours: str, theirs: str) -> list[tuple[str, Point, Point]]:
    """The families and points that both have measured with the same arguments, and finished."""
    found = []
    for family, algorithms in results.families.items():
        others = {point.arguments: point for point in algorithms.get(theirs, []) if point.finished}
        mine = [point for point in algorithms.get(ours, []) if point.finished and point.arguments in others]
        found += [(family, point, others[point.arguments]) for point in mine]
    return found


def beside(results: Results, ours: str, theirs: str, what: str, label: str, families: str = "", last: bool = False) -> list[Row]:
    """A row that shows the largest size of the first family, or of the last one; none if both have measured nothing alike. what: with
    {size} and {family}. families: how the names of those begin that count."""
    found = [pair for pair in pairs(results, ours, theirs) if pair[0].startswith(families)]
    if not found:
        return []
    shown = found[-1 if last else 0][0]
    family, point, other = max((pair for pair in found if pair[0] == shown), key=lambda pair: pair[1].size)
    what = what.format(family=family.replace("_", " "), size=short(point.size))
    return [row_of_times(what, point.seconds, label, other.seconds, [mine.seconds / its.seconds for _, mine, its in found])]


def short(size: int) -> str:
    return f"{size:,}" if size < 1_000_000 else f"{size:.3g}".replace("e+0", "e")


def matching(results: Results) -> list[Row]:
    what = "choose which rank sends each of {size} blocks ({family})"
    peers = {"ford_fulkerson": "Algorithm 11 (Huebner 2020)", "boost_push_relabel": "Boost, maximum flow",
             "lemon_preflow": "LEMON, maximum flow"}
    return [row for peer, label in peers.items() for row in beside(results, "min_b_matching", peer, what, label)]


def schedule(results: Results) -> list[Row]:
    what = "deal {size} transfers to the fewest rounds ({family})"
    return [*beside(results, "colour_edges", "rustworkx", what, "rustworkx, as few rounds"),
            *beside(results, "colour_edges", "first_fit", what, "first-fit, more rounds")]


def codec(results: Results) -> list[Row]:
    sets = compressors.sets(results)
    if not sets:
        return []
    subject = results.context["subject"]
    shown = max(sets, key=lambda one: one.runs[subject].get("taxa", 0) * one.runs[subject].get("sites", 0))
    ours, peer = shown.runs[subject], shown.runs[shown.best_peer()]
    label = results.label(shown.best_peer())
    sizes = [one.relative(subject) for one in sets]
    times = [one.runs[one.best_peer()]["decode_MB_per_s"] / one.runs[subject]["decode_MB_per_s"] for one in sets]
    return [Row(f"compress the alignment `{shown.name}`", f"{ours['bytes']:,.0f} bytes", f"best of five packers ({label})",
                f"{peer['bytes']:,.0f} bytes", shown.relative(subject), mean(sizes), len(sizes)),
            Row(f"decode `{shown.name}` on one thread (ratio of times)", f"{ours['decode_MB_per_s']:,.0f} MB/s", label,
                f"{peer['decode_MB_per_s']:,.0f} MB/s", peer["decode_MB_per_s"] / ours["decode_MB_per_s"], mean(times), len(times))]


def likelihood(results: Results) -> list[Row]:
    names = list(dict.fromkeys(name for algorithms in results.families.values() for name in algorithms))
    order = ["avx512", "avx2", "avx", "sse4", "scalar"]
    ours = next((f"regraft_{kind}" for kind in order if f"regraft_{kind}" in names), "")
    theirs = next((f"libpll_{kind}" for kind in order if f"libpll_{kind}" in names), "")
    what = "likelihoods of a tree, {size} patterns ({family} states)"
    return [*beside(results, ours, theirs, what, theirs.replace("_", " ")),
            *beside(results, ours, "memcpy", what, "memcpy of as many bytes", "traversal")]


def sums(results: Results) -> list[Row]:
    rows = []
    for kind, words in (("fixed", "`FixedSum`"), ("exact", "`ExactSum`")):
        what = words + " of {size} doubles, the same bits on any ranks ({family})"
        rows += beside(results, kind, "doubles", what, "MPI_Allreduce of rounded sums", "sums_1_", last=True)
    for row in rows:
        row.what = re.sub(r"\(sums 1 pes (\d+)\)", r"(ranks: \1)", row.what)
    return rows


def exact_sum(results: Results) -> list[Row]:
    return beside(results, "exact_sum", "double", "exact sum of {size} numbers ({family})", "sum of doubles that is rounded")


def kept_runs(results: Results, operation: str) -> list[floors.Run]:
    """The runs of an operation that the summary tells of."""
    return [run for run in floors.runs(results) if run.operation == operation and run.transport == floors.MEAN_TRANSPORT
            and not run.variant.startswith("erasure")]


def largest(runs: list[floors.Run]) -> tuple[floors.Run, str]:
    """The run with the most bytes, and its size in words."""
    shown = max(runs, key=lambda run: (run.bytes, run.pes, -run.replicas))
    return shown, f"{shown.bytes >> 20} MiB per rank on {shown.pes} ranks"


def over_floor(operations: dict[str, str]) -> Callable[[Results], list[Row]]:
    """Rows of operations, in words, over what the benchmark calls its floor."""

    def rows(results: Results) -> list[Row]:
        found = []
        for operation, words in operations.items():
            if runs := kept_runs(results, operation):
                shown, size = largest(runs)
                seconds, floor = shown.counters["s_per_call"], results.context.get("floor", "MPI alone")
                found.append(row_of_times(f"{words}, {size}", seconds, floor, seconds / shown.over_floor, [run.over_floor for run in runs]))
        return found

    return rows


def store(results: Results) -> list[Row]:
    operations = {"submit": "keep input on several ranks", "load_all": "load all of it from other ranks",
                  "load_one": "load what one dead rank had", "repair": "make copies anew after one death"}
    rows = over_floor(operations)(results)
    if runs := [run for run in kept_runs(results, "load_all") if run.counters.get("s_per_memcpy")]:
        shown, size = largest(runs)
        ratios = [run.counters["s_per_call"] / run.counters["s_per_memcpy"] for run in runs]
        rows.append(row_of_times(f"the same load, {size}", shown.counters["s_per_call"], "memcpy of what arrives",
                                 shown.counters["s_per_memcpy"], ratios))
    return rows


def agree(results: Results) -> list[Row]:
    seconds = {(name, point.size): point.seconds for algorithms in results.families.values() for name, found in algorithms.items()
               for point in found}
    sizes = sorted({size for name, size in seconds if name == "agree" and ("allreduce", size) in seconds})
    if not sizes:
        return []
    ours, other = seconds["agree", sizes[-1]], seconds["allreduce", sizes[-1]]
    ratios = [seconds["agree", size] / seconds["allreduce", size] for size in sizes]
    return [row_of_times(f"agreement of {sizes[-1]} ranks", ours, "MPI_Allreduce of a number", other, ratios)]


def recovery(results: Results) -> list[Row]:
    family = next(iter(results.families), "")
    both = [(pes, *(recoveries.point(results, family, pes, name) for name in ("total", "restart")))
            for pes in (recoveries.numbers_of_pes(results, family) if family else [])]
    found = [(pes, total, restart) for pes, total, restart in both if total and restart]
    if not found:
        return []
    pes, total, restart = found[-1]
    return [row_of_times(f"from the death of one of {pes} ranks to work", total.seconds, "start of the job anew", restart.seconds,
                         [ours.seconds / other.seconds for _, ours, other in found])]


def overhead(words: str, other: str) -> Callable[[Results], list[Row]]:
    def rows(results: Results) -> list[Row]:
        found = overheads.costs(results)
        if not found:
            return []
        shown = next((cost for cost in found if cost.call == "allreduce"), found[0])
        what = f"{shown.row} on {shown.ranks} ranks, {words}"
        return [row_of_times(what, shown.protected, other, shown.plain, [cost.ratio for cost in found])]

    return rows


def nothing(_: Results) -> list[Row]:
    return []


LINES = "A line is an algorithm and lower is faster; both axes are logarithmic."
FLOOR = ("A line at 1 would be as fast as its floor, which moves the same bytes between the same ranks by MPI alone, in buffers that exist "
         "already.")
SECTIONS = [
    Section("recovery", "From the death of a rank to work",
            "One rank is killed by SIGKILL, and a bar shows the time until the others work again: its parts are the medians of the "
            "phases, from the death upwards, each until the last survivor has ended it (as figure 4 of FT-RAxML-NG, Huebner et al. 2021). "
            "The thin line beside a bar goes from the 10th to the 90th percentile of the whole; on more ranks than cores the ranks wait "
            "for each other's time slices, which a machine with a core per rank does not.", recovery),
    Section("matching", "Matching: who sends which block",
            f"{LINES} When ranks have died, each lost block has several holders, and the busiest sender should send as few as possible: "
            f"regraft proves "
            "its answer to be least, and all answers are compared before they are timed.", matching),
    Section("schedule", "Schedules: who sends in which round",
            f"{LINES} Transfers are dealt to rounds in which a rank sends and receives at most once; `colour_edges` needs as few rounds "
            f"as the busiest "
            "rank has transfers, which greedy first-fit may exceed.", schedule),
    Section("msa", "Codec: alignments compressed along a tree",
            "In the left panel a dot to the left of 1 is smaller than the best of gzip, bzip2, xz, zstd and brotli, each at its "
            "strongest, on rows and on columns; in the right panel, farther right is faster. What is decoded is compared with the "
            "original first, and any 16 neighbouring sites can be decoded without the others.", codec),
    Section("likelihood", "Likelihood: how probable a tree is",
            f"{LINES} `libpll` is the library of RAxML-NG, `memcpy` copies as many bytes as the likelihoods have, and the bits of "
            f"regraft's answers are the "
            "same with all instruction sets.", likelihood),
    Section("sums", "Exact sums: the same bits on any number of ranks",
            f"{LINES} `doubles` is one MPI_Allreduce of sums that were rounded, whose bits depend on the number of ranks; the other three "
            f"give the same bits "
            "on any.", sums),
    Section("exact_sum", "Exact sums on one core",
            f"{LINES} These are the additions alone, without ranks, beside sums that are rounded after each addition.", exact_sum),
    Section("store", "Store: input in the memory of the ranks",
            f"{FLOOR} Below 1 the store is faster than that floor, which can be when it copies bytes within a rank that the floor hands "
            f"to MPI.", store),
    Section("store_disk", "Store: saving and opening files",
            "A line at 1 would be as fast as plain writes or reads of the same bytes by all ranks at once. The disk is that of the folder "
            "that was measured in, and it may hold files in memory.", over_floor({"save": "save to disk", "open": "open from disk"})),
    Section("snapshot", "Snapshots: state that changes",
            "A line at 1 would be as fast as one memcpy of the state and its way to the partners by MPI alone. A commit is what a program "
            "pays while it goes on, and a restore what it pays after a death.", over_floor({"commit": "commit the state"})),
    Section("agree", "Agreement",
            f"{LINES} After an agreement all survivors know the same, also if ranks die meanwhile; MPI's own collectives promise "
            f"less.", agree),
    Section("messages", "Messages: what the simulator counts with",
            f"{LINES} These are exchanges by MPI alone, copies, and memory that is new: the constants of `regraft-plan simulate` come from "
            f"them.", nothing),
    Section("shield", "Shield: programs that know nothing of failures",
            "A dot at 1 means that a call of MPI takes as long with the shield as without; farther right is slower. The same program runs "
            "by turns with and without the preloaded library.", overhead("with the shield", "plain MPI")),
    Section("ulfm", "ULFM: an MPI that survives",
            "A dot at 1 means that a call takes as long in an MPI that survives the death of ranks (`mpirun --with-ft ulfm`, and the "
            "settings of `regraft-run`) as in one that does not. This is what all programs pay for ULFM, with regraft or without.",
            overhead("MPI survives", "MPI that does not survive")),
    Section("reassign", "Reassignment: who takes over the work of the dead", f"{LINES} The work of the dead is dealt to the survivors, "
                                                                             f"evenly.", nothing),
    Section("scale", "Plans for many ranks",
            f"{LINES} These are the plans that each rank makes after deaths in jobs of up to a million ranks, without any ranks.", nothing),
]
