#!/usr/bin/env python3
"""The same bits whichever ranks die: searches with kills, compared with one search on one rank.

points   a kill at every point there is, on several numbers of ranks
groups   several searches in one job, dealt to groups of ranks, with and without kills
plans    hand-made plans: two and three at once, rank 0, down to one survivor, again during recovery, all replicas
random   --count seeded random plans from --first on
outside  kills that no plan knows of, sent to the processes from outside
ranks    no kills: 1, 2, 3, 5, 8 ranks, all linkages of branch lengths
"""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time

import phylo_job
import phylo_types

PLANS = [  # ranks, plan: every rank in it must die
    (5, "spr:inside:1:3,spr:inside:2:3"),
    (8, "spr:inside:0:2,spr:inside:3:2,spr:inside:6:2"),
    (8, "submit:inside:0:0,model:inside:4:1,spr:before:7:9"),
    (3, "lengths:inside:0:20,lengths:inside:1:20"),
    (5, "reduce:inside:0:100,agree:inside:1:9,checkpoint:inside:2:7,spr:after:3:12"),
    (8, "spr:inside:0:1,spr:after:1:1,model:before:2:2,branches:after:3:1,reduce:before:4:900,checkpoint:after:5:4,agree:before:6:16"),
    (4, "model:inside:3:1,recover:before:2:0"),
    (4, "model:inside:0:1,load:inside:1:0"),
    (5, "spr:before:1:1,recover:inside:0:0,shrink:before:2:1"),
    (5, "spr:before:1:1,recover:after:3:0,load:before:0:1"),
    (6, "spr:inside:5:2,shrink:inside:4:1,exchange:inside:0:1,shrink:after:1:1"),
    (5, "escape:inside:0:0,escape:before:3:1,escape:after:4:1"),
    (8, "output:before:0:0,output:inside:1:0,output:after:2:0"),
    (2, "output:inside:0:0"),
    (2, "read:before:0:0"),
    (2, "agree:after:0:3"),  # before it tells whether the results are there already
    (4, "agree:before:0:4,agree:after:1:3"),
]
GROUPS = [  # ranks, groups, plan: every rank in it must die
    (4, 4, "spr:inside:2:5"),  # a group dies out
    (4, 4, "spr:inside:1:5,spr:inside:2:9,spr:inside:3:30"),
    (6, 3, "spr:inside:0:3,spr:inside:1:8,escape:inside:4:0"),
    (5, 2, "lengths:inside:0:20,recover:inside:3:0,spr:before:1:20"),
    (4, 2, "checkpoint:before:1:1,derive:inside:2:0"),
    (4, 4, "commit:inside:3:2,checkpoint:inside:0:1,deal:before:1:0"),
    (5, 3, "derive:before:0:0,derive:after:4:0"),
    (3, 3, "spr:after:0:1,spr:after:1:1"),
]
AHEAD = [  # ranks, plan: while escapes share reductions; every rank in it must die
    (3, "escape:inside:0:3"),
    (4, "escape:before:1:0,escape:inside:2:9"),
    (5, "escape:after:0:3,escape:after:3:3,spr:inside:4:20"),
    (2, "branches:inside:1:30"),
    (4, "spr:before:0:60,recover:inside:3:0,escape:inside:2:1"),
    (6, "escape:inside:0:2,escape:inside:1:2,escape:inside:2:2,escape:inside:3:2,escape:inside:4:2"),
]
GIVEN = [  # the same for supports of given trees
    (2, 1, "ultrafast:before:1:0"),
    (3, 3, "spr:inside:1:5,commit:inside:2:3"),
    (4, 2, "ultrafast:inside:2:1,spr:before:0:9"),
    (3, 1, "ultrafast:before:1:4,ultrafast:after:2:5"),  # while replicates are offered typical trees
]
RANKS = 5  # options of the jobs that are killed from outside
LOST = [  # with one replica every death loses sites, which must be read again from the file
    (4, "spr:inside:2:5", 1),
    (4, "spr:inside:0:1,recover:inside:3:0", 1),
    (4, "model:before:0:1,model:before:1:1,model:before:2:1", 2),  # with three of four all holders of one half
]


def check(result: phylo_job.Result, reference: phylo_job.Result, name: str, exact: set[int] | None = None) -> None:
    result.require(result.bits() == reference.bits(), f"{name}: another result: {result.bits()} instead of {reference.bits()}")
    if exact is not None:
        result.require(result.killed() == exact, f"{name}: expected the deaths of {sorted(exact)}")
    result.require(set(result.report["ranks"]["lost"]) <= result.killed(), f"{name}: the report names ranks that live")
    print(f"{name}: same bits, {len(result.killed())} died, {len(result.report['failures'])} recoveries", flush=True)


