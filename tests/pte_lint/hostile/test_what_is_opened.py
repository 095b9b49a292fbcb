"""Devices, pipes, sockets, folders, loops and endless files, wherever a file can be named."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from pte_lint.schema.limits import FILE_BYTES, STREAM_BYTES

import pte_lint
from pte_lint.files.artifact import open_artifact
from pte_lint.files.fetched import ArtifactError
from pte_lint.files.regular import opened, read_all, read_file, read_stream
from tests.support.command import command, in_a_shell, require_one_line
from tests.support.look import DATA

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")

WRONG = {
    "fifo": "a pipe, not a regular file; give a pipe as -",
    "device": "a device, not a regular file",
    "socket": "a socket, not a regular file",
    "folder": "Is a directory",
    "to_fifo": "a pipe, not a regular file",
    "loop": "Too many levels of symbolic links",
    "nothing": "No such file or directory",
    "huge": f"more than {FILE_BYTES} are not read",
    "proc": "not a regular file: it holds more than its 0 bytes",
    "x" * 300: "File name too long",
}
"""What stands in the folder, and what is said about it."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder with a good program and everything that is none."""
    shutil.copy(DATA / "clean" / "linear.pte", tmp_path / "model.pte")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    (tmp_path / "to_fifo").symlink_to("fifo")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "proc").symlink_to("/proc/self/maps")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(FILE_BYTES + 1)
    here = Path.cwd()
    os.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
        os.chdir(here)
        yield tmp_path


@pytest.mark.parametrize("name", WRONG, ids=lambda n: n[:10])
def test_the_library_says_what_it_is(place: Path, name: str) -> None:
    with pytest.raises(ArtifactError) as caught:
        pte_lint.check(place / name, isolated=True)
    assert str(place / name) in str(caught.value)
    assert WRONG[name] in str(caught.value)
    with pytest.raises(ArtifactError, match="cannot read"):
        pte_lint.check(place / "model.pte", data=[place / name], isolated=True)


@pytest.mark.parametrize("name", ["a\0b.pte", "a\ud800b.pte"], ids=["nul", "surrogate"])
def test_a_name_that_no_file_can_have(place: Path, name: str) -> None:
    with pytest.raises(ArtifactError, match="no file can have this name"):
        pte_lint.check(place / name, isolated=True)


LINES = {
    "check": ("check", "{}"),
    "check with others": ("check", "model.pte", "{}", "-j2"),
    "inspect": ("inspect", "{}"),
    "report": ("report", "{}"),
    "graph": ("graph", "{}"),
    "memory": ("memory", "{}"),
    "fix": ("fix", "{}", "--check"),
    "diff, old": ("diff", "{}", "model.pte"),
    "diff, new": ("diff", "model.pte", "{}"),
    "data": ("check", "model.pte", "--data", "{}"),
    "data, processes": ("check", "model.pte", "./model.pte", "--data", "{}", "-j2"),
    "data of a report": ("report", "model.pte", "--data", "{}"),
    "data of a diff": ("diff", "model.pte", "model.pte", "--data", "{}"),
    "baseline": ("check", "model.pte", "--baseline", "{}"),
    "baseline check": ("baseline", "check", "model.pte", "--baseline", "{}"),
    "baseline write": ("baseline", "write", "{}"),
    "configuration": ("check", "model.pte", "--config", "{}"),
    "contract": ("contract", "{}"),
    "contract of a check": ("check", "model.pte", "--contract", "{}"),
    "profile": ("check", "model.pte", "--target", "{}.json"),
}


@pytest.mark.parametrize("line", LINES)
def test_every_command_and_option_says_so(place: Path, line: str) -> None:
    name = ("fifo", "device")[list(LINES).index(line) % 2]
    (place / f"{name}.json").symlink_to(name)
    done = command(place, *(word.format(name) for word in LINES[line]))
    require_one_line(done, WRONG[name].partition(";")[0])
    assert name in done.stderr


@pytest.mark.parametrize("name", [n for n in WRONG if n not in ("fifo", "device", "folder")])
def test_every_kind_of_thing_is_told(place: Path, name: str) -> None:
    require_one_line(command(place, "inspect", name), WRONG[name])


@pytest.mark.parametrize("name", ["pte-lint.toml", "pyproject.toml"])
@pytest.mark.parametrize("leads_to", ["fifo", "device", "folder", "loop", "missing"])
def test_a_configuration_that_is_found_and_cannot_be_read(
    place: Path, name: str, leads_to: str
) -> None:
    """It must not pass for no configuration at all."""
    (place / name).symlink_to(leads_to)
    require_one_line(command(place, "check", "model.pte"), name)


@pytest.mark.parametrize("key", ["data = ['{}']", "baseline = '{}'", "target = '{}.json'"])
def test_the_keys_of_a_configuration(place: Path, key: str) -> None:
    (place / "fifo.json").symlink_to("fifo")
    (place / "pte-lint.toml").write_text(key.format("fifo"), "utf-8")
    require_one_line(command(place, "check", "model.pte"), WRONG["fifo"].partition(";")[0])


def test_the_fixed_program_and_outputs(place: Path) -> None:
    require_one_line(command(place, "confirm", "model.pte", "--fixed", "fifo"), WRONG["fifo"])
    # Nobody reads the pipe: writing it would wait for ever.
    out = command(place, "check", "-q", "model.pte", "--output", "text=fifo")
    require_one_line(out, "cannot write fifo: No such device or address")
    out = command(place, "check", "-q", "model.pte", "--output", "text=folder")
    require_one_line(out, "it is a folder")
    out = command(place, "check", "-q", "model.pte", "--output", f"text={'x' * 300}")
    require_one_line(out, "File name too long")


