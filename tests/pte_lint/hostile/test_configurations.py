"""Configurations that a stranger brings: nothing is written, read or asked for elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pte_lint.config import confined
from pte_lint.config.file import ConfigError
from pte_lint.config.settings import load_settings
from pte_lint.files.remote.allowance import is_allowed
from pte_lint.report.formats import FORMATS
from tests.support.command import command, require_one_line
from tests.support.look import DATA


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a program, and things of value in and around it."""
    root = tmp_path / "checkout"
    for folder in (".git", ".github/workflows", "reports", "venv/lib"):
        (root / folder).mkdir(parents=True)
    (root / ".git/config").write_text("[core]\n", "utf-8")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside.json").write_text("{}", "utf-8")
    (root / "elsewhere").symlink_to("../outside")
    (root / "inside").symlink_to("reports")
    (root / "to_outside.json").symlink_to("../outside.json")
    (root / "to_git.json").symlink_to(".git/config")
    shutil.copy(DATA / "clean" / "linear.pte", root / "model.pte")
    return root


def everything(checkout: Path) -> dict[str, bytes]:
    """All files of the checkout and around it, but for the configuration."""
    return {
        str(path.relative_to(checkout.parent)): path.read_bytes()
        for path in sorted(checkout.parent.rglob("*"))
        if path.is_file() and path.name != "pte-lint.toml"
    }


OUTPUTS = {
    "json = '../outside.json'": "is not below",
    "json = '{outside}/x.json'": "is not below",
    "json = 'reports/../../outside.json'": "is not below",
    "json = 'reports/../x.json'": "is not below",
    "sarif = '.git/config'": "hidden",
    "sarif = '.GIT/x.sarif'": "hidden",
    "sarif = '.github/workflows/x.sarif'": "hidden",
    "json = 'reports/.x.json'": "hidden",
    "text = 'venv/lib/x.pth'": "does not end in .txt or .log",
    "text = 'conftest.py'": "does not end in .txt or .log",
    "text = 'x.txt.py'": "does not end in .txt or .log",
    "sarif = 'Makefile'": "does not end in .sarif or .json",
    "markdown = 'x.html'": "does not end in .md",
    "text = ''": "is no name of a file",
    "text = '.'": "is no name of a file",
    'text = "a\\u0000b.txt"': "is no name of a file",
    'text = "a\\nb.txt"': "is no name of a file",
    "json = 'http://host/x.json'": "is an address",
}


@pytest.mark.parametrize("line", OUTPUTS)
def test_outputs_elsewhere_are_refused(checkout: Path, line: str) -> None:
    text = f"[output]\n{line.format(outside=checkout.parent / 'outside')}\n"
    (checkout / "pte-lint.toml").write_text(text, "utf-8")
    with pytest.raises(ConfigError) as caught:
        load_settings(start=checkout)
    assert "output." in str(caught.value)
    assert OUTPUTS[line] in str(caught.value)


LINKS = {
    "json = 'elsewhere/x.json'": "may not write through links",
    "json = 'inside/x.json'": "may not write through links",
    "json = 'to_outside.json'": "may replace regular files only",
    "json = 'nothing.json'": "may replace regular files only",
    "json = 'pipe.json'": "may replace regular files only",
    "json = 'zero.json'": "may replace regular files only",
    "json = 'reports'": "does not end in .json",
    "json = 'folder.json'": "it is a folder",
    "json = 'missing/x.json'": "there is no folder",
    "json = 'reports/model.pte'": "does not end in .json",
}


@pytest.mark.parametrize("line", LINKS)
def test_outputs_through_links_are_refused(checkout: Path, line: str) -> None:
    (checkout / "nothing.json").symlink_to("../not_there.json")
    (checkout / "zero.json").symlink_to("/dev/zero")
    (checkout / "folder.json").mkdir()
    os.mkfifo(checkout / "pipe.json")
    (checkout / "pte-lint.toml").write_text(f"[output]\n{line}\n", "utf-8")
    before = everything(checkout)
    require_one_line(command(checkout, "check", "-q", "model.pte"), LINKS[line])
    assert everything(checkout) == before
    assert (checkout / "nothing.json").is_symlink()


