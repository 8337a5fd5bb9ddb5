#!/usr/bin/env python3
"""regraft-plan simulate: data is lost as often as the closed forms say, time adds up, and the same seed gives the same bytes. plan_simulate.py EXE"""
import json
import math
import sys
import xml.etree.ElementTree

import plan_cli

UNSAFE = ["simulate", "-p", "96", "--node-size", "4", "--state-bytes", "100000"]
SMALL = [*UNSAFE, "--mtbf-node", "300"]


def losses(program: plan_cli.Program) -> None:
    """without repair, so many failures at once lose data as often as regraft-plan loss computes"""
    jobs = 1500
    checked = 0
    for placement, ranks, node, replicas, burst in (
            ("mod-k", 60, 1, 2, 8), ("mod-k", 62, 1, 3, 14), ("permuted", 60, 1, 3, 15), ("pairwise", 60, 1, 2, 6),
            ("node-aware", 96, 4, 2, 5), ("node-aware", 96, 4, 3, 9), ("mod-k", 96, 4, 3, 9)):
        same = ["-p", str(ranks), "--node-size", str(node), "--placement", placement, "-r", str(replicas)]
        computed = program.json("loss", *same, "--failures", str(burst))["safety"][0]["computed"]
        expected = computed["probabilities"][0]["loss"]
        assert 0.05 < expected < 0.95, f"{expected} tests nothing"
        simulated = program.json("simulate", *same, "--no-repair", "--burst", str(burst), "--jobs", str(jobs), "--hours", "1", "--interval", "20",
                                 "--state-bytes", "0")
        part = simulated["candidates"][0]["loses_data"]["part"]
        sigma = math.sqrt(expected * (1 - expected) / jobs)
        assert abs(part - expected) <= 4 * sigma, (placement, ranks, node, replicas, burst, part, expected, sigma)
        for life in simulated["candidates"][0]["lives"]:
            assert life["failures"] == burst and life["recoveries"] == 1
        checked += 1
    assert checked == 7


def codes(program: plan_cli.Program) -> None:
    """an erasure code survives as many failures as it has parities, and no more than that if the failures are neighbours"""
    fates = []
    for failed in ([0, 1], [0, 1, 2], [0, 1, 11], [0, 4, 8], [0, 6, 9], [5]):
        trace = "".join(f"0.5 node {node}\n" for node in failed)
        plan = program.json("simulate", "-p", "12", "--code", "4+2", "--trace", "-", "--no-repair", "--hours", "1", stdin=trace)
        # Stripes are any six neighbours on a ring of twelve: three failures are fatal if six neighbours have all of them.
        near = any(len({(node - first) % 12 for node in failed} & set(range(6))) > 2 for first in range(12))
        expected = "data lost" if near else "finished"
        assert plan["candidates"][0]["lives"][0]["fate"] == expected, failed
        fates.append(expected)
        assert plan["candidates"][0]["code"] == {"data": 4, "parity": 2}
    assert fates.count("finished") >= 3 and fates.count("data lost") >= 2, fates
    whole = program.json("simulate", "-p", "12", "--code", "4+2", "--state-bytes", "0", "--trace", "-", stdin="")["candidates"][0]["lives"][0]
    copied = program.json("simulate", "-p", "12", "-r", "3", "--state-bytes", "0", "--trace", "-", stdin="")["candidates"][0]["lives"][0]
    assert whole["memory_at_begin"] * 2 == copied["memory_at_begin"] == 3 * 64 * 16384


def repairs(program: plan_cli.Program) -> None:
    """one failure after the other is survived with repair, and all at once is not"""
    one_by_one = "".join(f"{hour} node {hour}\n" for hour in range(1, 11))
    at_once = "".join(f"1 node {hour}\n" for hour in range(1, 11))
    command = ["simulate", "-p", "48", "--node-size", "4", "-r", "2", "--trace", "-"]
    assert program.json(*command, stdin=one_by_one)["candidates"][0]["lives"][0]["fate"] == "finished"
    assert program.json(*command, stdin=at_once)["candidates"][0]["lives"][0]["fate"] == "data lost"
    assert program.json(*command, "--no-repair", stdin=one_by_one)["candidates"][0]["lives"][0]["fate"] == "data lost"
    life = program.json(*command, stdin=one_by_one)
    assert [event["dead"] for event in life["life"]] == [4] * 10
    assert [round(event["begin"] / 3600) for event in life["life"]] == list(range(1, 11))