def test_an_output_that_leads_to_a_device_is_replaced_and_one_that_is_a_device_written(
    place: Path,
) -> None:
    done = command(place, "check", "-q", "model.pte", "--output", "text=device")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (place / "device").is_symlink()
    assert "model.pte" in (place / "device").read_text("utf-8")
    done = command(place, "check", "-q", "model.pte", "--output", "text=/dev/stderr")
    assert done.returncode == 0
    assert "model.pte" in done.stderr


def test_a_folder_with_everything_in_it_is_searched(place: Path) -> None:
    """Everything with the name of an artifact is told, and the others are still checked."""
    for name in ("fifo", "device", "loop"):
        (place / f"{name}.pte").symlink_to(name)
    done = command(place, "check", ".")
    assert done.returncode == 2
    assert "model.pte: clean" in done.stdout
    assert [line.split(": ")[1] for line in done.stderr.splitlines()] == [
        "cannot read ./device.pte",
        "cannot read ./fifo.pte",
        "cannot read ./loop.pte",
    ]


def test_streams_end_at_a_bound(place: Path) -> None:
    with Path("/dev/zero").open("rb") as endless:
        done = command(place, "inspect", "-", stdin=endless)
    require_one_line(done, f"it does not end after {STREAM_BYTES} bytes: give a file")


def test_streams_that_are_programs(place: Path) -> None:
    content = (place / "model.pte").read_bytes()
    piped = command(place, "check", "-q", "-", content=content)
    assert (piped.returncode, piped.stderr) == (0, "")
    with (place / "model.pte").open("rb") as file:
        assert command(place, "check", "-q", "-", stdin=file).stdout == piped.stdout
    with (place / "model.pte").open("rb") as file:
        assert command(place, "check", "-q", "/dev/stdin", stdin=file).returncode == 0
    require_one_line(command(place, "check", "/dev/stdin", content=content), "give a pipe as -")
    require_one_line(in_a_shell(place, "pte-lint check <(cat model.pte)"), "give a pipe as -")


def test_a_stream_without_an_end_that_could_be_waited_for(place: Path) -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    try:
        with os.fdopen(reading, "rb", closefd=False) as stream:
            with pytest.raises(OSError, match="set not to wait"):
                read_stream(stream)
            require_one_line(command(place, "check", "-", stdin=stream), "set not to wait")
    finally:
        os.close(reading)
        os.close(writing)


def test_the_bound_of_a_stream_is_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "ten").write_bytes(b"0123456789")
    for most, fits in ((9, False), (10, True), (11, True)):
        with (tmp_path / "ten").open("rb") as stream:
            if fits:
                assert read_stream(stream, most) == b"0123456789"
            else:
                with pytest.raises(OSError, match="does not end after 9 bytes"):
                    read_stream(stream, most)
        if fits:
            assert read_file(tmp_path / "ten", most) == b"0123456789"
        else:
            with pytest.raises(OSError, match="10 bytes, and more than 9"):
                read_file(tmp_path / "ten", most)


def test_a_file_that_grows_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "grows"
    path.write_bytes(b"one")
    with opened(path) as (file, size):
        with path.open("ab") as more:
            more.write(b"two")
        with pytest.raises(OSError, match="holds more than its 3 bytes"):
            read_all(file, size)


def test_what_was_opened_counts_and_not_what_was_looked_at(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody exchanges the file between the two: a FIFO must not be waited for even then."""
    true_stat, once = os.stat, [place / "fifo"]

    def stat(path: object, *args: object, **extra: object) -> os.stat_result:
        told = true_stat(path, *args, **extra)  # type: ignore[arg-type, call-overload]
        if once and path == str(place / "model.pte"):
            once.pop().replace(place / "model.pte")
        return told  # type: ignore[no-any-return]

    monkeypatch.setattr(os, "stat", stat)
    with pytest.raises(ArtifactError, match="a pipe"), open_artifact(place / "model.pte"):
        pass
    assert once == []


def test_a_system_without_the_flags_of_this_one(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows has no O_NONBLOCK; what is no file is still told before it is opened."""
    monkeypatch.setattr("pte_lint.files.regular._FLAGS", os.O_RDONLY)
    with pytest.raises(ArtifactError, match="a pipe"), open_artifact(place / "fifo"):
        pass
    with open_artifact(place / "model.pte") as artifact:
        assert artifact.size == (place / "model.pte").stat().st_size


def test_a_file_far_away_that_is_here(place: Path) -> None:
    """`file://` is an address, and leads to the same things."""
    pytest.importorskip("fsspec")
    for name in ("fifo", "device"):
        done = command(place, "check", f"file://{place / name}")
        require_one_line(done, "it is no regular file")


def test_what_may_not_be_read_or_written(place: Path) -> None:
    (place / "model.pte").chmod(0)
    (place / "folder").chmod(0)
    become = None
    if os.geteuid() == 0:
        # Root without the right to read everything.
        if shutil.which("setpriv") is None:
            pytest.skip("root may read everything")
        become = 'exec setpriv --bounding-set=-dac_override,-dac_read_search bash -c "$0"'
    for line, words in (
        ("inspect model.pte", "cannot read model.pte: Permission denied"),
        ("check folder", "cannot read folder: Permission denied"),
        ("check folder/x.pte", "cannot read folder/x.pte: Permission denied"),
        ("check --isolated -q - --output text=folder/x", "cannot write folder/x: "),
        ("check -q - --config folder/x.toml", "folder/x.toml: Permission denied"),
        ("check -q - --baseline folder/x.json", "cannot read the baseline folder/x.json: "),
        ("check -q - --target folder/x.json", "cannot read target folder/x.json: "),
    ):
        done = in_a_shell(place, f"pte-lint {line} < proc", become=become)
        require_one_line(done, words)
    (place / "folder").chmod(0o755)
