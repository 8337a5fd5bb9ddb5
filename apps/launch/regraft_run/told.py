"""What ranks tell the launcher (rank.h), what mpirun notes of them (node_loss.c), and what follows for the job."""
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
    killed: bool = False  # mpirun has noted that it has died,
    ended: bool = False  # or that it has ended by itself


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


DAEMON_LOST = "daemon"


@dataclasses.dataclass
class Notes:
    """What mpirun has noted: the numbers of the ranks that are over, and whether it has lost a daemon."""

    died: set[int]
    ended: set[int]  # by themselves
    daemon_lost: bool

    @staticmethod
    def read(file: pathlib.Path) -> "Notes":
        """Precondition: what ranks have told is read later. Otherwise a rank may seem to have died before it has told what it had told."""
        lines = file.read_text(encoding="ascii").splitlines() if file.exists() else []
        return Notes({int(line) for line in lines if line.isdigit()}, {int(line.split()[1]) for line in lines if line.startswith("ended ")},
                     DAEMON_LOST in lines)

    def add_to(self, ranks: dict[str, Rank]) -> None:
        """Adds ranks that have ended before they could tell anything."""
        known = {rank.number: rank for name, rank in ranks.items() if "@1." in name}  # mpirun's first job; programs may spawn others
        for number in sorted(self.died | self.ended):
            rank = known.get(number) or ranks.setdefault(f"noted.{number}", Rank(number, gone=True))
            rank.killed, rank.ended = number in self.died, number in self.ended
            rank.gone |= rank.killed and not rank.left


class Files:
    """The records of ranks on this host: each rank appends to a file of its own."""

    def __init__(self, folder: pathlib.Path, notes: pathlib.Path):
        """notes: the file to which mpirun appends."""
        self.folder = folder
        self.notes = notes
        folder.mkdir()

    def address(self) -> dict[str, str]:
        """The variable by which ranks know where to tell."""
        return {"REGRAFT_RANKS": str(self.folder)}

    def ranks(self) -> dict[str, Rank]:
        """The ranks by the names of their files."""
        notes = Notes.read(self.notes)
        found = {file.name: self.read(file) for file in sorted(self.folder.iterdir())}
        notes.add_to(found)
        return found

    def read(self, file: pathlib.Path) -> Rank:
        rank = parse(file.name, file.read_text(encoding="ascii"))
        if rank.process and not rank.left and is_gone(rank.process):  # once at work, a rank tells its end itself or is survived
            rank = parse(file.name, file.read_text(encoding="ascii"))  # it may have told more between the two looks
            rank.gone = True
        return rank

    def daemon_lost(self) -> bool:
        return Notes.read(self.notes).daemon_lost

    def deserted(self) -> float:
        """0: mpirun sees itself that all ranks of its host have ended."""
        return 0

    def silent(self) -> list[str]:
        """Nothing: it is seen whether processes of this host are stopped."""
        return []

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
    if not any(rank.entered for rank in ranks) and (not ranks or code_of_mpirun != 0 or any(rank.end or rank.ended for rank in ranks)):
        return code_of_mpirun if code_of_mpirun >= 0 else 128 - code_of_mpirun
    for end in ("finalized", "exited"):
        if codes := [rank.code for rank in ranks if rank.end == end]:
            return max(codes) if end == "finalized" else max(codes) or 1
    say("all ranks have died")
    return 1


def is_lost(ranks: list[Rank]) -> bool:
    """Whether a job that has ended without success was ended by deaths, and not by what the program has decided."""
    have_died = any(rank.entered for rank in ranks) or (bool(ranks) and all(rank.killed for rank in ranks))
    return have_died and not any(rank.end for rank in ranks)
