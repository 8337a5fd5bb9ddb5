"""Errors that end the loop on all members alike, or one member alone, arguments that are refused, and what is kept of arrays. No rank dies
but of its exception."""
import ast
import dataclasses
import gc
import inspect
import pathlib
import sys
import warnings

import numpy as np
from mpi4py import MPI

import job
import regraft
import regraft.mpi as rg
from job import expect

N = 40


class Finished(rg.Uniform):
    """All members raise it."""


def raises(kind: type[BaseException], text: str, call, *arguments, **named) -> BaseException:
    try:
        call(*arguments, **named)
    except kind as error:
        expect(text in str(error), f"{text!r} is not in {error}")
        return error
    raise AssertionError(f"not raised: {kind.__name__}")


def what_all_raise_alike_leaves_the_loop() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)

    def finish() -> None:
        raise Finished("at step 7")

    raises(Finished, "at step 7", rg.resilient, comm, finish)
    kinds = [np.float64, np.float32]
    store = rg.ReplicatedStore(comm)
    if comm.size > 1:
        submit = lambda: store.submit(N, lambda first, last: np.zeros(last - first, kinds[comm.self == 1]))  # noqa: E731
        raises(rg.Divergence, "different type or shape", rg.resilient, comm, submit)
    expect(store.version == 0 and comm.agree(), "something was submitted")
    store.close()
    comm.close()


def lost_rows_are_read_again_or_named() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    halves = rg.ReplicatedStore(comm, replicas=1)
    halves.submit(N, lambda first, last: np.arange(first, last))
    victim = comm.size - 1
    gone = (N * victim // comm.size, N)
    if comm.size == 1:
        return

    def lose() -> None:
        if comm.self == victim:
            raise LookupError("no such table")
        comm.agree()

    rg.resilient(comm, lose, store=halves)  # the victim ends by its exception, and prints its traceback
    expect(comm.members == list(range(victim)), f"{comm.members}")
    expect(halves.repair() == [gone], "other rows are lost")
    again = halves.load([(0, N)], reread=lambda first, last: np.arange(first, last))
    expect((again == np.arange(N)).all(), "other rows were read again")
    lost = raises(rg.DataLost, "", halves.load, [(0, N)])
    expect(lost.ranges == [gone] and not lost.why, f"{lost.ranges} {lost.why}")
    loading = halves.start_load([(0, N)])
    expect(raises(rg.DataLost, "", loading.wait).ranges == [gone], "other rows are lost to a load that was started")
    raises(ValueError, "this one has failed", loading.wait)
    again = halves.start_load([(0, N)], reread=lambda first, last: np.arange(first, last))
    expect((again.wait() == np.arange(N)).all(), "other rows were read again")
    failed = raises(rg.DataLost, "", halves.load, [(0, N)], reread=lambda first, last: np.zeros(last - first, np.float32))
    expect("reread: expected rows of int64" in failed.why, failed.why)
    inner = raises(rg.DataLost, "", halves.load, [(0, N)], reread=lambda first, last: comm.agree())
    expect("in another call" in inner.why, inner.why)
    expect(comm.agree(), "not together")


def arguments_are_refused_by_name() -> None:
    comm = rg.Communicator(MPI.COMM_SELF)
    store = rg.ReplicatedStore(comm)
    raises(ValueError, "submitted before", store.load, [(0, 1)])
    square = np.zeros((6, 6))
    for rows, kind, text in [([1.0] * 6, TypeError, "rows: expected an array, or a list of bytes, and rows[0] is of type float"),
                             (6 * "x", TypeError, "rows: expected an array, or an object with the buffer protocol, not str"),
                             (square.T[:, :3], ValueError, "rows: expected an array in C order"),
                             (np.array([None] * 6), TypeError, "Python objects"), (np.float64(3), ValueError, "rows"),
                             (square[:4], ValueError, "rows: expected 6 rows, not 4"), (np.zeros((6, 0)), ValueError, "at least one byte")]:
        raises(kind, text, store.submit, 6, rows)
    store.submit(6, memoryview(bytes(6)))
    expect(store.dtype == np.uint8, f"{store.dtype}")
    store.submit(6, square)
    for ranges, rows, text in [([(3, 5), (4, 6)], square[:4], "ranges: expected ascending rows within 5 .. 6, not 4 .. 6"),
                               ([(1, 3)], square[:1], "rows: expected 2 rows, not 1"),
                               ([(1, 2)], np.zeros((1, 6), np.float32), "rows: expected rows of float64, shape (6,), not float32")]:
        raises(ValueError, text, store.update, ranges, rows)
    texts = rg.ReplicatedStore(comm)
    texts.submit(2, [b"a", b"bc"])
    raises(ValueError, "rows of the lengths that were submitted", texts.update, [(1, 2)], [b"def"])
    expect(texts.update([(1, 2)], [b"de"]) == [] and texts.load([(0, 2)]) == [b"a", b"de"], "other texts")
    for out, text in [(np.zeros((2, 5)), "out: expected float64, shape (2, 6), not float64, shape (2, 5)"), (np.zeros((2, 6), np.float32), "not float32"),
                      (np.broadcast_to(square[:1], (2, 6)), "C order")]:
        raises(ValueError, text, store.load, [(0, 2)], out=out)
    raises(ValueError, "within 0 .. 6, not 5 .. 7", store.load, [(5, 7)])
    raises(TypeError, "values: expected numbers that float64 holds, not complex128", comm.exact_sum, [1j])
    expect(comm.exact_sum([1e100, 1.0, -1e100]) == 1.0, "not exact")
    expect(comm.exact_sum([[1e100, 2], [1, 3], [-1e100, 4]], axis=0).tolist() == [1, 9], "not exact by columns")
    raises(ValueError, "member: expected one of [0], not 3", comm.position, 3)
    raises(ValueError, "parent: expected an intracommunicator", rg.Communicator, 0)
    store.close()
    raises(ValueError, "not closed", store.repair)
    with comm:
        pass
    raises(ValueError, "not closed", comm.agree)


def the_stub_names_what_there_is() -> None:
    stub = ast.parse(pathlib.Path(regraft.__file__).with_name("_mpi.pyi").read_text(encoding="utf-8"))
    named = {node.name: node for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))} | {"compiled_with": stub}
    there = {name: value for name, value in vars(regraft._mpi).items() if not name.startswith("_")}
    expect({name for name in named if not name.startswith("_")} == set(there), f"{set(named) ^ set(there)}")
    of_both = {part.name for part in named["_Rows"].body}
    for name, inherited in {"Communicator": set(), "UnderWay": set(), "Copies": of_both, "Coded": of_both, "Arrays": set(), "Mini": set()}.items():
        methods = inherited | {part.name for part in named[name].body if not part.name.startswith("_")}
        expect(methods == {method for method in vars(there[name]) if not method.startswith("_")}, name)


