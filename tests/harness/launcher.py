#!/usr/bin/env python3
"""What the launcher decides without starting a job: which options name hosts, which settings a job gets, when it has hung, how it ended."""
import itertools
import os
import pathlib
import sys
import tempfile
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/launch"))
import launch


def hosts_are_named_by_options_of_mpirun_alone() -> None:
    for words in ("-n 4 --hostfile h --map-by node -- prog", "--host a,b -n 4 prog", "-H a:2 prog", "--host=a prog", "-machinefile h prog"):
        assert launch.names_hosts(words.split()), words
    for words in ("-n 4 prog", "-n 4 prog --host a", "--map-by node -n 4 -- prog -H a", "-n 4 -- --host", ""):
        assert not launch.names_hosts(words.split()), words


def a_job_on_hosts_may_use_the_network() -> None:
    launch.flags = lambda mpirun: ("--with-ft", "ulfm")
    here, there = (launch.environment("mpirun", "/tmp/job", one_host) for one_host in (True, False))
    for name in ["OMPI_MCA_btl", "PRTE_MCA_rmaps_default_mapping_policy"]:
        assert name in here and name not in there, name
    assert here["TMPDIR"] == "/tmp/job" != there.get("TMPDIR")
    for setting in launch.SETTINGS:
        assert here[f"OMPI_MCA_{setting.name}"] == there[f"OMPI_MCA_{setting.name}"] == setting.value


def a_job_on_hosts_outlives_nodes_with_an_mpi_for_which_this_was_tried() -> None:
    libraries = launch.Libraries(node="/lib/node.so", node_timeout=30)
    for text, survives in (("mpirun (Open MPI) 5.0.9\n", True), ("mpirun (Open MPI) 5.0.11\n", False), ("HYDRA build details:\n", False)):
        launch.version = lambda mpirun, said=text: said
        env = {"LD_PRELOAD": "/lib/mine.so"}
        launch.outlive_nodes("mpirun", libraries, env)
        assert (env["LD_PRELOAD"] == "/lib/node.so:/lib/mine.so") == survives, text
        if survives:
            time, interval, probes = (int(env[f"PRTE_MCA_oob_tcp_keepalive_{name}"]) for name in ("time", "intvl", "probes"))
            assert time + interval * probes == 30 == int(env["REGRAFT_NODE_TIMEOUT"])
    launch.version = lambda mpirun: "mpirun (Open MPI) 5.0.9\n"
    env = {}
    launch.outlive_nodes("mpirun", launch.Libraries(), env)
    assert not env  # there is no library


def what_the_caller_has_set_wins() -> None:
    os.environ["OMPI_MCA_coll_ftagree_era_topology"] = "1"
    assert launch.environment("mpirun", "/tmp/job")["OMPI_MCA_coll_ftagree_era_topology"] == "1"
    del os.environ["OMPI_MCA_coll_ftagree_era_topology"]


def the_parameter_file_has_every_setting() -> None:
    lines = [line for line in launch.parameter_file().splitlines() if not line.startswith("#")]
    assert lines == [f"{setting.name}={setting.value}" for setting in launch.SETTINGS]  # mpirun --tune wants no blanks


def a_job_hangs_after_its_seconds_without_those_that_others_took() -> None:
    for slowdown in (1, 4):
        seconds = iter(range(10_000))  # a second passes whenever the clock is read
        launch.time = types.SimpleNamespace(monotonic=lambda clock=seconds: next(clock), sleep=lambda _: None)
        launch.slowdown = lambda ranks, factor=slowdown: factor
        looked = []
        job = types.SimpleNamespace(poll=lambda looks=looked: looks.append(1))
        with tempfile.TemporaryDirectory() as verdicts:
            assert launch.watch(job, 4, pathlib.Path(verdicts), 50).startswith("hung")
        assert len(looked) == 50 * slowdown + 1, len(looked)


def others_slow_a_job_down_and_its_own_ranks_do_not() -> None:
    assert launch.slowdown(ranks=100_000) == 1 <= launch.slowdown(ranks=1)