def test_what_a_configuration_may_write(checkout: Path) -> None:
    """One file for each format, new or in place of another, never through a hard link."""
    suffixes = {form: confined.suffixes(form)[0] for form in FORMATS}
    assert all(suffix.startswith(".") for suffix in suffixes.values())
    lines = [f"{form} = 'reports/{form}{suffix}'" for form, suffix in suffixes.items()]
    (checkout / "pte-lint.toml").write_text("\n".join(["[output]", *lines]), "utf-8")
    (checkout / "reports/json.json").hardlink_to(checkout.parent / "outside.json")
    assert command(checkout, "check", "-q", "model.pte").returncode == 0
    made = {path.name for path in (checkout / "reports").iterdir()}
    assert made == {f"{form}{suffix}" for form, suffix in suffixes.items()}
    assert b"artifacts" in (checkout / "reports/json.json").read_bytes()
    assert (checkout.parent / "outside.json").read_bytes() == b"{}"


def test_the_command_line_may_write_what_a_configuration_may_not(checkout: Path) -> None:
    (checkout / "pte-lint.toml").write_text("[output]\ntext = 'reports/x.txt'\n", "utf-8")
    done = command(checkout, "check", "-q", "model.pte", "--output", "text=../outside/x.report")
    assert (done.returncode, done.stderr) == (0, "")
    assert "model.pte" in (checkout.parent / "outside/x.report").read_text("utf-8")
    assert not (checkout / "reports/x.txt").exists()


def test_a_program_named_like_code_does_not_run(checkout: Path) -> None:
    """Its name once was a line of a .pth file, which Python runs when it starts."""
    site = checkout / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", site], check=True)
    packages = next(site.glob("lib/python*/site-packages"))
    name = "import os;open('PWNED','w').write('x')#.pte"
    (checkout / "model.pte").rename(checkout / name)
    for target in (packages.relative_to(checkout) / "x.pth", "venv/x.pth", "x.py"):
        (checkout / "pte-lint.toml").write_text(f"[output]\ntext = '{target}'\n", "utf-8")
        require_one_line(command(checkout, "check", name), "does not end in .txt or .log")
    subprocess.run([site / "bin/python", "-c", ""], check=True, cwd=checkout)
    assert not (checkout / "PWNED").exists()
    assert list(packages.glob("*.pth")) == []


READS = {
    "data = ['../outside.ptd']": "is not below",
    "data = ['/etc/hosts']": "is not below",
    "data = ['elsewhere/x.ptd']": "leads out of",
    "data = ['.git/config']": "is a file of git",
    "data = ['to_git.json']": "is a file of git",
    "data = ['inside/../../outside.ptd']": "is not below",
    'data = ["a\\u0000b"]': "is no name of a file",
    "baseline = '../outside.json'": "is not below",
    "baseline = 'to_outside.json'": "leads out of",
    "baseline = 'https://host/x.json'": "is an address",
    "target = '../outside.json'": "is not below",
    "target = 'to_outside.json'": "leads out of",
    "target = 'to_git.json'": "is a file of git",
    "pipeline = [{from = {artifact = '../*.pte', output = 0}, to = {input = 0}}]": "is not below",
    "pipeline = [{from = {output = 0}, to = {artifact = '/**', input = 0}}]": "is not below",
    "pipeline = [{from = {output = 0}, to = {artifact = 'a/../**', input = 0}}]": "is not below",
}


@pytest.mark.parametrize("line", READS)
def test_reads_elsewhere_are_refused(checkout: Path, line: str) -> None:
    (checkout / "pte-lint.toml").write_text(line, "utf-8")
    with pytest.raises(ConfigError) as caught:
        load_settings(start=checkout)
    assert line.partition(" ")[0] in str(caught.value)
    assert READS[line] in str(caught.value)


def test_links_that_stay_inside_are_followed(checkout: Path) -> None:
    (checkout / "reports/w.ptd").write_bytes(b"")
    (checkout / "reports/profile.json").write_text("{}", "utf-8")
    text = "data = ['inside/w.ptd', 'reports/w.ptd']\ntarget = 'inside/profile.json'\n"
    (checkout / "pte-lint.toml").write_text(text + "baseline = '.github/known.json'", "utf-8")
    settings = load_settings(start=checkout)
    assert settings.data == (checkout / "inside/w.ptd", checkout / "reports/w.ptd")
    assert settings.baseline_path == checkout / ".github/known.json"
    assert settings.target == str(checkout / "inside/profile.json")


