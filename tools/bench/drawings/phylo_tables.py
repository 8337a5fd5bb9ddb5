"""Tables of measurements of regraft-phylo, as head and rows."""
import statistics

from results import Results

Table = tuple[list[str], list[list[str]]]
PEERS_BY_TAXA = {"iqtree_fast": "IQ-TREE `-fast`", "fasttree": "FastTree", "veryfasttree": "VeryFastTree"}


def by_taxa(results: Results) -> Table:
    """The milliseconds per taxon of each stage of a search, the other numbers of its record, and how other programs compare."""
    programs = results.families["simulated"]
    sizes = sorted(point.size for point in programs["search"])
    head = ["", *(f"{size:,} taxa" for size in sizes)]
    rows = []
    for stage in [*(name for name in programs if name not in ("search", *PEERS_BY_TAXA)), "search"]:
        times = {point.size: f"{1e3 * point.run['s_per_taxon']:.2f}" for point in programs[stage]}
        rows.append([f"{stage.replace('_', ' ')}, ms per taxon", *(times.get(size, "-") for size in sizes)])
    whole = [point.run for point in programs["search"]]
    rows.append(["search, s", *(f"{point.seconds:.1f}" for point in programs["search"])])
    rows.append(["SPR steps per s", *(f"{run['spr_steps_per_s']:.0f}" for run in whole)])
    rows.append(["evaluations per taxon", *(f"{run['evaluations'] / size:.0f}" for run, size in zip(whole, sizes))])
    rows.append(["memory, MiB (said of likelihoods)",
                 *(f"{run['peak_bytes'] / 2**20:.0f} ({run['estimated_bytes'] / 2**20:.0f})" for run in whole)])
    for name in (name for name in PEERS_BY_TAXA if name in programs):
        peer = {point.size: point for point in programs[name]}
        compared = [(point, peer.get(point.size)) for point in programs["search"]]
        rows.append([f"{PEERS_BY_TAXA[name]}, s", *(f"{other.seconds:.1f}" if other else "-" for _, other in compared)])
        rows.append(["log-likelihood above that of its tree",
                     *(f"{one.run['log_likelihood'] - other.run['log_likelihood']:.1f}" if other else "-" for one, other in compared)])
        rows.append(["its memory, MiB", *(f"{other.run['peak_bytes'] / 2**20:.0f}" if other else "-" for _, other in compared)])
    return head, rows


def by_ranks(results: Results) -> tuple[Table, Table, Table]:
    """How well the model of time fits; what it forecasts, a row per number of patterns and of ranks; and what uses half of the ranks."""
    rows = [[f"{point.size:,}", str(int(point.run["ranks"])), f"{point.run['packages']:,.0f}", f"{1e6 * point.run['s_per_package']:.1f} us",
             f"{point.seconds:.2f} s", f"{point.run['model_s']:.2f} s", f"{point.run['model_over_measured']:.2f}"]
            for point in results.families["simulated"]["search"]]
    fit = ["patterns", "ranks", "packages", "work of a package", "measured", "model", "model / measured"], rows
    steps = {family: family.removeprefix("step_").replace("_", " ") for family, found in results.families.items() if "forecast" in found}

    def both(family: str, name: str, key: tuple[int, int], what: str) -> list[float]:
        """The values without looking ahead and as far ahead as possible; older measurements lack the latter."""
        found = results.families[family]
        return [point.run[what] for kind in (name, name + "_far") for point in found.get(kind, [])
                if (point.size, int(point.run["ranks"])) == key]

    def keys(name: str) -> list[tuple[int, int]]:
        return sorted({(point.size, int(point.run["ranks"])) for family in steps for point in results.families[family][name]})

    def efficiency(family: str, key: tuple[int, int]) -> str:
        return ", ".join(f"{100 * share:.0f} %" for share in both(family, "forecast", key, "efficiency"))

    def needed(family: str, key: tuple[int, int]) -> str:
        return ", ".join(f"{int(patterns):,}" for patterns in both(family, "half", key, "patterns_per_rank"))

    forecast = (["patterns", "ranks", *steps.values()],
                [[f"{key[0]:,}", f"{key[1]:,}", *(efficiency(family, key) for family in steps)] for key in keys("forecast")])
    half = (["ranks", *steps.values()], [[f"{key[1]:,}", *(needed(family, key) for family in steps)] for key in keys("half")])
    return fit, forecast, half


def by_lookahead(results: Results) -> Table:
    """A row per number of patterns and of ranks, and by how much longer reductions take; columns for how far searches look ahead."""
    head, rows = ["patterns", "ranks", "a reduction takes longer by"], []
    for family, found in results.families.items():
        if not family.startswith("search"):
            continue
        longer = family.removeprefix("search").removeprefix("_longer_").replace("_", " ") or "0 us"
        ahead = [{(point.size, int(point.run["ranks"])): point for point in points} for points in found.values()]
        head[3:] = [f"{what}, {name.removeprefix('ahead_')}" for name in found for what in ("packages", "s")]
        for size, ranks in sorted(ahead[0]):
            here = [points[size, ranks] for points in ahead]
            cells = [text for point in here for text in (f"{point.run['packages']:,.0f}", f"{point.seconds:.2f}")]
            rows.append([f"{size:,}", str(ranks), longer, *cells])
    return head, rows


def supports(results: Results) -> Table:
    """A row per data and program."""
    names = {"ours": "`--bs-trees`, seed 1", "ours_seed_2": "`--bs-trees`, seed 2", "ours_ufboot": "`--ufboot`",
             "iqtree_fast": "IQ-TREE `-fast` on resampled alignments", "iqtree_ufboot": "IQ-TREE `-B` (ultrafast)",
             "iqtree_b": "IQ-TREE `-b`"}
    head = ["data", "inner edges", "replicates by", "replicates", "user s", "correlation", "higher by", "differ by", "at most"]
    rows = []
    for data, programs in results.families.items():
        for program, points in programs.items():
            run = points[0].run
            signed = run.get("signed_difference")  # older measurements lack it
            rows.append([data, str(int(run["edges"])), names[program], str(points[0].size), f"{points[0].seconds:.0f}",
                         f"{run['correlation']:.4f}", "-" if signed is None else f"{signed:+.1f}",
                         f"{run['mean_difference']:.1f}", f"{run['largest_difference']:.0f}"])
    return head, rows


def checkpoint_costs(results: Results) -> Table:
    """A row per data and interval, with medians over the repetitions."""
    head = ["data", "checkpoints on disk", "user s", "commits", "all commits, ms", "checkpoints", "KB each", "on disk, ms",
            "of the search's time"]
    rows = []
    for data, programs in results.families.items():
        for interval, points in programs.items():
            middle = {key: statistics.median(point.run[key] for point in points)
                      for key in ("commits", "commits_s", "on_disk", "bytes_on_disk", "disk_s")}
            seconds = statistics.median(point.seconds for point in points)
            share = statistics.median(point.run["commits_s"] / point.run["search_s"] for point in points)
            each = middle["bytes_on_disk"] / 1e3
            rows.append([data, interval.replace("_", " "), f"{seconds:.2f}", f"{middle['commits']:.0f}", f"{1e3 * middle['commits_s']:.1f}",
                         f"{middle['on_disk']:.0f}", f"{each:.1f}", f"{1e3 * middle['disk_s']:.2f}", f"{100 * share:.2f} %"])
    return head, rows
