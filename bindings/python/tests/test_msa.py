"""Alignments come back as they were, whole and in parts."""
import bz2
import concurrent.futures
import gzip
import lzma
import threading
import time

import numpy as np
import pytest

import regraft
from regraft import InputError, msa


def phylip(path):
    """A plain reader of sequential PHYLIP: names and rows."""
    lines = path.read_text().splitlines()
    rows = dict(line.split(None, 1) for line in lines[1:] if line.strip())
    return list(rows), [row.replace(" ", "").encode() for row in rows.values()]


@pytest.fixture
def primates(data):
    return data / "primates.phy"


@pytest.fixture
def packed(primates, tmp_path):
    return msa.compress(primates, tmp_path / "primates.rgm")


def test_cells_are_those_of_the_file(primates):
    names, rows = phylip(primates)
    alignment = msa.read(primates)
    assert alignment.names == names
    assert [row.tobytes() for row in alignment.cells] == rows
    assert alignment.cells.dtype == "S1" and (alignment.num_taxa, alignment.num_sites) == (len(rows), len(rows[0]))


def test_columns_and_rows_are_those_of_the_alignment(primates, packed):
    cells = msa.read(primates).cells
    file = msa.open(packed)
    assert file.names == msa.read(primates).names
    for first, last in [(0, None), (0, 0), (5, 6), (100, 300), (cells.shape[1], None)]:
        assert (file.columns(first, last) == cells[:, first:last].T).all()
        assert (file.rows(first, last) == cells[:, first:last]).all()
        assert file.columns(first, last).flags.c_contiguous and file.rows(first, last).flags.c_contiguous


def test_a_site_does_not_read_the_whole_file(data, tmp_path):
    packed = msa.compress(data / "vertebrates.phy", tmp_path / "v.rgm")
    file = msa.RgmFile(packed)
    opened = file.bytes_read
    file.columns(0, 1)
    part = file.bytes_read - opened
    file.columns()
    assert 0 < part < file.bytes_read - opened - part


def test_text_comes_back_byte_by_byte(primates, packed):
    assert msa.open(packed).text() == primates.read_bytes()
    assert packed.stat().st_size < primates.stat().st_size / 3
    msa.open(packed).verify()
    assert (msa.read(packed).cells == msa.read(primates).cells).all()


def test_arrays_are_written(primates, tmp_path):
    alignment = msa.read(primates)
    shorter = msa.Alignment(alignment.names, alignment.cells[:, ::3])
    msa.write(tmp_path / "short.rgm", shorter)
    again = msa.read(tmp_path / "short.rgm")
    assert again.names == shorter.names and (again.cells == shorter.cells).all()
    msa.write(tmp_path / "codes.rgm", msa.Alignment(shorter.names, shorter.cells.view(np.uint8)))
    assert (msa.read(tmp_path / "codes.rgm").cells == shorter.cells).all()
    for wrong in [msa.Alignment(["a b", "c"], np.array([[b"A"], [b"C"]])), msa.Alignment(["a"], np.array([[b"A"], [b"C"]])),
                  msa.Alignment(["a"], np.array([[1.0]])), msa.Alignment(["a\n>c", "b"], np.array([[b"A"], [b"C"]])),
                  msa.Alignment(["a", "a"], np.array([[b"A"], [b"C"]])), msa.Alignment(["a", "b"], np.array([[b"A"], [b" "]]))]:
        with pytest.raises(ValueError):
            msa.write(tmp_path / "wrong.rgm", wrong)
    assert not (tmp_path / "wrong.rgm").exists()


def test_what_no_tree_makes_smaller_is_stored_as_text():
    text = b">a\nACGT\n>b\nTTTT\n"
    assert msa.RgmFile.from_bytes(msa.compress_text(text)).text() == text


@pytest.mark.parametrize("level", [1, 9])
def test_levels_tell_the_same(primates, level):
    assert msa.RgmFile.from_bytes(msa.compress_text(primates.read_bytes(), level=level)).text() == primates.read_bytes()


def test_tree_of_the_user_is_taken(primates, packed):
    tree = msa.open(packed).newick
    again = msa.RgmFile.from_bytes(msa.compress_text(primates.read_bytes(), tree=tree))
    assert again.newick == tree
    with pytest.raises(InputError, match="tree:1:"):
        msa.compress_text(primates.read_bytes(), tree="(a,b);")


