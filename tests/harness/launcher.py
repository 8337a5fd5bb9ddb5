#!/usr/bin/env python3
"""What the launcher decides without starting a job: which options name hosts, which settings a job gets, when it has hung, how it ended."""
import contextlib
import itertools
import os
import pathlib
import socket
import sys
import tempfile
import time
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/launch"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import run_mpi
from regraft_run import caught, connections, hosts, job, openmpi, stopped, told, watched
from regraft_run.folders import Folders, job_folders

FOLDERS = Folders("/tmp/job", "/dev/shm/job")


def hosts_are_named_by_options_of_mpirun_alone() -> None:
    for words in ("-n 4 --hostfile h --map-by node -- prog", "--host a,b -n 4 prog", "-H a:2 prog", "--host=a prog", "-machinefile h prog", "--mca a b --host a -n 4 prog",
                  "--prtemca a -1 --mca b c -H a:2 prog", "--oversubscribe --host a prog", "--tag-output -n 4 --host a prog"):
        assert openmpi.names_hosts(words.split()), words
    for words in ("-n 4 prog", "-n 4 prog --host a", "--map-by node -n 4 -- prog -H a", "-n 4 -- --host", "", "--mca a b -n 4 prog --host a",
                  "--oversubscribe prog --host a", "--bind-to=none prog --host a", "--mca a b prog --host a", "--mca host a -n 4 prog"):
        assert not openmpi.names_hosts(words.split()), words


def a_number_of_ranks_is_a_number() -> None:
    for words in ("-n abc prog", "-n 0 prog", "-np=-1 prog", "--host a:2 -n 2x prog", "-n 2 prog : -n x prog", "-n",
                  "--mca a b -n x prog", "--oversubscribe -n 0 prog"):
        assert "expected a number of ranks" in openmpi.complaint(words.split()), words
    for words in ("-n 2 prog -n abc", "--oversubscribe prog -n abc", "prog", "-n 2 prog : --host b -n 1 prog", "--map-by node -n 4 -- prog", "",
                  "--mca a b prog -n x", "--mca n x -n 4 prog"):
        assert not openmpi.complaint(words.split()), words
    for words, number in [("--mca a b -n 4 prog", 4), ("-n 3 --mca a b prog -n 7", 3), ("--mca a b prog -n 7", 1)]:
        assert openmpi.number_of_ranks(words.split()) == number, words


def a_batch_job_that_runs_several_programs_has_a_name_for_each() -> None:
    before = {name: os.environ.pop(name) for name in job.BATCH_JOBS if name in os.environ}
    options = job.Options()
    assert not job.job_id(options, ["-n", "4", "prog"])
    os.environ["SLURM_JOB_ID"] = "17"
    for words in ("-n 4 /bin/prog x", "-n 4 -- prog", "--host=a prog"):
        assert job.job_id(options, words.split()) == "17-prog", words
    assert job.job_id(options, []) == "17"
    assert job.job_id(job.Options(name="mine"), ["prog"]) == "mine"
    del os.environ["SLURM_JOB_ID"]
    os.environ.update(before)


def a_job_on_hosts_may_use_the_network() -> None:
    openmpi.flags = lambda mpirun: ("--with-ft", "ulfm")
    here, there = (openmpi.environment("mpirun", FOLDERS, one_host) for one_host in (True, False))
    for name in ["OMPI_MCA_btl", "OMPI_MCA_btl_tcp_if_include", "PRTE_MCA_rmaps_default_mapping_policy"]:
        assert name in here and name not in there, name
    assert here["TMPDIR"] == FOLDERS.tmp != there.get("TMPDIR")
    for name in openmpi.SHARING:
        assert here[name] == FOLDERS.shared and name not in there, name
    for setting in openmpi.SETTINGS:
        assert here[f"OMPI_MCA_{setting.name}"] == there[f"OMPI_MCA_{setting.name}"] == setting.value