def noise(jobs: phylo_job.Jobs) -> str:
    """An alignment with many local maxima, from which searches come back with different trees."""
    path = pathlib.Path(jobs.directory.name, "noise.phy")
    if not path.exists():
        draw = random.Random(5)
        rows = ["".join(draw.choice("ACGT") for _ in range(60)) for _ in range(9)]
        path.write_text("9 60\n" + "".join(f"t{i} {row}\n" for i, row in enumerate(rows)), encoding="utf-8")
    return str(path)


def searches(jobs: phylo_job.Jobs, ranks: int, plan: str = "", groups: int = 2) -> phylo_job.Result:
    """Several searches in one job, by groups of ranks, and all that follows from them."""
    more = ["--starts", "pars{3},rand{2}", "--bs-trees", "4", "--ufboot", "30", "--alrt", "20", "--groups", str(groups)]
    return jobs.search(ranks, plan, *more, model="JC", msa=noise(jobs))


def evaluated(jobs: phylo_job.Jobs, ranks: int, plan: str = "", groups: int = 2) -> phylo_job.Result:
    """Two given trees, and the supports of the likelier one by trees that are searched."""
    trees = pathlib.Path(jobs.directory.name, "given.nwk")
    taxa = [f"t{i}" for i in range(9)]
    trees.write_text("".join(f"({','.join(taxa[i:] + taxa[:i])});\n" for i in range(2)), encoding="utf-8")
    arguments = ["evaluate", "--msa", noise(jobs), "--model", "JC", "--tree", str(trees), "--bs-trees", "4", "--ufboot", "30", "--alrt", "20"]
    result = jobs.run(ranks, [*arguments, "--groups", str(groups), *(["--fail", plan] if plan else [])])
    result.require_survival(f"{ranks} ranks, plan '{plan}'")
    return result


def ahead(jobs: phylo_job.Jobs, ranks: int, plan: str = "", subtrees: str = "16") -> phylo_job.Result:
    """A search with escapes, which share reductions if it looks several subtrees ahead."""
    return jobs.search(ranks, plan, "--starts", "pars{1}", "--lookahead", subtrees, model="JC", msa=noise(jobs))


def tested(jobs: phylo_job.Jobs, ranks: int, plan: str = "") -> phylo_job.Result:
    """Tests of trees."""
    trees = pathlib.Path(jobs.directory.name, "trees.nwk")
    taxa = [f"t{i}" for i in range(9)]
    trees.write_text("".join(f"({','.join(taxa[i:] + taxa[:i])});\n" for i in range(3)), encoding="utf-8")
    arguments = ["test", "--msa", noise(jobs), "--model", "JC", "--trees", str(trees), "--samples", "600", "--sitelh"]
    result = jobs.run(ranks, [*arguments, "--fail", plan] if plan else arguments)
    result.require_survival(f"{ranks} ranks, plan '{plan}'")
    return result


