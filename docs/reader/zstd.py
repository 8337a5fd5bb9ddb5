"""Zstandard frames (RFC 8878). Python has them from version 3.14 on; before, the program `zstd` unpacks them."""
import subprocess

from bits import require


def unpacked(frame):
    try:
        from compression import zstd
        return zstd.decompress(frame)
    except ImportError:
        run = subprocess.run(["zstd", "-dcq"], input=frame, capture_output=True, check=False)
        require(run.returncode == 0, f"zstd: {run.stderr.decode().strip()}")
        return run.stdout
