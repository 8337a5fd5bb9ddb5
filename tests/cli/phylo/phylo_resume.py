#!/usr/bin/env python3
"""A search that is interrupted and called again has the same bits as in one go, wherever it stops and on however many ranks it goes on.

points   all ranks die at a point, for every point there is: at its first, middle or last occurrence, in turn
all      the same at all three of them
stops    --time-limit, SIGTERM and SIGUSR1 end with exit code 75, again and again
lists    what groups found in one list is in the leading rank's checkpoint before they begin the next list
kept     without any checkpoint on disk, from what --keep has left on the node
damage   checkpoints that were cut or changed are refused, and the one before is used; another job's is refused
cuts     the power goes at every ninth call that changes a file, when results are written and when a job goes on from the checkpoint
         before a damaged one: the same command ends well, and nothing is left behind
full     a disk that is full at the end: no result appears, exit code 1, and the same command finishes when there is room
complete the same command again, also of a job that died after its results had their names, says that all is there; another is refused
refused  results of another command stay, also if the leading rank dies before it says so
locked   a second job with the same prefix is refused, also when the leading rank of the first has died; a killed job's lock is none
keys     Ctrl-C stops with a checkpoint; the log is there while the job runs
"""
import itertools
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import threading
import time

import phylo_job
from phylo_job import LAUNCH

STOPPED = 75
SEARCH = ["--model", "GTR+FC+G4m", "--spr-radius", "2", "--starts", "pars{2},rand{1}", "--bs-trees", "3", "--ufboot", "20", "--alrt", "20"]


def command(args, *more: str) -> list[str]:
    return ["search", "--msa", args.msa, *SEARCH, "--checkpoint-interval", "0", *more]


def all_trees(result: phylo_job.Result) -> list[str]:
    return [pathlib.Path(f"{result.prefix}.{name}").read_text(encoding="utf-8") for name in ("mlTrees", "bootstraps", "bestModel", "support", "supportTBE", "supportAlrt", "consensus", "svg")]


def check(result: phylo_job.Result, reference: phylo_job.Result, name: str) -> None:
    result.require(set(result.codes) == {0}, f"{name}: a rank failed")
    result.require(result.bits() == reference.bits() and all_trees(result) == all_trees(reference), f"{name}: another result")
    left = list(result.prefix.parent.glob(f"{result.prefix.name}*.ckp*"))
    result.require(not left, f"{name}: left behind {left}")
    print(f"{name}: same bits, resumed from {result.report['resumed_from']}", flush=True)


