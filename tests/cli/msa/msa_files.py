#!/usr/bin/env python3
"""regraft-msa keeps, overwrites and removes files as gzip and xz do, and loses none. msa_files.py EXE LIBRARY, which is made of support/cut.cpp"""
import bz2
import gzip
import lzma
import os
import pathlib
import pty
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time

import msa_cli
from msa_cli import evolved, fasta

TEXT = fasta(evolved(1, 12, 400), 60).encode()


def replaces(program: msa_cli.Program) -> None:
    """FILE becomes FILE.rgm and back, with its permissions and times; -k keeps it"""
    file = program.file("a.fa", TEXT)
    packed = program.path / "a.fa.rgm"
    file.chmod(0o640)
    os.utime(file, (1_000_000_000, 1_100_000_000))
    program.ok("compress", file)
    assert not file.exists() and packed.exists()
    assert stat.S_IMODE(packed.stat().st_mode) == 0o640 and packed.stat().st_mtime == 1_100_000_000
    program.ok("decompress", packed)
    assert file.read_bytes() == TEXT and not packed.exists()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640 and file.stat().st_mtime == 1_100_000_000
    program.ok("compress", "-k", file)
    assert file.exists() and packed.exists()
    file.unlink()
    program.ok("decompress", "--keep", packed)
    assert file.read_bytes() == TEXT and packed.exists()


def overwrites(program: msa_cli.Program) -> None:
    """files are overwritten only with -f, and nothing is compressed twice"""
    file = program.file("a.fa", TEXT)
    packed = program.file("a.fa.rgm", "mine")
    program.refuses("compress", file, message=f"{packed}: exists already; -f overwrites it")
    program.refuses("compress", "-o", packed, file, message="exists already")
    program.ok("compress", "-kf", file)
    assert program.ok("cat", packed) == TEXT and file.exists()
    program.refuses("decompress", packed, message=f"{file}: exists already")
    file.write_text("mine")
    program.ok("decompress", "-f", packed)
    assert file.read_bytes() == TEXT and not packed.exists()
    program.ok("compress", file)
    program.refuses("compress", packed, message="has the suffix .rgm already")
    program.refuses("compress", "-c", packed, message="is compressed already")
    program.refuses("compress", stdin=packed.read_bytes(), message="standard input: is compressed already")
    shutil.copy(packed, program.path / "other")
    program.refuses("compress", program.path / "other", message="is compressed already")
    program.refuses("decompress", program.path / "other", message="does not have the suffix .rgm")
    program.ok("decompress", "-o", program.path / "b.fa", program.path / "other")
    assert (program.path / "b.fa").read_bytes() == TEXT


def own_input(program: msa_cli.Program) -> None:
    """no command writes over what it reads, by whatever name; only append and compact without -o replace their file"""
    file, packed = program.file("a.fa", TEXT), program.compressed("b.fa", TEXT)
    folder = program.path / "folder"
    folder.mkdir()
    links = [program.path / "soft.fa", program.path / "hard.fa", folder / ".." / "a.fa"]
    links[0].symlink_to(file)
    os.link(file, links[1])
    for output in [file, *links]:
        for force in ([], ["-f"]):
            program.refuses("extract", *force, "--sites", "1", "-o", output, file, message=f"{output}: is the input; expected another name")
            program.refuses("compress", *force, "-o", output, file, message="is the input")
    with file.open("rb") as text:
        result = program.run("compress", "-f", "-", "-o", file, stdin=None, preexec_fn=lambda: os.dup2(text.fileno(), 0))
    result.require(result.code == 2 and "is the input" in result.err and file.read_bytes() == TEXT, "expected that standard input is kept")
    names = program.file("names", "taxon_0.0\n")
    program.refuses("extract", "-f", "--taxa", names, "-o", names, file, message="names: is the input")
    more = program.file("more.fa", ">more\n" + "A" * 400 + "\n")
    for command in (["decompress", packed], ["append", packed, more], ["compact", packed]):
        program.refuses(*command, "-f", "-o", packed, message="b.fa.rgm: is the input")
    program.refuses("append", "-f", packed, more, "-o", more, message="more.fa: is the input")
    (program.path / "a.fa.rgm").symlink_to(file)
    program.refuses("compress", "-f", file, message="a.fa.rgm: is the input")
    program.ok("append", packed, more)
    program.ok("compact", packed)


