"""Starts MPI jobs whose ranks may die: the parts of regraft-run."""
