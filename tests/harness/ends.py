#!/usr/bin/env python3
"""Jobs whose ranks end in all kinds of ways: each ends, with the exit code that regraft-run promises and a line that names the rank."""
import argparse
import fcntl
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import fortran  # noqa: E402

LAUNCHERS = HERE.parents[1] / "apps/launch"
sys.path.insert(0, str(LAUNCHERS))
from regraft_run.processes import processes_that, processes_with  # noqa: E402
from regraft_run.stopped import is_stopped  # noqa: E402

TIMEOUT = 120  # seconds for what hangs

CASES = [  # how rank 1 of 3 ends, exit code, what is printed
    ("lives", 0, "all are here"),
    ("killed-before-init", 69, "rank 1 died before all ranks had left MPI_Init"),
    ("exits-before-init", 69, "rank 1 died before all ranks had left MPI_Init"),
    ("killed", 0, "somebody died"),
    ("exits", 0, "rank 1 ended by exit(3) without MPI_Finalize"),
    ("exits-at-once", 0, "rank 1 ended by exit(3) without MPI_Finalize"),
    ("calls-abort", 9, "rank 1 called MPI_Abort with 9"),
    ("exits-quickly", 0, "rank 1 ended by exit(3) without MPI_Finalize"),
    ("spawns", 0, "3 beside 2"),
    ("spawns", 0, "2 beside 3"),
    ("spawns-victim", 0, "somebody died"),
    ("all-return-7", 7, ""),
    ("all-finalize-then-leave-7", 7, ""),
    ("all-finalize-then-quick-exit-7", 7, ""),
    ("all-quick-exit-6", 6, "rank 1 ended by exit(6) without MPI_Finalize"),
    ("all-exit-3", 3, ""),
    ("all-abort", 1, "all ranks have died"),
    ("all-abort-before-init", 1, "all ranks have died"),
    ("all-exit-before-init", 0, ""),
    ("all-quick-exit-before-init", 0, ""),
]
IN_FORTRAN = [
    ("lives", 0, "all are here"),
    ("killed-before-init", 69, "rank 1 died before all ranks had left MPI_Init"),
    ("stops-before-init", 69, "rank 1 died before all ranks had left MPI_Init"),
    ("calls-abort", 9, "rank 1 called MPI_Abort with 9"),
    ("all-stop-3", 3, "rank 1 ended by exit(3) without MPI_Finalize"),
]
PROFILED = [
    ("lives", 0, "all are here"),
    ("killed-before-init", 69, "rank 1 died before all ranks had left MPI_Init"),
    ("calls-abort", 9, "rank 1 called MPI_Abort with 9"),
]
WITHOUT_LIBRARY = [  # a wrapper has set or removed LD_PRELOAD
    ("lives", 0, "all are here"),
    ("killed-before-init", 69, "rank 1 died before all ranks had left MPI_Init"),
    ("exits", 0, "rank 1 ended by exit(3) without MPI_Finalize"),
    ("calls-abort", 9, "rank 1 called MPI_Abort with 9"),
]
UNDER_SHIELD = [
    ("killed-before-init", 69, "rank 1 died before all ranks had left MPI_Init"),
    ("killed", 3, "dead: rank 1 of 3"),
    ("spawns", 0, "3 beside 2"),
]


def check(command: list[str], code: int, says: str) -> None:
    job = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL)
    said = job.stdout + job.stderr
    print(" ".join(command[2:]), "->", job.returncode)
    if job.returncode != code or says not in said:
        sys.exit(f"{said}\nexit code {job.returncode}, expected {code} and {says!r}")


REQUESTS = [  # what all three ranks do, which signals the launcher gets, exit code
    ("stops-if-asked", [signal.SIGINT], 75),
    ("works-on", [signal.SIGINT], 130),
    ("works-on", [signal.SIGTERM], 143),
    ("ignores-requests", [signal.SIGINT, signal.SIGINT], 130),
]


def request(command: list[str], numbers: list[int], code: int) -> None:
    """Sends signals as a terminal does: each goes to the whole group of the launcher."""
    job = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        lines = [job.stdout.readline() for _ in range(3)]
        for number in numbers:
            os.killpg(job.pid, number)
            time.sleep(0.5)  # two signals that come at once are one
        job.wait(TIMEOUT)
    finally:
        job.kill()
    print(" ".join(command[2:]), numbers, "->", job.returncode)
    if job.returncode != code or lines != ["at work\n"] * 3:
        sys.exit(f"{lines}\nexit code {job.returncode}, expected {code}")