def removed(program: msa_cli.Program) -> None:
    """of a text that was compressed and so removed, the message names the compressed file"""
    packed = program.compressed("a.fa", TEXT)
    for command in ("cat", "stat", "extract"):
        program.refuses(command, program.path / "a.fa", message=f"a.fa: cannot be read: No such file or directory; there is {packed}, which can be read in its place")
    program.refuses("cat", program.path / "b.fa", message="b.fa: cannot be read: No such file or directory\n")


def elsewhere(program: msa_cli.Program) -> None:
    """-o and -c keep the input; - is a standard stream"""
    file = program.file("a.fa", TEXT)
    packed = program.ok("compress", "-c", file)
    assert file.exists() and packed == program.ok("compress", "-", stdin=TEXT) == program.ok("compress", stdin=TEXT) == program.ok("compress", file, "-o", "-")
    program.ok("compress", "-o", program.path / "x.rgm", file)
    program.ok("compress", "-", "-o", program.path / "y.rgm", stdin=TEXT)
    assert (program.path / "x.rgm").read_bytes() == (program.path / "y.rgm").read_bytes() == packed and file.exists()
    assert program.ok("decompress", "-c", program.path / "x.rgm", program.path / "y.rgm") == 2 * TEXT
    assert program.ok("cat", program.path / "x.rgm", "-", stdin=packed) == 2 * TEXT
    program.ok("decompress", "-", "-o", program.path / "z.fa", stdin=packed)
    assert (program.path / "z.fa").read_bytes() == TEXT and (program.path / "x.rgm").exists()
    program.ok("compress", "-o", "/dev/null", file)
    for arguments in (["compress"], ["cat"], ["decompress"]):
        silent = program.run(*arguments, stdin=TEXT if arguments == ["compress"] else packed)
        silent.require(silent.code == 0 and not silent.err, "expected silence in a pipe")
    program.refuses("compress", "-c", file, file, message="is for one file")
    program.refuses("compress", "-o", program.path / "w", file, file, message="is for one file")
    program.refuses("compress", "-", file, message="goes alone")
    program.refuses("compress", "-c", "-o", program.path / "w", file, message="excludes")


def links(program: msa_cli.Program) -> None:
    """a link is not replaced by a file; an output that is a link is written through it"""
    file = program.file("a.fa", TEXT)
    link = program.path / "link.fa"
    link.symlink_to(file)
    program.refuses("compress", link, message="is a symbolic link")
    program.ok("compress", "-k", link)
    assert link.is_symlink() and program.ok("cat", program.path / "link.fa.rgm") == TEXT
    target = program.file("target", "old")
    (program.path / "out.rgm").symlink_to(target)
    program.ok("compress", "-f", "-o", program.path / "out.rgm", file)
    assert (program.path / "out.rgm").is_symlink() and program.ok("cat", target) == TEXT


def zstd(content: bytes, *options: str) -> bytes | None:
    """A zstd frame, if the program is there."""
    if not shutil.which("zstd"):
        return None
    return subprocess.run(["zstd", "-q", "-c", *options], input=content, stdout=subprocess.PIPE, check=True).stdout


# The packers by the suffix of their files, and what they are called.
PACKERS = {".gz": (gzip.compress, "gzip"), ".bz2": (bz2.compress, "bzip2"), ".xz": (lzma.compress, "xz"), ".zst": (zstd, "zstd")}


def packed(program: msa_cli.Program) -> None:
    """a file that gzip, bzip2, xz or zstd has packed is compressed as the text in it; the input stays, since nothing leads back to it"""
    for suffix, (pack, _) in PACKERS.items():
        if not (content := pack(TEXT)):
            print(f"not tested: {suffix}, as its program is not there")
            continue
        file = program.file("a.fa" + suffix, content)
        program.ok("compress", file)
        assert file.exists() and program.ok("cat", program.path / "a.fa.rgm") == TEXT
        (program.path / "a.fa.rgm").unlink()
        assert program.ok("stat", "--json", file).replace(file.name.encode(), b"a.fa") == program.ok("stat", "--json", program.file("a.fa", TEXT))
        assert program.ok("cat", stdin=program.ok("compress", stdin=content)) == TEXT
        half = len(TEXT) // 2
        members = pack(TEXT[:half]) + pack(b"") + pack(TEXT[half:])
        assert program.ok("cat", stdin=program.ok("compress", stdin=members)) == TEXT, suffix
        (program.path / "a.fa").unlink()
    padded = lzma.compress(TEXT[:100]) + bytes(8) + lzma.compress(TEXT[100:]) + bytes(4)
    assert program.ok("cat", stdin=program.ok("compress", stdin=padded)) == TEXT
    program.refuses("compress", stdin=lzma.compress(TEXT) + bytes(3), message="is packed by xz, but something else follows")
    skippable = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"size"
    if content := zstd(TEXT):
        assert program.ok("cat", stdin=program.ok("compress", stdin=skippable + content)) == TEXT