def a_job_on_hosts_outlives_nodes_with_an_mpi_for_which_this_was_tried() -> None:
    for text, survives in (("mpirun (Open MPI) 5.0.9\n", True), ("mpirun (Open MPI) 5.0.11\n", False), ("HYDRA build details:\n", False)):
        openmpi.version = lambda mpirun, said=text: said
        env = {"LD_PRELOAD": "/lib/mine.so"}
        openmpi.outlive_nodes("mpirun", "/lib/node.so", 30, env)
        assert (env["LD_PRELOAD"] == "/lib/node.so:/lib/mine.so") == survives, text
        if survives:
            time, interval, probes = (int(env[f"PRTE_MCA_oob_tcp_keepalive_{name}"]) for name in ("time", "intvl", "probes"))
            assert time + interval * probes == 30 == int(env["REGRAFT_NODE_TIMEOUT"])
    openmpi.version = lambda mpirun: "mpirun (Open MPI) 5.0.9\n"
    env = {}
    openmpi.outlive_nodes("mpirun", "", 30, env)
    assert not env  # there is no library


def what_the_caller_has_set_wins() -> None:
    os.environ["OMPI_MCA_coll_ftagree_era_topology"] = "1"
    assert openmpi.environment("mpirun", FOLDERS)["OMPI_MCA_coll_ftagree_era_topology"] == "1"
    del os.environ["OMPI_MCA_coll_ftagree_era_topology"]
    os.environ["OMPI_MCA_btl_tcp_if_exclude"] = "eth0"  # Open MPI warns of both
    assert "OMPI_MCA_btl_tcp_if_include" not in openmpi.environment("mpirun", FOLDERS)
    del os.environ["OMPI_MCA_btl_tcp_if_exclude"]


def the_parameter_file_has_every_setting() -> None:
    lines = [line for line in openmpi.parameter_file().splitlines() if not line.startswith("#")]
    assert lines == [f"{setting.name}={setting.value}" for setting in openmpi.SETTINGS + openmpi.SOONER]  # mpirun --tune wants no blanks


def a_job_hangs_after_its_seconds_without_those_that_others_took() -> None:
    for slowdown in (1, 4):
        seconds = iter(range(10_000))  # a second passes whenever the clock is read
        watched.time = types.SimpleNamespace(monotonic=lambda: next(seconds), sleep=lambda _: None)
        watched.slowdown = lambda ranks, factor=slowdown: factor
        looked = []
        job = types.SimpleNamespace(poll=lambda looks=looked: looks.append(1))
        with tempfile.TemporaryDirectory() as verdicts:
            assert watched.watch(job, 4, pathlib.Path(verdicts), 50)[0].startswith("hung")
        assert len(looked) == 50 * slowdown + 1, len(looked)
        seconds = iter(range(10_000))
        looked.clear()
        with tempfile.TemporaryDirectory() as verdicts:
            assert "deadline" in watched.watch(job, 4, pathlib.Path(verdicts), 50, deadline=20)[0]
        assert len(looked) == 21, len(looked)  # however busy the machine is


def a_death_is_known_before_anybody_has_seen_the_rank() -> None:
    known = []

    class Caught:
        after_a_death = False

        def look(self, _processes: list[int]) -> list[int]:
            known.append(self.after_a_death)
            return []

    before = watched.Caught, watched.ranks_of, watched.time
    watched.Caught, watched.time = Caught, types.SimpleNamespace(monotonic=lambda: 0, sleep=lambda _: None)
    for living, is_known in (([5, 6, 7], True), ([5, 6, 7, 8], False)):
        watched.ranks_of = lambda _, living=living: living
        ends = iter([None] * 60 + [0])
        with tempfile.TemporaryDirectory() as verdicts:
            assert watched.watch(types.SimpleNamespace(poll=lambda ends=ends: next(ends)), 4, pathlib.Path(verdicts), 50) == ("", set())
        assert known[-1] == is_known, known
    watched.Caught, watched.ranks_of, watched.time = before


def others_slow_a_job_down_and_its_own_ranks_do_not() -> None:
    assert watched.slowdown(ranks=100_000) == 1 <= watched.slowdown(ranks=1)