def points(jobs: phylo_job.Jobs, args, every: int = 3) -> None:
    reference = jobs.run(1, command(args))
    counts = jobs.run(2, command(args)).report["points_reached"]
    for number, (point, count) in enumerate(sorted(counts.items())):
        for occurrence in sorted({0, count // 2, count - 1} if every == 1 else {(0, count // 2, count - 1)[number % every]}):
            killed = jobs.run(2, command(args), plan=",".join(f"{point}:{rank}:{occurrence}" for rank in (0, 1)))
            if killed.codes == [0, 0]:  # only one rank comes there, or ranks come there unequally often
                check(killed, reference, f"{point} {occurrence}: nobody died")
                continue
            again = killed if killed.report is not None else jobs.run(1 + number % 3, command(args), prefix=killed.prefix)
            again.codes = [code for code in again.codes if code != phylo_job.KILLED] or [0]
            check(again, reference, f"{point} {occurrence}: {killed.codes}")


def stops(jobs: phylo_job.Jobs, args) -> None:
    reference = jobs.run(1, command(args))
    for groups in ("1", "3"):
        prefix = pathlib.Path(jobs.directory.name, f"chain{groups}")
        for number in range(100):
            result = jobs.run((1, 3, 2, 5)[number % 4], command(args, "--time-limit", "0.1", "--groups", groups), prefix=prefix)
            if set(result.codes) != {STOPPED}:
                break
        check(result, reference, f"{number} stops, {groups} groups")
        result.require(number > 0, "expected that it stops at least once")
    prefix = pathlib.Path(jobs.directory.name, "term")
    longer = command(args, "--effort", "thorough", "--redo")
    undisturbed = jobs.run(1, longer)

    def terminate():
        while not (ranks := phylo_job.ranks_of(args.exe, str(prefix))) or not pathlib.Path(f"{prefix}.ckp").exists():
            time.sleep(0.001)
        os.kill(ranks[0], signal.SIGTERM)  # one rank gets the signal, and tells the others

    thread = threading.Thread(target=terminate)
    thread.start()
    stopped = jobs.run(3, longer, prefix=prefix)
    thread.join()
    stopped.require(stopped.codes == [STOPPED] * 3, "SIGTERM: expected that all stop")
    stopped.require("stopped (SIGTERM)" in stopped.output, "SIGTERM: expected to read of it")
    check(jobs.run(2, longer[:-1], prefix=prefix), undisturbed, "SIGTERM")
    if args.rank_library and not args.launcher:
        for number in (signal.SIGUSR1, signal.SIGINT):
            stop_by_launcher(jobs, args, longer, undisturbed, number)
        all_die_under_launcher(jobs, args, undisturbed)


def under_launcher(args, command: list[str]) -> list[str]:
    return [sys.executable, str(LAUNCH), "--mpirun", args.mpirun, "--rank-library", args.rank_library, "-n", "3", args.exe, *command]


def all_die_under_launcher(jobs: phylo_job.Jobs, args, undisturbed: phylo_job.Result) -> None:
    """The launcher's exit code is 1; that of mpirun alone would be 0."""
    prefix = pathlib.Path(jobs.directory.name, "all-die")
    words = under_launcher(args, [*command(args), "--prefix", str(prefix), "--fail", "commit:before:0:1,commit:before:1:1,commit:before:2:1"])
    job = subprocess.run(words, capture_output=True, text=True, timeout=50, check=False)
    undisturbed.require(job.returncode == 1 and "all ranks have died" in job.stderr, f"exit code {job.returncode}\n{job.stdout}{job.stderr}")


def stop_by_launcher(jobs: phylo_job.Jobs, args, longer: list[str], undisturbed: phylo_job.Result, number: signal.Signals) -> None:
    """A signal to the launcher reaches the ranks: SIGUSR1 through mpirun, SIGINT and SIGTERM from the launcher itself."""
    prefix = pathlib.Path(jobs.directory.name, number.name)
    words = under_launcher(args, [*longer, "--prefix", str(prefix)])
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as job:
        while job.poll() is None and not pathlib.Path(f"{prefix}.ckp").exists():
            time.sleep(0.001)
        job.send_signal(number)
        output = job.communicate(timeout=50)[0]
    undisturbed.require(job.returncode == STOPPED and f"stopped ({number.name})" in output, f"{number.name}: exit code {job.returncode}\n{output}")
    check(jobs.run(2, longer[:-1], prefix=prefix), undisturbed, number.name)


def lists(jobs: phylo_job.Jobs, args) -> None:
    """Both groups die at their first commit in the second list, and what the second one has left is lost."""
    only_starts = ["search", "--msa", args.msa, "--model", "GTR+FC+G4m", "--effort", "fast", "--checkpoint-interval", "0", "--groups", "2", "--starts"]
    both_lists = [*only_starts, "rand{2}", "--bs-trees", "2", "--alrt", "20"]
    reference = jobs.run(1, both_lists)
    one, two = (jobs.run(1, [*only_starts, f"rand{{{count}}}"]).report["points_reached"]["commit:before"] for count in (1, 2))
    killed = jobs.run(2, both_lists, plan=f"commit:before:0:{one},commit:before:1:{two - one}")
    killed.require(killed.killed() == {0, 1}, "expected that both die")
    theirs = list(killed.prefix.parent.glob(f"{killed.prefix.name}.1.ckp*"))
    killed.require(bool(theirs), "expected that both have saved")
    for file in theirs:
        file.unlink()
    again = jobs.run(2, both_lists, prefix=killed.prefix)
    again.require("resumed from" in again.output and ": 2 done, 0 under way" in again.output, "expected both starts in the checkpoint")
    check(again, reference, "lists")


def damage(jobs: phylo_job.Jobs, args) -> None:
    reference = jobs.run(1, command(args))
    killed = jobs.run(1, command(args), plan="save:after:0:30")
    file = pathlib.Path(f"{killed.prefix}.ckp")
    whole = file.read_bytes()
    before = pathlib.Path(f"{file}.prev")
    kept = before.read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 4
    for name, contents in (("cut", whole[:-1]), ("changed", bytes(changed)), ("empty", b"")):
        file.write_bytes(contents)
        before.write_bytes(kept)
        again = jobs.run(2, command(args), prefix=killed.prefix)
        again.require(f"{file}: is damaged" in again.output and f"going on from {before}" in again.output, f"{name}: expected a warning")
        check(again, reference, name)
        for output in file.parent.glob(f"{killed.prefix.name}.*"):
            output.unlink()
    file.write_bytes(b"nonsense")
    before.unlink(missing_ok=True)
    refused = jobs.run(2, command(args), prefix=killed.prefix)
    refused.require(refused.codes == [2, 2] and f"{file}: is damaged" in refused.output, "expected that a damaged checkpoint is refused")
    file.write_bytes(whole)
    other = jobs.run(2, command(args, "--seed", "7"), prefix=killed.prefix)
    other.require(other.codes == [2, 2] and "another job" in other.output, "expected that another job's checkpoint is refused")
    anew = jobs.run(2, command(args, "--redo"), prefix=killed.prefix)
    anew.require(anew.report["resumed_from"] is None, "--redo: expected a new start")
    check(anew, reference, "--redo")


def alone(args, folder: pathlib.Path, *more: str, **options) -> subprocess.CompletedProcess:
    words = [args.exe, "search", "--msa", args.msa, "--model", "JC", "--effort", "fast", "--starts", "pars{1}", "--spr-radius", "1", "--prefix", str(folder / "out"), *more]
    return subprocess.run(words, capture_output=True, text=True, timeout=50, check=False, **options)


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    """The contents of files by name; only the names of those that have times, or tell what was resumed."""
    return {path.name: b"" if path.suffix in (".json", ".log") else path.read_bytes() for path in folder.iterdir()}


def require(good: bool, job: subprocess.CompletedProcess, why: str) -> None:
    if not good:
        raise phylo_job.Failed(f"{why}\n  exit code {job.returncode}\n{job.stdout}{job.stderr}")


def cuts(jobs: phylo_job.Jobs, args, every: int = 9) -> None:
    folder = pathlib.Path(jobs.directory.name, "cuts")
    folder.mkdir()
    require(alone(args, folder).returncode == 0, alone(args, folder, "--redo"), "expected success")
    reference = contents(folder)
    for damaged in (False, True):
        more = ("--checkpoint-interval", "0") if damaged else ()  # there is no checkpoint except the one of the end
        number = 1
        while True:
            for path in folder.iterdir():
                path.unlink()
            if damaged:  # only the one before it is left
                stopped = alone(args, folder, *more, env=os.environ | {"REGRAFT_FAIL": "save:after:0:4"})
                require(stopped.returncode < 0, stopped, "expected that it dies")
                file = folder / "out.ckp"
                file.write_bytes(file.read_bytes()[:-1])
            cut = alone(args, folder, *more, env=os.environ | {"LD_PRELOAD": args.cut, "CUT_IN": str(folder), "CUT_AT": str(number), "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"})
            if cut.returncode == 0:
                break
            require(cut.returncode == -signal.SIGKILL, cut, f"cut {number}: expected that it is killed")
            again = alone(args, folder, *more)
            require(again.returncode == 0 and contents(folder) == reference, again, f"cut {number}: expected {list(reference)}, got {list(contents(folder))}")
            require(not damaged or number > 20 or "resumed from" in again.stdout, again, f"cut {number}: expected that it goes on")
            number += every
        require(number > 20 and contents(folder) == reference, cut, "expected more cuts")
        print(f"{number} calls that change files, {'from a damaged checkpoint' if damaged else 'from the start'}", flush=True)


def all_cuts(jobs: phylo_job.Jobs, args) -> None:
    cuts(jobs, args, every=1)


def full(jobs: phylo_job.Jobs, args) -> None:
    folder = pathlib.Path(jobs.directory.name, "full")
    folder.mkdir()
    require(alone(args, folder).returncode == 0, alone(args, folder, "--redo"), "expected success")
    reference = contents(folder)
    for path in folder.iterdir():
        path.unlink()
    for size in (1000, 1500):  # there is no room for the checkpoint, or for the picture
        limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))}
        job = alone(args, folder, **limit)
        require(job.returncode == 1 and "cannot be written: File too large" in job.stderr, job, "expected exit code 1")
        require(" in " + str(folder) not in job.stdout, job, "expected no word of results")
        require(set(contents(folder)) <= {"out.log", "out.ckp", "out.ckp.prev"}, job, f"{size}: expected no result, got {list(contents(folder))}")
    job = alone(args, folder)
    require(job.returncode == 0 and contents(folder) == reference, job, f"expected {list(reference)}, got {list(contents(folder))}")
    tree = str(folder / "out.bestTree")
    for words in (["check", "--msa", args.msa], ["rfdist", "--trees", tree, "--redo"], ["points"], ["--help"]):
        with open("/dev/full", "wb") as device:
            job = subprocess.run([args.exe, *words], stdout=device, stderr=subprocess.PIPE, text=True, timeout=50, check=False)
        require(job.returncode == 1 and "standard output: cannot be written: No space left" in job.stderr, job, f"{words}: expected exit code 1")


