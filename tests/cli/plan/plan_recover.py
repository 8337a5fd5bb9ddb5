#!/usr/bin/env python3
"""regraft-plan recover: every block that is wanted comes from a living holder, and the numbers of the plan say so. plan_recover.py EXE"""
import collections
import itertools
import math
import sys

import placements
import plan_cli

# ranks, blocks, replicas, more options
JOBS = [
    (1000, 100000, 3, ["--failed", "3,7,10-20"]),
    (10, 100, 3, ["--failed", "3,6,9"]),
    (10, 100, 3, ["--failed", "0,3,6,9"]),  # all copies of a third of the blocks
    (9, 90, 3, ["--failed", "0,3,6"]),
    (7, 50, 2, ["--failed", "0"]),
    (7, 50, 7, ["--failed", "0-5"]),
    (2, 5, 1, ["--failed", "1"]),
    (5, 3, 2, ["--failed", "0,1"]),
    (5, 0, 2, ["--failed", "0,1"]),
    (8, 64, 2, ["--failed", "2", "--partitions", "5"]),
    (8, 64, 2, ["--failed", "2", "--partitions", "100"]),
    (100, 1000, 3, ["--fail-rate", "0.1"]),
    (100, 1000, 3, ["--fail-rate", "0.5", "--seed", "3", "--partitions", "7"]),
    (100, 1000, 3, ["--fail-rate", "0"]),
    (96, 960, 3, ["--node-size", "24", "--fail-nodes", "1"]),
    (90, 960, 4, ["--node-size", "20", "--fail-nodes", "0,4"]),
    (90, 960, 4, ["--node-size", "20", "--fail-rate", "0.5", "--seed", "9"]),
]


def numbers_of(text: str) -> list[int]:
    """The numbers of a list such as 3,7,10-20."""
    ranges = [list(map(int, item.split("-"))) for item in text.split(",")]
    return sorted(set(itertools.chain.from_iterable(range(r[0], r[-1] + 1) for r in ranges)))


def option(options: list[str], name: str, default: str) -> str:
    return options[options.index(name) + 1] if name in options else default


