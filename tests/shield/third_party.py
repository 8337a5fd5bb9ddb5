#!/usr/bin/env python3
"""Programs of others, as Debian has built them for an older Open MPI, under the shield. Without deaths they print the same as without it;
with a rank killed, they end well.

third_party.py NAME --mpirun PATH --library PATH --canary FILE --work FOLDER: NAME is Hpcc, Phyml, Ffindex, Netpipe or NetpipeCost. The packages
are unpacked in FOLDER, not installed, and kept there; skipped where they cannot be had or do not run on this MPI.
"""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import unittest

import under_shield
from under_shield import ARGS, CONTRIBUTIONS_MISSING, ROOT, fetch

PACKAGES = {"Hpcc": ["hpcc"], "Phyml": ["phyml"], "Ffindex": ["ffindex", "libffindex0"], "Netpipe": ["netpipe-openmpi"],
            "NetpipeCost": ["netpipe-openmpi"]}


def unpacked(package: str) -> pathlib.Path:
    """The folder that has the package's files as below /."""
    work = pathlib.Path(ARGS.work).resolve()
    root = work / package
    if not root.exists():
        work.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=work) as name:
            folder = pathlib.Path(name)
            fetch("apt-get", "download", package, cwd=folder)
            fetch("dpkg-deb", "-x", next(folder.glob("*.deb")), folder / "root", cwd=folder)
            (folder / "root").rename(root)  # complete, or not there
    return root


