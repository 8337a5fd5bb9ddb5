#!/usr/bin/env python3
"""performance.py PAGE RESULTS [--check]: writes the tables of performance between the marks of a page, from the JSON in a folder.

--check writes nothing, and fails if the tables are not those of the JSON.
"""
import argparse
import pathlib
import re
import sys

import plot
from drawings import compressors, floors, phylo_tables, programs, recoveries, searches
from results import Broken

MARKS = "<!-- performance begins -->\n", "<!-- performance ends -->"
COMPARED = 100_000  # blocks or transfers; most peers finish at this size, but not at a larger one
COMPARED_PES = 1000  # among which transfers are dealt
LARGEST = 10_000_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path, help="folder with the JSON of benchmarks; a benchmark that is not there has no table")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    pages = {"scale": scaling, "phylo-results": trees, "snapshot": surviving, "shield-results": shielding, "msa": genomes,
             "phylo-profile": ranks}
    text = args.page.read_text(encoding="utf-8")
    begin, end = text.index(MARKS[0]) + len(MARKS[0]), text.index(MARKS[1])
    up = "../" * (1 if args.page.parent.name == "docs" else 2)  # to the root
    tables = pages.get(args.page.stem, overview)(args.results).replace("](../", f"]({up}")
    if args.check:
        if text[begin:end] != tables:
            sys.exit(f"{args.page} does not show what {args.results} says: call tools/bench/performance.py")
        return 0
    args.page.write_text(text[:begin] + tables + text[end:], encoding="utf-8")
    return 0


def overview(folder: pathlib.Path) -> str:
    parts = {"matching": senders, "schedule": rounds, "msa": compression, "store": storing, "recovery": recovering,
             "likelihood": likelihoods, "sums": reductions}
    files = {name: folder / f"{name}.json" for name in parts}
    return "\n".join(parts[name](plot.read(file)) for name, file in files.items() if file.exists())


def genomes(folder: pathlib.Path) -> str:
    """A row per number of genomes, and what general compressors make of the same texts."""
    results = plot.read(folder / "msa-scale.json")
    ours, theirs = [], []
    for family, algorithms in results.families.items():
        sites = int(family.rsplit("_", 1)[1])
        peers = {name: {point.size: point.run for point in algorithms.get(name, [])} for name in peers_of(results)}
        for point in algorithms["regraft"]:
            run, size = point.run, f"{point.size:,} x {sites:,}"
            ours.append([size, f"{run['bytes'] / 1000:,.1f} kB", f"{run['names_bytes'] / 1000:,.1f} kB", f"{run['bytes_per_taxon']:.1f}",
                         f"{point.seconds:.2f} s", f"{run['peak_bytes'] / 2**20:.0f} MiB", f"{run['unpack_bytes_per_s'] / 1e9:.2f} GB/s",
                         plot.in_words(run["s_per_genome"]), plot.in_words(run["s_per_site"]), f"{run['append_s']:.2f} s",
                         f"{100 * (run['compact_bytes'] / run['bytes'] - 1):+.2f} %"])
            found = {name: runs[point.size] for name, runs in peers.items() if point.size in runs}
            if found:
                theirs.append([size, *(beside(run, found.get(name)) for name in peers)])
    head = ["genomes", "bytes", "of which names", "bytes per genome", "compress", "memory", "unpack", "one genome", "one site",
            "append 1 %", "appended and compact"]
    names = [results.label(name) for name in peers_of(results)]
    return (f"{table(head, ours)}\nCompressing and appending are user seconds on one thread, with the check; unpacking is on two, into a "
            "file. The last column compares the size with that\nof compressing all at once. General compressors, and our bytes as a part "
            "of theirs:\n\n"
            f"{table(['genomes', *names], theirs)}\n{source(results)}")


def beside(ours: dict, theirs: dict | None) -> str:
    """The bytes of a peer, and ours as a part of them."""
    return f"{theirs['bytes'] / 1000:,.0f} kB ({ours['bytes'] / theirs['bytes']:.3f})" if theirs else "-"


def peers_of(results: plot.Results) -> list[str]:
    return list(dict.fromkeys(name for algorithms in results.families.values() for name in algorithms if name != "regraft"))