def racks(program: plan_cli.Program) -> None:
    """copies in other racks survive the death of a rack, copies on other nodes need not"""
    command = ["simulate", "-p", "96", "--node-size", "4", "--rack-nodes", "4", "--switch-racks", "2", "-r", "2", "--trace", "-"]
    fates = {}
    for apart in ("rank", "node", "rack", "switch"):
        plan = program.json(*command, "--apart", apart, "--placement", "node-aware", stdin="2 rack 1\n")
        fates[apart] = plan["candidates"][0]["lives"][0]["fate"]
        assert plan["machine"] == {"ranks": 96, "nodes": 24, "racks": 6, "switches": 3}
        assert plan["life"][0]["dead"] == 16
    assert fates["rack"] == fates["switch"] == "finished", fates
    assert program.json(*command, "--apart", "switch", stdin="2 switch 2\n")["candidates"][0]["lives"][0]["fate"] == "finished"
    few = ["simulate", "-p", "960", "--node-size", "48", "--rack-nodes", "4", "--apart", "rack", "--trace", "-"]  # an example of --help
    assert [event["dead"] for event in program.json(*few, stdin="0.5 node 3\n7 rack 0\n")["life"]] == [48, 144]


def accounts(program: plan_cli.Program) -> None:
    """times add up, and the parts of a recovery are those of the constants"""
    plan = program.json(*SMALL, "--jobs", "20", "--set", "notice_ms=500", "--set", "agreement_us=10", "--set", "agreement_us_per_rank=1",
                        "--set", "shrink_us=1000")
    candidate = plan["candidates"][plan["best"]]
    assert plan["constants"]["notice_ms"] == 500 and plan["constants"]["node_gbps"] == 25
    dead = 0
    for event in plan["life"]:
        dead += event["dead"]
        parts = event["seconds"]
        assert parts["notice"] == 0.5
        assert math.isclose(parts["shrink"], 1e-3 + 6e-6 * (10 + 96 - dead)), (event, dead)
        assert math.isclose(event["end"] - event["begin"], sum(parts.values()), rel_tol=1e-9) or event["failures"] > 1
    for life in candidate["lives"]:
        assert life["fate"] == "finished" and life["seconds"] >= 24 * 3600 + life["commit_seconds"] + life["work_lost_seconds"]
    finished = [life["seconds"] for life in candidate["lives"]]
    assert math.isclose(candidate["mean_seconds"], sum(finished) / len(finished))
    assert math.isclose(candidate["node_hours"], 24 * sum(finished) / len(finished) / 3600)
    assert 0 < candidate["lives"][0]["submit_seconds"] < 1
    calm = program.json("simulate", "-p", "96", "--node-size", "4", "--trace", "-", stdin="# nothing fails\n")
    assert calm["failures"]["seconds_between"] is None and calm["disk"]["seconds"] == 24 * 3600 and calm["life"] == []


def transports(program: plan_cli.Program) -> None:
    """rounds that are spread over nodes take less than others, carry the same bytes, and take no less than all at once"""
    command = ["simulate", "-p", "512", "--node-size", "16", "--block-bytes", "10000000", "--hours", "1", "--trace", "-"]
    for name in ("exchange_us", "exchange_us_per_rank"):  # what a collective exchange takes beside its messages
        command += ["--set", f"{name}=0"]
    plans = {way: program.json(*command, "--transport", way, stdin="0.5 node 9\n") for way in ("collective", "two-tier", "rounds")}
    assert all(plan["job"]["transport"] == way for way, plan in plans.items())
    load = {way: plan["life"][0]["seconds"]["load"] for way, plan in plans.items()}
    assert load["collective"] <= load["two-tier"] < load["rounds"], load
    for sent in ("bytes_between", "bytes_within"):
        assert len({plan["life"][0][sent] for plan in plans.values()}) == 1, sent


