"""The table and the advice, as text and as JSON."""
import os
import platform
import shutil
import textwrap

from regraft_doctor.facts import NO, UNKNOWN, Row


def is_fit(rows: list[Row]) -> bool:
    return not any(row.verdict in (NO, UNKNOWN) for row in rows)


def advice(rows: list[Row]) -> list[str]:
    """What to do, the most important first, each once."""
    return list(dict.fromkeys(row.advice for row in sorted(rows, key=lambda row: row.rank) if row.advice))


def text(rows: list[Row], seconds: float) -> str:
    """A table, what it means, and what to do."""
    columns = max(80, min(140, shutil.get_terminal_size((120, 25)).columns))
    widths = [max(len(getattr(row, field)) for row in rows) for field in ("what", "verdict")]
    indent = " " * (sum(widths) + 4)
    lines = []
    for row in rows:
        said = textwrap.wrap(row.said, max(40, columns - len(indent)), break_on_hyphens=False) or [""]
        lines += [f"{row.what:<{widths[0]}}  {row.verdict:<{widths[1]}}  {said[0]}".rstrip(), *(indent + line for line in said[1:])]
    bad = [row.what for row in rows if row.verdict == NO]
    unknown = [row.what for row in rows if row.verdict == UNKNOWN]
    if bad:
        verdict = f"This MPI is not fit for programs that must survive: {'; '.join(bad)}."
    elif unknown:
        verdict = f"Nothing was wrong, but this could not be tried: {'; '.join(unknown)}."
    else:
        verdict = "This MPI is fit for programs that must survive."
    lines += ["", *textwrap.wrap(verdict, columns), f"Tried in {seconds:.0f} s."]
    if do := advice(rows):
        lines += ["", "What to do:"]
        for number, what in enumerate(do, 1):
            first, *rest = what.split("\n")
            lines += textwrap.wrap(f"{number}. {first}", columns, subsequent_indent="   ", break_long_words=False, break_on_hyphens=False)
            lines += rest
    return "\n".join(lines) + "\n"


def as_json(rows: list[Row], version: str, mpi: dict[str, str], seconds: float) -> dict:
    """All of it, for reports of bugs."""
    machine = {"system": platform.platform(), "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    return {"regraft": version, "fit": is_fit(rows), "seconds": round(seconds, 1), "mpi": mpi, "machine": machine,
            "rows": [{"what": row.what, "verdict": row.verdict, "said": row.said} for row in rows], "advice": advice(rows)}