def keys(jobs: phylo_job.Jobs, args) -> None:
    folder = pathlib.Path(jobs.directory.name, "keys")
    folder.mkdir()
    words = [args.exe, "search", "--msa", args.msa, "--model", "JC", "--effort", "thorough", "--bs-trees", "200", "--prefix", str(folder / "out"), "--seed", "7"]
    log = folder / "out.log"
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as job:
        while job.poll() is None and (not log.exists() or "near SPR" not in log.read_text()):
            time.sleep(0.001)
        job.send_signal(signal.SIGINT)
        output = job.communicate(timeout=50)[0]
    ended = subprocess.CompletedProcess(words, job.returncode, output, "")
    require(job.returncode == STOPPED and "stopped (SIGINT)" in output and (folder / "out.ckp").exists(), ended, "expected a checkpoint")
    text = log.read_text()
    supported = alone(args, folder, "--redo", "--bs-trees", "3", "--ufboot", "20", "--alrt", "20")
    supports = json.loads((folder / "out.json").read_text())["supports"]
    for name, extension in (("felsenstein", "support"), ("transfer", "supportTBE"), ("ultrafast", "supportUltrafast"), ("alrt", "supportAlrt")):
        require(supports[name]["tree"] + "\n" == (folder / f"out.{extension}").read_text(), supported, f"expected the tree of .{extension}")
        require(len(supports[name]["values"]) == 9 and 0 <= min(supports[name]["values"]) <= supports[name]["mean"] <= 1, supported, f"expected shares, got {supports[name]}")
    require(f"search --msa {args.msa} --model JC" in text and "seed 7, model JC" in text and "stopped (SIGINT)" in text, ended, f"expected all of it in the log:\n{text}")


