#!/usr/bin/env python3
"""The golden files in data/golden: .rgm files of all kinds that every later version reads, and that this version writes byte by byte.
msa_golden.py EXE ZSTD: tests them. ZSTD is the version of libzstd. msa_golden.py EXE ZSTD --make: makes them anew and says what changed."""
import hashlib
import json
import pathlib
import random
import sys
from collections.abc import Iterator

import msa_cli
from golden_texts import GOLDEN, READ_ONLY
from msa_cli import DATA

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "docs/reader"))
import layout
import lines
import native
import native_model
import rgm_file
import sparse
from bits import FormatError, Input
from rgm_file import NATIVE, SPARSE, THESIS, RgmFile
from xxh3 import xxh3

FOLDER = DATA / "golden"
LIST = FOLDER / "golden.json"
LARGEST = 100_000  # bytes of all files together
ZSTD_FRAME = bytes.fromhex("28b52ffd")  # begins each frame


def listed() -> dict:
    return json.loads(LIST.read_text(encoding="utf-8"))


def golden(name: str) -> bytes:
    return (FOLDER / f"{name}.rgm").read_bytes()


def compressed(program: msa_cli.Program, options: list[str], text: bytes, threads: int) -> bytes:
    return program.ok("compress", "-T", str(threads), *options, stdin=text)


def first_difference(a: bytes, b: bytes) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


# ---- Tests

def complete(_program: msa_cli.Program) -> None:
    """the folder has the files that the list and the table have, and they are small"""
    names = {path.stem for path in FOLDER.glob("*.rgm")}
    assert names == set(listed()["files"]) == {*GOLDEN, *READ_ONLY}, "the files, golden.json and golden_texts.py differ"
    assert sum(len(golden(name)) for name in names) <= LARGEST


def read(program: msa_cli.Program) -> None:
    """regraft-msa and the independent reader get the text of each file"""
    for name, entry in listed()["files"].items():
        packed = golden(name)
        assert len(packed) == entry["size"], f"{name}: {len(packed)} bytes, expected {entry['size']}"
        for reader, text in (("regraft-msa", program.ok("decompress", stdin=packed)), ("docs/reader", RgmFile(packed).text())):
            assert hashlib.sha256(text).hexdigest() == entry["text"], f"{name}: {reader} reads another text"
        program.ok("verify", "--deep", FOLDER / f"{name}.rgm")


def written(program: msa_cli.Program) -> None:
    """regraft-msa writes each file again, byte by byte, with one thread and with three"""
    passed_over = []
    for name, (options, _) in GOLDEN.items():
        packed = golden(name)
        text = program.ok("decompress", stdin=packed)
        if ZSTD_FRAME in packed and listed()["zstd"] != sys.argv[2]:
            passed_over.append(name)  # another version of Zstandard makes other frames
            continue
        for threads in (1, 3):
            again = compressed(program, options, text, threads)
            assert again == packed, (f"{name}, {threads} threads: {len(again)} bytes, not the {len(packed)} of the golden file; the first difference is at "
                                     f"{first_difference(again, packed)}. If that is meant: HACKING.md, Change the format")
    if passed_over:
        print(f"not compressed again, since libzstd is {sys.argv[2]} and not {listed()['zstd']}: {', '.join(passed_over)}")


def forged(packed: bytes, at: int, value: int) -> bytes:
    """The file with another byte at a place in header or body, and with the checksums that belong to it."""
    file, changed = RgmFile(packed), bytearray(packed)
    changed[at] = value
    index_at, checks_end = file.index.offset, file.footer.offset - 8
    covered = changed[:index_at] if file.holds_text else changed[:file.body.offset]
    for i, block in enumerate([] if file.holds_text else file.blocks):
        first = checks_end - (len(file.blocks) - i) * file.check_bytes
        changed[first:first + file.check_bytes] = xxh3(bytes(changed[block.offset:block.offset + len(block.data)])).to_bytes(8, "little")[:file.check_bytes]
    changed[-8:] = xxh3(bytes(covered + changed[index_at:-8])).to_bytes(8, "little")
    return bytes(changed)