def crowded_nodes(program: plan_cli.Program) -> None:
    """ranks that share a core take as long as all of them together"""
    large = ["simulate", "-p", "16", "--node-size", "8", "--block-bytes", "1000000", "--trace", "-", "--placement", "mod-k"]
    fast = dict.fromkeys(("within_gbps", "between_gbps", "node_gbps", "fresh_gbps"), 1e9)
    path = program.file("fast.json", json.dumps(fast))
    times = {cores: program.json(*large, "--constants", path, "--set", f"cores_per_node={cores}", "--set", "memory_gbps=1", stdin="0.5 rank 3\n")
             for cores in (0, 8, 2)}
    submit = {cores: plan["candidates"][0]["lives"][0]["submit_seconds"] for cores, plan in times.items()}
    assert submit[0] == submit[8] and math.isclose(submit[2] - submit[0], 3 * 64e6 / 1e9, rel_tol=1e-3), submit
    plans = {cores: plan["life"][0]["seconds"]["plan"] for cores, plan in times.items()}
    assert plans[0] == plans[8] and math.isclose(plans[2], 4 * plans[0]), plans


def constants_files(program: plan_cli.Program) -> None:
    """a file of constants counts, options count more, and mistakes are told with their place"""
    path = program.file("machine.json", '{\n  "machine": "a name",\n  "notice_ms": 70,\n  "disk_gbps": 5e1\n}\n')
    constants = program.json(*SMALL, "--constants", path, "--set", "disk_gbps=60")["constants"]
    assert (constants["notice_ms"], constants["disk_gbps"], constants["node_gbps"]) == (70, 60, 25)
    assert program.json(*SMALL, "--constants", program.file("again.json", json.dumps(constants)))["constants"] == constants
    for text, place, message in (
            ('{\n "notice_m": 1}', "2:2", "did you mean notice_ms?"), ('{\n\n  "disk_gbps": 0}', "3:3", "disk_gbps: '0', expected a number from 1e-06"),
            ('{"disk_gbps": "x"}', "1:2", "disk_gbps: 'x'"), ('{"disk_gbps": [1]}', "1:2", "disk_gbps: '['"), ("[1]", "1:1", "expected an object"),
            ("", "1:1", "this is no JSON"), ('{"disk_gbps": 1', "1:16", "this is no JSON"), ('{\n"disk_gbps": 1,}', "2:16", "this is no JSON"),
            ('{"notice_ms": -1}', "1:2", "notice_ms: '-1'"), ('{"machine": 3}', "1:2", "machine: expected a text"), ("7", "1:1", "expected an object")):
        bad = program.file("bad.json", text)
        program.refuses(*SMALL, "--constants", bad, message=f"bad.json:{place}: ")
        program.refuses(*SMALL, "--constants", bad, message=message)


def traces(program: plan_cli.Program) -> None:
    """every mistake in a trace is told with its place"""
    command = ["simulate", "-p", "12", "--node-size", "4", "--rack-nodes", "2"]
    for text, place, message in (
            ("x node 1\n", "1:1", "'x' is not a time"), ("1 node 1\n-1 node 0\n", "2:1", "'-1' is not a time"), ("nan node 0\n", "1:1", "'nan'"),
            ("1\n", "1:2", "the line ends, expected the kind"), ("# a\n1 planet 0\n", "2:3", "'planet' does not fail, expected rank, node, rack or switch"),
            ("1 node 3\n", "1:8", "expected a number from 0 to 2, as there are 3"), ("1 node\n", "1:7", "the line ends, expected the node"),
            ("1 switch 0\n", "1:3", "a switch fails, but there are none"), ("1 node 0 0\n", "1:10", "'0' is too much"), ("1e300 node 0\n", "1:1", "'1e300'"),
            ("1 node -1\n", "1:8", "'-1' is not a node"), ("1 node \xff\n", "1:8", "is not a node")):
        path = program.file("bad.txt", text)
        program.refuses(*command, "--trace", path, message=f"bad.txt:{place}: ")
        program.refuses(*command, "--trace", path, message=message)
        program.refuses(*command, "--trace", "-", message=f"standard input:{place}: ", stdin=text)
    twice = program.json(*command, "--trace", "-", stdin="3 node 0\n2 rank 1 # dies first\n\n3 rank 2\r\n9 node 0\n")
    assert [(event["failures"], event["dead"]) for event in twice["life"]] == [(1, 1), (2, 3)], "the dead do not fail again"


def seeds(program: plan_cli.Program) -> None:
    """the same bytes for any number of threads; other failures for another seed"""
    command = [*SMALL, "--jobs", "24", "--shape", "0.7", "--mtbf-rank", "5000"]
    one, three, other = (program.run(*command, *more, "--json", "-").out for more in (["-T", "1"], ["-T", "3"], ["--seed", "2"]))
    assert one == three != other
    assert program.run(*command, "-T", "1").out == program.run(*command, "-T", "3").out