def check_early_deaths(run: list[str], shield: list[str], exe: str, crash: str) -> None:
    """Ranks die before their library has begun, or before MPI_Init."""
    for tool in (run, shield):
        check([*tool, "-n", "2", exe, "lives", ":", "-n", "1", crash], 69, "rank 2 died before all ranks had left MPI_Init")
    check([*run, "-n", "3", crash], 1, "all ranks have died")
    check([*run, "--restarts", "1", "-n", "3", crash], 1, "(restart 1 of 1)")
    dies_once = f"if [ $REGRAFT_RESTART = 0 ]; then kill -KILL $$; fi; exec {exe} lives"
    check([*run, "--restarts", "1", "-n", "3", "sh", "-c", dies_once], 0, "(restart 1 of 1)")


def start(command: list[str], lines: int) -> subprocess.Popen:
    """A job in a session of its own, whose ranks are at work when they have printed so many lines."""
    job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, start_new_session=True)
    assert job.stdout
    limit = threading.Timer(TIMEOUT, job.kill)
    limit.daemon = True
    limit.start()
    for _ in range(lines):
        job.stdout.readline()
    return job


def check_no_answer(run: list[str], exe: str) -> None:
    """Ranks that do not answer to SIGTERM are ended and named."""
    job = start([*run, "--stop-timeout", "1", "-n", "3", exe, "ignores-requests"], 3)
    job.terminate()
    _, said = job.communicate(timeout=TIMEOUT)
    print("SIGTERM without an answer ->", job.returncode)
    if job.returncode != 143 or "ranks 0, 1, 2 have not ended 1 s after SIGTERM" not in said:
        sys.exit(f"{said}\nexit code {job.returncode}, expected 143 and the names of the ranks")


def expect_stop(job: subprocess.Popen, what: str) -> None:
    """The job has survived what came before, and stops when it is asked to."""
    job.send_signal(signal.SIGINT)
    _, said = job.communicate(timeout=TIMEOUT)
    print(what, "->", job.returncode)
    if job.returncode != 75:
        sys.exit(f"{said}\nexit code {job.returncode}, expected 75, as after SIGINT")


def check_hangup_ignored(run: list[str], exe: str) -> None:
    """A job that nohup has started goes on when its terminal is gone."""
    job = start(["sh", "-c", "trap '' HUP; exec \"$@\"", "sh", *run, "-n", "3", exe, "stops-if-asked"], 3)
    job.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    expect_stop(job, "SIGHUP that is ignored")


def check_paused(run: list[str], exe: str) -> None:
    """Ctrl-Z stops the launcher and the ranks, and they go on together."""
    job = start([*run, "-n", "3", exe, "stops-if-asked"], 3)
    processes = [job.pid, *processes_that(lambda folder: is_rank_of(folder, job.pid))]
    for number, expected in ((signal.SIGTSTP, True), (signal.SIGCONT, False)):
        job.send_signal(number)
        limit = time.monotonic() + TIMEOUT
        while any(is_stopped(process) != expected for process in processes):
            if time.monotonic() > limit:
                sys.exit(f"after {number!r} expected that {'all' if expected else 'none'} of {processes} are stopped")
            time.sleep(0.05)
    expect_stop(job, "Ctrl-Z")


def check_stopped(run: list[str], exe: str) -> None:
    """A rank that is stopped is named, and the job goes on when the rank does."""
    job = start([*run, "-n", "3", exe, "stops"], 0)
    assert job.stderr
    said = ""
    while not (found := re.search(r"rank 1 is stopped, .*kill -CONT (\d+)", said)):
        line = job.stderr.readline()
        if not line:
            sys.exit(f"{said}\nexpected that rank 1 is named")
        said += line
    os.kill(int(found[1]), signal.SIGCONT)
    out, _ = job.communicate(timeout=TIMEOUT)
    print("a rank that is stopped ->", job.returncode)
    if job.returncode != 0 or out.count("all are here") != 2:
        sys.exit(f"{out}\nexit code {job.returncode}, expected 0, and that all are here")


