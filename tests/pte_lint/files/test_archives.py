"""Programs inside of archives, and archives that mean harm."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pte_lint.schema import limits

from pte_lint.cli.app import app
from pte_lint.files import archives
from pte_lint.files.archives import Member, members, read_member
from pte_lint.files.fetched import ArtifactError
from tests.support import stores

GOOD, BAD = stores.GOOD.read_bytes(), stores.BAD.read_bytes()
FILES = {"readme.txt": b"no", "assets/good.pte": GOOD, "assets/deep/bad.pte": BAD}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def zipped(name: str, files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> str:
    with zipfile.ZipFile(name, "w", method) as archive:
        archive.mkdir("assets") if hasattr(archive, "mkdir") else None
        for inside, content in files.items():
            archive.writestr(inside, content)
    return name


def tarred(name: str, files: dict[str, bytes], mode: str = "w") -> str:
    with tarfile.open(name, mode) as archive:  # type: ignore[call-overload]
        for inside, content in files.items():
            entry = tarfile.TarInfo(inside)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        link = tarfile.TarInfo("link.pte")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return name


def check(*args: object) -> Result:
    words = ["check", "--isolated", "--archives", *map(str, args)]
    return CliRunner().invoke(app, words, prog_name="pte-lint")


def told(result: Result) -> list[tuple[str, int]]:
    report = json.loads(result.stdout)
    return [(each["path"], len(each["findings"])) for each in report["artifacts"]]


@pytest.mark.parametrize(
    "name", ["a.zip", "a.aar", "a.APK", "a.whl", "a.tar", "a.tar.gz", "a.tgz", "a.tar.bz2"]
)
def test_programs_in_archives(name: str) -> None:
    Path("zoo").mkdir()
    if "t" in name:
        mode = "w:gz" if "gz" in name else "w:bz2" if "bz2" in name else "w"
        tarred(f"zoo/{name}", FILES, mode)
    else:
        zipped(f"zoo/{name}", FILES)
    Path("zoo/plain.pte").write_bytes(GOOD)
    expected = [(f"zoo/{name}!/assets/good.pte", 0), (f"zoo/{name}!/assets/deep/bad.pte", 1)]
    result = check("zoo", "--format", "json")
    assert result.exit_code == 1
    assert told(result) == [*expected, ("zoo/plain.pte", 0)]
    assert told(check(f"zoo/{name}", "--format", "json")) == expected
    only = check("zoo", "--format", "json", "--exclude", "deep/", "--exclude", "plain.pte")
    assert told(only) == [expected[0], expected[1]]
    only = check("zoo", "--format", "json", "--include", "assets/*.pte")
    assert told(only) == [expected[0]]


def test_archives_are_looked_into_when_asked() -> None:
    Path("zoo").mkdir()
    zipped("zoo/a.zip", FILES)
    result = CliRunner().invoke(app, ["check", "--isolated", "zoo"], prog_name="pte-lint")
    assert result.exit_code == 3
    result = check("zoo", "--confirm")
    assert result.exit_code == 2
    assert "--archives goes with neither" in result.stderr


def test_rows_of_members(monkeypatch: pytest.MonkeyPatch) -> None:
    stores.need("pyarrow")
    Path("zoo").mkdir()
    zipped("zoo/a.zip", FILES)
    zipped("zoo/broken.zip", FILES)
    Path("zoo/broken.zip").write_bytes(Path("zoo/broken.zip").read_bytes()[:-30])
    result = check("zoo", "--output", "parquet=results")
    assert result.exit_code == 2
    rows = stores.read(Path("results"))["artifacts"]
    assert [(row["path"], row["status"], row["runs"]) for row in rows] == [
        ("zoo/a.zip!/assets/good.pte", "judged", True),
        ("zoo/a.zip!/assets/deep/bad.pte", "judged", False),
        ("zoo/broken.zip", "failed", False),
    ]
    assert result.stderr == (
        "error: cannot look into zoo/broken.zip: it is damaged, or no archive (BadZipFile)\n"
    )


def test_names_that_are_there_twice_are_two() -> None:
    with zipfile.ZipFile("a.zip", "w") as archive:
        archive.writestr("m.pte", GOOD)
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("m.pte", BAD)
    first, second = members("a.zip")
    assert (read_member(first), read_member(second)) == (GOOD, BAD)
    assert told(check("a.zip", "--format", "json")) == [("a.zip!/m.pte", 0), ("a.zip!/m.pte", 1)]


def refused(name: str) -> str:
    with pytest.raises(ArtifactError) as error:
        list(map(read_member, members(name)))
    assert error.value.strerror is not None
    return error.value.strerror


def test_a_member_that_unpacks_to_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STREAM_BYTES", 100_000)
    zipped("a.zip", {"m.pte": bytes(1_000_000)})
    assert (
        refused("a.zip")
        == "cannot look into a.zip!/m.pte: it has more than 100000 bytes: unpack it"
    )
    tarred("a.tar.gz", {"m.pte": bytes(1_000_000)}, "w:gz")
    assert "more than 100000 bytes" in refused("a.tar.gz")


def test_a_member_that_lies_about_its_size() -> None:
    zipped("a.zip", {"m.pte": GOOD}, zipfile.ZIP_STORED)
    content = bytearray(Path("a.zip").read_bytes())
    at = content.rindex(b"PK\x01\x02") + 24
    content[at : at + 4] = (len(GOOD) - 8).to_bytes(4, "little")
    Path("a.zip").write_bytes(content)
    assert "damaged" in refused("a.zip")


def test_a_tar_file_that_unpacks_to_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ARCHIVE_BYTES", 1_000_000)
    tarred("a.tar.gz", {"big": bytes(2_000_000), "m.pte": GOOD}, "w:gz")
    assert "more than 1000000 bytes would have to be unpacked" in refused("a.tar.gz")


def test_a_header_without_an_end() -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 1 << 33
    raw = header.tobuf(tarfile.GNU_FORMAT)
    Path("a.tar.gz").write_bytes(gzip.compress(raw + bytes(4_000_000)))
    assert "one of its headers is too large" in refused("a.tar.gz")
    Path("a.tar.bz2").write_bytes(bz2.compress(raw + bytes(4_000_000)))
    assert "one of its headers is too large" in refused("a.tar.bz2")


def test_more_entries_than_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ARCHIVE_ENTRIES", 10)
    files = {f"{n}.pte": GOOD for n in range(11)}
    zipped("a.zip", files)
    assert "more than 10 entries" in refused("a.zip")
    tarred("a.tar", files)
    assert "more than 10 entries" in refused("a.tar")
    assert check("a.tar", "a.zip").exit_code == 2
    zipped("b.zip", {"m.pte": GOOD})
    content = bytearray(Path("b.zip").read_bytes())
    at = content.rindex(b"PK\x05\x06")
    content[at + 12 : at + 16] = (1 << 31).to_bytes(4, "little")
    Path("b.zip").write_bytes(content)
    assert "very long names" in refused("b.zip")


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz", "a.tar.bz2"])
@pytest.mark.parametrize("content", [b"", b"nonsense" * 100, GOOD])
def test_what_is_no_archive(name: str, content: bytes) -> None:
    Path(name).write_bytes(content)
    result = check(name)
    assert result.exit_code in (2, 3)
    assert len(result.stderr.splitlines()) == 1


def test_every_cut_of_an_archive_is_refused_or_read() -> None:
    whole = Path(tarred("a.tar.gz", FILES, "w:gz")).read_bytes()
    zip_whole = Path(zipped("a.zip", FILES)).read_bytes()
    for name, content in (("cut.tar.gz", whole), ("cut.zip", zip_whole)):
        for stop in range(0, len(content), 37):
            Path(name).write_bytes(content[:stop])
            try:
                found = [read_member(each) for each in members(name)]
            except ArtifactError:
                continue
            assert len(found) <= 3


def test_an_archive_that_changes_meanwhile() -> None:
    zipped("a.zip", FILES)
    *_, last = members("a.zip")
    zipped("a.zip", {"other.pte": GOOD})
    with pytest.raises(ArtifactError, match="another one than before"):
        read_member(last)
    with pytest.raises(ArtifactError, match="cannot look into"):
        read_member(Member("gone.zip", 0, "x.pte", 1))


def test_ways_to_compress_that_take_memory_are_refused() -> None:
    zipped("a.zip", {"m.pte": GOOD}, zipfile.ZIP_LZMA)
    assert refused("a.zip") == "cannot look into a.zip: it cannot be unpacked (NotImplementedError)"
    assert archives.is_archive("x.tar.xz") is False


@pytest.mark.parametrize(
    "damage", [lambda c: c[:7_000], lambda c: c[:3_584] + b"x" * 512 + c[4_096:]]
)
def test_what_comes_behind_no_header_is_not_passed_over(damage: object) -> None:
    whole = Path(tarred("a.tar", FILES)).read_bytes()
    Path("a.tar").write_bytes(damage(whole))  # type: ignore[operator]
    assert "it is damaged" in refused("a.tar")
