#!/usr/bin/env python3
"""regraft-plan match: b is right, and proved; every mistake in a file is told with its place. plan_match.py EXE"""
import itertools
import random
import sys

import plan_cli


def right_b(graph: list[list[int]], ranks: int) -> int:
    """The least b by definition: the best of all choices of senders."""
    choices = [row for row in graph if row]
    return min((max((choice.count(v) for v in range(ranks)), default=0) for choice in itertools.product(*choices)), default=0)


def b_by_subsets(graph: list[list[int]], ranks: int) -> int:
    """The least b by duality: the worst of all sets of ranks."""
    best = 0
    for size in range(1, ranks + 1):
        for chosen in itertools.combinations(range(ranks), size):
            best = max(best, -(-confined(graph, chosen) // size))
    return best


def confined(graph: list[list[int]], ranks) -> int:
    return sum(1 for row in graph if row and set(row) <= set(ranks))


def text_of(graph: list[list[int]], ranks: int) -> str:
    return f"{len(graph)} {ranks}\n" + "".join(" ".join(map(str, row)) + "\n" for row in graph)


def check_plan(plan: dict, graph: list[list[int]], ranks: int) -> None:
    """Checks everything except that b is the least."""
    assert plan["blocks"] == len(graph) and plan["ranks"] == ranks
    assert plan["unservable"] == [x for x, row in enumerate(graph) if not row]
    assert len(plan["sender"]) == len(graph)
    for row, sender in zip(graph, plan["sender"]):
        assert sender in row if row else sender is None, plan
    senders = [sender for sender in plan["sender"] if sender is not None]
    assert plan["b"] == max((senders.count(v) for v in set(senders)), default=0), plan
    holders = {v for row in graph for v in row}
    assert plan["lower_bound"] == (-(-len(senders) // len(holders)) if holders else 0), plan
    hall = plan["hall_set"]
    assert hall == sorted(set(hall)), plan
    assert plan["hall_blocks"] == confined(graph, hall), plan
    if plan["b"] > 0:
        assert confined(graph, hall) > (plan["b"] - 1) * len(hall), f"the set proves nothing: {plan}"


def random_graph(seed: int) -> tuple[list[list[int]], int]:
    dice = random.Random(seed)
    ranks = dice.randint(1, 5)
    skew = dice.choice([0, 1, 3])
    weights = [(v + 1) ** -skew for v in range(ranks)]
    degree = dice.choice([1, 2, 3])
    graph = [dice.choices(range(ranks), weights, k=dice.randint(0 if dice.random() < 0.2 else 1, degree)) for _ in range(dice.randint(0, 7))]
    return graph, ranks


def small_graphs(program: plan_cli.Program) -> None:
    """b is the least, by two definitions"""
    for seed in range(150):
        graph, ranks = random_graph(seed)
        plan = program.json("match", "-", stdin=text_of(graph, ranks))
        check_plan(plan, graph, ranks)
        expected = right_b(graph, ranks)
        assert b_by_subsets(graph, ranks) == expected, "the test is wrong"
        assert plan["b"] == expected, f"seed {seed}: expected b = {expected}: {plan}"


def larger_graphs(program: plan_cli.Program) -> None:
    """the certificate alone proves b"""
    for seed, (blocks, ranks, degree) in enumerate([(2000, 50, 3), (5000, 1000, 2), (3000, 7, 3), (1000, 2000, 4)]):
        dice = random.Random(seed)
        graph = [[int(ranks * dice.random() ** 2) for _ in range(dice.randint(0, degree))] for _ in range(blocks)]
        check_plan(program.json("match", program.file("large.txt", text_of(graph, ranks))), graph, ranks)


def formats(program: plan_cli.Program) -> None:
    """a file may have these forms"""
    expected = ([[0, 1], [], [2], [1]], 3)
    for text in ("4 3\n0 1\n\n2\n1\n",
                 "4 3\n0 1\n\n2\n1",                                            # no end of the last line
                 "4 3\r\n0 1\r\n\r\n2\r\n1\r\n",
                 "\ufeff4 3\n0 1\n\n2\n1\n",
                 "# graph\n\n  # of mine\n 4\t3 # blocks and ranks\n0 1\n# a comment is no block\n \t \n\t2# the third\n01\n",
                 "4 3\n1 0 1 0\n\n2 2\n1\n",                                      # twice is harmless
                 "4 3\n0 1\n\n2\n1\n\n  \n# the end\n\n",
                 "4 3\n0 1\n\n   # 0 1\n2\n1\n"):
        plan = program.json("match", "-", stdin=text)
        check_plan(plan, *expected)
        assert plan["b"] == 1, f"{text!r}: {plan}"
    for text, graph, ranks in (("0 0\n", [], 0), ("0 0", [], 0), ("0 5\n", [], 5), ("2 5\n\n\n", [[], []], 5), ("1 0\n\n", [[]], 0),
                               ("2 2\n0\n \t", [[0], []], 2), ("1 1\n0\n", [[0]], 1)):
        for source, stdin in ((program.file("small.txt", text), ""), ("-", text)):
            plan = program.json("match", source, stdin=stdin)
            check_plan(plan, graph, ranks)
            assert plan["b"] == (1 if any(graph) else 0)


def text_explains(program: plan_cli.Program) -> None:
    """the text has b and its proof"""
    text = program.text("match", "-", stdin="6 4\n0\n0 1\n1\n0 1\n0 1\n\n")
    for words in ("6 blocks", "4 ranks", "b            3:", "lower bound  3", "5 blocks can only come from 2 ranks (0, 1)", "2 * 2 = 4 is less",
                  "1 block without a holder: 5"):
        assert words in text, f"expected '{words}' in:\n{text}"
    assert "0: no rank sends" in program.text("match", "-", stdin="0 0\n")


ERRORS = [  # a file, the place of the mistake, words of the message
    ("", "1:1", "expected BLOCKS RANKS"),
    ("\n# nothing\n\n", "4:1", "expected BLOCKS RANKS"),
    ("3\n", "1:2", "expected the number of ranks"),
    ("3 # 4\n", "1:3", "expected the number of ranks"),
    ("3 4 5\n", "1:5", "'5' is too much"),
    ("x 4\n", "1:1", "'x' is not a number of blocks"),
    ("-3 4\n", "1:1", "'-3' is not a number of blocks"),
    ("3 4.5\n", "1:3", "'4.5' is not a number of ranks"),
    ("4294967295 1\n", "1:1", "expected a number from 0 to 4294967294"),
    ("1 4294967297\n", "1:3", "expected a number from 0 to 4294967296"),
    ("99999999999999999999999999 1\n", "1:1", "is not a number of blocks"),
    ("18446744073709551617 1\n\n", "1:1", "is not a number of blocks"),  # 1, if numbers could overflow
    ("2 3\n0 1\n0 3\n", "3:3", "'3' is not a rank, expected a number from 0 to 2, as the first line says 3 ranks"),
    ("2 3\n0 1\n 0 -1 2\n", "3:4", "'-1' is not a rank"),
    ("2 3\n0 1\n\t18446744073709551616\n", "3:2", "'18446744073709551616' is not a rank"),
    ("2 3\n0 1\n4294967296\n", "3:1", "is not a rank"),
    ("2 3\n0,1\n0\n", "2:1", "'0,1' is not a rank"),
    ("2 3\n0 1x\n0\n", "2:3", "'1x' is not a rank"),
    ("2 3\n0 +1\n0\n", "2:3", "'+1' is not a rank"),
    ("2 3\n0 \r1\n0\n", "2:3", "'\\x0d1' is not a rank"),
    (b"2 3\n0 \xff\xfe\0\n0\n", "2:3", "'\\xff\\xfe\\x00' is not a rank"),
    ("1 0\n0\n", "2:1", "'0' is not a rank, expected none, as the first line says 0 ranks"),
    ("# c\r\n2 3\r\n0 1\r\n0 3\r\n", "4:3", "'3' is not a rank"),
    ("3 3\n0\n1\n", "4:1", "expected 3 lines for as many blocks, there were 2"),
    ("3 3\n0\n1", "4:1", "there were 2"),
    ("3 3\n0\n# c\n1\n# c\n", "6:1", "there were 2"),
    ("2 3\n0\n1\n2\n", "4:1", "'2' is too much, expected no more than 2 blocks"),
    ("2 3\n0\n1\n\n# c\n  2 1\n", "6:3", "'2' is too much"),
    ("4000000000 4000000000\n0\n", "3:1", "there were 1"),
    ("1 1\n" + "9" * 1000 + "\n", "2:1", "'" + "9" * 40 + "...' is not a rank"),
]


def errors(program: plan_cli.Program) -> None:
    """every mistake is told with its place"""
    plan_cli.check_mistakes(program, "match", ERRORS)
    program.refuses("match", str(program.path / "none.txt"), message="none.txt: cannot be read: No such file")
    program.refuses("match", str(program.path), message="cannot be read: Is a directory")
    program.refuses("match", message="GRAPH")
    nothing = program.run()
    nothing.require(nothing.code == 2 and "the command is missing, expected match, rounds, recover, loss or simulate" in nothing.err, "expected exit code 2 without a command")
    frobnicate = program.run("frobnicate")
    frobnicate.require(frobnicate.code == 2 and "'frobnicate'" in frobnicate.err, "expected that an unknown command is refused")


def little_memory(program: plan_cli.Program) -> None:
    """memory follows the file, not its first line"""
    usual = program.run("match", "-", stdin="1 1\n0\n").peak_bytes
    for text, code in (("4000000000 4000000000\n0\n", 2), ("4294967294 4294967296\n", 2), ("3 4294967296\n4294967295 0\n\n1234567890\n", 0)):
        result = program.run("match", "-", stdin=text)
        result.require(result.code == code, f"expected exit code {code}")
        result.require(result.peak_bytes < usual + (8 << 20), f"took {result.peak_bytes} bytes, a tiny file takes {usual}")
    plan = program.json("match", "-", stdin="3 4294967296\n4294967295 0\n\n1234567890\n")
    check_plan(plan, [[4294967295, 0], [], [1234567890]], 4294967296)


def outputs(program: plan_cli.Program) -> None:
    """JSON appears whole or not at all"""
    graph = program.file("graph.txt", "4 3\n0 1\n0\n\n1 2\n")
    plan_cli.check_json_files(program, "match", graph)
    plan_cli.check_standard_output(program, "match", graph)
    plan_cli.check_usage(program, "match", graph)
    for words in ("match", "rounds", "recover", "Exit codes"):
        assert words in program.text("--help")
    assert program.text("--version").startswith("regraft-plan ")
    odd = program.path / "\udcff \"odd\".txt"
    odd.write_text("1 1\n0\n")
    assert program.json("match", str(odd))["b"] == 1, "expected that a file may have any name"


if __name__ == "__main__":
    sys.exit(plan_cli.main(small_graphs, larger_graphs, formats, text_explains, errors, little_memory, outputs))