def badly_packed(program: msa_cli.Program) -> None:
    """packed bytes that are cut off, changed, followed by others, or hold no text are refused, and the packer is named"""
    dice = random.Random(5)
    for suffix, (pack, name) in PACKERS.items():
        if not (content := pack(TEXT)):
            continue
        for size in (7, len(content) // 2, len(content) - 1):
            program.refuses("compress", "-c", program.file("a" + suffix, content[:size]), message=f"is packed by {name}, but is cut off")
        for at in dice.sample(range(len(content) // 3, len(content) - 20), 10):
            changed = content[:at] + bytes([content[at] ^ 1 << dice.randrange(8)]) + content[at + 1:]
            program.refuses("stat", program.file("a" + suffix, changed), message=f"is packed by {name}, but ")
        for more in (b"x", b"something", bytes(1)):
            program.refuses("compress", stdin=content + more, message=f"standard input: is packed by {name}, but something else follows")
        program.refuses("compress", stdin=content + content[:6], message=f"standard input: is packed by {name}, but is cut off")
        program.refuses("compress", stdin=pack(b">a\nAC\0GT\n"), message="but byte 6 of the unpacked data is 0; expected a text")
        program.refuses("compress", stdin=pack(b">a\nACGT\n>b\nACG\n"), message="standard input:3:")
        program.refuses("compress", stdin=pack(b""), message="the file is empty")
    program.refuses("compress", stdin=b"PK\x03\x04 and more", message="is packed by zip, expected a text")



def bombs(program: msa_cli.Program) -> None:
    """a text that is too large for its file is refused before it takes memory, unless any size is allowed"""
    part = b"A" * (27 << 20)
    text = b">a\n" + 10 * part + b"\n"
    packed = program.path / "b.fa.rgm"
    packed.write_bytes(program.ok("compress", "--codec", "plain", "--no-verify", "-c", stdin=text))
    assert packed.stat().st_size < 1 << 16
    small = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20))}
    for command in ("cat", "decompress", "verify", "stat", "extract"):
        program.refuses(command, packed, message=f"{packed}: holds a text of {len(text)} bytes, expected at most", **small)
    assert program.ok("decompress", "--any-size", "-c", packed) == text
    for suffix, (pack, name) in PACKERS.items():
        if not pack(b""):
            continue
        file = program.file("c.fa" + suffix, pack(b">a\n") + 10 * pack(part) + pack(b"\n"))  # as if put together from files
        is_bomb = file.stat().st_size * 250 + (256 << 20) < len(text)
        assert is_bomb == (name != "gzip"), name  # gzip packs at most a thousand times
        if is_bomb:
            larger = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (1500 << 20, 1500 << 20))}
            program.refuses("compress", "-c", file, message=f"is packed by {name}, with a text over ", **larger)
    program.ok("compress", "--any-size", "--codec", "plain", "--no-verify", program.path / "c.fa.xz")
    assert program.ok("decompress", "--any-size", "-c", program.path / "c.fa.rgm") == text


def long_genomes(program: msa_cli.Program) -> None:
    """few equal genomes of many sites take memory of their text, not of what could differ at each site"""
    row = b"A" * (20 << 20)
    file = program.file("long.fa.gz", gzip.compress(b">a\n" + row + b"\n>b\n" + row + b"\n", 1))
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))}
    program.ok("stat", file, **limit)
    program.ok("compress", "-k", "-T", "1", file, **limit)


def hungry(program: msa_cli.Program) -> None:
    """what needs more memory than usual to be unpacked is refused, unless any size is allowed"""
    large = {"format": lzma.FORMAT_XZ, "filters": [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 29}]}
    cases = {"xz": lzma.compress(TEXT, **large), "zstd": zstd(TEXT, "--ultra", "--long=30")}
    for name, content in cases.items():
        if content:
            program.refuses("compress", stdin=content, message=f"is packed by {name}, but needs more memory than usual")
            words = program.run("compress", stdin=content).err.split("unpack it with ")[1].split(", or let regraft-msa read it with --any-size")[0].split()
            assert shutil.which(words[0]) is None or subprocess.run([*words, "-c"], input=content, stdout=subprocess.PIPE, check=True).stdout == TEXT, words
            assert program.ok("cat", stdin=program.ok("compress", "--any-size", stdin=content)) == TEXT


