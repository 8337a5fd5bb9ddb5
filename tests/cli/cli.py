"""A program under test: how it ended, and a folder for its files."""
import dataclasses
import pathlib
import tempfile


@dataclasses.dataclass
class Result:
    command: list[str]
    code: int
    out: str | bytes
    err: str

    def require(self, good: bool, why: str) -> None:
        if not good:
            raise AssertionError(f"{why}\n  command: {' '.join(self.command)}\n  exit code: {self.code}\n"
                                 f"  standard output: {self.out[:1000]!r}\n  standard error: {self.err[:1000]}")


class Command:
    def __init__(self, exe: str) -> None:
        self.exe = exe
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def file(self, name: str, content: str | bytes) -> pathlib.Path:
        path = self.path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


def run_checks(checks, program_for) -> int:
    """Calls each check, a function with a sentence of what it checks, with the program that it is given."""
    for check in checks:
        try:
            check(program_for())
        except AssertionError:
            print(f"{check.__name__}: {check.__doc__}")
            raise
        print(f"passed: {check.__name__}")
    return 0
