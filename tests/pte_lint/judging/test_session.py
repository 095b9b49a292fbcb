"""What a session opens, keeps and closes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pte_lint.files.artifact import SMALL_FILE, Artifact
from pte_lint.files.fetched import ArtifactError
from pte_lint.judging.engine import Settings
from pte_lint.judging.session import Session
from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.selection import rules_to_run

CLEAN = Path(__file__).parents[2] / "data" / "clean"
PROGRAM, DATA = CLEAN / "external_constants.pte", CLEAN / "external_constants.ptd"
SETTINGS = Settings(rules=rules_to_run(load_rules(isolated=True), (), ()))


class Manager:
    """An exporter's object: a program, and the data files beside it."""

    def __init__(self) -> None:
        self.buffer = PROGRAM.read_bytes()
        self.data_files = {"weights": DATA.read_bytes()}


def test_a_data_file_is_opened_once_for_all_programs() -> None:
    with Session(SETTINGS) as session:
        (first,), (second,) = session.data([DATA]), session.data([str(DATA)])
        (apart,) = session.data([DATA.read_bytes()])
    assert first is second
    assert apart is not first


def test_checks_and_looks_say_the_same() -> None:
    with Session(SETTINGS) as session:
        data = session.data([DATA])
        checked = session.check(PROGRAM, data=data)
        looked = session.judge(session.context(PROGRAM, data=data))
        bare = session.check(PROGRAM)
    assert checked == looked
    assert not checked.findings
    assert [f.rule for f in bare.findings] == ["PTE511"]


def test_an_object_s_own_data_serves_where_none_is_given() -> None:
    with Session(SETTINGS) as session:
        assert not session.check(Manager()).findings
        assert not session.judge(session.context(Manager())).findings
        other = session.data([CLEAN / "external_constants.ptd"])
        context = session.context(Manager(), data=other)
        assert context.data == other


def test_what_is_open_stays_open_until_the_end(tmp_path: Path) -> None:
    large = tmp_path / "large.pte"
    large.write_bytes(PROGRAM.read_bytes() + bytes(SMALL_FILE))
    opened = Artifact("mine", PROGRAM.read_bytes())
    with Session(SETTINGS) as session:
        assert session.artifact(opened) is opened
        artifact = session.artifact(large, "named")
        session.check(large)
        assert artifact.path == "named"
        assert artifact.buffer[4:8] == b"ET12"
    with pytest.raises(ValueError, match="closed"):
        artifact.buffer[4:8]


def test_a_file_that_is_not_there() -> None:
    with Session(SETTINGS) as session:
        for wrong in (session.artifact, session.context, session.check):
            with pytest.raises(ArtifactError, match=r"cannot read nowhere\.pte"):
                wrong("nowhere.pte")
        with pytest.raises(ArtifactError, match=r"cannot read nowhere\.ptd"):
            session.data(["nowhere.ptd"])