def lack_of_memory(program: msa_cli.Program) -> None:
    """if memory does not suffice for a file, its name and size are told"""
    file = program.path / "large.fa"
    with open(file, "wb") as large:
        large.truncate(1 << 30)
    result = program.run("compress", file, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20)))
    result.require(result.code == 1 and f"there is not enough memory for {file} of {1 << 30} bytes" in result.err, "expected that it is said")


def several(program: msa_cli.Program) -> None:
    """of several files all that can be done are done, and the largest exit code is returned"""
    good = [program.file("a.fa", TEXT), program.file("c.fa", TEXT)]
    bad = program.file("b.fa", "no alignment\n")
    result = program.run("compress", good[0], bad, program.path / "none.fa", good[1])
    result.require(result.code == 2 and "b.fa:1:1: " in result.err and "none.fa: cannot be read: No such file" in result.err, "expected two messages")
    assert sorted(p.name for p in program.path.iterdir()) == ["a.fa.rgm", "b.fa", "c.fa.rgm"]
    for line in result.err.splitlines():
        result.require(line.startswith("regraft-msa: ") or "times smaller" in line, "expected errors and summaries")
    quiet = program.run("decompress", "-q", *program.path.glob("*.rgm"))
    quiet.require(quiet.code == 0 and not quiet.err and not quiet.out, "expected silence")


def bad_input(program: msa_cli.Program) -> None:
    """a file that is no alignment is refused with the place of the error, and nothing is written"""
    for text, message in (("", "the file is empty"), (">a\nACGT\n>b\nACG\n", "bad.fa:3:"), (">a\nACGT\n>a\nACGT\n", "bad.fa:3:"), ("2 4\na ACGT\n", "bad.fa:"),
                          ("hello\n", "bad.fa:1:1: "), (b"\x1f\x8b\x08\x00rest", "is packed by gzip, but "), (b"\xfd7zXZ\x00", "by xz, but is cut off"), (b"\x28\xb5\x2f\xfd", "by zstd, but is cut off")):
        file = program.file("bad.fa", text)
        program.refuses("compress", file, message=message)
        program.refuses("stat", file, message=message)
    program.refuses("compress", program.path, message="is a directory")
    for command in ("compress", "decompress", "compact", "extract", "stat", "verify", "tree", "cat"):
        missing = program.path / "none.rgm" if command != "compress" else program.path / "none.fa"
        program.refuses(command, missing, message=f"{missing}: ")
        if command not in ("compress", "stat"):
            if command in ("cat", "extract"):  # which read texts, too
                assert program.ok(command, program.file("text.rgm", TEXT)) == TEXT
            else:
                program.refuses(command, program.file("text.rgm", TEXT), message="text.rgm: ")
            program.refuses(command, program.file("empty.rgm", b""), message="empty.rgm: ")
            (program.path / "text.rgm").unlink()
            (program.path / "empty.rgm").unlink()


def damaged(program: msa_cli.Program) -> None:
    """a file that is cut off or has a changed bit is refused by all commands that read it whole, and no output appears"""
    packed = program.compressed("d.fa", TEXT, "-B", "64")
    good = packed.read_bytes()
    dice = random.Random(3)
    broken = [good[:size] for size in sorted({0, 1, 3, 4, 8, len(good) - 1, *dice.sample(range(len(good)), 12)})]
    for at in [*range(16), *dice.sample(range(16, len(good)), 24)]:
        broken.append(good[:at] + bytes([good[at] ^ 1 << dice.randrange(8)]) + good[at + 1:])
    broken.append(good + b"more")
    for content in broken:
        packed.write_bytes(content)
        for command in ("verify", "decompress", "cat"):
            program.refuses(command, packed, message="d.fa.rgm")
    program.refuses("cat", stdin=good[:-5], message="standard input")
    packed.write_bytes(good)
    assert program.ok("verify", packed).decode() == f"{packed}: fine, 12 taxa and 400 sites\n"