def trees(folder: pathlib.Path) -> str:
    """The tables of all benchmarks of tree searches that were measured. folder: has a folder per machine."""
    parts = {"search*": search, "phylo-scale": taxa, "phylo-bootstrap": bootstraps, "phylo-checkpoints": checkpoints}
    return "\n".join(part(plot.read(file)) for pattern, part in parts.items() for file in sorted(folder.glob(f"*/{pattern}.json")))


def surviving(folder: pathlib.Path) -> str:
    """The tables of snapshots, and of the programs that use them."""
    return commits(plot.read(folder / "snapshot.json")) + "\n" + overheads(plot.read(folder / "programs.json"))


def commits(results: plot.Results) -> str:
    """A row per number of PEs, size and number of copies."""
    columns = {"with checksums": ("commit_checked", "pairwise"), "compressed": ("commit_compressed", "pairwise"),
               "erasure 3 + 1": ("commit", "erasure_3_1")}
    head = ["PEs", "MiB per PE", "replicas", "commit", "floor", "ratio", *columns]
    runs = {(run.pes, run.bytes, run.replicas, run.operation, run.variant): run for run in floors.runs(results)}
    rows = []
    for key, run in sorted(runs.items()):
        if key[3:] == ("commit", "pairwise"):
            others = [runs.get((*key[:3], *column)) for column in columns.values()]
            rows.append([str(run.pes), str(run.bytes >> 20), str(run.replicas), *floors.cells(run),
                         *(f"{other.over_floor:.2f}" if other else "-" for other in others)])
    means = re.sub(r", commit_.*", "", floors.summary(results)[-1])
    return ("Commits compared with their floor: one memcpy of the state, and MPI (the faster of `MPI_Alltoallv` and messages) "
            "moving it once to the\n"
            "same partners, in buffers that exist already. In each iteration the two take turns. The last three columns are ratios "
            "to the floor, too\n"
            f"([operations](../bench/results/README.md)):\n\n{table(head, rows)}\n{means[0].upper()}{means[1:]}.\n\n{source(results)}")


def overheads(results: plot.Results) -> str:
    """The tables of k-means and of the stencil, and a line about deaths at Young's interval."""
    def percent(program: str, variant: str, base: str, pes: int) -> str:
        return f"{100 * programs.overhead(results, program, variant, base, pes):+.1f} %"

    variants = {name: label for name, label in programs.KMEANS.items() if name != "unprotected"}
    kmeans = [[str(pes), *(percent("kmeans", variant, "unprotected", pes) for variant in variants)]
              for pes in programs.number_of_pes(results, "kmeans")]
    intervals = programs.intervals(results)
    stencil = [[str(pes), *(percent("stencil", f"every_{interval}", "without", pes) for interval in intervals)]
               for pes in programs.number_of_pes(results, "stencil")]
    sizes = {pes: dict(programs.snapshot_sizes(results, pes)) for pes in programs.number_of_pes(results, "stencil")}
    megabytes = sorted({size for costs in sizes.values() for size in costs})
    costs = [[str(pes), *(f"{of_size[size]:.2f} ms" for size in megabytes)] for pes, of_size in sizes.items()]
    return ("How much longer two programs of [examples](../examples/README.md) take. The first is k-means. Its input has copies and "
            "its state is\n"
            "checkpointed at each step; it is compared with k-means without copies and checkpoints (as in fig. 5 of "
            f"ReStore):\n\n{table(['ranks', *variants.values()], kmeans)}\n"
            "The second is the stencil, by the number of steps from snapshot to snapshot (as in figs. 4 to 8 of Kohl et al.):\n\n"
            f"{table(['ranks', *(f'every {interval}' for interval in intervals)], stencil)}\n"
            "The time of one snapshot of the stencil, by the size of the state of all ranks "
            f"together:\n\n{table(['ranks', *(f'{size:.3g} MB' for size in megabytes)], costs)}\n"
            + "".join(f"{line[0].upper()}{line[1:]}.\n" for line in programs.at_young(results)) + "\n" + fastest(source(results)))