@pytest.mark.parametrize("suffix, pack", [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
def test_packed_files_are_read(primates, tmp_path, suffix, pack):
    path = tmp_path / ("p.phy" + suffix)
    path.write_bytes(pack(primates.read_bytes()))
    assert msa.read(path).names == msa.read(primates).names
    assert msa.compress(path) == tmp_path / "p.phy.rgm"


def genomes(count):
    """Nearly equal rows, with unknown stretches."""
    dice = np.random.default_rng(1)
    cells = np.tile(dice.choice(np.frombuffer(b"ACGT", "S1"), 2000), (count, 1))
    for i in range(1, count):
        cells[i] = cells[dice.integers(i)]
        cells[i, dice.integers(2000)] = dice.choice(np.frombuffer(b"ACGT", "S1"))
        if i % 7 == 0:
            cells[i, 100:180] = b"N"
    return msa.Alignment([f"genome/{i:05}" for i in range(count)], cells)


def test_nearly_equal_rows_are_read_as_differences(tmp_path):
    alignment = genomes(300)
    path = tmp_path / "many.rgm"
    msa.write(path, alignment)
    file = msa.open(path)
    assert file.kind == "sparse" and path.stat().st_size < 3000
    everything = file.differences()
    assert everything.names == alignment.names and everything.reference.shape == (2000,)
    assert all((everything.row(i) == alignment.cells[i]).all() for i in range(300))
    assert len(everything.sites) == len(everything.letters) == everything.offsets[-1] and set(everything.run_characters) == {b"N"}
    wanted = ["genome/00250", "genome/00007"]
    some = msa.open(path).taxa(wanted)
    assert some.names == wanted and (some.cells == alignment.cells[[250, 7]]).all()
    assert (msa.open(path).differences(wanted).row(1) == alignment.cells[7]).all()
    assert (file.columns(99, 101) == alignment.cells[:, 99:101].T).all() and file.newick.count("genome/") == 300
    assert file.taxa([]).cells.shape == (0, 2000)
    with pytest.raises(KeyError, match="absent"):
        file.taxa(["absent"])
    with pytest.raises(ValueError, match="every taxon once"):
        file.taxa(["genome/00007"] * 2)


def test_taxa_are_read_from_files_of_any_kind(primates, packed):
    whole = msa.read(primates)
    some = msa.open(packed).taxa(whole.names[4:1:-1])
    assert (some.cells == whole.cells[4:1:-1]).all() and msa.open(packed).kind == "native"
    with pytest.raises(ValueError, match="of kind sparse"):
        msa.open(packed).differences()


def test_bad_input_says_where(tmp_path):
    bad = tmp_path / "bad.fa"
    bad.write_text(">a\nACGT\n>b\nACG\n")
    with pytest.raises(InputError) as error:
        msa.read(bad)
    assert str(error.value) == f"{bad}:3:1: taxon 'b' has 3 sites, but 'a' on line 1 has 4"
    assert isinstance(error.value, ValueError) and regraft.InputError is InputError
    with pytest.raises(InputError):
        msa.compress(bad)
    assert list(tmp_path.iterdir()) == [bad]
    with pytest.raises(OSError):
        msa.read(tmp_path / "nothing")
    with pytest.raises(InputError):
        msa.open(tmp_path / "nothing")


def test_any_name_of_a_file_will_do(packed, tmp_path):
    odd = tmp_path / "\udcff \u00e4.rgm"  # not UTF-8
    odd.write_bytes(packed.read_bytes())
    assert msa.open(odd).num_taxa == msa.open(packed).num_taxa


def test_damaged_files_are_refused(packed, primates):
    good = packed.read_bytes()
    for size in range(0, len(good), 37):
        with pytest.raises(InputError):
            msa.RgmFile.from_bytes(good[:size]).verify()
    for at in range(0, len(good), 41):
        damaged = bytearray(good)
        damaged[at] ^= 4
        with pytest.raises(InputError):
            msa.RgmFile.from_bytes(bytes(damaged)).verify()


def test_wrong_sites_are_value_errors(packed):
    file = msa.open(packed)
    for first, last in [(0, file.num_sites + 1), (5, 4), (2**64 - 1, None)]:
        with pytest.raises(ValueError, match="sites within"):
            file.columns(first, last)
    with pytest.raises(TypeError):
        file.columns(-1, 2)
    with pytest.raises(ValueError, match="a level from 1 to 9"):
        msa.compress_text(">a\nA\n", level=10)


def test_result_replaces_what_was_there_with_usual_permissions(primates, tmp_path):
    target = tmp_path / "out.rgm"
    target.write_bytes(b"old")
    msa.compress(primates, target)
    plain = tmp_path / "plain"
    plain.touch()
    assert target.stat().st_mode == plain.stat().st_mode and sorted(tmp_path.iterdir()) == [target, plain]


def test_threads_may_ask_at_once(packed):
    file = msa.open(packed)
    all_columns = file.columns()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for first, part in pool.map(lambda first: (first, file.columns(first, first + 10)), range(0, 800, 3)):
            assert (part == all_columns[first:first + 10]).all()


def test_others_run_while_an_alignment_is_compressed(data):
    text = (data / "vertebrates.phy").read_bytes()
    turns, done = 0, threading.Event()
    thread = threading.Thread(target=lambda: (msa.compress_text(text, level=9), done.set()))
    begin = time.monotonic()
    thread.start()
    while not done.is_set():
        time.sleep(0.001)
        turns += 1
    thread.join()
    # The thread that holds the GIL gives it back after the call only: one turn or two.
    assert turns > 3 or time.monotonic() - begin < 0.02