def a_rank_that_open_mpi_kept_counts_as_dead() -> None:
    class Caught:
        after_a_death = True
        found = [77]

        def look(self, _processes: list[int]) -> list[int]:
            return [self.found.pop()] if self.found else []

    killed = []
    names = ("Caught", "kill", "rank_of", "say", "time")
    before = {name: getattr(watched, name) for name in names}
    watched.Caught, watched.kill, watched.rank_of, watched.say = Caught, killed.append, lambda process: process - 76, lambda _: None
    watched.time = types.SimpleNamespace(monotonic=lambda: 0, sleep=lambda _: None)
    ends = iter([None] * 9 + [0])
    with tempfile.TemporaryDirectory() as verdicts:
        assert watched.watch(types.SimpleNamespace(poll=lambda: next(ends)), 4, pathlib.Path(verdicts), 50) == ("", {1})
    assert killed == [77], killed
    for name, value in before.items():
        setattr(watched, name, value)
    passed = {0: "pass 1", 3: "pass 1"}
    assert not run_mpi.judge(watched.Outcome(passed, 0, b"", "", {1}), 4, {2})
    assert run_mpi.judge(watched.Outcome(passed, 0, b"", "", set()), 4, {2}) == ["rank 1: silent, though nobody planned its death"]
    # A campaign ended when rank 1 was dead, too, and rank 2 had not come to its death.
    passed[2] = "pass 1"
    assert not run_mpi.judge(watched.Outcome(passed, 0, b"", "", {1}), 4, {2})
    lived = "should have died, but says: pass 1"
    assert run_mpi.judge(watched.Outcome(passed, 0, b"", "", {1}), 4, {2, 3}) == [f"rank 3: {lived}"], "one was caught, and two live"
    assert run_mpi.judge(watched.Outcome(passed | {1: "pass 1"}, 0, b"", "", set()), 4, {2}) == [f"rank 2: {lived}"]


def a_rank_is_caught_after_a_death_if_it_is_always_in_the_same_loop_of_open_mpi() -> None:
    def looks(places, library="/lib/libopen-pal.so.80", step=10**6, dead=(7,), compares=True) -> bool:
        """Whether process 5 is found, whose first thread is at these places when it is looked at."""
        seconds, at, ran = itertools.count(), iter(places), itertools.count(step, step)
        caught.time = types.SimpleNamespace(monotonic=lambda: 2 * next(seconds), sleep=lambda _: None)
        caught.run_time = lambda _: next(ran)
        caught.instruction_of = lambda _: next(at)
        caught.library_at = lambda _process, _place: library
        caught.compares_with_free = lambda _process, _place: compares
        caught.is_gone = lambda process: process in dead
        finder = caught.Caught()
        return any(finder.look([5, 7]) == [5] for _ in range(len(places)))

    before = {name: getattr(caught, name) for name in ("time", "run_time", "instruction_of", "library_at", "compares_with_free", "is_gone")}
    loop = [1000, 1003, 1007] * 11
    assert looks(loop)
    assert not looks(loop, dead=())
    assert not looks(loop, step=0)  # it does not run
    assert not looks(loop, library="/home/program")
    assert not looks(loop, compares=False)  # another loop of Open MPI, such as one that copies
    assert not looks(loop[:30])  # not often enough
    assert not looks((loop[:20] + [5000]) * 3)  # it was elsewhere
    assert not looks([0] * 40)  # it cannot be looked at
    for name, value in before.items():
        setattr(caught, name, value)


def a_rank_is_stopped_if_it_is_for_a_while_and_others_are_not() -> None:
    def looks(*rounds: set[int]) -> list[int]:
        """Which of the processes 5 and 7 are named, of which these are stopped when they are looked at."""
        at = iter(rounds)
        finder, named = stopped.Stopped(), []
        for now in at:
            stopped.is_stopped = now.__contains__
            named += finder.look([5, 7])
        return named

    before, enough = stopped.is_stopped, stopped.Stopped.ENOUGH
    assert looks(*[{7}] * (3 * enough)) == [7]  # once
    assert looks(*[{7}] * enough, set(), *[{7}] * enough) == [7, 7]  # it has gone on in between
    assert looks(*[{7}] * (enough - 1), set(), {7}) == []
    assert looks(*[{5, 7}] * (2 * enough)) == []  # the whole job, as by Ctrl-Z
    stopped.is_stopped = before


def ranks_that_told(*texts: str, notes: str = "") -> list[told.Rank]:
    """notes: of mpirun."""
    with tempfile.TemporaryDirectory() as folder:
        files = told.Files(pathlib.Path(folder, "ranks"), pathlib.Path(folder, "notes"))
        files.notes.write_text(notes, encoding="ascii")
        for number, text in enumerate(texts):
            (files.folder / f"job@1.{number}").write_text(text.replace("ME", str(os.getpid())).replace("GONE", str(GONE)), encoding="ascii")
        return list(files.ranks().values())


GONE = 2**22 + 1  # more than any process id
IN_INIT = "started ME\nentered ME\n"
AT_WORK = IN_INIT + "left\n"