def fastest(words: str) -> str:
    """The source of a table whose numbers are those of the fastest repetitions."""
    return words.replace("Medians", "The fastest of five repetitions, with deaths their median", 1)


def scaling(folder: pathlib.Path) -> str:
    """A row per computation and number of dead; time and memory by the number of PEs."""
    results = plot.read(folder / "scale.json")
    points = {}  # (what, of which, dead) -> PEs -> point
    for family, algorithms in results.families.items():
        for algorithm, found in algorithms.items():
            for point in found:
                dead = int(re.search(r"/dead:(\d+)", point.run["name"])[1])
                points.setdefault((algorithm, family, dead), {})[point.size] = point
    sizes = sorted({size for of_row in points.values() for size in of_row})
    head = ["what", "", "dead"] + [f"{size:,} PEs" for size in sizes]
    rows = [[f"`{algorithm}`", family.replace("_", " "), f"{dead:,}"] + [time_and_memory(of_row.get(size)) for size in sizes]
            for (algorithm, family, dead), of_row in sorted(points.items())]
    return f"{table(head, rows)}\n{source(results)}"


def time_and_memory(point: plot.Point | None) -> str:
    if point is None:
        return "-"
    memory = point.run["peak_bytes"]
    unit, size = next((unit, size) for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3), ("B", 1)) if memory >= size or size == 1)
    return f"{seconds(point.seconds)}, {memory / size:.3g} {unit}"


def shielding(folder: pathlib.Path) -> str:
    """A row per operation and number of bytes, with and without the shield for each number of ranks; then what a death takes."""
    results = plot.read(folder / "shield.json")
    calls, deaths = {}, []  # (operation, bytes) -> ranks -> variant -> point
    for family, variants in results.families.items():
        operation, ranks = re.fullmatch(r"(.+)_pes_(\d+)", family).groups()
        for variant, points in variants.items():
            for point in points:
                if operation == "repair":
                    repair = f"{point.run['repair_ms']:.1f} ms of which were the repair"
                    deaths.append(f"{point.seconds * 1e3:.0f} ms on {ranks} ranks, {repair}")
                else:
                    calls.setdefault((operation, point.size), {}).setdefault(int(ranks), {})[variant] = point
    sizes = sorted({ranks for of_row in calls.values() for ranks in of_row})
    head = ["call", "bytes"] + [text for ranks in sizes for text in (f"{ranks} ranks", "with the shield", "ratio")]
    rows = []
    for (operation, size), of_row in calls.items():
        row = [operation.replace("_", " "), f"{size:,}" if size else "-"]
        for ranks in sizes:
            plain, shield = (of_row[ranks][variant] for variant in ("plain", "shield"))
            row += [plot.in_words(plain.seconds), plot.in_words(shield.seconds), f"{shield.run['over_plain']:.2f}"]
        rows.append(row)
    return (f"{table(head, rows)}\nTimes are those of one call, for a ping-pong there and back: medians of "
            f"{results.context['turns']} jobs, of each the fastest of "
            f"{results.context['batches']} batches. A death delays\nthe others until it is noticed and repaired: "
            f"{'; '.join(deaths)}.\n\n{source(results)}")


def senders(results: plot.Results) -> str:
    """A row per family: all algorithms at one size, and the subject at the largest."""
    peers = ["ford_fulkerson", "lemon_preflow", "boost_push_relabel"]
    head = ["blocks are held", "b", f"{short(COMPARED)} blocks", "Algorithm 11", "LEMON", "Boost", f"{short(LARGEST)} blocks",
            "bytes per block"]
    rows = []
    for family, algorithms in results.families.items():
        points = {name: {point.size: point for point in found} for name, found in algorithms.items()}
        ours = points["min_b_matching"]
        small = nearest(ours, COMPARED)
        large = nearest(ours, LARGEST)
        rows.append([family, f"{small.run['b']:.0f}", at(small, COMPARED),
                     *(at(points.get(peer, {}).get(small.size), small.size) for peer in peers),
                     at(large, LARGEST), f"{large.run['bytes_per_block']:.0f}"])
    return ("Choosing senders (`matching::min_b_matching`), compared with Huebner's Algorithm 11, started from the lower bound, and "
            "with maximum\n"
            "flows. Every answer is proven before it is timed ([families](../bench/results/README.md)):\n\n"
            f"{table(head, rows)}\n{source(results)}")


