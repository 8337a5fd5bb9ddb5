#!/usr/bin/env python3
"""hooks.py ROOT: in a new clone, with the changes of the working tree, the hooks of tools/setup/hooks let a commit pass. They refuse one
with a fault, and one with a long subject. Skips (77) without a repository."""
import os
import pathlib
import subprocess
import sys
import tempfile

from archive import git, is_repository

LONGEST = 65  # characters of a subject, as CONTRIBUTING.md says
# Git tells a hook by these of the repository that it was called for.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
NAMES = [word for field in ("user.name=nobody", "user.email=nobody@example.org", "commit.gpgsign=false") for word in ("-c", field)]


class Clone:
    def __init__(self, root: pathlib.Path, place: pathlib.Path):
        self.place = place
        subprocess.run(["git", "clone", "--quiet", root, place], env=ENVIRONMENT, check=True)
        if changes := git(root, "diff", "--binary", "HEAD"):
            subprocess.run(["git", "-C", place, "apply", "-"], input=changes, env=ENVIRONMENT, check=True)
        self.git("config", "core.hooksPath", "tools/setup/hooks")

    def git(self, *words: str) -> subprocess.CompletedProcess:
        command = ["git", "-C", self.place, *NAMES, *words]
        return subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def commit(self, message: str) -> str:
        """What git and the hooks say; the clone is changed only if they accept."""
        return self.git("commit", "--quiet", "--all", "--message", message).stdout

    def count(self) -> int:
        return int(self.git("rev-list", "--count", "HEAD").stdout)

    def accepts(self, message: str) -> bool:
        """Whether the hook for messages does."""
        file = self.place / "message.tmp"
        file.write_text(message, encoding="utf-8")
        return subprocess.run([self.place / "tools/setup/hooks/commit-msg", file], stderr=subprocess.DEVNULL, check=False).returncode == 0


def check_commits(clone: Clone) -> None:
    page = clone.place / "CONTRIBUTING.md"
    text, before = page.read_text(encoding="utf-8"), clone.count()
    page.write_text(text + "A line more.\n", encoding="utf-8")
    said = clone.commit("docs: " + "x" * LONGEST)
    assert f"more than {LONGEST}" in said and clone.count() == before, f"expected that a long subject is refused:\n{said}"
    said = clone.commit("docs: say one thing more")
    assert clone.count() == before + 1, f"expected that a good commit passes:\n{said}"
    page.write_text(text + "[A link](nowhere.md).\n", encoding="utf-8")
    said = clone.commit("docs: break a link")
    assert "nowhere.md is not there" in said and clone.count() == before + 1, f"expected that a broken link is refused:\n{said}"


def check_messages(clone: Clone) -> None:
    longest, longer = "é" * LONGEST, "é" * (LONGEST + 1)
    for good in (longest, f"\n# {longer}\n{longest}\n\n{longer}\n", f"fixup! {longest}", f"Revert \"{longest}\"", ""):
        assert clone.accepts(good), good
    for bad in (longer, f"# a comment\n{longer}\n\nbody\n", f"{longest}\nwithout a blank line\n"):
        assert not clone.accepts(bad), bad


def main() -> None:
    root = pathlib.Path(sys.argv[1]).resolve()
    if not is_repository(root):
        print("SKIPPED: no repository that git reads")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        clone = Clone(root, pathlib.Path(folder, "clone"))
        check_messages(clone)
        check_commits(clone)


if __name__ == "__main__":
    main()
