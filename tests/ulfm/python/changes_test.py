"""Commits that send only what has changed, and are told what: the same bits, whichever ranks die."""

import numpy as np
from mpi4py import MPI

import job
import regraft.mpi as rg
from job import expect


def what_has_not_changed_is_not_sent() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    cells = rg.Snapshot(comm, every=1, differential="always")
    state = cells.common(step=0, most=0)
    cells[f"big {comm.self}"] = np.full((3000, 16), float(comm.self))

    @rg.resilient(comm, snapshot=cells)
    def work() -> None:
        while state.step < 6:
            for name, array in cells.items():
                array[10 * state.step] += 1
                cells.changed(name, 10 * state.step, 10 * state.step + 1)
            state.step += 1
            sent = cells.commit()
            if sent is not None:
                expect(0 < sent <= 2 * (16 << 10) * len(cells.homes), f"{sent} bytes were sent")

    work()
    for name, array in cells.items():
        right = np.full((3000, 16), float(name[4:]))
        right[0:60:10] += 1
        expect(array.tobytes() == right.tobytes(), f"{name} has other bits")
    cells.close()
    comm.close()


def a_bad_state_is_left_behind() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    cells = rg.Snapshot(comm, generations=3, copies=3)
    state = cells.common(step=0)
    cells[f"cell {comm.self}"] = np.zeros(100)

    @rg.resilient(comm, snapshot=cells)
    def work() -> None:
        while state.step < 8:
            if state.step == 5 and not went_back:
                oldest = cells.generations[0]
                expect(cells.restore(generation=oldest).generation == oldest, "another generation")
                went_back.append(True)
                expect(state.step == 3 and cells.generations == [oldest], f"step {state.step}, {cells.generations}")
            state.step += 1
            for array in cells.values():
                array[:] = state.step
            cells.commit()

    went_back: list[bool] = []
    work()
    expect(bool(went_back), "it never went back")
    for name, array in cells.items():
        expect(bool((array == 8).all()), f"{name} is not that of step 8")
    for wrong in (-1, cells.generation + 1):
        try:
            cells.restore(generation=wrong)
        except ValueError as error:
            expect("expected one of [" in str(error), str(error))
        else:
            expect(False, f"generation {wrong} was accepted")
    cells.close()
    comm.close()


def wrong_rows_are_refused() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    cells = rg.Snapshot(comm, differential="always")
    cells["x"] = np.zeros(10)
    for rows in ((-1, 2), (3, 2), (0, 11)):
        try:
            cells.changed("x", *rows)
        except ValueError as error:
            expect("expected rows within 0 to 10" in str(error), str(error))
        else:
            expect(False, f"rows {rows} were accepted")
    try:
        rg.Snapshot(comm, differential="sometimes")
    except ValueError as error:
        expect("not 'sometimes'" in str(error), str(error))
    else:
        expect(False, "a differential of sometimes")
    cells.close()
    comm.close()


if __name__ == "__main__":
    job.run([what_has_not_changed_is_not_sent, a_bad_state_is_left_behind, wrong_rows_are_refused])