def test_a_folder_reached_through_a_link_is_a_root_like_any_other(checkout: Path) -> None:
    (checkout / "reports/w.ptd").write_bytes(b"")
    (checkout / "pte-lint.toml").write_text(
        "data = ['reports/w.ptd']\n[output]\njson = 'reports/x.json'\n", "utf-8"
    )
    linked = checkout.parent / "linked"
    linked.symlink_to("checkout")
    done = command(linked, "check", "-q", "linked.pte", "--select", "PTE0")
    require_one_line(done, "cannot read linked.pte")
    assert command(linked, "check", "-q", "model.pte", "--select", "PTE0").returncode == 0
    assert (checkout / "reports/x.json").is_file()
    # A link to the configuration makes the folder of the link the root, not that of its target.
    other = checkout.parent / "other"
    other.mkdir()
    (other / "pte-lint.toml").symlink_to("../checkout/pte-lint.toml")
    assert load_settings(start=other).data == (other / "reports/w.ptd",)


def test_writing_a_baseline_that_a_configuration_names(checkout: Path) -> None:
    before = everything(checkout)
    for name, words in (
        ("known.py", "does not end in .json"),
        (".github/known.json", "hidden"),
        ("inside/known.json", "may not write through links"),
        ("pipe.json", "may replace regular files only"),
    ):
        if name == "pipe.json":
            os.mkfifo(checkout / name)
        (checkout / "pte-lint.toml").write_text(f"baseline = '{name}'", "utf-8")
        require_one_line(command(checkout, "baseline", "write", "model.pte"), words)
    assert everything(checkout) == before
    (checkout / "pte-lint.toml").write_text("baseline = 'reports/known.json'", "utf-8")
    assert command(checkout, "baseline", "write", "model.pte").returncode == 0
    assert (checkout / "reports/known.json").is_file()


def test_the_default_baseline_is_not_written_through_a_link(checkout: Path) -> None:
    (checkout / "pte-lint-baseline.json").symlink_to("../outside.json")
    done = command(checkout, "baseline", "write", "model.pte", "--isolated")
    require_one_line(done, "may replace regular files only")
    assert (checkout.parent / "outside.json").read_bytes() == b"{}"


