"""Finds ranks that are stopped, for which others wait."""
import pathlib


def is_stopped(process: int) -> bool:
    """Whether it was stopped by a signal. In a debugger it is not."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0] == "T"
    except (OSError, IndexError):
        return False


class Stopped:
    """Looks at ranks again and again. After Ctrl-Z all are stopped, and so is the launcher."""

    ENOUGH = 10  # looks in a row that find a rank stopped

    def __init__(self) -> None:
        self.looks: dict[int, int] = {}  # in a row that found the process stopped

    def look(self, processes: list[int]) -> list[int]:
        """The processes that have been stopped for a while, while others were not. Each is named once, until it goes on."""
        stopped = [process for process in processes if is_stopped(process)]
        if len(stopped) == len(processes):
            stopped = []
        self.looks = {process: self.looks.get(process, 0) + 1 for process in stopped}
        return [process for process in stopped if self.looks[process] == self.ENOUGH]