class Programs(under_shield.UnderShield):
    @classmethod
    def setUpClass(cls):
        roots = [unpacked(package) for package in PACKAGES[cls.__name__]]
        folders = [folder for root in roots for folder in [root / "usr/bin", root / "usr/lib/phyml/bin"]]
        libraries = [pathlib.Path(ARGS.mpirun).parents[1] / "lib", *(root / "usr/lib" for root in roots)]
        cls.roots = roots
        cls.variables = {"LD_LIBRARY_PATH": os.pathsep.join(map(str, libraries)), "PATH": os.pathsep.join([*map(str, folders), os.environ["PATH"]])}

    @classmethod
    def program(cls, name: str) -> str:
        """The file of a program; skips if this MPI is not one that it can run on."""
        file = shutil.which(name, path=cls.variables["PATH"])
        linked = subprocess.run(["ldd", file], env=os.environ | cls.variables, capture_output=True, text=True, check=True).stdout
        if lost := re.findall(r"(\S+) => not found", linked):
            raise unittest.SkipTest(f"{name} needs {', '.join(lost)}")
        if f"{pathlib.Path(ARGS.mpirun).parents[1]}/lib" not in re.search(r"libmpi\.so\S* => (\S+)", linked)[1]:
            raise unittest.SkipTest(f"{name} does not run on this MPI")
        return file

    def run_in(self, folder: str, *words: str, expect: int = 0, **how) -> str:
        """The output of a job in a folder of its own, which is made. words: the command line from -n on."""
        where = self.folder / folder
        where.mkdir(exist_ok=True)
        done = self.run_job(*words, cwd=where, timeout=1800, **self.variables, **how)
        self.assertEqual(done.returncode, expect, f"{words}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return done.stdout + done.stderr

    def read(self, folder: str, file: str) -> str:
        return (self.folder / folder / file).read_text(encoding="utf-8", errors="replace")


class Hpcc(Programs):
    """High Performance Linpack, transposition, random access, FFT, ... : 40 functions of MPI."""

    INPUT = {6: "200 Ns", 8: "80 NBs", 11: "2 Ps", 12: "2 Qs"}  # by line
    TIMES = re.compile(r"time|Time|flops|GUPs|GBs|GBytes|usec|STREAM_(Copy|Scale|Add|Triad)=")

    def summary(self, folder: str, shield: bool) -> list[str]:
        """What it prints at the end, except for times and speeds."""
        (self.folder / folder).mkdir()
        example = self.roots[0] / "usr/share/doc/hpcc/examples/_hpccinf.txt"
        lines = example.read_text(encoding="ascii").splitlines()
        lines = [self.INPUT.get(i, line) for i, line in enumerate(lines, 1)]
        (self.folder / folder / "hpccinf.txt").write_text("\n".join(lines) + "\n", encoding="ascii")
        self.run_in(folder, "-n", "4", self.program("hpcc"), shield=shield)
        text = self.read(folder, "hpccoutf.txt")
        numbers = text[text.index("Begin of Summary") :].splitlines()
        return [line for line in numbers if "=" in line and not self.TIMES.search(line)]

    def test_the_results_are_the_same_with_the_shield(self):
        plain = self.summary("plain", shield=False)
        self.assertIn("Success=1", plain)
        self.assertEqual(self.summary("shield", shield=True), plain)


class Phyml(Programs):
    """Bootstraps of a tree: rank 0 collects those of the others."""

    OPTIONS = ["-b", "6", "-d", "nt", "-m", "JC69", "-c", "1", "-o", "tl", "--r_seed", "1", "--no_memory_check", "--quiet"]
    FILES = ["tree", "stats", "boot_trees", "boot_stats"]

    def results(self, folder: str, **how) -> dict[str, list[str]]:
        """The lines of its files, except for empty ones and the time that it took."""
        (self.folder / folder).mkdir()
        shutil.copy(ROOT / "data/primates.phy", self.folder / folder / "msa")
        self.run_in(folder, "-n", "3", self.program("phyml-mpi"), "-i", "msa", *self.OPTIONS, **how)
        files = {name: self.read(folder, f"msa_phyml_{name}.txt") for name in self.FILES}
        return {name: [line for line in text.splitlines() if line.strip() and "Time used" not in line] for name, text in files.items()}

    def test_all_files_are_the_same_with_the_shield(self):
        plain = self.results("plain", shield=False)
        self.assertEqual(len(plain["boot_trees"]), 6)
        self.assertEqual(self.results("shield", shield=True), plain)

    def test_with_a_rank_killed_the_others_bootstraps_are_there(self):
        plain = self.results("plain", shield=False)
        killed = self.results("killed", shield=True, fail="shield:call:2:3", expect=CONTRIBUTIONS_MISSING)
        left = killed["boot_trees"]
        self.assertLess(len(left), 6)
        self.assertGreaterEqual(len(left), 4)
        self.assertEqual(left, [tree for tree in plain["boot_trees"] if tree in left])
        branches = [re.sub(r"\)\d+:", "):", files["tree"][0]) for files in (plain, killed)]
        self.assertEqual(*branches)
        supports = [list(map(int, re.findall(r"\)(\d+):", files["tree"][0]))) for files in (plain, killed)]
        self.assertTrue(all(less <= more for less, more in zip(supports[1], supports[0])))
        self.assertEqual(max(supports[1]), 4)  # results of the living ranks, which count at the end


class Ffindex(Programs):
    """A program is applied to each of many entries; ranks take parts of them, and the first puts the parts together."""

    ENTRIES, RANKS, VICTIM = 40, 4, 2
    KILLER = f"""#!/bin/sh
    if [ "$OMPI_COMM_WORLD_RANK" = {VICTIM} ]; then
        echo >>entries
        [ "$(wc -l <entries)" -lt 4 ] || kill -9 $PPID
    fi
    wc -l
    """

    def apply(self, folder: str, *command: str, **how) -> dict[str, str]:
        """The results by entry."""
        where = self.folder / folder
        (where / "in").mkdir(parents=True)
        for i in range(self.ENTRIES):
            (where / "in" / f"e{i:02d}").write_text(f"entry {i}\n" * (i + 1), encoding="ascii")
        build = self.program("ffindex_apply_mpi").removesuffix("_apply_mpi") + "_build"
        subprocess.run([build, "-s", "data", "index", "in"], cwd=where, env=os.environ | self.variables, check=True)
        output = ["-d", "out", "-i", "out.index"]
        self.run_in(folder, "-n", str(self.RANKS), self.program("ffindex_apply_mpi"), *output, "data", "index", "--", *command, **how)
        data = self.read(folder, "out")
        rows = [line.split("\t") for line in self.read(folder, "out.index").splitlines()]
        return {name: data[int(begin) : int(begin) + int(size) - 1] for name, begin, size in rows}

    def test_the_results_are_the_same_with_the_shield(self):
        plain = self.apply("plain", "wc", "-l", shield=False)
        self.assertEqual(plain, {f"e{i:02d}": f"{i + 1}\n" for i in range(self.ENTRIES)})
        self.assertEqual(self.apply("shield", "wc", "-l", shield=True), plain)

    def test_what_a_rank_wrote_before_it_was_killed_is_there(self):
        plain = self.apply("plain", "wc", "-l", shield=False)
        killed = self.apply("killed", "wc", "-l", shield=True, fail=f"shield:call:{self.VICTIM}:0", expect=CONTRIBUTIONS_MISSING)
        self.assertEqual(killed, plain)

    def test_with_a_rank_killed_at_its_work_only_its_entries_are_missing(self):
        plain = self.apply("plain", "wc", "-l", shield=False)
        killer = self.folder / "killer"
        killer.write_text(self.KILLER.replace("\n    ", "\n"), encoding="ascii")
        killer.chmod(0o755)
        killed = self.apply("killed", str(killer), shield=True, expect=CONTRIBUTIONS_MISSING)
        self.assertEqual(killed, {name: text for name, text in plain.items() if name in killed})
        share = self.ENTRIES // self.RANKS
        missing = sorted(set(plain) - set(killed))
        self.assertTrue(missing)
        self.assertLessEqual(set(missing), {f"e{i:02d}" for i in range(self.VICTIM * share, (self.VICTIM + 1) * share)})


class Netpipe(Programs):
    """Messages of all sizes between two ranks, whose bytes it checks."""

    def test_all_messages_arrive_as_they_were_sent(self):
        for options in ([], ["-a"], ["-a", "-z"], ["-S"]):  # blocking, nonblocking, from any source, synchronous
            with self.subTest(options):
                words = ["-n", "2", self.program("NPopenmpi"), "-i", "-l", "1", "-u", "100000", "-p", "3", "-n", "3", "-o", "out", *options]
                plain, shielded = (self.run_in("run", *words, shield=shield) for shield in (False, True))
                sizes = re.findall(r"(\d+) bytes +\d+ times -->", plain)
                self.assertGreater(len(sizes), 50)
                self.assertEqual(re.findall(r"(\d+) bytes +\d+ times -->", shielded), sizes)
                # What the other rank says may come between.
                self.assertEqual([said.count("Integrity check passed") for said in (plain, shielded)], 2 * [len(sizes)])


class NetpipeCost(Programs):
    MOST, TURNS = 1.05, 15

    def test_messages_take_as_long_as_without_the_shield_but_for_5_percent(self):
        """The time of the fastest of several turns, because others on the machine make times longer. Takes more turns if they have."""
        best: tuple[dict[str, float], dict[str, float]] = ({}, {})
        for turn in range(self.TURNS):
            for shield in (False, True):
                self.run_in("run", "-n", "2", self.program("NPopenmpi"), "-l", "1", "-u", "65536", "-n", "200", "-p", "0", "-o", "out", shield=shield)
                for line in self.read("run", "out").splitlines():
                    size, _, seconds = line.split()
                    best[shield][size] = min(best[shield].get(size, 1.0), float(seconds))
            ratio = statistics.median(best[True][size] / best[False][size] for size in best[False])
            print(f"turn {turn + 1}: {ratio:.3f}", flush=True)
            if turn >= 3 and ratio <= self.MOST:
                return
        self.fail(f"times are {ratio:.3f} of those without the shield")


if __name__ == "__main__":
    under_shield.main("work")
