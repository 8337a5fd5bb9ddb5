#!/usr/bin/env python3
"""archive.py ROOT: a tarball of the sources, as `git archive` and therefore `meson dist` make it, has every file of the last commit with
the same bytes, mode and symbolic link, except what only a server for continuous integration needs. Skips (77) without a repository."""
import hashlib
import io
import pathlib
import shutil
import subprocess
import sys
import tarfile

LEFT_OUT = (".ci/", ".github/")
NEEDED = ("meson_options.txt", "run", "LICENSE", "debian/rules")  # a link, programs, and what every copy must have
File = tuple[str, str]  # mode as git writes it, hash of the content


def git(root: pathlib.Path, *words: str) -> bytes:
    return subprocess.run(["git", "-C", root, *words], stdout=subprocess.PIPE, check=True).stdout


def tracked(root: pathlib.Path) -> dict[str, File]:
    rows = git(root, "ls-tree", "-r", "-z", "HEAD").decode().split("\0")[:-1]
    return {name: (fields.split()[0], fields.split()[2]) for fields, _, name in (row.partition("\t") for row in rows)}


def packed(root: pathlib.Path) -> dict[str, File]:
    files = {}
    with tarfile.open(fileobj=io.BytesIO(git(root, "archive", "--worktree-attributes", "HEAD"))) as tar:
        for member in tar:
            if member.isdir():
                continue
            content = member.linkname.encode() if member.issym() else tar.extractfile(member).read()
            mode = "120000" if member.issym() else "100755" if member.mode & 0o100 else "100644"
            files[member.name] = (mode, hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest())
    return files


def complaints(commit: dict[str, File], tarball: dict[str, File]) -> list[str]:
    bad = [f"{name} is not in the tarball" for name in commit if name not in tarball and not name.startswith(LEFT_OUT)]
    bad += [f"{name} is in the tarball, but no build needs it" for name in tarball if name.startswith(LEFT_OUT)]
    bad += [f"{name}: expected {file} in the tarball, not {tarball[name]}"
            for name, file in commit.items() if tarball.get(name, file) != file]
    return bad + [f"{name} is not in the tarball" for name in NEEDED if name not in tarball]


def is_repository(root: pathlib.Path) -> bool:
    """Whether git reads it; git refuses the files of others."""
    if not (root / ".git").exists() or not shutil.which("git"):
        return False
    return subprocess.run(["git", "-C", root, "rev-parse", "-q", "HEAD"], stdout=subprocess.DEVNULL, check=False).returncode == 0


def main() -> None:
    root = pathlib.Path(sys.argv[1]).resolve()
    if not is_repository(root):
        print("SKIPPED: no repository that git reads")
        sys.exit(77)
    commit, tarball = tracked(root), packed(root)
    bad = complaints(commit, tarball)
    # A check that never complains is worth nothing.
    name = "meson_options.txt"
    assert commit[name][0] == "120000"
    for broken in ({key: file for key, file in tarball.items() if key != name}, tarball | {name: ("100644", commit[name][1])},
                   tarball | {".ci/run": ("100755", "")}):
        assert len(complaints(commit, broken)) > len(bad)
    print("\n".join(bad) or f"{len(tarball)} files are in the tarball, {len(commit) - len(tarball)} are left out")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