def check_launcher_killed(command: list[str], number: int) -> None:
    """A job whose launcher is killed ends and leaves nothing."""
    job = start(command, 3)
    rank = processes_that(lambda folder: is_rank_of(folder, job.pid))[0]
    variables = dict(text.partition("=")[::2] for text in pathlib.Path(f"/proc/{rank}/environ").read_text(encoding="utf-8").split("\0"))
    board = variables.get("REGRAFT_SHIELD_BOARD", "")
    folders = [variables["REGRAFT_LAUNCH"], variables.get("OMPI_MCA_btl_sm_backing_directory", ""), str(pathlib.Path(board).parent) if board else ""]
    if not all(pathlib.Path(folder).exists() for folder in folders if folder):
        sys.exit(f"{folders}: expected the folders of the job")
    job.send_signal(number)
    _, said = job.communicate(timeout=TIMEOUT)  # all that print have ended
    print(" ".join(command[2:]), "killed by", number)
    left = [*map(str, processes_with(f"REGRAFT_LAUNCH={folders[0]}")), *(folder for folder in folders if folder and pathlib.Path(folder).exists())]
    if left or "the launcher was killed" not in said:
        sys.exit(f"{said}\nleft: {left}")


def is_rank_of(process: pathlib.Path, launcher: int) -> bool:
    """Whether this folder below /proc is that of a rank."""
    name = (process / "comm").read_text(encoding="ascii").strip()
    return name == "ends" and launcher in ancestors(int(process.name))


def ancestors(process: int) -> list[int]:
    found = []
    while process > 1:
        process = int(pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
        found.append(process)
    return found


def check_output(command: list[str], expected: bytes) -> None:
    """Warnings on stderr leave stdout alone."""
    job = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL)
    print(" ".join(command[2:]), "->", job.stdout)
    if job.stdout != expected or b"WARNING" not in job.stderr:
        sys.exit(f"{job.stderr}\nexit code {job.returncode}, {job.stdout!r}, expected {expected!r}")


def check_shared_files(command: list[str]) -> None:
    """Ranks share memory through files in a folder of their job, which is gone afterwards."""
    job = subprocess.run([*command, "killed-sharing"], capture_output=True, text=True, timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL)
    print(" ".join(command[2:]), "->", job.stdout.split())
    said = [line.split() for line in job.stdout.splitlines()]  # a line of each survivor: its folder, and how many files are there
    folders = {folder for folder, files in said if int(files) > 0}
    if len(said) != 2 or len(folders) != 1 or not (folder := folders.pop()).startswith("/dev/shm/") or pathlib.Path(folder).exists():
        sys.exit(f"{job.stdout}\n{job.stderr}\nexpected one folder with files, which is gone now")


def check_left_folders(command: list[str], expected: str) -> None:
    """Ranks on named hosts remove folders of shared files whose last rank was killed, and no others."""
    place = pathlib.Path("/dev/shm")
    if not os.access(place, os.W_OK):
        return
    left, used = (place / f"regraft-ranks-{os.geteuid()}-ends-{os.getpid()}-{name}" for name in ("left", "used"))
    lock = -1
    try:
        for folder in (left, used):  # other jobs look for such names at any time
            made = pathlib.Path(tempfile.mkdtemp(dir=place))
            (made / "sm_segment").touch()
            if folder == used:
                lock = os.open(made, os.O_RDONLY)
                fcntl.flock(lock, fcntl.LOCK_SH)
            made.rename(folder)
        check(command, 0, expected)
        if left.exists() or not used.exists():
            sys.exit(f"expected {left} to be gone, and {used} to be there")
    finally:
        if lock >= 0:
            os.close(lock)
        for folder in (left, used):
            shutil.rmtree(folder, ignore_errors=True)


def check_closed_errors(command: list[str], code: int, expected: str) -> None:
    """A job goes on if nobody reads its standard error any more."""
    reader, writer = os.pipe()
    os.close(reader)
    job = subprocess.run(command, stdout=subprocess.PIPE, stderr=writer, text=True, timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL)
    os.close(writer)
    print(" ".join(command[2:]), "-> without a reader of standard error", job.returncode)
    if job.returncode != code or expected not in job.stdout:
        sys.exit(f"{job.stdout}\nexit code {job.returncode}, expected {code} and {expected!r}")