def optimise(program: plan_cli.Program) -> None:
    """of all combinations the one with the fewest node hours is named"""
    command = [*UNSAFE, "--mtbf-node", "100", "--jobs", "12", "--optimise", "-r", "1,2,3", "--placement", "node-aware,mod-k", "--interval", "auto,60"]
    plan = program.json(*command)
    assert len(plan["candidates"]) == 12
    assert len({(c["replicas"], c["placement"], c["interval_seconds"]) for c in plan["candidates"]}) == 12
    hours = [math.inf if c["node_hours"] is None else c["node_hours"] for c in plan["candidates"]]
    assert hours[plan["best"]] == min(hours) < math.inf and math.inf in hours, "one replica loses data at the first failure"
    text = program.text(*command)
    assert text.count("\n* ") == 2 and "never" in text
    alone = program.json(*UNSAFE, "--mtbf-node", "100", "--jobs", "12", "-r", "2", "--placement", "mod-k", "--interval", "60")["candidates"][0]
    assert alone in plan["candidates"], "candidates meet the same failures as when they are alone"


def texts(program: plan_cli.Program) -> None:
    """the text tells what was asked for"""
    text = program.text(*SMALL, "--jobs", "8", "--spares", "2")
    for words in ("96 ranks on 24 nodes", "a node every 300 h; on all of them one every 12.5 h", "3 replicas, node-aware", "with 95 % confidence", "(median)", "(99 %)",
                  "between nodes", "on the fullest rank", "without failures", "on disk, by Daly, 2 spare nodes"):
        assert words in text, f"expected '{words}' in:\n{text}"
    assert "data lost" not in text and "too slow" not in text
    assert "too slow" in program.text("simulate", "-p", "64", "--mtbf-node", "200", "--set", "notice_ms=1e6", "--limit", "1.01")
    assert "nothing is written" in program.text("simulate", "-p", "4", "--mtbf-node", "1000", "--state-bytes", "0")
    assert "100 MB of state on each rank" in program.text("simulate", "-p", "4", "--mtbf-node", "1000")
    assert "from a trace" in program.text("simulate", "-p", "4", "--trace", "-", stdin="1 node 1\n")
    assert "2 nodes at once" in program.text("simulate", "-p", "8", "--burst", "2")


def figures(program: plan_cli.Program) -> None:
    """a drawing that XML readers take, with a line that ends where the work is done"""
    target = program.path / "life.svg"
    program.text(*SMALL, "--svg", str(target))
    root = xml.etree.ElementTree.fromstring(target.read_text())
    name = "{http://www.w3.org/2000/svg}"
    assert root.tag == name + "svg" and len(root.findall(name + "polyline")) == 2
    assert program.run(*SMALL, "--svg", "-").out == target.read_text()
    work = [tuple(map(float, place.split(","))) for place in root.find(name + "polyline").get("points").split()]
    assert all(a[0] <= b[0] for a, b in zip(work, work[1:])), "time goes on"
    assert work[-1][1] == min(y for _, y in work), "the work is done at the end"
    words = ["".join(text.itertext()) for text in root.findall(name + "text")]
    assert "hours of work done" in words and "ranks" in words and any("24 h of work take" in word for word in words)
    many = [*SMALL, "--jobs", "9"]
    plan = program.json(*many)
    median = sorted(plan["candidates"][0]["lives"], key=lambda life: (life["fate"] != "finished", life["seconds"]))[4]
    assert len(plan["life"]) == median["recoveries"], "expected the median life"
    picture = program.run(*many, "--svg", "-").out
    assert "the median of 9 lives" in picture and f"{median['failures']} failure" in picture, "expected the median life"
    lost = program.run("simulate", "-p", "8", "-r", "1", "--trace", "-", "--svg", "-", stdin="5 node 3\n").out
    assert "data lost" in lost and "ends after" in lost


