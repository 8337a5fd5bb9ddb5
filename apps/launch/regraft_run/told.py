"""What ranks tell the launcher (rank.h), and what follows for the job."""
import dataclasses
import pathlib

from regraft_run.processes import is_gone, kill, say

DIED_IN_INIT = 69


@dataclasses.dataclass
class Rank:
    """What a rank has told."""

    number: int
    process: int = 0  # on this host, if it is there
    entered: bool = False
    left: bool = False
    end: str = ""  # finalized, exited, aborted, ended or quit; empty: it has not ended
    code: int = 0
    gone: bool = False  # its process ended while it was not known to be at work


def parse(name: str, text: str) -> Rank:
    """name: NAMESPACE.RANK; text: lines as in rank.h."""
    rank = Rank(int(name.rpartition(".")[2]))
    for line in text.splitlines():
        what, _, number = line.partition(" ")
        if what in ("started", "entered"):
            rank.process = int(number)
            rank.entered |= what == "entered"
        elif what == "left":
            rank.left = True
        elif not rank.end:
            rank.end, rank.code = what, int(number)
    return rank


class Files:
    """The records of ranks on this host: each rank appends to a file of its own."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        folder.mkdir()

    def address(self) -> dict[str, str]:
        """The variable by which ranks know where to tell."""
        return {"REGRAFT_RANKS": str(self.folder)}

    def ranks(self) -> dict[str, Rank]:
        """The ranks by the names of their files."""
        return {file.name: self.read(file) for file in sorted(self.folder.iterdir())}

    def read(self, file: pathlib.Path) -> Rank:
        rank = parse(file.name, file.read_text(encoding="ascii"))
        if rank.process and not rank.left and is_gone(rank.process):  # once at work, a rank tells its end itself or is survived
            rank = parse(file.name, file.read_text(encoding="ascii"))  # it may have told more between the two looks
            rank.gone = True
        return rank

    def deserted(self) -> float:
        """0: mpirun sees itself that all ranks of its host have ended."""
        return 0

    def signal(self, number: int) -> None:
        """Sends a signal to the ranks that have not ended."""
        for rank in self.ranks().values():
            if not rank.end:
                kill(rank.process, number)

    def close(self) -> None:
        pass


def hopeless(ranks: list[Rank]) -> tuple[int, str] | None:
    """The exit code and the reason if the ranks cannot go on; None if they can."""
    for rank in ranks:
        if rank.end == "aborted":
            return rank.code or 1, f"rank {rank.number} called MPI_Abort with {rank.code}"
        if rank.end == "ended":
            return rank.code, f"the shield of rank {rank.number} ends with code {rank.code}"
    if any(rank.entered and not rank.left for rank in ranks):
        for rank in ranks:
            if rank.gone and not rank.left:
                why = f"rank {rank.number} died before all ranks had left MPI_Init, and the others would wait for it for ever"
                return DIED_IN_INIT, why
    return None


def may_never_begin(ranks: list[Rank]) -> bool:
    """Whether no rank has come to MPI_Init, and none is there that may still come."""
    return not any(rank.entered or not rank.gone for rank in ranks)


def code_of_ranks(ranks: list[Rank], code_of_mpirun: int) -> int:
    """The exit code of a job: that of ranks that came to MPI_Finalize, else that of ranks that exited, else 1."""
    if not any(rank.entered for rank in ranks) and (not ranks or code_of_mpirun != 0 or any(rank.end for rank in ranks)):
        return code_of_mpirun if code_of_mpirun >= 0 else 128 - code_of_mpirun
    for end in ("finalized", "exited"):
        if codes := [rank.code for rank in ranks if rank.end == end]:
            return max(codes) if end == "finalized" else max(codes) or 1
    say("all ranks have died")
    return 1


def is_lost(ranks: list[Rank]) -> bool:
    """Whether a job that has ended without success was ended by deaths, and not by what the program has decided."""
    return any(rank.entered for rank in ranks) and not any(rank.end for rank in ranks)