def complete(jobs: phylo_job.Jobs, args) -> None:
    folder = pathlib.Path(jobs.directory.name, "complete")
    folder.mkdir()
    died = alone(args, folder, env=os.environ | {"REGRAFT_FAIL": "output:after:0:0"})
    require(died.returncode < 0 and (folder / "out.json").exists(), died, "expected that it dies when all is written")
    (folder / "out.lock").unlink()  # of the dead
    reference = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    for more in ({}, {"env": os.environ | {"REGRAFT_RESTART": "1"}}):
        again = alone(args, folder, **more)
        require(again.returncode == 0 and "out.json and what belongs to it are complete, by this command" in again.stdout, again, "expected exit code 0")
        require({path: path.stat().st_mtime_ns for path in folder.iterdir()} == reference, again, "expected the same files")
    for words in ("--seed", "7"), ("--alrt", "20"), ("--sitelh",):
        other = alone(args, folder, *words)
        require(other.returncode == 2 and ": exists already; --redo" in other.stderr, other, f"{words}: expected a refusal")
    require(alone(args, folder, "--redo", "--seed", "7").returncode == 0, other, "--redo: expected success")
    (folder / "out.svg").unlink()
    for text in (None, "{", "{}", '{"job": 1}', '{"job": {"identity": "x", "files": []}}'):
        if text:
            (folder / "out.json").write_text(text)
        other = alone(args, folder, "--seed", "7")
        require(other.returncode == 2 and ": exists already; --redo" in other.stderr, other, f"{text}: expected a refusal")
    prefix = folder / "several"
    for plan in ("output:after:0:0,output:after:1:0,output:after:2:0", ""):
        jobs.run(3, command(args), prefix=prefix, plan=plan)
        ended = jobs.run(2, command(args), prefix=prefix)
        ended.require(ended.codes == [0, 0] and "are complete, by this command" in ended.output, "expected that both ranks end")


def refused(jobs: phylo_job.Jobs, args) -> None:
    folder = pathlib.Path(jobs.directory.name, "refused")
    folder.mkdir()
    prefix = folder / "out"

    def contents() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir()}
    others = jobs.run(1, command(args), prefix=prefix)
    others.require(others.codes == [0], "expected results")
    reference = contents()
    for phase, moment, occurrence in itertools.product(("agree", "checkpoint"), ("before", "inside", "after"), (3, 4)):
        plan = f"{phase}:{moment}:0:{occurrence}"  # the one that leads dies before it refuses, while it does, and afterwards
        job = jobs.run(3, command(args, "--seed", "7"), prefix=prefix, plan=plan)
        job.require({code for code in job.codes if code != phylo_job.KILLED} == {2}, f"{plan}: expected a refusal")
        job.require({name: text for name, text in contents().items() if name != "out.lock"} == reference, f"{plan}: expected the same files")