def no_room(program: msa_cli.Program) -> None:
    """output that cannot be written is told, with exit code 1; no file is lost and none appears"""
    file = program.file("a.fa", TEXT)
    packed = program.compressed("b.fa", TEXT, "--codec", "native")
    for arguments in (["compress", "-c", file], ["decompress", "-c", packed], ["cat", packed], ["extract", packed], ["tree", packed], ["stat", packed], ["verify", packed]):
        with open("/dev/full", "wb") as full:
            run = subprocess.run([program.exe, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, check=False)
        assert run.returncode == 1 and b"standard output: cannot be written: No space left" in run.stderr, run
        read, write = os.pipe()
        os.close(read)
        run = subprocess.run([program.exe, *map(str, arguments)], stdout=write, stderr=subprocess.PIPE, check=False)
        os.close(write)
        assert run.returncode != 0 and b"internal" not in run.stderr, run
    program.refuses("compress", "-o", "/dev/full", file, code=1, message="/dev/full: cannot be written: No space left")
    program.refuses("compress", "-o", program.path / "none/x.rgm", file, code=1, message="No such file")
    program.refuses("compress", "-o", program.path, file, code=1, message="Is a directory")
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))}
    program.refuses("compress", file, code=1, message="a.fa.rgm: cannot be written: File too large", **limit)
    program.refuses("decompress", packed, code=1, message="b.fa: cannot be written: File too large", **limit)
    file.chmod(0o644)
    program.path.chmod(0o555)
    nobody = {"preexec_fn": lambda: os.setuid(65534)} if os.getuid() == 0 else {}  # root may write everywhere
    try:
        program.refuses("compress", "-k", file, code=1, message="a.fa.rgm: cannot be written: Permission denied", **nobody)
    except PermissionError:
        print("not tested: a folder without permission, as the program itself cannot be reached by another user")
    program.path.chmod(0o700)


def signals(program: msa_cli.Program) -> None:
    """whenever a signal ends it, the input or a whole result is there, and no temporary file"""
    text = fasta(evolved(2, 60, 40000), 60).encode()
    packed = program.compressed("s.fa", text, "--fast", "--no-verify")
    good = packed.read_bytes()
    file = program.path / "s.fa"
    dice = random.Random(4)
    start = time.monotonic()
    program.ok("decompress", "-k", packed)
    takes = time.monotonic() - start
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP] * 7:
        file.unlink(missing_ok=True)
        packed.write_bytes(good)
        with subprocess.Popen([program.exe, "decompress", str(packed)], stderr=subprocess.DEVNULL) as process:
            time.sleep(dice.random() * takes)
            process.send_signal(number)
        assert process.returncode in (0, -number), process.returncode
        assert packed.exists() or file.exists()
        assert not file.exists() or file.read_bytes() == text
        assert sorted(p.name for p in program.path.iterdir()) in (["s.fa"], ["s.fa.rgm"], ["s.fa", "s.fa.rgm"])


def preloaded(**settings: str) -> dict[str, str]:
    """The environment in which calls that change files are cut or delayed; see support/cut.cpp."""
    return os.environ | {"LD_PRELOAD": str(pathlib.Path(sys.argv[2]).resolve()), "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"} | settings


def cuts(program: msa_cli.Program) -> None:
    """wherever the power goes while a file is replaced or overwritten, the old one or the new one is whole"""
    packed = program.compressed("a.fa", TEXT).read_bytes()
    file, out = program.path / "a.fa", program.path / "a.fa.rgm"
    for command, source, old, target, new in (("compress", file, TEXT, out, packed), ("decompress", out, packed, file, TEXT)):
        for before in (None, b"before"):
            for number in range(1, 100):
                for path in program.path.iterdir():
                    path.unlink()
                source.write_bytes(old)
                if before:
                    target.write_bytes(before)
                result = program.run(command, "-f", source, env=preloaded(CUT_IN=str(program.path), CUT_AT=str(number)))
                target_is_whole = target.exists() and target.read_bytes() == new
                source_is_whole = source.exists() and source.read_bytes() == old
                result.require(target_is_whole or source_is_whole, f"cut {number}: expected one of two files")
                result.require(target_is_whole or (target.read_bytes() if target.exists() else None) == before, f"cut {number}: expected the old file or the new one")
                if result.code == 0:
                    break
                result.require(result.code == -signal.SIGKILL, "expected that it is killed, or ends well")
            result.require(number > 5 and result.code == 0, "expected several cuts")
            assert [path.name for path in program.path.iterdir()] == [target.name]


