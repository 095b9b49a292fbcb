"""Reports come back as they were, and reading an entry never does anything else."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

import pte_lint
from pte_lint.cache import packing
from pte_lint.cache.canonical import Unknown, canonical
from pte_lint.cache.packing import pack, unpack
from pte_lint.finding import Severity
from pte_lint.placement.pipeline import Peers
from pte_lint.target import Target
from tests.support.reports import artifact, finding

DATA = Path(__file__).parents[2] / "data"


def test_reports_come_back_equal_and_of_the_same_types() -> None:
    for path in sorted((DATA / "device").glob("*.pte"))[:6]:
        report = pte_lint.check(path, isolated=True).artifacts[0]
        content = (((0, 5),), "digest", report)
        raw = pack(content)
        assert raw is not None
        again = unpack(raw)
        assert again == content
        assert repr(again) == repr(content)


class Evil:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.folder / "evil"),)


def test_reading_runs_nothing(tmp_path: Path) -> None:
    report = artifact()
    for spoilt in (
        ((), "digest", Evil(tmp_path)),
        Evil(tmp_path),
        ((), "digest", replace(report, path=Evil(tmp_path))),  # type: ignore[arg-type]
    ):
        assert unpack(pickle.dumps(spoilt)) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [None, 7, (), ((), "", 7), ([], "", "x"), ((), b"", None)], ids=repr
)
def test_other_content_is_none(content: object) -> None:
    assert unpack(pickle.dumps(content)) is None
    assert unpack(b"") is None
    assert unpack(b"no pickle at all") is None


def test_what_would_not_come_back_is_not_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = artifact(finding(evidence={"path": Path("x")}))
    assert pack(((), "", odd)) is None
    unwritable = artifact(finding(evidence={"call": lambda: 1}))
    assert pack(((), "", unwritable)) is None
    fine = artifact(finding(evidence={"n": 1}))
    assert pack(((), "", fine)) is not None
    monkeypatch.setattr(packing, "ENTRY_BYTES", 10)
    assert pack(((), "", fine)) is None


def test_canonical_text_tells_values_and_types_apart() -> None:
    different = [
        1, True, 1.0, "1", b"1", None, (1,), [1], (1, 1), {1}, {"a": 1}, {"a": 2}, {"b": 1},
        Severity.ERROR, "error", Target(), Target(runtime="1.4"), ("a,b",), ("a", "b"),
    ]  # fmt: skip
    texts = [canonical(value) for value in different]
    assert len(set(texts)) == len(texts)
    assert canonical({"a": 1, "b": 2}) == canonical({"b": 2, "a": 1})
    assert canonical({3, 1, 2}) == canonical(frozenset((2, 3, 1)))
    assert canonical(Target()) == canonical(Target())


@pytest.mark.parametrize("value", [object(), Path("x"), len, Peers(None), {"x": [Peers(None)]}])
def test_objects_are_not_guessed_at(value: object) -> None:
    with pytest.raises(Unknown):
        canonical(value)