def agree(program: msa_cli.Program) -> None:
    """regraft-msa and the reader agree on files in which a byte was changed and the checksums made right: both refuse one, or read the same"""
    dice = random.Random(1)
    small = [name for name, entry in listed()["files"].items() if entry["size"] < 1500]
    accepted = 0
    for _ in range(120):
        name = dice.choice(small)
        packed = golden(name)
        at = dice.randrange(6, RgmFile(packed).index.offset)
        value = (packed[at] ^ 1 << dice.randrange(8)) if dice.random() < 0.5 else (packed[at] + dice.choice([1, 255])) % 256
        changed = forged(packed, at, value)
        path = program.file("forged.rgm", changed)
        verified = program.run("verify", path)
        verified.require(verified.code in (0, 2), f"{name}, {value} at {at}: expected exit code 0 or 2")
        try:
            text = RgmFile(changed).text()
        except FormatError:
            text = None
        verified.require((verified.code == 0) == (text is not None), f"{name}, {value} at {at}: only one of regraft-msa and the reader refuses it")
        if text is not None:
            accepted += 1
            assert program.ok("decompress", stdin=changed) == text, f"{name}, {value} at {at}: regraft-msa and the reader get different texts"
    assert 0 < accepted < 60, f"{accepted} changed files are accepted"


def newer(program: msa_cli.Program) -> None:
    """files of versions, features and codings that are not known, with right checksums, are refused by the commands and by the reader"""
    cells, text, sparse_rows = golden("native-primates"), golden("text-modelled"), golden("sparse-maple")
    layout_at = RgmFile(cells).sections["layout"].offset
    names_at = RgmFile(cells).sections["names"].offset
    model_at = RgmFile(sparse_rows).sections["model"].offset
    newer_release = "; a newer release of regraft reads it"
    cases = [(cells, 4, 0, "has version 0 of the format, expected 1"), (text, 4, 2, f"has version 2 of the format, expected 1{newer_release}"),
             (cells, 4, 255, f"has version 255 of the format, expected 1{newer_release}"),
             *((cells, 5, 1 << bit, f"has features {1 << bit} of the format, known are 1{newer_release}") for bit in range(1, 8)),
             (text, 5, 3, f"has features 3 of the format, known are 1{newer_release}"), (cells, 6, 4, ""), (text, 8, 2, ""), (cells, names_at, 5, ""),
             *((cells, layout_at, RgmFile(cells).layout.flags | 1 << bit, "") for bit in (3, 5, 7)), (sparse_rows, model_at, 4, ""), (sparse_rows, model_at + 1, 2, "")]
    for packed, at, value, message in cases:
        path = program.file("newer.rgm", forged(packed, at, value))
        for command in (["decompress", "-k"], ["stat"], ["verify"], ["extract", "--sites", "1-2"]):
            program.refuses(*command, path, message=f"newer.rgm: {message}")
        try:
            RgmFile(path.read_bytes())
        except FormatError:
            continue
        raise AssertionError(f"the reader accepts {value} at {at}")


def facts(name: str) -> Iterator[str]:
    """What a file has of the format."""
    file = RgmFile(golden(name))
    if file.holds_text:
        yield "text: modelled" if file.is_modelled else "text: zstd"
        return
    yield f"kind: {rgm_file.KINDS[file.kind]}"
    yield f"names: way {file.names_way}"
    if file.names_way == 3:
        section = Input(file.sections["names"].data[1:])
        section.number()
        yield f"forms: way {lines.read_lines(section.section())[0]}"
    yield from facts_of_layout(file)
    yield f"blocks: {min(len(file.blocks), 2)}"
    yield f"checksums: {file.check_bytes} bytes"
    yield "partitions: " + ("none" if not file.partitions else "some")
    yield from (f"strides: step {min(stride.step, 2)}" for _, _, strides in file.partitions for stride in strides)
    if file.kind == SPARSE:
        yield f"sparse: letters {file.model.alphabet.decode()}"
        yield f"sparse: runs by file {file.model.runs_by_file}"
        yield from facts_of_runs(file)
    else:
        yield f"order of rows: {min(file.tree.way, 2)}"
        yield f"rows: {min(len(file.names), 3)}"
    if file.kind == THESIS:
        yield "thesis: bases" if file.sections["model"].data == b"\0" else "thesis: characters"
    if file.kind == NATIVE:
        yield from facts_of_native(file)


def facts_of_layout(file: RgmFile) -> Iterator[str]:
    given = file.layout
    yield from (f"layout: {meaning}" for flag, meaning in layout.FLAGS.items() if given.flags & flag)
    yield "layout: " + ("known" if file.sections["layout"].data else "not known")
    if given.skeleton is None:
        yield f"layout: wrapped {given.width > 0}"
        yield f"layout: padded {given.name_width > 0}"