def changed_meanwhile(program: msa_cli.Program) -> None:
    """an input that was changed while its result was written stays, with exit code 2"""
    packed = program.compressed("a.fa", TEXT).read_bytes()
    for name, content, command in (("a.fa", TEXT, "compress"), ("a.fa.rgm", packed, "decompress")):
        for change in ("echo more >> '{0}'", "echo more > '{0}.2' && mv '{0}.2' '{0}'"):
            for path in program.path.iterdir():
                path.unlink()
            file = program.file(name, content)
            result = program.run(command, file, env=preloaded(CUT_IN=str(program.path), CUT_SYNC_1=change.format(file)))
            result.require(result.code == 2 and f"{file}: was changed by another program in the meantime; it is kept" in result.err, "expected that it is said")
            assert file.read_bytes() == (content if ">>" in change else b"") + b"more\n"
            assert [path.name for path in program.path.iterdir()] == [name], "expected that nothing is written"


def changed_at_last(program: msa_cli.Program) -> None:
    """an input that changes when the result already has its name is not lost either"""
    file = program.file("a.fa", TEXT)
    # The second fsync is that of the folder, after the rename.
    result = program.run("compress", file, env=preloaded(CUT_IN=str(program.path), CUT_SYNC_2=f"echo more >> '{file}'"))
    result.require(result.code == 2 and f"{file}: was changed by another program in the meantime; it is kept as it is now; the result is in" in result.err, "expected that it is said")
    assert file.read_bytes() == TEXT + b"more\n"
    assert sorted(path.name for path in program.path.iterdir()) == ["a.fa", "a.fa.rgm"]
    assert program.ok("cat", program.path / "a.fa.rgm") == TEXT


def names(program: msa_cli.Program) -> None:
    """names may be as long as the file system lets them be; a link to nothing is followed"""
    file = program.file("a.fa", TEXT)
    long = program.path / ("n" * 255)
    program.ok("compress", "-o", long, file)
    assert program.ok("cat", long) == TEXT
    (program.path / "link").symlink_to("new")
    program.ok("compress", "-f", "-o", program.path / "link", file)
    assert (program.path / "link").is_symlink() and program.ok("cat", program.path / "new") == TEXT


def on_terminal(program: msa_cli.Program, *arguments: str | pathlib.Path, stream: str) -> tuple[int, str]:
    """The exit code, and what the terminal shows that is the given stream."""
    master, slave = pty.openpty()
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": slave} | {stream: slave}
    process = subprocess.Popen([program.exe, *map(str, arguments)], **streams)
    os.close(slave)
    shown = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # the program has closed its side
            break
        if not piece:
            break
        shown += piece
    os.close(master)
    return process.wait(), shown.decode()


def terminals(program: msa_cli.Program) -> None:
    """compressed data does not go to a terminal; progress goes nowhere else"""
    file = program.file("a.fa", TEXT)
    before = program.contents()
    code, shown = on_terminal(program, "compress", "-k", file, stream="stderr")
    assert code == 0 and "looking for a tree (" in shown and "times smaller" in shown.splitlines()[-1], shown
    packed = program.path / "a.fa.rgm"
    assert "\r" not in program.run("compress", "-kf", file).err
    before = program.contents()
    master, slave = pty.openpty()
    run = subprocess.run([program.exe, "compress", "-c", str(file)], stdout=slave, stderr=subprocess.PIPE, check=False)
    assert run.returncode == 2 and b"not written to a terminal" in run.stderr, run
    for command in ("compress", "decompress", "cat", "verify"):
        run = subprocess.run([program.exe, command, *(["-"] if command == "verify" else [])], stdin=slave, capture_output=True, check=False, timeout=msa_cli.PATIENCE)
        assert run.returncode == 2 and b"from a terminal" in run.stderr, run
    os.close(slave)
    os.close(master)
    assert program.contents() == before
    code, shown = on_terminal(program, "cat", packed, stream="stdout")
    assert code == 0 and shown.replace("\r\n", "\n").encode() == TEXT