def a_rank_is_caught_after_a_death_if_it_is_always_in_the_same_loop_of_open_mpi() -> None:
    def looks(places, library="/lib/libopen-pal.so.80", step=10**6, dead=(7,), compares=True) -> bool:
        """Whether process 5 is found, whose first thread is at these places when it is looked at."""
        seconds, at, ran = itertools.count(), iter(places), itertools.count(step, step)
        launch.time = types.SimpleNamespace(monotonic=lambda: 2 * next(seconds), sleep=lambda _: None)
        launch.run_time = lambda _: next(ran)
        launch.instruction_of = lambda _: next(at)
        launch.library_at = lambda _process, _place: library
        launch.compares_with_free = lambda _process, _place: compares
        launch.is_gone = lambda process: process in dead
        caught = launch.Caught()
        return any(caught.look([5, 7]) == [5] for _ in range(len(places)))

    before = {name: getattr(launch, name) for name in ("time", "run_time", "instruction_of", "library_at", "compares_with_free", "is_gone")}
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
        setattr(launch, name, value)


def ranks_that_told(*texts: str) -> list[launch.Rank]:
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            pathlib.Path(folder, f"job@1.{number}").write_text(text.replace("ME", str(os.getpid())).replace("GONE", str(GONE)), encoding="ascii")
        return list(launch.read_ranks(pathlib.Path(folder)).values())


GONE = 2**22 + 1  # more than any process id
IN_INIT = "started ME\nentered ME\n"
AT_WORK = IN_INIT + "left\n"


def a_job_is_hopeless_if_a_rank_died_while_others_are_in_init() -> None:
    for dead in ("started GONE\n", "started GONE\nentered GONE\n", "started ME\nentered GONE\n"):
        code, why = launch.hopeless(ranks_that_told(IN_INIT, dead, AT_WORK)) or (0, "")
        assert code == launch.DIED_IN_INIT and "rank 1 died" in why, (dead, why)
    for dead in ("", "started ME\n", "started GONE\nentered GONE\nleft\n"):  # not begun; alive; died later, which the others survive
        assert launch.hopeless(ranks_that_told(IN_INIT, dead)) is None, dead
    assert launch.hopeless(ranks_that_told(AT_WORK, "started GONE\n")) is None  # the others do not wait
    assert launch.hopeless([]) is None


def a_rank_that_leaves_init_and_ends_while_it_is_looked_at_has_not_died_in_init() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "job@1.0")
        file.write_text("started 7\nentered 7\n", encoding="ascii")
        before = launch.is_gone

        def ends_just_now(_process: int) -> bool:
            file.write_text("started 7\nentered 7\nleft\nexited 3\n", encoding="ascii")
            return True

        launch.is_gone = ends_just_now
        rank = launch.read_rank(file)
        launch.is_gone = before
    assert rank.left and rank.gone and rank.end == "exited", rank


def a_rank_that_aborts_ends_the_job() -> None:
    assert launch.hopeless(ranks_that_told(AT_WORK, AT_WORK + "aborted 9\n")) == (9, "rank 1 called MPI_Abort with 9")
    assert launch.hopeless(ranks_that_told(AT_WORK + "aborted 0\n"))[0] == 1


def exit_codes_are_those_of_ranks_that_lived_longest() -> None:
    for code, *ends in [(0, "finalized 0", ""), (7, "finalized 2", "finalized 7"), (0, "exited 3", "finalized 0"), (3, "exited 3", ""),
                        (1, "exited 0", ""), (1, "", "")]:
        assert launch.code_of_ranks(ranks_that_told(*(AT_WORK + end for end in ends)), 0) == code, ends
    assert launch.code_of_ranks(ranks_that_told("started GONE\n"), 5) == 5  # no program of MPI: only mpirun knows
    assert launch.code_of_ranks([], -15) == 143
    assert launch.code_of_ranks(ranks_that_told("started GONE\nquit 0\n", "started GONE\n"), 0) == 0
    assert launch.code_of_ranks(ranks_that_told("started GONE\n"), 0) == 1  # killed before MPI_Init


others_slow_a_job_down_and_its_own_ranks_do_not()
a_job_is_hopeless_if_a_rank_died_while_others_are_in_init()
a_rank_that_leaves_init_and_ends_while_it_is_looked_at_has_not_died_in_init()
a_rank_that_aborts_ends_the_job()
a_rank_is_caught_after_a_death_if_it_is_always_in_the_same_loop_of_open_mpi()
exit_codes_are_those_of_ranks_that_lived_longest()
hosts_are_named_by_options_of_mpirun_alone()
a_job_on_hosts_may_use_the_network()
a_job_on_hosts_outlives_nodes_with_an_mpi_for_which_this_was_tried()
what_the_caller_has_set_wins()
the_parameter_file_has_every_setting()
a_job_hangs_after_its_seconds_without_those_that_others_took()
print("the launcher decides as it should")
