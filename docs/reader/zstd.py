"""Zstandard frames (RFC 8878). Python has them from version 3.14 on; before, the program `zstd` unpacks them."""
import subprocess

from bits import FormatError, require

try:
    from compression import zstd
except ImportError:
    zstd = None


def unpacked(frame):
    if zstd:
        try:
            return zstd.decompress(frame)
        except zstd.ZstdError as error:
            raise FormatError(f"zstd: {error}") from error
    try:
        run = subprocess.run(["zstd", "-dcq"], input=frame, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise FormatError("it is packed by Zstandard, and the program zstd is not installed") from error
    require(run.returncode == 0, f"zstd: {run.stderr.decode().strip()}")
    return run.stdout
