#!/usr/bin/env python3
"""How the campaign judges what jobs print: a result, another one, or an end with or without a reason."""
import campaign

PROGRAM = campaign.Program(["steps"], r"^result (\S+)")
HELP = "-----\nA process or daemon was unable to complete a TCP connection\n-----\n"
DIED = "regraft-run: rank 5 died before all ranks had left MPI_Init, and the others would wait for it for ever; the job is ended\n"

CASES = [  # what is printed, exit code, whether something is wrong, how the job ended
    ("result 7\n", 0, False, "finished"),
    (HELP + "\0result 7\n", 0, False, "finished"),
    ("regraft-run: the job is lost and starts again\nresult 7\n", 0, False, "finished after restarts"),
    ("result 8\n", 0, True, "finished"),
    ("", 0, True, "finished"),
    ("result 8\nresult 7\n", 0, False, "finished"),
    (DIED, 69, False, "ended with 69, " + DIED.strip()),
    (HELP + "\0" + DIED, 69, False, "ended with 69, " + DIED.strip()),
    ("regraft-run: all ranks have died\n", 1, True, "ended with 1, regraft-run: all ranks have died"),
    ("what(): DataLost\nregraft-run: all ranks have died\n", 1, False, "ended with 1, regraft-run: all ranks have died"),
    ("DataLost: 3 blocks\n", 1, False, "ended with 1, by itself"),
    ("", 69, True, "ended with 69, by itself"),
    (HELP + "\0", 1, True, "ended with 1, by itself"),
]


def main() -> None:
    for text, code, is_wrong, end in CASES:
        wrong, found = campaign.judged(text, code, PROGRAM, "7")
        assert (bool(wrong), found) == (is_wrong, end), (text, code, wrong, found)


if __name__ == "__main__":
    main()