def a_job_is_hopeless_if_a_rank_died_while_others_are_in_init() -> None:
    for dead in ("started GONE\n", "started GONE\nentered GONE\n", "started ME\nentered GONE\n"):
        code, why = told.hopeless(ranks_that_told(IN_INIT, dead, AT_WORK)) or (0, "")
        assert code == told.DIED_IN_INIT and "rank 1 died" in why, (dead, why)
    for dead in ("", "started ME\n", "started GONE\nentered GONE\nleft\n"):  # not begun; alive; died later, which the others survive
        assert told.hopeless(ranks_that_told(IN_INIT, dead)) is None, dead
    assert told.hopeless(ranks_that_told(AT_WORK, "started GONE\n")) is None  # the others do not wait
    assert told.hopeless([]) is None
    for note in ("1\n", "ended 1\n"):  # rank 1 has told nothing
        code, why = told.hopeless(ranks_that_told(IN_INIT, notes=note)) or (0, "")
        assert code == told.DIED_IN_INIT and "rank 1 died" in why, (note, why)
        assert told.hopeless(ranks_that_told(AT_WORK, notes=note)) is None
    assert told.hopeless(ranks_that_told(IN_INIT, AT_WORK, notes="1\n")) is None


def a_rank_that_leaves_init_and_ends_while_it_is_looked_at_has_not_died_in_init() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = told.Files(pathlib.Path(folder, "ranks"), pathlib.Path("/nothing"))
        file = files.folder / "job@1.0"
        file.write_text("started 7\nentered 7\n", encoding="ascii")
        before = told.is_gone

        def ends_just_now(_process: int) -> bool:
            file.write_text("started 7\nentered 7\nleft\nexited 3\n", encoding="ascii")
            return True

        told.is_gone = ends_just_now
        rank = files.read(file)
        told.is_gone = before
    assert rank.left and rank.gone and rank.end == "exited", rank


def a_rank_that_aborts_ends_the_job() -> None:
    assert told.hopeless(ranks_that_told(AT_WORK, AT_WORK + "aborted 9\n")) == (9, "rank 1 called MPI_Abort with 9")
    assert told.hopeless(ranks_that_told(AT_WORK + "aborted 0\n"))[0] == 1


def exit_codes_are_those_of_ranks_that_lived_longest() -> None:
    for code, *ends in [(0, "finalized 0", ""), (7, "finalized 2", "finalized 7"), (0, "exited 3", "finalized 0"), (3, "exited 3", ""),
                        (1, "exited 0", ""), (1, "", "")]:
        assert told.code_of_ranks(ranks_that_told(*(AT_WORK + end for end in ends)), 0) == code, ends
    assert told.code_of_ranks(ranks_that_told("started GONE\n"), 5) == 5  # no program of MPI: only mpirun knows
    assert told.code_of_ranks([], -15) == 143
    assert told.code_of_ranks(ranks_that_told("started GONE\nquit 0\n", "started GONE\n"), 0) == 0
    assert told.code_of_ranks(ranks_that_told("started GONE\n"), 0) == 1  # killed before MPI_Init
    assert told.code_of_ranks(ranks_that_told("started GONE\n", notes="0\n1\n"), 0) == 1
    assert told.code_of_ranks(ranks_that_told(notes="0\nended 1\n"), 0) == 0  # no program of MPI
    assert told.code_of_ranks(ranks_that_told("started GONE\n", notes="ended 0\n"), 0) == 0  # MPI, but it has lost the rank library


def a_job_is_lost_if_deaths_ended_it() -> None:
    for is_lost, *texts in [(True, AT_WORK, AT_WORK), (True, IN_INIT, "started GONE\n"), (False, AT_WORK, AT_WORK + "exited 3\n"),
                            (False, AT_WORK + "aborted 1\n", AT_WORK), (False, "started GONE\n"), (False,)]:
        assert told.is_lost(ranks_that_told(*texts)) == is_lost, texts
    for is_lost, notes in [(True, "0\n1\n"), (False, "0\nended 1\n"), (False, "0\n")]:
        assert told.is_lost(ranks_that_told("started GONE\n", "started GONE\n", notes=notes)) == is_lost, notes