def facts_of_native(file: RgmFile) -> Iterator[str]:
    model = file.model
    yield f"native: {native_model.KINDS[model.kind]}"
    yield from (f"native: look {how}" for how, _ in model.looks)
    yield f"native: number of changes by {model.predicts_number}"
    yield f"native: candidate {model.has_candidate}"
    yield from (f"native: steps {layer} {steps}" for layer, steps in zip(("residues", "classes"), model.steps))
    steps: list = []
    file.decoded(native.native(file.tree, model, steps))
    yield from {f"native: {what} {value}" for site in steps for what, value in site if what in ("same", "dropped")}
    yield from {f"native: {what}" for site in steps for what, _ in site}


def facts_of_runs(file: RgmFile) -> Iterator[str]:
    for block in file.blocks[1:]:
        rows = sparse.runs_of_rows(block.data, min(file.per_block, len(file.names)), file.model.letters, file.model.unknown) if len(file.blocks) == 2 else []
        for _, size, character in {run for row in rows for run in row}:
            yield f"run: unknown, long {size > 40}" if character == file.model.unknown else "run: gap" if character == b"-" else "run: other"


EXPECTED = {
    *(f"text: {coding}" for coding in ("zstd", "modelled")), *(f"kind: {kind}" for kind in rgm_file.KINDS),
    *(f"names: way {way}" for way in range(len(lines.WAYS))), "forms: way 0", "forms: way 4",
    *(f"layout: {meaning}" for meaning in layout.FLAGS.values()), "layout: known", "layout: not known",
    *(f"layout: {what} {value}" for what in ("wrapped", "padded") for value in (False, True)),
    *(f"blocks: {number}" for number in range(3)), *(f"checksums: {size} bytes" for size in (2, 3, 4)),
    "partitions: none", "partitions: some", "strides: step 1", "strides: step 2",
    *(f"sparse: letters {letters}" for letters in ("ACGT", "acgt", "ACGU", "acgu")), "sparse: runs by file 0", "sparse: runs by file 1",
    "run: unknown, long False", "run: unknown, long True", "run: gap", "run: other",
    *(f"order of rows: {way}" for way in range(3)), *(f"rows: {number}" for number in (1, 2, 3)), "thesis: bases", "thesis: characters",
    *(f"native: {kind}" for kind in native_model.KINDS), *(f"native: look {how}" for how in range(3)),
    *(f"native: number of changes by {way}" for way in range(3)), "native: candidate 0", "native: candidate 1",
    *(f"native: steps {layer} {steps}" for layer in ("residues", "classes") for steps in range(3)),
    "native: same 0", "native: same 1", *(f"native: dropped {what}" for what in range(3)),
    *(f"native: {what}" for what in ("same", "root_class", "dropped", "num_dropped", "dropped edge", "num_added", "edges", "class_target", "num_changes", "root_residue",
                                     "residue_target", "direct")),
}


def covered(_program: msa_cli.Program) -> None:
    """the files have all kinds, flags and choices of the format between them"""
    found = {fact for name in listed()["files"] for fact in facts(name)}
    assert not EXPECTED - found, f"no golden file has: {', '.join(sorted(EXPECTED - found))}"
    assert not found - EXPECTED, f"not in the list of what is expected: {', '.join(sorted(found - EXPECTED))}"


# ---- Making the files

def make(program: msa_cli.Program) -> None:
    """writes the files and the list, and says which files changed"""
    FOLDER.mkdir(exist_ok=True)
    files = {}
    for name, (options, make_text) in GOLDEN.items():
        path, text = FOLDER / f"{name}.rgm", make_text().encode()
        before = path.read_bytes() if path.exists() else b""
        packed = compressed(program, options, text, 1)
        if packed != before:
            print(f"{name}: {len(before)} bytes became {len(packed)}")
        path.write_bytes(packed)
        files[name] = {"size": len(packed), "text": hashlib.sha256(text).hexdigest()}
    for name in READ_ONLY:
        text = program.ok("decompress", stdin=golden(name))
        files[name] = {"size": len(golden(name)), "text": hashlib.sha256(text).hexdigest()}
    for path in FOLDER.glob("*.rgm"):
        if path.stem not in files:
            print(f"{path.stem}: removed")
            path.unlink()
    version = program.ok("--version").decode().split()[-1]
    LIST.write_text(json.dumps({"regraft-msa": version, "zstd": sys.argv[2], "files": files}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(msa_cli.main(*([make] if "--make" in sys.argv else [complete, read, written, newer, agree, covered])))
