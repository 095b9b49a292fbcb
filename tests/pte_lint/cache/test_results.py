"""A result is remembered exactly as long as everything that it depends on is the same."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pte_lint.cache import code, results
from pte_lint.cache.results import Results
from pte_lint.cache.store import Store
from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Verification
from pte_lint.claims.result import ArtifactReport, InternalError
from pte_lint.claims.target import Target
from pte_lint.data.reading import open_data
from pte_lint.files.artifact import HASH_LIMIT, SMALL_FILE, Artifact, open_artifact
from pte_lint.judging.engine import Settings, check_artifact
from pte_lint.rulebook.pipeline import Peers
from pte_lint.rulebook.registry import load_rules
from pte_lint.testing.data_builder import DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.support.examples import externally, plain
from tests.support.virtual import virtual_program

RULES = load_rules(isolated=True)
SETTINGS = Settings(rules=RULES)
LONG_AGO = (1_000_000_000, 1_000_000_000)


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checkout may have been edited, and files of tests made, a moment ago."""
    monkeypatch.setattr(code, "_SETTLED", 1 << 62)
    monkeypatch.setattr(results, "_SETTLED", -(1 << 62))
    code._of_packages.cache_clear()


@dataclass
class Desk:
    """Judges files with a cache, and counts how often rules are really asked."""

    folder: Path
    asked: int = 0

    def check(
        self, path: Path, settings: Settings = SETTINGS, data: tuple[Path, ...] = ()
    ) -> ArtifactReport:
        with _opened(data) as files:
            loaded = [open_data(file) for file in files]
            ends = [each.container.program_range.size for each in loaded]

            def judge(artifact: Artifact) -> ArtifactReport:
                self.asked += 1
                return check_artifact(artifact, settings, loaded)

            made = Results(Store(self.folder), settings, files, ends)
            with open_artifact(path) as artifact:
                report = made.check(artifact, judge)
            with open_artifact(path) as artifact:
                assert report == check_artifact(artifact, settings, loaded), "as without a cache"
        return report