def rounds(results: plot.Results) -> str:
    """One thread and two at the largest size. The first family, which is the hardest, has a row per number of PEs, and each other family
    has one row."""
    head = ["transfers are", "transfers", "PEs", "rounds", "1 thread", "2 threads", "speed-up"]
    rows = []
    for family, algorithms in results.families.items():
        points = algorithms.get("colour_edges", [])
        largest = max((point.size for point in points), default=0)
        runs = {variant(point): point for point in points if point.size == largest}
        sizes = sorted({key[0] for key in runs})
        for pes in sizes if not rows else sizes[len(sizes) // 2 : len(sizes) // 2 + 1]:
            one, two = runs.get((pes, 1)), runs.get((pes, 2))
            if one and two:
                rows.append([family, short(largest), str(pes), f"{one.run['rounds']:.0f}", seconds(one.seconds), seconds(two.seconds),
                             f"{one.seconds / two.seconds:.2f}"])
    return ("Dealing transfers to rounds (`schedule::colour_edges`), always as few rounds as the busiest PE allows. A second thread "
            "helps where\n"
            f"first-fit does not suffice:\n\n{table(head, rows)}\n{beside_peers(results)}{source(results)}")


def beside_peers(results: plot.Results) -> str:
    """A row per family: all algorithms at one size on one thread. Empty if no peers were measured."""
    head = ["transfers are", "rounds", "ours", "first-fit", "its rounds", "over ours", "rustworkx"]
    rows = []
    for family, algorithms in results.families.items():
        points = {name: point for name, found in algorithms.items() for point in found
                  if point.size == COMPARED and variant(point) == (COMPARED_PES, 1)}
        if "colour_edges" in points and "first_fit" in points:
            ours, greedy = points["colour_edges"], points["first_fit"]
            rows.append([family, f"{ours.run['rounds']:.0f}", at(ours, COMPARED), at(greedy, COMPARED), f"{greedy.run['rounds']:.0f}",
                         f"{greedy.run['rounds'] / ours.run['rounds']:.2f}", at(points.get("rustworkx"), COMPARED)])
    if not rows:
        return ""
    return (f"{short(COMPARED)} transfers between {COMPARED_PES} PEs, one thread, compared with greedy first-fit and the exact\n"
            f"`graph_bipartite_edge_color` of rustworkx:\n\n{table(head, rows)}\n")


def variant(point: plot.Point) -> tuple[int, int]:
    """The numbers of PEs and threads, from the name of a benchmark."""
    return tuple(int(re.search(rf"/{key}:(\d+)", point.run["name"])[1]) for key in ("pes", "threads"))


def compression(results: plot.Results) -> str:
    """A row per alignment."""
    head, rows = compressors.table_rows(results)
    return ("Compressing alignments along a tree, names excluded, compared with gzip, bzip2, xz, zstd and brotli at their "
            "strongest, on rows and on\n"
            "columns. Speeds are in MB of cells per second and thread. Before timing, the decoded cells are compared with the "
            "original ([alignments](../bench/results/README.md)):\n\n"
            f"{table(head, rows)}\n{source(results)}")


def storing(results: plot.Results) -> str:
    """A row per operation and number of PEs, then the means."""
    head, rows = floors.table_rows(results)
    return ("The replicated store compared with its floor: MPI alone (the faster of MPI_Alltoallv and MPI_Isend/MPI_Irecv) moving "
            "the same bytes\n"
            "between the same pairs of ranks in buffers that exist already ([operations](../bench/results/README.md)):\n\n"
            f"{table(head, rows)}\nAll sizes: {floors.summary(results)[-1]}.\n\n{source(results)}")


def recovering(results: plot.Results) -> str:
    """A row per number of ranks and size."""
    head, rows = recoveries.table_rows(results)
    return ("From the death of one rank to work ([phases](#from-a-death-to-work)), in milliseconds, with so many MiB of input and as much "
            "state on each\n"
            "rank. `restart` is the start of the job up to the end of its first step:\n\n"
            f"{table(head, rows)}\n{source(results)}")


def likelihoods(results: plot.Results) -> str:
    """A row per operation and number of patterns, with millions of sites * categories (* nodes) per second."""
    programs = ["regraft_avx512", "regraft_avx2", "plain_avx512", "plain_avx2", "libpll_avx2", "libpll_avx"]
    head = ["operation", "states", "patterns", *(program.replace("_", " ") for program in programs), "GB/s", "memcpy GB/s"]
    rows = []
    for family, algorithms in results.families.items():
        operation, states = family.rsplit("_", 1)
        points = {(name, point.size): point.run for name, found in algorithms.items() for point in found}
        for size in sorted({size for _, size in points}):
            speeds = [per_second(points.get((program, size)), "items_per_second", 1e6) for program in programs]
            ours = next((points[program, size] for program in programs if (program, size) in points), None)
            traffic = [per_second(run, "bytes_per_second", 1e9) for run in (ours, points.get(("memcpy", size)))]
            rows.append([operation.replace("_", " "), states, f"{size:,}", *speeds, *traffic])
    return ("Likelihood kernels on one thread with 4 categories, compared with libpll (tips as patterns). The unit is million sites "
            "* categories\n"
            "per second; for traversals, million sites * categories * nodes. The columns \"plain\" do not reuse sites that look "
            "alike in a subtree.\n"
            "GB/s counts the bytes of CLVs that the first column reads and writes; memcpy GB/s is a plain copy of as many bytes\n"
            f"([operations](../bench/results/README.md)):\n\n{table(head, rows)}\n{source(results)}")


def per_second(run: dict | None, key: str, unit: float) -> str:
    if not run or key not in run:
        return "-"
    number = run[key] / unit
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def search(results: plot.Results) -> str:
    """A row per data and program."""
    head, rows = searches.table_rows(results)
    versions = (re.match(r"(\S+).*?(\d+(\.\d+)+)", results.context["programs"].get(name, "")) for name in ("iqtree", "raxml_ng"))
    peers = " and ".join(f"{found[1]} {found[2]}" for found in versions if found)
    return (f"Searches, one thread each{', compared with ' * bool(peers)}{peers}. best, median, worst: over all starts, units of "
            "log-likelihood below\n"
            "the best known tree. RF: distance of the program's best tree from the best known tree. User seconds: median, least, most.\n"
            "MiB: the most memory of a search, median:\n\n"
            f"{table(head, rows)}\n{busy(results)}{source(results)}")


def taxa(results: plot.Results) -> str:
    """A row per stage, a column per number of taxa."""
    head, rows = phylo_tables.by_taxa(results)
    return ("`search --effort fast` on simulated alignments of 1,000 sites, one thread. User milliseconds per taxon, and memory; in "
            "brackets\n"
            f"what the program says its likelihoods need at most:\n\n{table(head, rows)}\n{busy(results)}{source(results)}")


def ranks(folder: pathlib.Path) -> str:
    """How well the model of time fits, and what it forecasts."""
    results = plot.read(folder / "phylo-ranks.json")
    said = results.context
    far, second = "", ""
    if "far_share" in said:
        far = (f"If ranks look 16 subtrees ahead, there are {said['far_share']:.2f} times as many packages, and each takes "
               f"{said['far_package_fixed_us']:.1f} us + m x\n{said['far_package_us_per_pattern']:.4f} us.\n\n")
        second = "; second numbers: if ranks look 16 subtrees ahead"
    fit, forecast, half = (table(*rows) for rows in phylo_tables.by_ranks(results))
    return ("`search --effort fast --profile` on simulated alignments of 50 taxa, one group. Seconds are means over the ranks. The model: "
            f"a package of m\npatterns takes {said['package_fixed_us']:.1f} us + m x {said['package_us_per_pattern']:.4f} us and "
            f"{100 * said['wait']:.0f} % more until the slowest rank is done; a reduction takes {said['step_us']:.1f} us for each\n"
            f"doubling of the ranks. It is fitted where ranks have a core each:\n\n{fit}\n{far}"
            "What it forecasts on ranks that have a core each, as efficiency (the time on one rank over ranks x time), by what a\n"
            f"reduction takes for each doubling of the ranks{second}:\n\n"
            f"{forecast}\nThe fewest patterns per rank that use half of the ranks{second}:\n\n{half}\n"
            "Searches by how many subtrees they look ahead, in turn, some with reductions that a preloaded library makes longer; medians\n"
            "of seconds (s):\n\n"
            f"{table(*phylo_tables.by_lookahead(results))}\n{source(results)}")


def bootstraps(results: plot.Results) -> str:
    """A row per data and program."""
    head, rows = phylo_tables.supports(results)
    return ("Supports of the inner edges of one tree, compared with those of `--bs-trees 500 --seed 1`: correlation (Pearson), and "
            "percentage points by\n"
            "which they are higher on average, and differ on average and at most:\n\n"
            f"{table(head, rows)}\n{busy(results)}{source(results)}")


def checkpoints(results: plot.Results) -> str:
    """A row per interval."""
    head, rows = phylo_tables.checkpoint_costs(results)
    return ("The same search (`--effort normal`, one rank, no deaths) with checkpoints on disk at three intervals, in turn. The "
            "results have the same bits:\n\n"
            f"{table(head, rows)}\n{busy(results)}{source(results)}")


def busy(results: plot.Results) -> str:
    """How busy the machine was."""
    load = [point.run["load"] for programs in results.families.values() for points in programs.values() for point in points
            if "load" in point.run]
    return f"During these measurements {min(load):.1f} to {max(load):.1f} processes wanted to run, which makes user seconds longer.\n\n"


def reductions(results: plot.Results) -> str:
    """A row per number of sums, ranks and values: the times, the bytes that are sent, and the time to add a value."""
    kinds = ["fixed", "exact", "fixed_tree", "doubles"]
    head = ["sums", "ranks", "values", *(kind.replace("_", " ") for kind in kinds), "bytes per sum", "ns per value"]
    rows = []
    for family, algorithms in results.families.items():
        sums, ranks = re.fullmatch(r"sums_(\d+)_pes_(\d+)", family).groups()
        points = {(name, point.size): point for name, found in algorithms.items() for point in found}
        for size in sorted({size for _, size in points}):
            here = [points[kind, size] for kind in kinds]
            rows.append([sums, ranks, f"{size:,}", *(plot.in_words(point.seconds) for point in here),
                         " / ".join(f"{point.run['bytes_per_sum']:.0f}" for point in here),
                         " / ".join(f"{point.run['s_per_value'] * 1e9:.2g}" for point in here)])
    return ("Sums over ranks. `ft::all_reduce` of FixedSum and ExactSum, and one tree of additions, give the same bits for any "
            "number of ranks;\n"
            "the bits of sums of doubles depend on it ([how](../bench/results/README.md)):\n\n"
            f"{table(head, rows)}\n{source(results)}")


def nearest(points: dict[int, plot.Point], size: int) -> plot.Point:
    return points[min(points, key=lambda other: abs(other - size))]


def at(point: plot.Point | None, size: int) -> str:
    """The time at a size. If it was measured at another size, that size follows."""
    if point is None:
        return "-"
    other = f" ({short(point.size)})" if abs(point.size - size) > 0.05 * size else ""
    return ("" if point.finished else "> ") + seconds(point.seconds) + other


def seconds(number: float) -> str:
    return f"{number:.1f} s" if number >= 1 else f"{number * 1e3:.3g} ms"


def short(size: int) -> str:
    return f"{size:.2g}".replace("e+0", "e")


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def source(results: plot.Results) -> str:
    context = results.context
    name = context["executable"].removesuffix("_bench")
    clock = "CPU time of one thread" if context.get("clock") == "cpu_time" else "wall clock"
    compiler = context["compiler"].split()[-1]
    machine = f"{context['cpu']}, {context['num_cpus']} cores, g++ {compiler}, commit {context['commit']}"
    return f"Medians, {clock}; {machine}: `./run bench {name}`.\n"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as problem:
        sys.exit(str(problem))