def check_fortran(run: list[str], mpirun: str) -> None:
    if fortran.MISSING:
        print(f"not in Fortran: {fortran.MISSING}")
        return
    with tempfile.TemporaryDirectory() as folder:
        program = fortran.build(mpirun, HERE / "ends.f90", pathlib.Path(folder))
        for init in ("mpi_init", "mpi_init_thread"):
            for how, code, says in IN_FORTRAN:
                check([*run, "-n", "3", str(program), how, init], code, says)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--mpirun", "--rank-library", "--shield-library", "--exe", "--profiled-exe", "--profiler", "--late-error", "--late-failure",
                 "--node-library", "--crash"):
        parser.add_argument(name, required=True)
    args = parser.parse_args()
    of_mpirun = ["--mpirun", args.mpirun, "--node-library", args.node_library]
    run = [sys.executable, str(LAUNCHERS / "launch.py"), *of_mpirun, "--rank-library", args.rank_library]
    on_hosts = [*run, "--host", "localhost:3", "--bind-to", "none"]
    shield = [sys.executable, str(LAUNCHERS / "shield.py"), *of_mpirun, "--library", args.shield_library]
    for how, code, says in CASES:
        check([*run, "-n", "3", args.exe, how], code, says)
    check_fortran(run, args.mpirun)
    for how, code, says in PROFILED:
        check([*run, "-n", "3", args.profiled_exe, how], code, says)
        check(["env", f"LD_PRELOAD={args.profiler}", *run, "-n", "3", args.exe, how], code, says)
    for how, code, says in WITHOUT_LIBRARY:
        check([*run, "-n", "3", "env", f"LD_PRELOAD={args.profiler}", args.exe, how], code, says)
        check([*run, "-n", "3", "sh", "-c", f"unset LD_PRELOAD; {args.exe} {how}"], code, says)
    check([*run, "-n", "3", "sh", "-c", f"unset REGRAFT_RANKS; exec {args.exe} lives"], 0, "all are here")  # it cannot tell anything
    for how, code, says in UNDER_SHIELD:
        check([*shield, "-n", "3", args.exe, how], code, says)
        check([*shield, "-n", "3", "env", "-u", "LD_PRELOAD", args.exe, how], code, says)
    check_no_answer(run, args.exe)
    check_hangup_ignored(run, args.exe)
    check_left_folders([*on_hosts, "-n", "3", args.exe, "lives"], "all are here")
    for how in ("head -c 1000000 /dev/zero >&2", "echo a line >&2", "true"):  # what Python has kept shows only at its end
        check_closed_errors([*run, "-n", "1", "sh", "-c", f"{how}; echo the end"], 0, "the end")
    check_closed_errors([*shield, "-n", "3", args.exe, "killed"], 3, "")
    check_paused(run, args.exe)
    check_stopped(run, args.exe)
    check_stopped(on_hosts, args.exe)
    for tool in (run, shield):
        check_launcher_killed([*tool, "-n", "3", args.exe, "works-on"], signal.SIGKILL)
    check_launcher_killed([*run, "-n", "3", args.exe, "works-on"], signal.SIGUSR2)
    for how, numbers, code in REQUESTS:
        request([*run, "-n", "3", args.exe, how], numbers, code)
    check_early_deaths(run, shield, args.exe, args.crash)
    check_output([*run, "-n", "1", args.exe, "is-warned"], b"has a window\n")
    check([*run, "-n", "3", "sh", "-c", f"{args.exe} killed; exit 4"], 0, "somebody died")  # a shell that starts the rank
    if os.access("/dev/shm", os.W_OK):
        for hosts in ([], ["--host", "localhost:3", "--bind-to", "none"]):
            for tool in (run, shield):
                check_shared_files([*tool, *hosts, "-n", "3", args.exe])
    for tool in (run, shield):
        check([*tool, "--bogus", "-n", "2", args.exe, "lives"], 2, "--bogus")
        check([*tool, "-n", "2"], 2, "No executable was specified")
        check([*tool, "-n", "2", "/no/such/program"], 2, "/no/such/program")
        check([*tool, "-n", "-1", args.exe, "lives"], 2, "-n: expected a number of ranks, at least 1, not '-1'")
    check([*run, "-n", "2", "sh", "-c", "exit 5"], 5, "")  # no program of MPI
    check([*run, "-n", "2", "sh", "-c", "exit 243"], 243, "")
    check([*run, "-n", "2", "sh", "-c", "exec true"], 0, "")
    check([*run, "-n", "2", "sh", "-c", f"exec {args.exe} all-return-7"], 7, "")
    check([*run, "-n", "1", args.late_error, "fatal"], 6, "MPI_ERR_RANK")
    for tool in (run, shield):
        check([*tool, "-n", "1", args.late_error, "late"], 0, "goes on")
        check(["env", "OMPI_MCA_btl=self,tcp", *tool, "-n", "3", args.late_failure], 0, "goes on with 1")
        check([*tool, "--version"], 0, "regraft-")
    with tempfile.TemporaryDirectory() as folder:  # alone, without a launcher; Open MPI leaves its file if nobody calls MPI_Finalize
        alone = ["env", f"LD_PRELOAD={args.rank_library}", f"OMPI_MCA_btl_sm_backing_directory={folder}", args.exe]
        check([*alone, "all-exit-3"], 3, "")


if __name__ == "__main__":
    main()