@contextmanager
def _opened(data: tuple[Path, ...]) -> Iterator[list[Artifact]]:
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield [stack.enter_context(open_artifact(path)) for path in data]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "cache")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.pte"
    path.write_bytes(plain().bytes())
    return path


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A program with so much weight that its whole content is not looked at."""
    file = virtual_program(size=HASH_LIMIT + SMALL_FILE)
    path = tmp_path / "large.pte"
    with path.open("wb") as sparse:
        sparse.write(file.head)
        sparse.truncate(file.size)
    return path


def overwrite(path: Path, at: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(content)


def test_the_second_time_no_rule_is_asked(desk: Desk, model: Path) -> None:
    first = desk.check(model)
    assert desk.check(model) == first
    assert desk.asked == 1


def test_each_content_has_a_result_of_its_own(desk: Desk, model: Path) -> None:
    good = model.read_bytes()
    desk.check(model)
    for at in range(0, len(good), 97):
        model.write_bytes(good[:at] + bytes([good[at] ^ 0x55]) + good[at + 1 :])
        before = desk.asked
        desk.check(model)
        assert desk.asked == before + 1
    model.write_bytes(good)
    before = desk.asked
    desk.check(model)
    assert desk.asked == before


def test_the_name_counts(desk: Desk, model: Path) -> None:
    """A .ptd that is named .pte is judged by its name."""
    desk.check(model)
    other = model.with_suffix(".ptd")
    other.write_bytes(model.read_bytes())
    assert desk.check(other).findings != desk.check(model).findings
    assert desk.asked == 2


@pytest.mark.parametrize(
    "settings",
    [
        replace(SETTINGS, rules=RULES[:-1]),
        replace(SETTINGS, target=Target(runtime="1.4")),
        replace(SETTINGS, target=Target(verification=Verification.MINIMAL)),
        replace(SETTINGS, target=Target(explicit_profile=True)),
        replace(SETTINGS, severity={"PTE802": Severity.ERROR}),
        replace(SETTINGS, options={"read_segments": True}),
    ],
    ids=["rules", "runtime", "verification", "profile", "severity", "options"],
)
def test_every_setting_counts(desk: Desk, model: Path, settings: Settings) -> None:
    desk.check(model)
    desk.check(model, settings)
    desk.check(model, settings)
    assert desk.asked == 2


def test_the_code_counts(desk: Desk, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.check(model)
    monkeypatch.setattr(results, "fingerprint", lambda rules: "other code")
    desk.check(model)
    assert desk.asked == 2


def test_data_files_count(desk: Desk, tmp_path: Path) -> None:
    model, weights = tmp_path / "model.pte", tmp_path / "w.ptd"
    model.write_bytes(build_program(externally()).bytes())
    weights.write_bytes(build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))}).bytes())
    assert "PTE511" not in {found.rule for found in desk.check(model, data=(weights,)).findings}
    assert "PTE511" in {found.rule for found in desk.check(model).findings}
    desk.check(model, data=(weights,))
    assert desk.asked == 2
    weights.write_bytes(build_data({"v": DataTensor([1, 2, 3, 4], (2, 2))}).bytes())
    assert desk.check(model, data=(weights,)).findings != ()
    assert desk.asked == 3


def test_options_that_look_at_other_files_switch_it_off(desk: Desk, model: Path) -> None:
    settings = replace(SETTINGS, options={"pipelines": (), "peers": Peers(model.parent)})
    desk.check(model, settings)
    desk.check(model, settings)
    assert desk.asked == 2
    assert not desk.folder.exists()


def test_a_report_with_an_internal_error_is_not_kept(desk: Desk, model: Path) -> None:
    made = Results(Store(desk.folder), SETTINGS, [], [])
    asked = []

    def judge(artifact: Artifact) -> ArtifactReport:
        asked.append(1)
        report = check_artifact(artifact, SETTINGS)
        return replace(report, internal_errors=(InternalError("PTE901", "a bug", ""),))

    for _ in range(2):
        with open_artifact(model) as artifact:
            made.check(artifact, judge)
    assert len(asked) == 2


def test_damaged_entries_are_judged_anew(desk: Desk, model: Path) -> None:
    desk.check(model)
    (entry,) = [p for p in desk.folder.rglob("*") if len(p.name) == 64]
    entry.write_bytes(entry.read_bytes()[:-1])
    desk.check(model)
    assert desk.asked == 2
    desk.check(model)
    assert desk.asked == 2


def test_of_a_large_file_what_was_read_counts(desk: Desk, large: Path) -> None:
    desk.check(large)
    desk.check(large)
    assert desk.asked == 1
    overwrite(large, large.stat().st_size - 1000, b"other weights")
    desk.check(large)
    assert desk.asked == 1, "nobody reads the weights"
    overwrite(large, 200, b"\xff")
    desk.check(large)
    assert desk.asked == 2, "a byte of the program is another"


def test_of_a_large_file_every_byte_that_a_rule_read_counts(desk: Desk, tmp_path: Path) -> None:
    """The padding before the first segment is no part of the program, and one rule reads it."""
    file = virtual_program(size=HASH_LIMIT + SMALL_FILE)
    gap = file.program_size
    assert file.head[gap] == 0
    path = tmp_path / "large.pte"
    with path.open("wb") as sparse:
        sparse.write(file.head)
        sparse.truncate(file.size)
    assert not any(f.rule == "PTE021" for f in desk.check(path).findings)
    overwrite(path, gap, b"x")
    assert any(f.rule == "PTE021" for f in desk.check(path).findings)
    assert desk.asked == 2


def test_a_large_file_of_another_size_is_another(desk: Desk, large: Path) -> None:
    desk.check(large)
    with large.open("ab") as file:
        file.write(b"more")
    desk.check(large)
    assert desk.asked == 2


@pytest.mark.parametrize("size", ["mapped and hashed", "too large to hash"])
def test_a_mapped_file_that_was_just_written_is_not_kept(
    desk: Desk, large: Path, monkeypatch: pytest.MonkeyPatch, size: str
) -> None:
    if size == "mapped and hashed":
        os.truncate(large, SMALL_FILE * 2)
    monkeypatch.setattr(results, "_SETTLED", 2_000_000_000)
    monkeypatch.setattr(results.time, "time_ns", lambda: large.stat().st_mtime_ns + 10**9)
    desk.check(large)
    desk.check(large)
    assert desk.asked == 2
    monkeypatch.setattr(results.time, "time_ns", lambda: large.stat().st_ctime_ns + 10**10)
    desk.check(large)
    desk.check(large)
    assert desk.asked == 3


def test_a_mapped_file_that_changes_meanwhile_is_not_kept(desk: Desk, large: Path) -> None:
    made = Results(Store(desk.folder), SETTINGS, [], [])

    def judge(artifact: Artifact) -> ArtifactReport:
        report = check_artifact(artifact, SETTINGS)
        os.utime(large, LONG_AGO)
        return report

    with open_artifact(large) as artifact:
        made.check(artifact, judge)
    desk.check(large)
    assert desk.asked == 1


def test_code_that_was_just_edited_switches_it_off(
    desk: Desk, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "_SETTLED", 0)
    code._of_packages.cache_clear()
    desk.check(model)
    desk.check(model)
    assert desk.asked == 2


def test_the_code_of_a_package_is_told_by_every_file_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "some_rules_of_others"
    package.mkdir()
    (package / "__init__.py").write_text("from pte_lint.rulebook.rule import artifact_rule\n")
    (package / "table.json").write_text("{}")
    monkeypatch.syspath_prepend(str(tmp_path))
    import some_rules_of_others  # type: ignore[import-not-found]  # noqa: F401

    rule = replace(RULES[0], module="some_rules_of_others.inner")
    seen = {code.fingerprint(RULES)}
    for change in ("{}", "[]", "[1]"):
        (package / "table.json").write_text(change)
        os.utime(package / "table.json", (len(seen), len(seen)))
        code._of_packages.cache_clear()
        seen.add(code.fingerprint([rule]))
    assert len(seen) == 4


def test_what_rules_of_others_use_counts_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rules_of_others", "helpers_of_others"):
        (tmp_path / f"{name}.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    import helpers_of_others  # type: ignore[import-not-found]  # noqa: F401
    import rules_of_others  # type: ignore[import-not-found]  # noqa: F401

    theirs = [*RULES, replace(RULES[0], module="rules_of_others")]
    mine, before = code.fingerprint(RULES), code.fingerprint(theirs)
    (tmp_path / "helpers_of_others.py").write_text("# changed")
    assert code.fingerprint(theirs) != before
    assert code.fingerprint(RULES) == mine


def test_a_rule_without_a_file_switches_it_off(desk: Desk, model: Path) -> None:
    rule = replace(RULES[0], module="nowhere_to_be_found")
    settings = replace(SETTINGS, rules=(rule,))
    desk.check(model, settings)
    desk.check(model, settings)
    assert desk.asked == 2
