"""with_points.py EXAMPLE ... [--points]: runs an example in Python. With --points rank 0 says at the end which points there are, and how often
it came to them."""
import runpy
import sys

import regraft.mpi as rg

points = "--points" in sys.argv
sys.argv = [word for word in sys.argv[1:] if word != "--points"]
runpy.run_path(sys.argv[0], run_name="__main__")
if points:
    from mpi4py import MPI

    if MPI.COMM_WORLD.rank == 0:
        for name, times in rg.points_reached().items():
            print("point", name, times)