def usage(program: msa_cli.Program) -> None:
    """mistakes on the command line are told; --help tells how it is right"""
    packed = program.compressed("u.fa", TEXT)
    names = [line[1:] for line in TEXT.decode().splitlines() if line.startswith(">")]
    for arguments, message in (
            ([], "the command is missing, expected compress"), (["squeeze"], "unknown command 'squeeze', expected compress, decompress, append, compact, extract, stat, verify, tree, cat, concat, dedup, rename, trim, mask, translate or sample"),
            (["extract"], "FILE"), (["stat"], "FILE"), (["verify"], "FILE"), (["tree"], "FILE"), (["compress", "--frob"], "--frob"),
            (["compress", "--fast", "--best"], "excludes"), (["compress", "-T", "x"], "'x', expected a whole number"), (["compress", "-B", "0"], "--block: '0'"),
            (["compress", "--codec", "gzip"], "gzip"), (["compress", "--seed", "-1"], "--seed"), (["cat", "--format", "nexus", packed], "nexus"),
            (["extract", "--sites", "0-5", packed], "'0-5' begins with site 0, but sites count from 1"), (["extract", "--sites", "5-3", packed], "ends before it begins"),
            (["extract", "--sites", "399-401", packed], "goes beyond the last site, which is 400"), (["extract", "--sites", "1-5,3", packed], "site 3 a second time"),
            (["extract", "--sites", "1,,3", packed], "neither a site nor a range"), (["extract", "--sites", "", packed], "--sites: the value is empty"), (["compress", "--tree", "", packed], "--tree: the value is empty"), (["cat", ""], "FILE: the value is empty"), (["extract", "--sites", "3\\2", packed], "neither"),
            (["extract", "--sites", "1-9\\0", packed], "neither"), (["extract", "--sites", "1-99999999999999999999", packed], "neither"),
            (["extract", "--taxon", "nobody", packed], "--taxon: there is no taxon 'nobody' in"), (["extract", "--taxon", names[0], "--taxon", names[0], packed], "a second time"),
            (["extract", "--taxa", program.file("t.txt", f"{names[0]}\n\nnobody\n"), packed], "t.txt:3: there is no taxon 'nobody'"),
            (["extract", "--taxa", program.file("empty.txt", "\n"), packed], "there are no names"), (["extract", "--taxa", program.path / "none.txt", packed], "none.txt: cannot be read"),
            (["extract", "--sites", "1", "--partition", "x", packed], "excludes"), (["extract", packed, packed], "expected 1 at most")):
        program.refuses(*arguments, message=message)
    overview = program.ok("--help").decode()
    for command in ("compress", "decompress", "append", "compact", "extract", "stat", "verify", "tree", "cat", "concat", "dedup", "rename", "trim", "mask", "translate", "sample"):
        assert f"\n  {command} " in overview
        text = program.ok(command, "--help").decode()
        assert "Usage" in text and f"regraft-msa {command} " in text, f"expected an example in the help of {command}"
        assert max(map(len, text.splitlines())) <= 140, text
    assert program.ok("--version").decode().startswith("regraft-msa ")


def completion(program: msa_cli.Program) -> None:
    """the completion for bash offers commands, options, values, and the files that a command reads"""
    made = pathlib.Path(program.exe).resolve().parents[1] / "regraft-msa"
    if shutil.which("bash"):
        def complete(*words: str) -> list[str]:
            script = f"source '{made}'; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _regraft_msa; printf '%s\\n' \"${{COMPREPLY[@]}}\""
            return subprocess.run(["bash", "-c", script, "bash", *words], cwd=program.path, stdout=subprocess.PIPE, check=True).stdout.decode().split()

        program.file("a.fa", TEXT)
        program.file("b.fa.rgm", TEXT)
        assert complete("regraft-msa", "") == ["compress", "decompress", "append", "compact", "extract", "stat", "verify", "tree", "cat", "concat", "dedup", "rename", "trim", "mask", "translate", "sample", "--help", "--version"]
        assert complete("regraft-msa", "comp") == ["compress", "compact"] and complete("regraft-msa", "compr") == ["compress"] and complete("regraft-msa", "extract", "--si") == ["--sites"]
        assert complete("regraft-msa", "compress", "") == ["a.fa"] and complete("regraft-msa", "verify", "") == ["b.fa.rgm"]
        assert complete("regraft-msa", "cat", "--format", "f") == ["fasta"]


if __name__ == "__main__":
    sys.exit(msa_cli.main(replaces, overwrites, own_input, removed, elsewhere, links, packed, badly_packed, bombs, long_genomes, hungry, lack_of_memory, several, bad_input, damaged, no_room, cuts, changed_meanwhile, changed_at_last, names, signals, terminals, usage, completion))