def without_ulfm_the_exit_code_decides_whether_a_job_is_lost() -> None:
    with tempfile.TemporaryDirectory() as folder:
        mpirun, starts = pathlib.Path(folder, "mpirun"), pathlib.Path(folder, "starts")
        mpirun.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec echo HYDRA build details:\necho >> {starts}; eval "exit \\$$#"\n', encoding="ascii")
        mpirun.chmod(0o755)
        before = openmpi.version, openmpi.flags
        openmpi.version, openmpi.flags = lambda _: "HYDRA build details:\n", lambda _: ()
        for code, num_starts in [(0, 1), (2, 1), (75, 1), (1, 2), (9, 2), (11, 2), (137, 2)]:
            starts.write_text("", encoding="ascii")
            assert job.run(str(mpirun), ["-n", "2", str(code)], job.Options(restarts=1)).code == code
            assert len(starts.read_text(encoding="ascii")) == num_starts, code
        openmpi.version, openmpi.flags = before


def dead_hosts_leave_the_command_line() -> None:
    named = [hosts.Host("a", 2), hosts.Host("b", 2), hosts.Host("c", 1)]
    for words, rest in [("--host a:2,b:2,c:1 -n 4 prog --host x", "prog --host x"), ("-n 4 --map-by node -H a:2,b:2 -H c:1 -- prog", "--map-by node -- prog"),
                        ("--mca x y -n 4 --mca z -1 -H a:2,b:2,c:1 prog", "--mca x y --mca z -1 prog"), ("-np 4 --host=a:2,b:2,c:1 prog", "prog")]:
        assert hosts.hosts_of(words.split()) == named, words
        assert hosts.words_for(named[1:], words.split()) == ["--host", "b:2,c:1", "-n", "3", *rest.split()], words
    assert hosts.words_for([hosts.Host("b")], "-n 4 -H a,b prog".split()) == "--host b -n 4 prog".split()  # mpirun knows how many it takes
    assert hosts.words_for(named, "-n 4 -H a:2,b:2,c:1 prog".split())[2:] == "-n 4 prog".split()
    assert hosts.hosts_of("--rankfile r -n 4 prog".split()) == []


def hosts_are_read_from_files_and_batch_systems() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "hosts")
        file.write_text("# two\na slots=2 max_slots=4\n\nb  # one\n", encoding="utf-8")
        assert hosts.hosts_of(["--hostfile", str(file), "prog"]) == [hosts.Host("a", 2), hosts.Host("b")]
        file.write_text("a\na\nb\n", encoding="utf-8")
        for name, value in {"PBS_NODEFILE": str(file), "LSB_MCPU_HOSTS": "a 2 b 1"}.items():
            os.environ[name] = value
            assert hosts.hosts_of(["prog"]) == [hosts.Host("a", 2), hosts.Host("b", 1)], name
            del os.environ[name]
    assert hosts.numbers_of("2(x3),1") == [2, 2, 2, 1]


class Client:
    """A rank with a connection to the launcher."""

    def __init__(self, launcher: connections.Connections, name: str, key: str = ""):
        real_key, _, port, *addresses = launcher.address()["REGRAFT_LAUNCHER"].split()
        self.socket = socket.create_connection((addresses[0], int(port)), timeout=10)
        self.say(f"{key or real_key} {name}")

    def say(self, line: str) -> None:
        self.socket.sendall(line.encode() + b"\n")

    def ask(self) -> str:
        self.say("?")
        text = b""
        while not text.endswith(b"\n\n") and text != b"\n" and (got := self.socket.recv(4096)):
            text += got
        return text.decode()


def ranks_on_other_hosts_tell_by_their_connections() -> None:
    launcher = connections.Connections(30, pathlib.Path("/nothing"))
    first, second = Client(launcher, "job@1.0"), Client(launcher, "job@1.1")
    assert first.ask() == "\n"
    first.say("started 7\nentered 7")
    assert first.ask() == "started 7\nentered 7\n\n"
    second.say("started 7\nentered 9")
    assert second.ask()
    assert told.hopeless(list(launcher.ranks().values())) is None
    shell = Client(launcher, "job@1.1")  # another process of the same rank
    assert shell.ask() == "started 7\nentered 9\n\n"
    second.socket.close()
    time.sleep(0.1)
    assert told.hopeless(list(launcher.ranks().values())) is None
    shell.socket.close()
    while not launcher.ranks()["job@1.1"].gone:
        time.sleep(0.01)
    assert (told.hopeless(list(launcher.ranks().values())) or [0])[0] == told.DIED_IN_INIT
    launcher.signal(15)
    assert first.socket.recv(100) == b"signal 15\n"
    launcher.close()
    assert first.socket.recv(100) == b""  # so a rank hears that the launcher is gone


