"""Snapshots of arrays, and mini-checkpoints: the same bits as an undisturbed job, whichever ranks die."""

from typing import Optional

import numpy as np
from mpi4py import MPI

import job
import regraft.mpi as rg
from job import expect, folder
from regraft import archive

CELLS, STEPS = 9, 12  # arrays of the job, dealt to the ranks, and steps


def first(cell: int) -> np.ndarray:
    return np.linspace(0, cell, 5 + cell, dtype=np.float64)


def after(array: np.ndarray, step: int) -> np.ndarray:
    """What a step makes of an array: other numbers, and now and then another shape."""
    return np.append(array, step / 3) if step % 5 == 0 else np.sqrt(array * array + step)


def undisturbed(steps: int = STEPS) -> list[np.ndarray]:
    arrays = [first(cell) for cell in range(CELLS)]
    for step in range(1, steps + 1):
        arrays = [after(array, step) for array in arrays]
    return arrays


def begin(comm: rg.Communicator, cells: rg.Snapshot) -> None:
    """Deals the arrays to the living."""
    for cell in range(comm.position(), CELLS, comm.size):
        cells[f"cell {cell}"] = first(cell)


def run(comm: rg.Communicator, cells: rg.Snapshot, state: rg.State) -> None:
    """The steps that are left. Sums are kept alike on all."""
    if state.step == 0 and not cells.homes:  # nothing was committed but the common state
        for name in list(cells):
            del cells[name]
        begin(comm, cells)
        cells.commit()
    while state.step < STEPS:
        for name, array in cells.items():
            new = after(array, state.step + 1)
            if new.shape == array.shape:
                array[:] = new
            else:
                cells[name] = new
        state.step += 1
        state.sums[state.step % 4] = comm.exact_sum(np.concatenate([np.empty(0), *cells.values()]))
        state.note = f"after step {state.step}"
        if cells.due():
            cells.commit()


def check(comm: rg.Communicator, cells: rg.Snapshot, state: rg.State) -> None:
    right = undisturbed()
    for name, array in cells.items():
        expect(array.tobytes() == right[int(name[5:])].tobytes(), f"{name} has other bits")
    expect(comm.exact_sum(float(len(cells))) == CELLS, "an array is missing, or twice there")
    expect(state.step == STEPS and state.note == f"after step {STEPS}", f"{state}")


def arrays_of_the_dead_go_to_others(**options) -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    cells = rg.Snapshot(comm, every=3, **options)
    state = cells.common(step=0, sums=np.zeros(4), note="")
    sums, x = state.sums, rg.resilient

    x(comm, lambda: run(comm, cells, state), snapshot=cells)
    x(comm, lambda: check(comm, cells, state), lambda failure: run(comm, cells, state), snapshot=cells)
    expect(state.sums is sums, "an array was not restored in its place")
    cells.close()
    comm.close()


def copies() -> None:
    arrays_of_the_dead_go_to_others(copies=3, checked=True, deal="balanced", differential="automatic")


def a_code_that_is_compressed() -> None:
    def to_the_last(orphans: list, survivors: list) -> list[int]:
        return [survivors[-1][0] for _ in orphans]

    arrays_of_the_dead_go_to_others(code=(2, 3), compressed=True, deal=to_the_last)


def what_is_saved_or_kept_is_opened(name: str = "copies", code: Optional[tuple[int, int]] = None) -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    where, keep = folder("archive-" + name), rg.Keep(name, folder=folder("kept"), job="snapshot_test")
    cells = rg.Snapshot(comm, copies=4, code=code, keep=keep)
    state = cells.common(step=0, sums=np.zeros(4), note="")

    @rg.resilient(comm, snapshot=cells)
    def work() -> None:
        run(comm, cells, state)
        cells.commit()
        cells.save(where)

    work()
    cells.close()
    saved = archive.open(where).snapshot()
    expect(saved.array("cell 3").tobytes() == undisturbed()[3].tobytes() and saved.value("step") == STEPS, "another archive")

    for how in ("opened", "reopened"):
        again = rg.Snapshot(comm, copies=4, code=code, keep=keep if how == "reopened" else None)
        opened = again.common(step=0, sums=np.zeros(4), note="")

        @rg.resilient(comm)
        def find() -> None:
            if again.generation == 0 and how == "opened":
                again.open(where)
            elif again.generation == 0:
                expect(again.reopen() is not None, "nothing was kept")
            else:
                again.restore()  # a death after it was opened
            check(comm, again, opened)

        find()
        if how == "reopened":
            rg.resilient(comm, again.discard)
        again.close()
    comm.close()


def saves_go_on_beside_the_program() -> None:
    """What was waited for is on disk, whole and of one step."""
    comm = rg.Communicator(MPI.COMM_WORLD)
    where = folder("saving")
    cells = rg.Snapshot(comm, copies=4)
    state = cells.common(step=0, sums=np.zeros(4), note="")
    under_way: list[tuple[rg.Saving, int]] = []
    confirmed = 0

    @rg.resilient(comm, snapshot=cells)
    def work() -> None:
        nonlocal confirmed
        for saving, _ in under_way:
            try:
                saving.wait()
                expect(False, "a save goes on after a failure")
            except ValueError as error:
                expect("nothing has ended" in str(error), str(error))
        under_way.clear()
        if not cells.homes:
            for name in list(cells):
                del cells[name]
            begin(comm, cells)
            cells.commit()
        while state.step < STEPS:
            state.step += 1
            for name, array in list(cells.items()):
                cells[name] = after(array, state.step)
            cells.commit()
            if state.step % 4 == 1:
                under_way.append((cells.start_save(where), state.step))
            if state.step % 4 == 3 and under_way:
                saving, step = under_way[0]
                generation = saving.wait()
                expect(saving.is_written and saving.wait() == generation, "another generation")
                confirmed = step
                under_way.clear()

    work()
    given_up = cells.start_save(where)
    cells.close()
    del given_up  # waits for its thread
    again = rg.Snapshot(comm)
    opened = again.common(step=0, sums=np.zeros(4), note="")
    rg.resilient(comm, lambda: again.open(where))
    right = undisturbed(opened.step)
    expect(opened.step >= confirmed > 0, f"step {opened.step} after {confirmed} was confirmed")
    expect(all(array.tobytes() == right[int(name[5:])].tobytes() for name, array in again.items()), "another step")
    expect(comm.exact_sum(float(len(again))) == CELLS, "an array is missing, or twice there")
    again.close()
    comm.close()


def pieces_are_saved_or_kept() -> None:
    what_is_saved_or_kept_is_opened("pieces", (2, 2))


def small_objects_are_kept_by_all() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    mini, alike = rg.MiniCheckpoint(comm), rg.MiniCheckpoint(comm)

    @rg.resilient(comm)
    def work() -> None:
        while mini.generation < 6:
            before = mini.generation
            mini.commit({"rank": comm.self, "round": before})
            expect(set(mini.latest) >= set(comm.members), f"{mini.latest}")
            expect(all(share == {"rank": member, "round": before} for member, share in mini.latest.items()), f"{mini.latest}")
        while alike.generation < 3:
            alike.commit_identical(["the same", alike.generation])
            expect(list(alike.latest.values()) == [["the same", alike.generation - 1]], f"{alike.latest}")

    work()
    mini.close()
    alike.close()
    comm.close()


if __name__ == "__main__":
    job.run([copies, a_code_that_is_compressed, small_objects_are_kept_by_all, what_is_saved_or_kept_is_opened,
             saves_go_on_beside_the_program, pieces_are_saved_or_kept])