def help_is_complete() -> None:
    """Also of what is compiled, or inherited, which no check of the sources sees."""
    for name in rg.__all__:
        thing = getattr(rg, name)
        expect(bool(thing.__doc__) and not thing.__doc__.startswith(f"{name}("), f"{name} has no docstring")
        if not inspect.isclass(thing) or issubclass(thing, BaseException):
            continue
        for part in (part for part in dir(thing) if not part.startswith("_") or part == "__init__"):
            value = inspect.getattr_static(thing, part)
            is_function = callable(value) or isinstance(value, property)
            generated = dataclasses.is_dataclass(thing) and part == "__init__"
            expect(not is_function or generated or bool(inspect.getdoc(value)), f"{name}.{part} has no docstring")


def what_is_forgotten_is_told() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rg.Communicator(MPI.COMM_SELF)
        with rg.Communicator(MPI.COMM_SELF):
            pass
        gc.collect()
    expect([str(warning.message)[:29] for warning in told] == ["a Communicator was not closed"], f"{told}")


def errors_of_mpi_are_no_failures() -> None:
    comm = rg.Communicator(MPI.COMM_SELF)

    def body() -> None:
        comm.native.Bcast(np.zeros(1), root=5)

    raises(MPI.Exception, "", rg.resilient, comm, body)  # the only member gets what it has raised
    raises(rg.MpiError, "Bcast", lambda: comm._call("Bcast", np.zeros(1), 5))
    raises(ValueError, "2 of 3", rg.resilient, comm, lambda: (_ for _ in ()).throw(ValueError("2 of 3")))
    raises(SystemExit, "4", rg.resilient, comm, lambda: sys.exit(4))
    comm.close()


def arrays_take_the_memory_that_they_have() -> None:
    comm = rg.Communicator(MPI.COMM_SELF)
    for compressed in (False, True):
        snapshot = rg.Snapshot(comm, compressed=compressed)
        for number in range(5):
            snapshot[f"array {number}"] = np.full(10_000, number)
        snapshot.commit()
        held, length = snapshot.bytes_held, 5 * 80_000
        expect(held < 0.1 * length if compressed else length < held < 1.01 * length, f"{held} bytes for {length}")
        for array in snapshot.values():
            array[:] = -1
        snapshot.restore()
        expect(all((array == number).all() for number, array in enumerate(snapshot.values())), "other numbers")
        snapshot.close()
    comm.close()


if __name__ == "__main__":
    job.run([the_stub_names_what_there_is, help_is_complete, arguments_are_refused_by_name, arrays_take_the_memory_that_they_have, what_is_forgotten_is_told, errors_of_mpi_are_no_failures, what_all_raise_alike_leaves_the_loop, lost_rows_are_read_again_or_named])
