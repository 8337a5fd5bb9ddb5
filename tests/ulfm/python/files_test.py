"""Programs whose state is in files: after deaths the files of the last commit are there, on the nodes of their new homes."""

import pathlib

import numpy as np
from mpi4py import MPI

import job
import regraft.mpi as rg
from job import expect

PARTS = 7
LAST_STEP = 9


def name_of(part: int) -> str:
    return f"part/{part}.npy"


def files_come_back() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    node = pathlib.Path(job.folder("nodes"), str(comm.self))
    files = rg.Files(comm, node, archive=job.folder("archive"), flush_every=2, copies=3)

    def begin() -> None:
        for name in files.names:
            files.remove(name)
        for part in range(PARTS):
            if part % comm.size == comm.position():
                np.save(files.route(name_of(part)), np.full(100, part))
        files.commit()

    @rg.resilient(comm, snapshot=files)
    def work() -> int:
        if files.generation == 0:
            begin()
        while files.generation < LAST_STEP:
            for name in files.names:
                np.save(files.route(name), np.load(files.route(name)) + 10)
            files.commit()
            expect(files.problem == "", files.problem)
        files.flush()
        return int(comm.exact_sum(np.array([len(files.names)], float)))

    expect(work() == PARTS, "a file is missing")
    for name in files.names:
        part = int(pathlib.Path(name).stem)
        right = np.full(100, part) + 10 * (LAST_STEP - 1)
        expect(np.load(node / name).tobytes() == right.tobytes(), f"{name} is not that of the last commit")
    files.close()

    resumed = rg.Files(comm, pathlib.Path(job.folder("next"), str(comm.self)), archive=job.folder("archive"))

    @rg.resilient(comm, snapshot=resumed)
    def read() -> int:
        for name in resumed.names:
            expect(int(np.load(resumed.route(name))[0]) == int(pathlib.Path(name).stem) + 10 * (LAST_STEP - 1), name)
        return int(comm.exact_sum(np.array([len(resumed.names)], float)))

    expect(read() == PARTS, "a file was not flushed")
    resumed.close()
    comm.close()


def what_is_wrong_is_said() -> None:
    comm = rg.Communicator(MPI.COMM_WORLD)
    files = rg.Files(comm, job.folder("wrong"))
    for call, kind, text in ((lambda: files.route("../x"), ValueError, "a relative path"),
                             (lambda: files.remove("x"), KeyError, "x"),
                             (files.restore, ValueError, "was committed before"),
                             (files.flush, ValueError, "files with an archive"),
                             (lambda: rg.Files(comm, ""), ValueError, "not an empty text"),
                             (lambda: rg.Files(comm, "x", deal="x"), ValueError, "deal"),
                             (lambda: rg.Files(comm, "x", flush_every=0), ValueError, "flush_every"),
                             (lambda: rg.Files(comm, "x", differential="x"), ValueError, "not 'x'")):
        try:
            call()
        except kind as error:
            expect(text in str(error), str(error))
        else:
            expect(False, f"{text} was expected")
    files.route(f"never written {comm.self}")
    try:
        files.commit()
    except rg.DiskError as error:
        expect("never written" in str(error), str(error))
    else:
        expect(False, "a file is missing")
    files.close()
    comm.close()


if __name__ == "__main__":
    job.run([what_is_wrong_is_said, files_come_back])
