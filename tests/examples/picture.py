#!/usr/bin/env python3
"""The picture that the stencil draws: a PNG file as others read it, of the flow, and the same whichever ranks die."""
import pathlib
import struct
import sys
import tempfile
import zlib

import job


def chunks(data: bytes) -> dict[str, bytes]:
    """The chunks by type; every checksum must be right."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    found, at = {}, 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        content = data[at + 4 : at + 8 + size]
        (checksum,) = struct.unpack(">I", data[at + 8 + size : at + 12 + size])
        assert zlib.crc32(content) == checksum, content[:4]
        found[content[:4].decode()] = content[4:]
        at += 12 + size
    assert list(found) == ["IHDR", "PLTE", "IDAT", "IEND"], list(found)
    return found


def rows(data: bytes) -> list[bytes]:
    found = chunks(data)
    width, height, *kind = struct.unpack(">IIBBBBB", found["IHDR"])
    assert kind == [8, 3, 0, 0, 0] and len(found["PLTE"]) == 768, kind
    pixels = zlib.decompress(found["IDAT"])
    assert len(pixels) == height * (width + 1), (len(pixels), width, height)
    lines = [pixels[i : i + width + 1] for i in range(0, len(pixels), width + 1)]
    assert all(line[0] == 0 for line in lines), "a row is filtered"
    return [line[1:] for line in lines]


def picture(program: job.Program, args) -> None:
    pictures = []
    with tempfile.TemporaryDirectory() as folder:
        for ranks, plan in ((1, ""), (4, "gather:inside:0:0"), (5, "halo:inside:2:150")):
            file = pathlib.Path(folder, f"{ranks}.png")
            result = program.survive(ranks, ["--steps", "200", "--size", "48", "--picture", str(file)], plan)
            result.require(result.killed() == job.victims(plan), plan)
            pictures.append(file.read_bytes())
            result.require([entry.name for entry in sorted(pathlib.Path(folder).iterdir())][-1:] == [file.name], "unfinished files are left")
        unwritten = program.run(3, ["--steps", "2", "--size", "16", "--picture", f"{folder}/none/x.png"])
        unwritten.require(unwritten.codes == [1, 1, 1] and unwritten.output.count("none/x.png: cannot be written") == 1, "cannot be written")
    assert pictures[1:] == pictures[:1] * 2, "other pictures after deaths"
    lines = rows(pictures[0])
    assert len(lines) == 48 and len(lines[0]) == 96, (len(lines), len(lines[0]))
    # Behind the cylinder the fluid turns right above the middle and left below; far before it, it does not turn.
    middle, behind = 24, 28
    assert min(line[behind] for line in lines[:middle]) < 100 and max(line[behind] for line in lines[middle:]) > 156
    assert all(120 <= line[4] <= 136 for line in lines[1:-1]), [line[4] for line in lines]


if __name__ == "__main__":
    sys.exit(job.main(job.arguments(__doc__).parse_args(), picture, needs_deaths=True))
