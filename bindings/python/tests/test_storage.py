"""Archives come back byte by byte, or say what is wrong; lost pieces of a code come back from any others."""
import hashlib
import itertools
import json
import pathlib

import numpy as np
import pytest

import regraft
from regraft import archive, erasure


def blocks(salt, count=20):
    draw = np.random.default_rng(salt)
    return [draw.integers(0, 256, draw.integers(0, 5000), np.uint8).tobytes() for _ in range(count)]


@pytest.mark.parametrize("count", [0, 1, 20])
def test_what_was_saved_comes_back(tmp_path, count):
    saved = blocks(1, count)
    assert archive.save(tmp_path / "a", saved, attributes=b"\0 anything") == 1
    opened = archive.open(tmp_path / "a")
    assert opened.attributes == b"\0 anything" and opened.refused == [] and len(opened) == count
    assert opened.sizes.tolist() == [len(block) for block in saved]
    assert opened.read(0, count).tobytes() == b"".join(saved)
    for i, block in enumerate(saved):
        assert opened.read(i, i + 1).tobytes() == block
    with pytest.raises(ValueError, match="within those"):
        opened.read(0, count + 1)


def test_damage_sends_back_to_the_generation_before(tmp_path):
    old, new = blocks(2), blocks(3)
    archive.save(tmp_path, old)
    assert archive.save(tmp_path, new) == 2
    file = tmp_path / "2" / "0.data"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    opened = archive.open(tmp_path)
    assert opened.generation == 1 and opened.read(0, 20).tobytes() == b"".join(old)
    assert len(opened.refused) == 1 and "2/0.data" in opened.refused[0]
    with pytest.raises(regraft.InputError):
        archive.open(tmp_path, 2).read(0, 20)
    assert archive.save(tmp_path, new, kept=1) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["3"]


GOLDEN = pathlib.Path(__file__).resolve().parents[3] / "data/golden/disk"


@pytest.mark.parametrize("name, listed", json.loads((GOLDEN / "contents.json").read_text(encoding="utf-8")).items())
def test_archives_of_earlier_versions_are_read(name, listed):
    opened = archive.open(GOLDEN / name)
    assert opened.generation == 1 and opened.refused == [] and opened.sizes.tolist() == listed["sizes"]
    assert opened.attributes.hex() == listed["attributes"]
    assert hashlib.sha256(opened.read(0, len(opened)).tobytes()).hexdigest() == listed["blocks"]


def test_snapshots_of_earlier_versions_are_the_same_compressed_or_not():
    plain, packed = (archive.open(GOLDEN / name).snapshot() for name in ("snapshot", "snapshot-compressed"))
    assert plain.commit == packed.commit == 5 and plain.common == packed.common == {"moment": (5).to_bytes(8, "little")}
    assert list(plain.entities) == list(packed.entities) and len(plain.entities) == 14
    for name in plain.entities:
        assert plain.read(name) == packed.read(name), name


def test_errors_name_what_was_expected(tmp_path):
    with pytest.raises(regraft.InputError, match="nothing"):
        archive.open(tmp_path / "nothing")
    archive.save(tmp_path, [b"x"])
    with pytest.raises(regraft.InputError, match="no snapshot"):
        archive.open(tmp_path).snapshot()
    with pytest.raises(ValueError, match="kept"):
        archive.save(tmp_path, [], kept=0)


def number(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def section(data):
    return number(len(data)) + data


def test_a_snapshot_is_read_by_name(tmp_path):
    attributes = b"\x89RGS" + number(1) + number(300) + number(2) + number(0) + number(3)
    attributes += number(1) + section(b"step") + section(b"\7\0")
    attributes += number(2) + section(b"left") + number(0) + number(4) + section("käse".encode()) + number(3) + number(2) + section(b"mine")
    archive.save(tmp_path, [b"abcd", b"xy"], attributes=attributes)
    snapshot = archive.open(tmp_path).snapshot()
    assert (snapshot.commit, snapshot.members, snapshot.common, snapshot.attributes) == (300, [0, 3], {"step": b"\7\0"}, b"mine")
    assert list(snapshot.entities) == ["left", "käse"] and snapshot.entities["käse"].home == 3
    assert snapshot.read("left") == b"abcd" and snapshot.read("käse") == b"xy"
    for cut in range(5, len(attributes)):
        archive.save(tmp_path, [b"abcd", b"xy"], attributes=attributes[:cut], kept=1)
        with pytest.raises(regraft.InputError, match="cut"):
            archive.open(tmp_path).snapshot()


@pytest.mark.parametrize("data,parity", [(1, 0), (1, 2), (3, 1), (4, 3)])
def test_any_pieces_give_back_all_others(data, parity):
    code = erasure.Code(data, parity)
    draw = np.random.default_rng(data)
    pieces = [draw.integers(0, 256, 100, np.uint8) for _ in range(data)]
    everything = pieces + code.encode(pieces)
    assert len(everything) == data + parity
    for there in itertools.combinations(range(data + parity), data):
        for wanted, expected in enumerate(everything):
            rebuilt = code.rebuild({i: everything[i] for i in there}, wanted)
            assert np.array_equal(rebuilt, expected), (there, wanted)


def test_codes_refuse_what_is_none():
    for data, parity in [(0, 1), (200, 56), (1, -1)]:
        with pytest.raises(ValueError, match="255"):
            erasure.Code(data, parity)
    code = erasure.Code(2, 1)
    with pytest.raises(ValueError, match="as many pieces"):
        code.encode([b"a"])
    with pytest.raises(ValueError, match="as many pieces"):
        code.rebuild({0: b"a"}, 1)
    with pytest.raises(ValueError, match="different pieces"):
        code.rebuild({0: b"a", 3: b"b"}, 1)
    with pytest.raises(ValueError, match="different pieces"):
        code.rebuild({0: b"a", 2: b"b"}, 3)


def test_the_page_names_the_modules():
    page = (pathlib.Path(__file__).resolve().parents[3] / "docs/mpi/python.md").read_text(encoding="utf-8")
    assert "archive.open(" in page and "erasure.Code(" in page
