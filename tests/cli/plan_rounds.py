#!/usr/bin/env python3
"""regraft-plan rounds: as few rounds as can be, and no rank does two things at once. plan_rounds.py EXE"""
import collections
import random
import re
import sys

import plan_cli


def check_plan(plan: dict, transfers: list[tuple[int, int]]) -> None:
    remote = [(s, r) for s, r in transfers if s != r]
    degree = max([*collections.Counter(s for s, _ in remote).values(), *collections.Counter(r for _, r in remote).values()], default=0)
    assert plan["num_rounds"] == plan["largest_degree"] == degree, plan
    assert plan["transfers"] == len(transfers) and plan["local"] == len(transfers) - len(remote), plan
    assert len(plan["round"]) == len(transfers), plan
    seen = set()
    for (sender, receiver), number in zip(transfers, plan["round"]):
        if sender == receiver:
            assert number is None, plan
            continue
        assert 0 <= number < degree, plan
        for key in (("sends", sender, number), ("receives", receiver, number)):
            assert key not in seen, f"rank {key[1]} {key[0]} twice in round {number}"
            seen.add(key)


def text_of(transfers: list[tuple[int, int]]) -> str:
    return "".join(f"{s} {r}\n" for s, r in transfers)


def random_transfers(seed: int) -> list[tuple[int, int]]:
    dice = random.Random(seed)
    ranks = dice.choice([1, 2, 3, 10, 100])
    count = dice.choice([0, 1, 2, 5, 50, 500])
    spread = dice.choice([1, 1, 1_000_003])
    return [(spread * dice.randrange(ranks), spread * dice.randrange(ranks)) for _ in range(count)]


def plans(program: plan_cli.Program) -> None:
    """rounds are a proper colouring with as many colours as the largest degree"""
    for seed in range(150):
        transfers = random_transfers(seed)
        check_plan(program.json("rounds", "-", stdin=text_of(transfers)), transfers)
    largest = 4294967294
    for transfers in ([], [(0, 0)], [(largest, 0), (0, largest), (largest, largest)], [(1, 2)] * 7, [(0, r) for r in range(1, 20)], [(s, 20) for s in range(9)],
                      [(s, r) for s in range(12) for r in range(12)]):
        check_plan(program.json("rounds", program.file("t.txt", text_of(transfers))), transfers)
    dice = random.Random(1)
    many = [(dice.randrange(500), dice.randrange(500)) for _ in range(50_000)]
    check_plan(program.json("rounds", "-", stdin=text_of(many)), many)


def formats(program: plan_cli.Program) -> None:
    """a file may have these forms"""
    for text in ("0 1\n0 2\n3 1\n", "0 1\n0 2\n3 1", "0 1\r\n0 2\r\n3 1\r\n", "# t\n\n 0\t1 # first\n\n  # none\n0 2#\n3 01\n\n", "\ufeff0 1\n0 2\n3 1\n"):
        check_plan(program.json("rounds", "-", stdin=text), [(0, 1), (0, 2), (3, 1)])
    check_plan(program.json("rounds", "-", stdin="\n# nothing\n"), [])


def lists(program: plan_cli.Program) -> None:
    """--list has the rounds of the JSON, in the order of the file"""
    transfers = [(0, 1), (0, 2), (3, 1), (4, 4), (2, 1), (0, 2), (3, 0)]
    plan = program.json("rounds", "-", stdin=text_of(transfers))
    text = program.text("rounds", "-", "--list", stdin=text_of(transfers))
    listed = [[tuple(map(int, pair.split("->"))) for pair in line.split()] for line in re.findall(r"^round \d+:(.*)$", text, re.M)]
    expected = [[t for t, number in zip(transfers, plan["round"]) if number == i] for i in range(plan["num_rounds"])]
    assert listed == expected and len(expected) > 1
    short = program.text("rounds", "-", stdin="0 1\n0 2\n3 1\n4 4\n")
    for words in ("4 transfers, 1 of them local", "rounds       2:", "rank 0 sends 2", "rank 1 receives 2"):
        assert words in short, f"expected '{words}' in:\n{short}"
    assert "round 0:" not in program.text("rounds", "-", stdin="0 1\n")
    assert "no rank sends" in program.text("rounds", "-", "--list", stdin="")


ERRORS = [  # a file, the place of the mistake, words of the message
    ("0\n", "1:2", "expected the receiver"),
    ("0 1\n\n2 # 3\n", "3:3", "expected the receiver"),
    ("0 1 2\n", "1:5", "'2' is too much, expected a new line"),
    ("0 1\n0 x\n", "2:3", "'x' is not a receiver"),
    ("0 1\n-1 0\n", "2:1", "'-1' is not a sender"),
    ("0->1\n", "1:1", "'0->1' is not a sender"),
    ("0 4294967295\n", "1:3", "expected a number from 0 to 4294967294"),
    ("0 18446744073709551616\n", "1:3", "is not a receiver"),
    (b"0 \0\n", "1:3", "'\\x00' is not a receiver"),
]


def errors(program: plan_cli.Program) -> None:
    """every mistake is told with its place"""
    plan_cli.check_mistakes(program, "rounds", ERRORS)
    program.refuses("rounds", str(program.path / "none.txt"), message="none.txt: cannot be read")
    program.refuses("rounds", message="TRANSFERS")


def outputs(program: plan_cli.Program) -> None:
    """JSON appears whole or not at all"""
    transfers = program.file("transfers.txt", "0 1\n0 2\n3 1\n4 4\n")
    plan_cli.check_json_files(program, "rounds", transfers)
    plan_cli.check_standard_output(program, "rounds", transfers, "--list")
    plan_cli.check_usage(program, "rounds", transfers)


if __name__ == "__main__":
    sys.exit(plan_cli.main(plans, formats, lists, errors, outputs))