def a_rank_is_silent_if_it_does_not_answer_and_others_do() -> None:
    launcher = connections.Connections(30, pathlib.Path("/nothing"))
    first, second = Client(launcher, "job@1.0"), Client(launcher, "job@1.1")
    for number, client in enumerate((first, second)):
        client.say(f"started {number}\nentered {number}")
        assert client.ask()

    def looks(answering: list[Client], count: int) -> list[str]:
        """What is said at so many looks, before each of which these answer."""
        said = []
        for _ in range(count):
            for client in answering:
                client.say("here")
                assert client.ask()
            said += launcher.silent()
        return said

    assert looks([first, second], 2 * connections.ENOUGH) == []
    [said] = looks([first], 2 * connections.ENOUGH)  # once
    assert "rank 1 is stopped" in said and "kill -CONT 1" in said, said
    assert looks([first, second], 2) == []
    assert looks([], 2 * connections.ENOUGH) == []  # the launcher was stopped, too
    second.say("finalized 0")
    assert looks([first], 2 * connections.ENOUGH) == []
    launcher.close()


def a_rank_that_was_lost_before_it_began_ends_the_others_in_init() -> None:
    with tempfile.TemporaryDirectory() as folder:
        lost = pathlib.Path(folder, "lost")
        launcher = connections.Connections(30, lost)
        rank = Client(launcher, "job@1.0")
        rank.say("started 7\nentered 7")
        assert rank.ask() and told.hopeless(list(launcher.ranks().values())) is None
        lost.write_text("1\n2\n", encoding="ascii")
        assert (told.hopeless(list(launcher.ranks().values())) or [0, ""])[1].startswith("rank 1 died")
        rank.say("left")
        assert rank.ask() and told.hopeless(list(launcher.ranks().values())) is None
        launcher.close()


def a_job_is_deserted_if_ranks_were_lost_and_none_is_there() -> None:
    with tempfile.TemporaryDirectory() as folder:
        lost = pathlib.Path(folder, "lost")
        launcher = connections.Connections(30, lost)
        assert launcher.ranks() == {} and launcher.deserted() == 0  # none was lost
        lost.write_text("1\n", encoding="ascii")
        assert launcher.ranks() and launcher.deserted() > 0
        rank = Client(launcher, "job@1.0")
        rank.say("started 7")
        assert rank.ask() and launcher.ranks() and launcher.deserted() == 0
        rank.socket.close()
        while not launcher.ranks()["job@1.0"].gone:
            time.sleep(0.01)
        assert launcher.ranks() and launcher.deserted() > 0
        launcher.close()


def a_job_is_deserted_if_all_ranks_have_ended_and_mpirun_has_not() -> None:
    launcher = connections.Connections(30, pathlib.Path("/nothing"))
    first, second = Client(launcher, "job@1.0"), Client(launcher, "job@1.1")
    for rank in (first, second):
        rank.say("started 7\nentered 7\nleft\nfinalized 0")
        assert rank.ask() and launcher.ranks() and launcher.deserted() == 0  # it is still there
    first.socket.close()
    time.sleep(0.1)
    assert launcher.ranks() and launcher.deserted() == 0
    second.socket.close()
    while launcher.ranks() and launcher.deserted() == 0:
        time.sleep(0.01)
    launcher.close()


def a_job_is_deserted_if_no_rank_that_came_to_mpi_is_there() -> None:
    launcher = connections.Connections(30, pathlib.Path("/nothing"))  # mpirun has noticed no loss
    first, second = Client(launcher, "job@1.0"), Client(launcher, "job@1.1")
    first.say("started 7\nentered 7\nleft\nfinalized 0")
    second.say("started 8\nentered 8\nleft")
    assert first.ask() and second.ask()
    first.socket.close()
    time.sleep(0.1)
    assert launcher.ranks() and launcher.deserted() == 0
    second.socket.close()  # it dies with its node
    while launcher.ranks() and launcher.deserted() == 0:
        time.sleep(0.01)
    launcher.close()