ERRORS = [  # arguments after "simulate", words of the message
    ([], "--ranks is required"),
    (["-p", "4"], "no failures are given"),
    (["-p", "4", "--mtbf-node", "5", "--burst", "1"], "failures are given in two ways"),
    (["-p", "4", "--mtbf-node", "0"], "--mtbf-node: expected a number of hours above 0"),
    (["-p", "4", "--mtbf-node", "nan"], "--mtbf-node"),
    (["-p", "4", "--mtbf-rack", "5"], "--mtbf-rack: there are none"),
    (["-p", "4", "--burst", "5"], "--burst: 5 nodes, expected at most 4"),
    (["-p", "4", "--burst", "1", "--apart", "rack"], "--apart: there is no rack"),
    (["-p", "4", "--burst", "1", "-r", "5"], "--replicas: '5'"),
    (["-p", "4", "--burst", "1", "-r", "0"], "--replicas: 0"),
    (["-p", "4", "--burst", "1", "-r", "1,2"], "or --optimise"),
    (["-p", "4", "--burst", "1", "--code", "4+2"], "--code: 6 pieces"),
    (["-p", "4", "--burst", "1", "--code", "4"], "--code: '4', expected K+M"),
    (["-p", "4", "--burst", "1", "--code", "0+1"], "--code: '0+1'"),
    (["-p", "4", "--burst", "1", "--code", "2+1", "-r", "2"], "--code: is in place of"),
    (["-p", "4", "--burst", "1", "--placement", "random"], "--placement: 'random'"),
    (["-p", "4", "--burst", "1", "--interval", "soon"], "--interval: 'soon'"),
    (["-p", "4", "--burst", "1", "--interval", "0"], "--interval: '0'"),
    (["-p", "4", "--burst", "1", "--hours", "0"], "--hours"),
    (["-p", "4", "--burst", "1", "--limit", "1"], "--limit"),
    (["-p", "4", "--burst", "1", "--shape", "0"], "--shape"),
    (["-p", "4", "--burst", "1", "--jobs", "0"], "--jobs"),
    (["-p", "4", "--burst", "1", "--set", "speed=3"], "--set: 'speed' is not a constant"),
    (["-p", "4", "--burst", "1", "--set", "node_gbps"], "expected NAME=VALUE"),
    (["-p", "4", "--burst", "1", "--set", "node_gbps=0"], "node_gbps: '0', expected a number from"),
    (["-p", "4", "--burst", "1", "--restart", "-1"], "--restart"),
    (["-p", "4", "--burst", "1", "--transport", "pigeon"], "--transport"),
    (["-p", "67108864", "--burst", "1", "--blocks-per-rank", "1000000"], "--blocks-per-rank: 1000000 for each of 67108864 ranks"),
    (["-p", "67108864", "--burst", "1", "--block-bytes", "1073741824"], "--block-bytes: 64 blocks of 1073741824 bytes"),
    (["-p", "67108864", "--burst", "1", "--state-bytes", "1099511627776"], "--state-bytes: 1099511627776 for each of 67108864 ranks"),
    (["-p", "4", "--trace", "nowhere.txt"], "nowhere.txt"),
    (["-p", "4", "--burst", "1", "--constants", "nowhere.json"], "nowhere.json"),
    (["-p", "4", "--trace", "-", "--constants", "-"], "standard input is for --constants already"),
]


def errors(program: plan_cli.Program) -> None:
    """every mistake is told"""
    for arguments, message in ERRORS:
        program.refuses("simulate", *arguments, message=message)
    both = program.run(*SMALL, "--svg", "-", "--json", "-")
    both.require(both.code == 2 and "standard output is for --json already" in both.err and not both.out, "expected to be refused")


def outputs(program: plan_cli.Program) -> None:
    """JSON and SVG appear whole or not at all"""
    plan_cli.check_json_files(program, *SMALL)
    plan_cli.check_standard_output(program, *SMALL)
    plan_cli.check_usage(program, *SMALL)
    machine = program.file("machine.json", "{}")
    for option in ("--json", "--svg"):
        over = program.run(*SMALL, "--constants", machine, option, f"{program.path}/./machine.json")
        over.require(over.code == 2 and "machine.json: is the input" in over.err and not over.out, "expected that the constants are kept")
    unwritable = program.run(*SMALL, "--svg", str(program.path))
    unwritable.require(unwritable.code == 1 and "cannot be written: Is a directory" in unwritable.err and not unwritable.out, "expected exit code 1")


if __name__ == "__main__":
    sys.exit(plan_cli.main(losses, codes, repairs, racks, accounts, transports, crowded_nodes, constants_files, traces, seeds, optimise,
                           texts, figures, errors, outputs))
