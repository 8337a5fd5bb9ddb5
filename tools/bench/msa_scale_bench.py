#!/usr/bin/env python3
"""Measures regraft-msa on simulated alignments of many nearly equal genomes, beside general compressors if they are there: bytes with and
without names, user seconds on one thread, memory, how long one genome and one site take, and rows that are appended. Each file is unpacked
and compared first."""
import hashlib
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import bench_tool
from tree_programs import run

# Taxa and sites.
SIZES = {"full": [(3000, 29903), (12000, 29903), (100_000, 29903), (1_000_000, 2000)], "short": [(1000, 29903), (3000, 29903)],
         "smoke": [(120, 500)]}
PEERS = {"xz": ["xz", "-9e", "-T1", "-k", "-c"], "zstd": ["zstd", "-q", "-19", "--long=31", "-k", "-c"],
         "brotli": ["brotli", "-q", "11", "--large_window=30", "-k", "-c"], "bgzip": ["bgzip", "-l", "9", "-c"]}
APPENDED = 100  # one row in so many is appended
MOST_FOR_PEERS = {"xz": 1 << 29, "zstd": 1 << 29, "bgzip": 1 << 29, "brotli": 1 << 27}  # bytes of a text: for more, they take many minutes
REPETITIONS = 3


def hash_of(path: pathlib.Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def median_seconds(command: list, folder: pathlib.Path) -> float:
    """User seconds."""
    return statistics.median(run(command, folder).user_s for _ in range(REPETITIONS))


def names_bytes(program: pathlib.Path, packed: pathlib.Path) -> float:
    """Bytes that the names take."""
    report = json.loads(subprocess.run([program, "stat", "--json", packed], capture_output=True, check=True).stdout)
    return sum(layer["bits"] / 8 for layer in report["compressed"]["layers"] if layer["name"] == "names")


def split(text: pathlib.Path, taxa: int, folder: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """The rows of a text without those that are appended, and these. Each row is on a line."""
    most, rest = folder / "most.fa", folder / "rest.fa"
    num_first = taxa - max(1, taxa // APPENDED)
    with open(text, "rb") as lines, open(most, "wb") as first, open(rest, "wb") as last:
        for number, line in enumerate(lines):
            (first if number < 2 * num_first else last).write(line)
    return most, rest


def measure_appending(program: pathlib.Path, text: pathlib.Path, taxa: int, folder: pathlib.Path) -> dict:
    most, rest = split(text, taxa, folder)
    packed, again = folder / "most.rgm", folder / "again.fa"
    run([program, "compress", "-T", "2", "-k", "-f", "-o", packed, most], folder)
    usage = run([program, "append", "-T", "1", packed, rest], folder)
    appended = packed.stat().st_size
    run([program, "compact", "-T", "2", packed], folder)
    run([program, "decompress", "-T", "2", "-f", "-o", again, packed], folder)
    if hash_of(again) != hash_of(text):
        raise SystemExit(f"{text.name} is not the same when a part of it was appended")
    counters = {"append_s": usage.user_s, "appended_bytes": appended, "compact_bytes": packed.stat().st_size}
    for file in (most, rest, packed, again):
        file.unlink()
    return counters


def measure_regraft(program: pathlib.Path, text: pathlib.Path, taxa: int, folder: pathlib.Path) -> dict:
    packed, again = folder / "packed.rgm", folder / "again.fa"
    usage = run([program, "compress", "-T", "1", "-k", "-f", "-o", packed, text], folder)
    unpacking = run([program, "decompress", "-T", "2", "-f", "-o", again, packed], folder)
    if hash_of(again) != hash_of(text):
        raise SystemExit(f"{text.name} is not the same when it is unpacked")
    again.unlink()
    with open(text, encoding="ascii") as file:
        some_name = [line[1:].strip() for _, line in zip(range(taxa), file) if line.startswith(">")][-1]
    size = packed.stat().st_size
    counters = {"bytes": size, "bytes_per_taxon": size / taxa, "peak_bytes": usage.peak_bytes, "load": usage.load,
                "unpack_bytes_per_s": text.stat().st_size / unpacking.wall_s,
                "s_per_genome": median_seconds([program, "extract", "-T", "1", "--taxon", some_name, "-f", "-o", "one", packed], folder),
                "s_per_site": median_seconds([program, "extract", "-T", "1", "--sites", "100", "-f", "-o", "one", packed], folder)}
    counters |= measure_appending(program, text, taxa, folder) | {"names_bytes": names_bytes(program, packed)}
    return {"real_time": usage.wall_s, "cpu_time": usage.user_s, **counters}


def main() -> int:
    parser = bench_tool.options(__doc__, "regraft-msa", "few taxa")
    parser.add_argument("--generator", type=pathlib.Path, required=True, help="the program that writes the alignments")
    args = parser.parse_args()
    records = []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for taxa, sites in SIZES[args.pace]:
            print(f"  {taxa} x {sites} ...", flush=True)
            text = folder / "text.fa"
            with open(text, "wb") as file:
                subprocess.run([args.generator.resolve(), str(taxa), str(sites), "1"], stdout=file, check=True)
            family = f"surveillance_{sites}/taxa:{taxa}"
            measured = measure_regraft(args.program.resolve(), text, taxa, folder)
            records.append(bench_tool.record(f"regraft/{family}", "s", **measured))
            for name, command in PEERS.items():
                if args.pace == "smoke" or not shutil.which(command[0]) or text.stat().st_size > MOST_FOR_PEERS[name]:
                    continue
                usage = run(["sh", "-c", '"$@" > packed', "sh", *command, text], folder)
                size = (folder / "packed").stat().st_size
                records.append(bench_tool.record(f"{name}/{family}", "s", real_time=usage.wall_s, cpu_time=usage.user_s, bytes=size,
                                                 bytes_per_taxon=size / taxa, peak_bytes=usage.peak_bytes, load=usage.load))
            text.unlink()
    context = {"clock": "cpu_time", "subject": "regraft", "unit": "taxa", "drawing": "bytes_per_taxon",
               "labels": "regraft=regraft-msa,xz=xz -9e,zstd=zstd -19 --long=31,brotli=brotli -q 11,bgzip=bgzip -l 9"}
    bench_tool.write(args.out, context, records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