def check_failed(plan: dict, ranks: int, options: list[str]) -> list[int]:
    """The failed ranks, which are those of the command line."""
    failed = plan["failed"]
    size = int(option(options, "--node-size", "1"))
    nodes = {r // size for r in failed}
    if "--failed" in options:
        assert failed == numbers_of(option(options, "--failed", ""))
        return failed
    if "--fail-nodes" in options:
        assert nodes == set(numbers_of(option(options, "--fail-nodes", "")))
    else:
        assert len(nodes) == math.floor(float(option(options, "--fail-rate", "")) * math.ceil(ranks / size) + 0.5)
    assert failed == [r for r in range(ranks) if r // size in nodes], "expected that nodes fail as a whole"
    return failed


def check_rounds(plan: dict) -> list[list[list[int]]]:
    """The transfers of each round. Requires that no rank sends or receives two messages in one."""
    rounds = [[] for _ in range(plan["num_rounds"])]
    for transfer in plan["transfers"]:
        rounds[transfer[3]].append(transfer)
    messages = collections.Counter()
    for transfers in rounds:
        pairs = {(sender, receiver) for _, sender, receiver, _ in transfers}
        assert transfers and len({s for s, _ in pairs}) == len({r for _, r in pairs}) == len(pairs), transfers
        assert plan["bundle"] or len(pairs) == len(transfers), "two blocks at once without --bundle"
        messages.update([*(("sends", s) for s, _ in pairs), *(("receives", r) for _, r in pairs)])
    assert plan["num_rounds"] == max(messages.values(), default=0), "expected as many rounds as the busiest rank has messages"
    for way, key in (("sends", "bytes_sent"), ("receives", "bytes_received")):
        assert plan[key]["most_messages"] == max((n for (w, _), n in messages.items() if w == way), default=0)
    return rounds


def check_traffic(plan: dict, block_bytes: int) -> None:
    for key, column in (("bytes_sent", 1), ("bytes_received", 2)):
        blocks = collections.Counter(transfer[column] for transfer in plan["transfers"])
        traffic = plan[key]
        assert traffic["most_blocks"] == max(blocks.values(), default=0) and traffic["largest"] == traffic["most_blocks"] * block_bytes
        assert not blocks or blocks[traffic["busiest_rank"]] == traffic["most_blocks"]
        assert math.isclose(traffic["mean"], len(plan["transfers"]) * block_bytes / plan["survivors"])


def check_certificate(plan: dict, holders: list[set[int]], failed: set[int]) -> None:
    """Proves that no choice of senders has a smaller b than least_b, and how close to it the rule comes."""
    hall = set(plan["hall_set"])
    assert sorted(hall) == plan["hall_set"]
    sent = collections.Counter(transfer[1] for transfer in plan["transfers"])
    assert plan["b"] == max(sent.values(), default=0)
    confined = sum(1 for block, *_ in plan["transfers"] if holders[block] - failed <= hall)
    assert plan["hall_blocks"] == confined
    if plan["least_b"] > 0:
        assert confined > (plan["least_b"] - 1) * len(hall), "the set proves nothing"
    most = {"least": plan["least_b"], "ranges": max(1.05 * plan["least_b"], plan["least_b"] + 1), "local": plan["sent"]}
    assert plan["least_b"] <= plan["b"] <= most[plan["senders"]], (plan["senders"], plan["b"], plan["least_b"])
    assert (plan["senders"] == "least") == (not plan["redistribute"])
    able = set().union(*(holders[block] - failed for block, *_ in plan["transfers"])) if sent else set()
    assert plan["lower_bound"] == (math.ceil(len(plan["transfers"]) / len(able)) if able else 0)


def check_blocks(plan: dict, blocks: int, ranks: int, holders: list[set[int]], failed: set[int]) -> None:
    """The blocks that each rank loads."""
    dead_blocks = {block for block in range(blocks) if not holders[block] - failed}
    assert plan["blocks_without_holder"] == len(dead_blocks)
    unservable = [b for first, last in plan["unservable_ranges"] for b in range(first, last)]
    assert len(unservable) == len(set(unservable)) == plan["unservable"] and set(unservable) <= dead_blocks
    moved = [transfer[0] for transfer in plan["transfers"]]
    assert len(moved) == len(set(moved)) == plan["sent"] and not set(moved) & dead_blocks
    assert plan["requests"] == plan["sent"] + plan["local"] + plan["unservable"]
    for block, sender, receiver, _ in plan["transfers"]:
        assert sender in holders[block] - failed, "sent by a rank that does not hold it, or is dead"
        assert 0 <= receiver < ranks and receiver not in failed and receiver not in holders[block]
    if plan["redistribute"]:
        assert plan["requests"] == blocks and set(unservable) == dead_blocks
        most = math.ceil(blocks / plan["survivors"])
        assert max(collections.Counter(transfer[2] for transfer in plan["transfers"]).values(), default=0) <= most
    else:  # the blocks of the dead, each of which had an even share
        assert len(failed) * (blocks // ranks) <= plan["requests"] <= len(failed) * math.ceil(blocks / ranks)


def check_prediction(plan: dict, rounds: list, alpha_us: float, beta_gbps: float, block_bytes: int) -> None:
    seconds = 0.0
    for transfers in rounds:
        largest = max(collections.Counter((s, r) for _, s, r, _ in transfers).values())
        seconds += alpha_us * 1e-6 + largest * block_bytes / (beta_gbps * 1e9)
    assert math.isclose(plan["prediction"]["seconds"], seconds, rel_tol=1e-9), (plan["prediction"], seconds)
    assert "alpha" in plan["prediction"]["model"]
    assert plan["prediction"]["alpha_seconds"] == alpha_us * 1e-6 and plan["prediction"]["beta_bytes_per_second"] == beta_gbps * 1e9


def check_agreement(plan: dict, alpha_us: float, member_us: float) -> None:
    """The time of a shrink: a star of all survivors, six times."""
    found, survivors = plan["agreement"], plan["survivors"]
    one = 1e-6 * (2 * alpha_us + (survivors - 1) * member_us) if survivors > 1 else 0
    levels = math.ceil(math.log2(survivors)) if survivors > 1 else 0
    assert math.isclose(found["agreement_seconds"], one, rel_tol=1e-9) and math.isclose(found["shrink_seconds"], 6 * one, rel_tol=1e-9), found
    assert math.isclose(found["tree_shrink_seconds"], 6e-6 * levels * 2 * (alpha_us + member_us), rel_tol=1e-9), found


def check(program: plan_cli.Program, ranks: int, blocks: int, replicas: int, options: list[str]) -> dict:
    command = ["recover", "-p", str(ranks), "--blocks", str(blocks), "--replicas", str(replicas), *options]
    plan = program.json(*command, "--transfers")
    failed = set(check_failed(plan, ranks, options))
    assert plan["survivors"] == ranks - len(failed)
    block_bytes = int(option(options, "--block-bytes", "1024"))
    rule, node_size = option(options, "--placement", "mod-k"), int(option(options, "--node-size", "1"))
    assert plan["job"] == {"ranks": ranks, "blocks": blocks, "block_bytes": block_bytes, "replicas": replicas, "placement": rule,
                           "partitions": int(option(options, "--partitions", "1")), "node_size": node_size}
    assert plan["redistribute"] == ("--redistribute" in options) and plan["bundle"] == ("--bundle" in options)
    holders = placements.RULES[rule](ranks, blocks, replicas, node_size)
    rounds = check_rounds(plan)
    check_blocks(plan, blocks, ranks, holders, failed)
    check_traffic(plan, block_bytes)
    check_certificate(plan, holders, failed)
    check_prediction(plan, rounds, float(option(options, "--alpha", "2")), float(option(options, "--beta", "10")), block_bytes)
    check_agreement(plan, float(option(options, "--alpha", "2")), float(option(options, "--member", "2.2")))
    assert plan["planning"]["seconds"] >= 0 and plan["planning"]["peak_memory_bytes"] > 0 and plan["planning"]["steps"]
    return plan


WAYS = [[], ["--redistribute"], ["--block-bytes", "100000", "--alpha", "0.5", "--beta", "12.5", "--member", "0.7"],
        ["--bundle"], ["--bundle", "--redistribute", "--block-bytes", "7"]]


def plans(program: plan_cli.Program) -> None:
    """every plan keeps its promises"""
    for (ranks, blocks, replicas, options), way in itertools.product(JOBS, WAYS):
        try:
            check(program, ranks, blocks, replicas, [*options, *way])
        except AssertionError:
            print(f"job: {ranks} {blocks} {replicas} {options} {way}")
            raise


def rules(program: plan_cli.Program) -> None:
    """every placement has the holders that its help describes"""
    for (ranks, blocks, replicas, options), rule in itertools.product(JOBS, ["permuted", "pairwise", "node-aware"]):
        if blocks > 10000:
            continue
        for way in ([], ["--redistribute", "--bundle"]):
            try:
                check(program, ranks, blocks, replicas, [*options, "--placement", rule, *way])
            except AssertionError:
                print(f"job: {ranks} {blocks} {replicas} {options} {rule} {way}")
                raise
    together = ["--node-size", "14", "--fail-nodes", "0,1"]
    lost = {rule: check(program, 40, 4000, 3, [*together, "--placement", rule])["blocks_without_holder"] for rule in placements.RULES}
    assert lost.pop("node-aware") == 0, "two of three nodes died, and each block is on all of them"
    assert all(lost.values()), f"{lost}: expected that rules which do not know the nodes put some blocks on these two only"
    few = program.json("recover", "-p", "40", "--blocks", "4000", "--placement", "permuted", "--failed", "7")
    one = program.json("recover", "-p", "40", "--blocks", "4000", "--placement", "pairwise", "--failed", "7")
    assert few["b"] < one["b"], "expected that more ranks send if blocks are spread"


def redistributions(program: plan_cli.Program) -> None:
    """options for the output do not change the plan, and very many ranges are planned by each rank for itself"""
    for ranks, blocks, replicas, options in JOBS:
        for bundle in ([], ["--bundle"]):
            command = ["recover", "-p", str(ranks), "--blocks", str(blocks), "--replicas", str(replicas), *options, "--redistribute", *bundle]
            brief, whole = program.json(*command), program.json(*command, "--transfers")
            for plan in (brief, whole):
                del plan["planning"]
            del whole["transfers"]
            assert brief == whole, (brief, whole)
    many = ["--failed", "7", "--placement", "permuted", "--redistribute"]
    assert check(program, 10_000, 600_000, 2, many)["senders"] == "local"
    assert check(program, 5_000, 300_000, 2, many)["senders"] == "ranges"


def losses(program: plan_cli.Program) -> None:
    """blocks whose holders are all dead are reported, and are not an error"""
    plan = check(program, 9, 90, 3, ["--failed", "0,3,6"])
    assert plan["blocks_without_holder"] == 30 and plan["unservable"] == 10
    everything = check(program, 9, 90, 3, ["--failed", "0,3,6", "--redistribute"])
    assert everything["unservable_ranges"] == [[0, 30]]
    text = program.text("recover", "-p", "9", "--blocks", "90", "--failed", "0,3,6", "--redistribute")
    for words in ("30 blocks without a living holder, 30 of which are wanted: 0-29", "90 blocks: 30 lost", "3 ranks (33.3 %)"):
        assert words in text, f"expected '{words}' in:\n{text}"
    nothing_left = check(program, 2, 5, 1, ["--failed", "1"])
    assert nothing_left["num_rounds"] == nothing_left["b"] == 0


def bundles(program: plan_cli.Program) -> None:
    """bundled messages need no more rounds, and some need fewer"""
    rounds = []
    for ranks, blocks, replicas, options in JOBS:
        single, bundled = (check(program, ranks, blocks, replicas, [*options, *way])["num_rounds"] for way in ([], ["--bundle"]))
        assert bundled <= single
        rounds.append((single, bundled))
    assert any(bundled < single for single, bundled in rounds), rounds


def draws(program: plan_cli.Program) -> None:
    """same seed, same plan; another seed, another one"""
    def plan(*options: str) -> dict:
        result = program.json("recover", "-p", "200", "--blocks", "1000", "--fail-rate", "0.1", "--transfers", *options)
        del result["planning"]  # holds times
        return result
    assert plan() == plan("--seed", "1") == plan("--seed", "1", "--replicas", "3")
    assert plan("--seed", "2")["failed"] != plan()["failed"] and len(plan("--seed", "2")["failed"]) == 20


def text_explains(program: plan_cli.Program) -> None:
    """the text has the plan's numbers"""
    command = ["recover", "-p", "10", "--blocks", "100", "--failed", "3,6,9", "--partitions", "2"]
    plan = program.json(*command)
    text = program.text(*command)
    for words in ("10 ranks, 100 blocks of 1024 bytes in 2 partitions", "3 ranks (30 %), 7 ranks left", "nothing: every block has a living holder",
                  f"b = {plan['b']} (lower bound {plan['lower_bound']}):", f"not {plan['b'] - 1}: {plan['hall_blocks']} blocks can only come from", f"rounds       {plan['num_rounds']}:",
                  f"{plan['sent']} to be sent", "2 us per message and 10 GB/s", "planned in"):
        assert words in text, f"expected '{words}' in:\n{text}"
    assert len({line.index(line.split("  ")[-1].strip()) for line in text.splitlines()}) == 1, f"columns are not aligned:\n{text}"
    assert "transfers" not in plan, "transfers are only written when asked for"


JOB = ["recover", "-p", "10", "--blocks", "100"]
ERRORS = [  # arguments, words of the message
    (["recover"], "--ranks is required: --ranks P"),
    ([*JOB, "--fail-rate", "1%"], "--fail-rate: '1%', expected a number, such as 0.5"),
    (["recover", "-p", "10"], "--blocks is required"),
    (["recover", "-p", "9", "--blocks", "4611686018427387904", "--failed", "0-7", "--partitions", "7", "--redistribute"], "blocks would have to be loaded"),
    (JOB, "expected one of --failed, --fail-nodes and --fail-rate"),
    ([*JOB, "--failed", "1", "--fail-rate", "0.1"], "expected one of --failed, --fail-nodes and --fail-rate"),
    ([*JOB, "--failed", "10"], "--failed: '10' is not a rank"),
    ([*JOB, "--failed", "1,x"], "--failed: 'x' is not a rank"),
    ([*JOB, "--failed", "1,,2"], "--failed: '' is not a rank"),
    ([*JOB, "--failed", ""], "--failed: the value is empty"),
    ([*JOB, "--failed", "5-3"], "--failed: '5-3' is not a rank"),
    ([*JOB, "--failed", "1-"], "--failed: '1-' is not a rank"),
    ([*JOB, "--failed", "0-99999999999999999999"], "is not a rank"),
    ([*JOB, "--failed", "4294967296"], "is not a rank"),
    ([*JOB, "--failed", "0-9"], "expected that at least one survives"),
    ([*JOB, "--fail-rate", "1"], "expected that at least one survives"),
    ([*JOB, "--node-size", "5", "--fail-nodes", "2"], "--fail-nodes: '2' is not a node or a range of them, expected numbers from 0 to 1"),
    ([*JOB, "--fail-nodes", ""], "--fail-nodes: the value is empty"),
    ([*JOB, "--fail-rate", "1.5"], "--fail-rate"),
    ([*JOB, "--fail-rate", "-0.5"], "--fail-rate"),
    ([*JOB, "--fail-rate", "nan"], "--fail-rate"),
    ([*JOB, "--fail-rate", "x"], "--fail-rate"),
    ([*JOB, "--failed", "1", "--replicas", "11"], "--replicas: more than the 10 ranks"),
    ([*JOB, "--failed", "1", "--replicas", "0"], "--replicas: '0', expected a whole number from 1"),
    ([*JOB, "--failed", "1", "--block-bytes", "0"], "--block-bytes"),
    ([*JOB, "--failed", "1", "--partitions", "-1"], "--partitions: '-1', expected a whole number"),
    ([*JOB, "--failed", "1", "--seed", "-1"], "--seed"),
    ([*JOB, "--failed", "1", "--node-size", "0"], "--node-size"),
    ([*JOB, "--failed", "1", "--alpha", "-1"], "--alpha"),
    ([*JOB, "--failed", "1", "--alpha", "inf"], "--alpha"),
    ([*JOB, "--failed", "1", "--member", "nan"], "--member"),
    ([*JOB, "--failed", "1", "--beta", "0"], "--beta"),
    ([*JOB, "--failed", "1", "--placement", "random"], "--placement"),
    (["recover", "-p", "0", "--blocks", "1", "--failed", "0"], "--ranks: '0', expected a whole number from 1"),
    (["recover", "-p", "9", "--blocks", "-1", "--failed", "0"], "--blocks: '-1', expected a whole number"),
    (["recover", "-p", "9", "--blocks", "0x10", "--failed", "0"], "--blocks: '0x10'"),
    (["recover", "-p", "9", "--blocks", "18446744073709551616", "--failed", "0"], "--blocks: '18446744073709551616'"),
    (["recover", "-p", "9", "--blocks", "18446744073709551615", "--failed", "0"], "expected a whole number from 0 to 4611686018427387904"),
    (["recover", "-p", "2", "--blocks", "4611686018427387904", "--failed", "0"], "2305843009213693952 blocks would have to be loaded, expected no more than 2^30"),
]


def errors(program: plan_cli.Program) -> None:
    """every mistake is told"""
    for arguments, message in ERRORS:
        program.refuses(*arguments, message=message)
    for option in ("--ranks", "--blocks", "--fail-rate", "--failed", "--replicas", "--seed", "--json"):
        program.refuses("recover", option, "", message=f"{option}: the value is empty")
    nothing = program.run()
    nothing.require(nothing.code == 2 and "the command is missing, expected recover, loss or simulate" in nothing.err, "expected exit code 2 without a command")
    frobnicate = program.run("frobnicate")
    frobnicate.require(frobnicate.code == 2 and "'frobnicate'" in frobnicate.err, "expected that an unknown command is refused")
    alone = program.run(*JOB, "--failed", "1", "--transfers")
    alone.require(alone.code == 2 and "--transfers" in alone.err, "expected to be told that --transfers is for --json")


def outputs(program: plan_cli.Program) -> None:
    """JSON appears whole or not at all"""
    command = [*JOB, "--failed", "1,2"]
    target = program.path / "plan.json"
    program.text(*command, "--json", str(target))
    assert target.read_text().endswith("}\n")
    plan_cli.check_standard_output(program, *command)
    plan_cli.check_usage(program, *command)
    for words in ("recover", "loss", "simulate", "Exit codes"):
        assert words in program.text("--help")
    assert program.text("--version").startswith("regraft-plan ")
    assert "alpha + largest message" in program.text("recover", "--help")
    unwritable = program.run(*command, "--json", str(program.path))
    unwritable.require(unwritable.code == 1 and "cannot be written: Is a directory" in unwritable.err, "expected exit code 1")
    fewer = program.json("recover", "-p", "2", "--blocks", "10", "--failed", "1")
    assert fewer["job"]["replicas"] == 2, "expected that there are no more replicas than ranks, unless asked for"


if __name__ == "__main__":
    sys.exit(plan_cli.main(plans, rules, redistributions, losses, bundles, draws, text_explains, errors, outputs))
