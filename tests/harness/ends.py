#!/usr/bin/env python3
"""Jobs whose ranks end in all kinds of ways: each ends, with the exit code that regraft-run promises and a line that names the rank."""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import fortran  # noqa: E402

LAUNCHERS = HERE.parents[1] / "apps/launch"
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
    for name in ("--mpirun", "--rank-library", "--shield-library", "--exe", "--profiled-exe", "--profiler", "--late-error", "--node-library", "--crash"):
        parser.add_argument(name, required=True)
    args = parser.parse_args()
    of_mpirun = ["--mpirun", args.mpirun, "--node-library", args.node_library]
    run = [sys.executable, str(LAUNCHERS / "launch.py"), *of_mpirun, "--rank-library", args.rank_library]
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
        check([*tool, "--version"], 0, "regraft-")
    os.environ["LD_PRELOAD"] = args.rank_library  # alone, without a launcher
    check([args.exe, "all-exit-3"], 3, "")


if __name__ == "__main__":
    main()