def hosts_are_asked_while_no_rank_is_there_that_may_come_to_mpi() -> None:
    assert told.may_never_begin([])
    assert not told.may_never_begin([told.Rank(0), told.Rank(1, gone=True)])
    assert told.may_never_begin([told.Rank(0, gone=True), told.Rank(1, gone=True)])
    assert not told.may_never_begin([told.Rank(0, entered=True, gone=True)])  # such a job is hopeless or deserted


def a_job_is_not_deserted_if_ranks_may_still_begin() -> None:
    launcher = connections.Connections(30, pathlib.Path("/nothing"))
    rank = Client(launcher, "job@1.0")
    rank.say("started 7\nquit 0")  # no program of MPI: the others may begin later
    assert rank.ask()
    rank.socket.close()
    time.sleep(0.1)
    assert launcher.ranks() and launcher.deserted() == 0
    launcher.close()


def a_job_is_deserted_if_a_daemon_was_lost_before_ranks() -> None:
    with tempfile.TemporaryDirectory() as folder:
        lost = pathlib.Path(folder, "lost")
        launcher = connections.Connections(30, lost)
        lost.write_text(f"{told.DAEMON_LOST}\n", encoding="ascii")
        assert launcher.ranks() == {} and launcher.deserted() > 0
        launcher.close()


def folders_are_gone_after_the_launch() -> None:
    with job_folders() as folders:
        assert all(pathlib.Path(folder).is_dir() for folder in (folders.tmp, folders.shared) if folder)
        pathlib.Path(folders.shared or folders.tmp, "sm_segment").touch()  # of a rank that was killed
    assert not any(pathlib.Path(folder).exists() for folder in (folders.tmp, folders.shared) if folder)


def strangers_are_not_heard() -> None:
    launcher = connections.Connections(30, pathlib.Path("/nothing"))
    for name, key, line in (("job@1.0", "wrong", ""), ("../x.0", "", ""), ("job@1.0", "", "finalized x"), ("job@1.0", "\xff", ""),
                            ("job@1.0", "", "left" * 200), ("no number", "", "")):
        client = Client(launcher, name, key)
        with contextlib.suppress(OSError):
            client.say(line)
            assert client.socket.recv(100) == b"", (name, key, line)
    assert launcher.ranks() == {}
    launcher.close()



others_slow_a_job_down_and_its_own_ranks_do_not()
folders_are_gone_after_the_launch()
a_job_is_hopeless_if_a_rank_died_while_others_are_in_init()
a_rank_that_leaves_init_and_ends_while_it_is_looked_at_has_not_died_in_init()
a_rank_that_aborts_ends_the_job()
a_death_is_known_before_anybody_has_seen_the_rank()
a_rank_is_caught_after_a_death_if_it_is_always_in_the_same_loop_of_open_mpi()
a_rank_that_open_mpi_kept_counts_as_dead()
exit_codes_are_those_of_ranks_that_lived_longest()
hosts_are_named_by_options_of_mpirun_alone()
a_number_of_ranks_is_a_number()
a_batch_job_that_runs_several_programs_has_a_name_for_each()
a_rank_is_stopped_if_it_is_for_a_while_and_others_are_not()
a_job_on_hosts_may_use_the_network()
a_job_on_hosts_outlives_nodes_with_an_mpi_for_which_this_was_tried()
what_the_caller_has_set_wins()
the_parameter_file_has_every_setting()
a_job_hangs_after_its_seconds_without_those_that_others_took()
without_ulfm_the_exit_code_decides_whether_a_job_is_lost()
a_job_is_lost_if_deaths_ended_it()
dead_hosts_leave_the_command_line()
hosts_are_read_from_files_and_batch_systems()
ranks_on_other_hosts_tell_by_their_connections()
a_rank_is_silent_if_it_does_not_answer_and_others_do()
a_rank_that_was_lost_before_it_began_ends_the_others_in_init()
a_job_is_deserted_if_ranks_were_lost_and_none_is_there()
a_job_is_deserted_if_all_ranks_have_ended_and_mpirun_has_not()
a_job_is_deserted_if_no_rank_that_came_to_mpi_is_there()
hosts_are_asked_while_no_rank_is_there_that_may_come_to_mpi()
a_job_is_not_deserted_if_ranks_may_still_begin()
a_job_is_deserted_if_a_daemon_was_lost_before_ranks()
strangers_are_not_heard()
print("the launcher decides as it should")