def test_a_folder_exchanged_for_a_link_in_between(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody exchanges it after it was looked at: the file must not appear behind the link."""
    from pte_lint.cli.writing import write_below

    true_open, once = os.open, [True]

    def opening(path: object, flags: int, *args: object, **extra: object) -> int:
        if path == "reports" and once:
            once.clear()
            (checkout / "reports").rmdir()
            (checkout / "reports").symlink_to("../outside")
        return true_open(path, flags, *args, **extra)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", opening)
    monkeypatch.setattr("pte_lint.cli.writing._BY_FOLDER", True)
    with pytest.raises(OSError, match="may not write through links"):
        write_below(checkout, ("reports", "x.json"), [b"{}"])
    assert once == []
    assert list((checkout.parent / "outside").iterdir()) == []


def test_systems_that_cannot_name_files_by_folders(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pte_lint.cli.writing import write_below

    monkeypatch.setattr("pte_lint.cli.writing._BY_FOLDER", False)
    write_below(checkout, ("reports", "x.json"), [b"{}"])
    assert (checkout / "reports/x.json").read_bytes() == b"{}"
    with pytest.raises(OSError, match="may not write through links"):
        write_below(checkout, ("inside", "y.json"), [b"{}"])
    with pytest.raises(OSError, match="regular files only"):
        write_below(checkout, ("to_outside.json",), [b"[]"])
    assert [path.name for path in (checkout / "reports").iterdir()] == ["x.json"]


ADDRESSES = {
    ("https://host/a/w.ptd", "https://host"): True,
    ("https://host/a/w.ptd", "https://host/a"): True,
    ("https://host/a/w.ptd", "https://host/a/"): True,
    ("https://HOST:443/a/w.ptd", "https://host/a"): True,
    ("https://user:word@host/a/w.ptd?x=1", "https://host/a"): True,
    ("https://host/ab/w.ptd", "https://host/a"): False,
    ("https://host.evil/a/w.ptd", "https://host"): False,
    ("https://host@evil/a/w.ptd", "https://host"): False,
    ("https://host:444/w.ptd", "https://host"): False,
    ("http://host/w.ptd", "https://host"): False,
    ("https://host/a/../b/w.ptd", "https://host/a"): False,
    ("https://host/a/%2e%2E/b/w.ptd", "https://host/a"): False,
    ("https://host/a/%252e%252e/b/w.ptd", "https://host/a"): False,
    ("https://host/a/..%2fb/w.ptd", "https://host/a"): False,
    ("https://evil\\@host/w.ptd", "https://host"): False,
    ("https://host\t.evil/w.ptd", "https://host"): False,
    ("https://host:port/w.ptd", "https://host"): False,
    ("s3://bucket/a/w.ptd", "s3://bucket/a"): True,
    ("s3://Bucket/w.ptd", "s3://bucket"): False,
    ("hf://owner/model/w.ptd", "hf://owner/model"): True,
    ("hf://owner/model2/w.ptd", "hf://owner/model"): False,
    ("file:///etc/w.ptd", "file:///etc"): False,
    ("gs://bucket/w.ptd", "gs://bucket"): False,
    ("memory://x/w.ptd", "memory://x"): False,
}


@pytest.mark.parametrize(("address", "beginning"), ADDRESSES)
def test_which_addresses_are_allowed(address: str, beginning: str) -> None:
    assert is_allowed(address, (beginning,)) is ADDRESSES[address, beginning]
    assert not is_allowed(address, ())


def test_addresses_want_an_allowance(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (checkout / "pte-lint.toml").write_text('data = ["https://user:hush@h/w.ptd"]', "utf-8")
    with pytest.raises(ConfigError, match="--allow-address or PTE_LINT_ALLOW_ADDRESS") as caught:
        load_settings(start=checkout)
    assert "hush" not in str(caught.value)
    assert load_settings(start=checkout, allowed=["https://h"]).data
    monkeypatch.setenv("PTE_LINT_ALLOW_ADDRESS", "https://other https://h/")
    assert load_settings(start=checkout).data


HEAVY = {
    "nested lists": "select = " + "[" * 100_000,
    "nested tables": "severity = " + "{a = " * 20_000,
    "nested keys": ".".join("a" * 100_000) + " = 1",
    "shallow enough": "select = " + "[" * 150 + "]" * 150,
    "many parts": "\n".join(".".join("a" * 30) + f".k{n} = 1" for n in range(15_000)),
    "quoted parts": ("'a' . " + '"b". ') * 50_000 + "c = 1",
    "a long number": "fail-on = " + "9" * 500_000,
    "a long number that is read": "fail-on = 0x" + "f" * 500_000,
    "long numbers": "select = [" + "0xfffffffffffffffffff, " * 40_000 + "]",
    "a long word": "x" * 500_000 + " = 1",
    "many words": "\n".join(f"k{n} = 1" for n in range(50_000)),
    "too large": "#" * (1 << 20) + "\n",
    "no text": "\udcff",
}


@pytest.mark.parametrize("kind", HEAVY)
def test_heavy_and_broken_files_are_told(checkout: Path, kind: str) -> None:
    (checkout / "pte-lint.toml").write_bytes(HEAVY[kind].encode("utf-8", "surrogateescape"))
    done = command(checkout, "check", "model.pte")
    assert done.returncode == 2, (done.stdout, done.stderr[-500:])
    lines = done.stderr.splitlines()
    assert all(line.startswith("error: ") and len(line) < 2_100 for line in lines), lines[:5]
    assert len(lines) <= 21
    assert "internal error" not in done.stderr


def test_more_entries_than_are_held_against_findings(tmp_path: Path) -> None:
    entry = '[[ignore]]\nrule = "PTE1"\nreason = "x"\n'
    file = tmp_path / "pte-lint.toml"
    file.write_text(entry * 2_000, "utf-8")
    assert len(load_settings(config=file).ignores) == 2_000
    file.write_text(entry * 2_001, "utf-8")
    with pytest.raises(ConfigError, match="more than 2000 entries"):
        load_settings(config=file)
