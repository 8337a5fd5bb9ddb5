"""Prints what a node is, as a line of JSON. job.py runs it on each node of a job."""
import json
import os
import pathlib
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "report"))
import machine

facts = machine.facts()
print(json.dumps({"host": socket.gethostname().partition(".")[0], "cpu": facts["cpu"], "cores": facts["num_cpus"],
                  "memory_bytes": facts["memory_bytes"], "load": round(os.getloadavg()[0], 2)}), flush=True)