def locked(jobs: phylo_job.Jobs, args) -> None:
    folder = pathlib.Path(jobs.directory.name, "locked")
    folder.mkdir()
    prefix, lock = folder / "out", folder / "out.lock"
    longer = ["search", "--msa", args.msa, "--model", "JC", "--effort", "thorough", "--bs-trees", "5000"]
    has_ended = threading.Event()
    seconds: list[subprocess.CompletedProcess] = []

    def second() -> None:
        log = folder / "out.log"
        while not has_ended.is_set() and (not log.exists() or "rank 0 died" not in log.read_text()):
            time.sleep(0.001)
        seconds.extend((alone(args, folder), alone(args, folder, "--redo")))
        for rank in phylo_job.ranks_of(args.exe, str(prefix))[:1]:
            os.kill(rank, signal.SIGTERM)

    thread = threading.Thread(target=second)
    thread.start()
    first = jobs.run(3, longer, prefix=prefix, plan="commit:before:0:1")
    has_ended.set()
    thread.join()
    first.require(sorted(first.codes) == sorted([phylo_job.KILLED, STOPPED, STOPPED]), "expected that one dies and two stop")
    for job in seconds:
        require(job.returncode == 2 and "out.lock: process " in job.stderr and "writes files of this prefix; expected that it has ended" in job.stderr, job, "expected a refusal")
    with subprocess.Popen([args.exe, *longer, "--prefix", str(prefix)], stdout=subprocess.PIPE, text=True) as killed:
        while killed.poll() is None and (not lock.exists() or not lock.read_text().startswith(f"process {killed.pid} on ")):
            time.sleep(0.001)
        killed.kill()
    first.require(lock.exists(), "expected that a killed job leaves its lock")
    again = alone(args, folder, "--redo")
    require(again.returncode == 0 and not lock.exists(), again, "expected that the lock of a killed job is none")


def kept(jobs: phylo_job.Jobs, args) -> None:
    os.environ["REGRAFT_JOB"] = "test"
    words = ["search", "--msa", args.msa, *SEARCH, "--checkpoint-interval", "1000000"]
    reference = jobs.run(1, words)
    counts = jobs.run(4, words).report["points_reached"]
    for number, (point, ranks, groups) in enumerate([("commit:after", 4, "1"), ("reduce:inside", 4, "1"), ("commit:inside", 2, "1"), ("commit:before", 4, "3")]):
        folder = pathlib.Path(jobs.directory.name, f"kept{number}")
        folder.mkdir()
        keeping = [*words, "--keep", str(folder), "--groups", groups]
        occurrence = counts[point] // (2 if groups == "1" else 8)  # groups share the work
        killed = jobs.run(ranks, keeping, plan=",".join(f"{point}:{rank}:{occurrence}" for rank in range(ranks)))
        killed.require(set(killed.codes) == {phylo_job.KILLED} and list(folder.iterdir()), f"{point}: expected that all die, and that something is kept")
        killed.require(not list(folder.parent.glob(f"{killed.prefix.name}*.ckp*")), f"{point}: expected no checkpoint on disk")
        again = jobs.run((1, 3, 5, 2)[number], keeping, prefix=killed.prefix)
        check(again, reference, f"{point} {occurrence}, {groups} groups")
        again.require(again.report["resumed_from"] is not None, f"{point}: expected that it goes on")
        again.require(not list(folder.iterdir()), f"{point}: left in {folder}")
        started_anew = jobs.run(2, [*keeping, "--redo"], prefix=killed.prefix)
        started_anew.require(started_anew.report["resumed_from"] is None, f"{point}: expected a new search")
    survived = jobs.run(3, keeping, plan="keep-progress:before:0:0,keep-progress:after:1:0")
    survived.codes = [code for code in survived.codes if code != phylo_job.KILLED]
    check(survived, reference, "a rank dies while it keeps")
    del os.environ["REGRAFT_JOB"]
    refused = jobs.run(1, keeping)
    refused.require(refused.codes == [2] and "--keep: REGRAFT_JOB is not set" in refused.output, "expected a name of the job")


def all_points(jobs: phylo_job.Jobs, args) -> None:
    points(jobs, args, every=1)


MODES = {"cuts": cuts, "all-cuts": all_cuts, "full": full, "complete": complete, "refused": refused, "locked": locked, "keys": keys, "points": points, "all": all_points, "stops": stops, "lists": lists, "kept": kept, "damage": damage}

if __name__ == "__main__":
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("--rank-library", default="", help="what regraft-run preloads; without it ranks do not tell it their exit codes")
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("--cut", default="", help="library made of support/cut.cpp", type=os.path.abspath)
    parsed = parser.parse_args()
    sys.exit(phylo_job.main(parsed, MODES[parsed.mode], needs_deaths=True))