def points(jobs: phylo_job.Jobs, args) -> None:
    references = {model: jobs.search(1, model=model) for model in ("GTR+FC+G4m", "auto")}
    several, of_trees = searches(jobs, 1), tested(jobs, 1)
    listed = subprocess.run([args.exe, "points"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  (\S+)$", listed, re.M)
    assert len(names) > 30, listed
    recovering = ("load:", "repair:", "recover:", "shrink:")
    elsewhere = "merge:"  # phylo_merge.py
    for number, point in enumerate(name for name in names if not name.startswith(elsewhere)):
        ranks, victim = ((3, 0), (4, 2), (2, 1), (5, 4))[number % 4]
        if point.startswith("save:"):
            victim = 0  # the rank that writes
        if point.startswith(recovering):
            ranks = 6  # the fewest ranks of which one death leaves something to repair
        # A point that only recoveries reach needs another death first; shrink is also reached at the very start.
        first = "" if not point.startswith(recovering) else f"spr:inside:{(victim + 1) % ranks}:0,"
        plan = f"{first}{point}:{victim}:0"
        model = "auto" if point.startswith("model_choice:") else "GTR+FC+G4m"
        more = ["--checkpoint-interval", "0"] if point.startswith("save:") else ["--ancestral"] if point.startswith(("ancestral:", "gather:")) else []
        if point.startswith(("tested:", "test:", "gather_sites:")):
            check(tested(jobs, ranks, plan), of_trees, f"{ranks} ranks, {plan}", phylo_job.victims(plan))
        elif point.startswith(("derive:", "fuse:", "ultrafast:", "support:")):
            check(searches(jobs, ranks, plan), several, f"{ranks} ranks, {plan}", phylo_job.victims(plan))
        else:
            check(jobs.search(ranks, plan, *more, model=model), references[model], f"{ranks} ranks, {plan}", phylo_job.victims(plan))


def plans(jobs: phylo_job.Jobs, args) -> None:
    reference = jobs.search(1)
    for ranks, plan in PLANS:
        check(jobs.search(ranks, plan), reference, f"{ranks} ranks, {plan}", phylo_job.victims(plan))
    for ranks, plan, replicas in LOST:
        result = jobs.search(ranks, plan, "--replicas", str(replicas))
        check(result, reference, f"{ranks} ranks, {plan}, {replicas} replicas", phylo_job.victims(plan))
        reread = sum(failure["blocks_reread"] for failure in result.report["failures"])
        result.require(reread > 0, "expected that lost sites were read again")
    alone = ahead(jobs, 1, subtrees="1")
    for ranks, plan in [(1, ""), (3, ""), *AHEAD]:
        check(ahead(jobs, ranks, plan), alone, f"{ranks} ranks, 16 ahead, {plan}", phylo_job.victims(plan))
    # The rank that wrote the reduced alignment is dead when the next one finds it.
    small = pathlib.Path(jobs.directory.name, "small.phy")
    plan = "read:inside:0:0"
    check(jobs.search(3, plan, "--reduced", str(small)), reference, f"3 ranks, --reduced, {plan}", phylo_job.victims(plan))
    reference.require(small.exists(), "expected the reduced alignment")
    for victim, occurrence in ((0, 0), (0, 1), (1, 0), (1, 1)):
        told = jobs.run(3, ["check", "--msa", args.msa], plan=f"agree:inside:{victim}:{occurrence}")
        told.require(told.killed() == {victim} and set(told.codes) == {0, phylo_job.KILLED}, "check: expected that the others end well")
        told.require("This can be searched" in told.output, "check: expected a report")
        print(f"check, rank {victim} dies: {told.output.count('This can be searched')} reports", flush=True)


def groups(jobs: phylo_job.Jobs, args) -> None:
    def all_trees(result):
        return [pathlib.Path(f"{result.prefix}.{name}").read_text(encoding="utf-8") for name in ("mlTrees", "bootstraps", "support", "supportTBE", "supportAlrt", "consensus", "svg")]

    def compare(result, name, exact=None, of=None):
        check(result, of or reference, name, exact)
        result.require(all_trees(result) == all_trees(of or reference), f"{name}: other trees")

    reference, given = searches(jobs, 1), evaluated(jobs, 1)
    for ranks, count in ((2, 2), (3, 2), (5, 3), (5, 5), (8, 3), (8, 8)):
        compare(searches(jobs, ranks, "", count), f"{ranks} ranks, {count} groups", set())
    for ranks, count, plan in GROUPS:
        compare(searches(jobs, ranks, plan, count), f"{ranks} ranks, {count} groups, {plan}", phylo_job.victims(plan))
    for ranks, count, plan in GIVEN:
        compare(evaluated(jobs, ranks, plan, count), f"given trees, {ranks} ranks, {count} groups, {plan}", phylo_job.victims(plan), given)
    for seed in range(args.first, args.first + args.count, 3):
        compare(evaluated(jobs, 3, f"random:{seed}:2", 1 + seed % 3), f"given trees, 3 ranks, seed {seed}", of=given)
    for seed in range(args.first, args.first + args.count):
        ranks = (2, 3, 4, 5, 8)[seed % 5]
        result = searches(jobs, ranks, f"random:{seed}:{1 + seed % min(ranks - 1, 4)}", 1 + seed // 5 % ranks)
        compare(result, f"{ranks} ranks, seed {seed}")


def random_plans(jobs: phylo_job.Jobs, args) -> None:
    reference = jobs.search(1)
    for seed in range(args.first, args.first + args.count):
        ranks = (2, 3, 4, 5, 8)[seed % 5]
        count = 1 + seed % min(ranks - 1, 4)
        more = ["--lookahead", "16"] if seed % 2 else []
        result = jobs.search(ranks, f"random:{seed}:{count}", *more)
        drawn = re.search(r"drawn: --fail (\S+)", result.output)
        result.require(drawn is not None, "the drawn plan is not in the output")
        result.require(result.killed() <= phylo_job.victims(drawn[1]), f"seed {seed}: a rank died that was not drawn")
        result.require(len(result.killed()) > 0, f"seed {seed}: nobody died")
        check(result, reference, f"{ranks} ranks, seed {seed}: {drawn[1]}")


def outside(jobs: phylo_job.Jobs, args) -> None:
    reference = jobs.search(1)
    deaths = 0

    def alive():
        return phylo_job.ranks_of(args.exe, jobs.directory.name)

    for seed in range(args.count):
        choice = random.Random(seed)
        done = threading.Event()

        def killer():
            # The planned death says that MPI_Init is over, in which Open MPI survives nothing.
            started = False
            while not done.is_set() and (len(alive()) == RANKS) >= started:
                started = started or len(alive()) == RANKS
            for _ in range(2):
                time.sleep(choice.random() * 0.05)
                targets = alive()
                if len(targets) > 1 and not done.is_set():
                    os.kill(choice.choice(targets), signal.SIGKILL)

        thread = threading.Thread(target=killer)
        thread.start()
        result = jobs.search(RANKS, "branches:inside:0:3")
        done.set()
        thread.join()
        check(result, reference, f"outside {seed}")
        deaths += len(result.killed() - {0})
    result.require(deaths > 0, "all jobs ended before anybody was killed")


def lengths_per_partition(unlinked: phylo_job.Result) -> None:
    """PREFIX.bestTree has the means of their lengths, weighted by sites."""
    mean, *trees = [re.split(r":([\d.e-]+)", text) for name in ("bestTree", "bestPartitionTrees")
                    for text in pathlib.Path(f"{unlinked.prefix}.{name}").read_text(encoding="utf-8").splitlines()]
    sites = [partition["sites"] for partition in unlinked.report["partitions"]]
    unlinked.require(len(trees) == len(sites) > 1, "expected a tree per partition")
    unlinked.require(all(tree[::2] == mean[::2] for tree in trees), "expected the same topology for all partitions")
    for number in range(1, len(mean), 2):
        expected = sum(float(tree[number]) * count for tree, count in zip(trees, sites)) / sum(sites)
        unlinked.require(abs(float(mean[number]) - expected) < 1e-9, f"length {mean[number]} is no mean of the partitions' lengths")


def without_kills(jobs: phylo_job.Jobs, args) -> None:
    for linkage in ("linked", "scaled", "unlinked"):
        arguments = ["search", "--msa", args.partitioned, "--partitions", args.partitions, "--brlen", linkage, "--spr-radius", "1"]
        reference = jobs.run(1, arguments)
        reference.require(reference.codes == [0], linkage)
        check(jobs.run(3, arguments), reference, f"3 ranks, {linkage}", set())
        plan = "spr:inside:1:2,model:inside:2:3"
        check(jobs.run(4, [*arguments, "--fail", plan]), reference, f"4 ranks, {linkage}, {plan}", phylo_job.victims(plan))
    lengths_per_partition(reference)
    types = ["search", *phylo_types.write_partitioned(pathlib.Path(jobs.directory.name)), "--spr-radius", "1"]
    plan = "spr:inside:0:2,model:inside:3:4"
    check(jobs.run(4, [*types, "--fail", plan]), jobs.run(1, types), f"4 ranks, several types of data, {plan}", phylo_job.victims(plan))
    reference = jobs.search(1)
    for ranks in (2, 3, 5, 8):
        check(jobs.search(ranks), reference, f"{ranks} ranks", set())
    protein = ["--msa", args.protein, "--model", "LG+FC+G4m"]
    start = jobs.run(1, ["search", *protein, "--spr-radius", "1"])
    protein = ["evaluate", *protein, "--tree", f"{start.prefix}.bestTree"]
    reference = jobs.run(1, protein)
    check(jobs.run(4, [*protein, "--fail", "lengths:inside:0:9"]), reference, "amino acids", {0})


MODES = {"points": points, "plans": plans, "groups": groups, "random": random_plans, "outside": outside, "ranks": without_kills}

if __name__ == "__main__":
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--partitioned", help="partitioned alignment")
    parser.add_argument("--partitions", help="its partition file")
    parser.add_argument("--protein", help="amino-acid alignment")
    parsed = parser.parse_args()
    sys.exit(phylo_job.main(parsed, MODES[parsed.mode], needs_deaths=True))
