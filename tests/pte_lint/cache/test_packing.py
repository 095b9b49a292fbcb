"""Reports come back as they were, and reading an entry never does anything else."""

from __future__ import annotations

import copy
import json
import os
import pickle
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pte_lint
from pte_lint.cache import packing
from pte_lint.cache.canonical import Unknown, canonical
from pte_lint.cache.packing import Content, pack, unpack
from pte_lint.cache.store import ENTRY_BYTES
from pte_lint.claims.finding import Confirmation, Severity, SourceLine, Unchecked
from pte_lint.claims.order import LoadMethodStep, ValueStep
from pte_lint.claims.result import InternalError, Report, Suppressed
from pte_lint.claims.target import Target
from pte_lint.files.fetched import Fetched
from pte_lint.report import formats
from pte_lint.report.options import RenderOptions
from pte_lint.rulebook.pipeline import Peers
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


FULL = (((0, 5), (7, 9)), "digest", artifact(finding(evidence={"n": 1})))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"no JSON at all",
        b"null",
        b"{}",
        b'[[],"digest"]',
        pickle.dumps(FULL),
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b"1" * 100_000,
        b"\xff\xfe",
    ],
    ids=lambda raw: repr(raw[:12]),
)
def test_other_content_is_none(raw: bytes) -> None:
    assert unpack(raw) is None


def test_reading_runs_nothing(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(tmp_path / "evil"),)

    for spoilt in (Evil(), ((), "digest", Evil())):
        assert unpack(pickle.dumps(spoilt)) is None
    assert list(tmp_path.iterdir()) == []


def places(value: object, path: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """The way to every value of a JSON document."""
    yield path
    if isinstance(value, list | dict):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(each, (*path, key))


def value_at(document: Any, path: tuple[Any, ...]) -> object:
    for key in path:
        document = document[key]
    return document


def with_another(document: Any, path: tuple[Any, ...], value: object) -> object:
    if not path:
        return value
    document = copy.deepcopy(document)
    at = document
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return document


def accepted(raw: bytes) -> bool:
    """Whether it is taken for a report; then it has to be one, all the way down."""
    content = unpack(raw)
    if content is None:
        return False
    report = Report(Target(), (content[2],), "0")
    for form in ("json", "text", "sarif", "markdown"):
        assert formats.render(report, form, RenderOptions())
    return True


def rich() -> Content:
    """A report in which every field holds something."""
    report = artifact(
        finding(
            evidence={"list": [1, (2,)], "map": {"a": None, "b": Severity.ERROR}, "half": 0.5},
            source=(SourceLine("a.py", 3),),
            order=(LoadMethodStep.VALUES, ValueStep.LOAD, 1.5, True),
            orders={"1.2": (2,)},
            confirmation=Confirmation("confirmed", {"x": 1}, {"y": [1]}),
        ),
        unchecked=(Unchecked("weights", "not given"),),
        suppressed=(Suppressed(finding(1), "known"),),
        internal_errors=(InternalError("PTE901", "a bug", "trace"),),
        fetched=Fetched(5, 1),
    )
    return ((0, 5), (7, 9)), "digest", report


def test_every_field_comes_back() -> None:
    raw = pack(rich())
    assert raw is not None
    assert unpack(raw) == rich()
    assert repr(unpack(raw)) == repr(rich())


@pytest.mark.slow
def test_every_value_of_another_type_is_refused_or_makes_a_report() -> None:
    """With a right checksum too: what is read has the types that it is annotated with."""
    raw = pack(rich())
    assert raw is not None
    document = json.loads(raw)
    others = (None, True, 3, -1, 2.5, "x", [], {}, [9], [3, 99, 0], [3, 0, -1], [2, 1], {"k": 1})
    taken = sum(
        accepted(json.dumps(with_another(document, path, other)).encode())
        for path in places(document)
        for other in others
    )
    assert taken > 0, "numbers and text may have other values"
    assert not accepted(json.dumps(with_another(document, (2, 0), 7)).encode())
    assert not accepted(json.dumps(with_another(document, (2, 2), "7")).encode())


def test_damage_with_a_right_checksum_is_refused_or_makes_a_report() -> None:
    raw = pack(rich())
    assert raw is not None
    chance = random.Random(20)
    for _ in range(int(os.environ.get("PTE_LINT_DAMAGED_ENTRIES", "2000"))):
        damaged = bytearray(raw)
        for _ in range(chance.choice((1, 1, 1, 2, 5, 40))):
            at = chance.randrange(len(damaged) or 1)
            kind = chance.randrange(5)
            if kind == 0:
                damaged[at : at + 1] = bytes([chance.randrange(256)])
            elif kind == 1:
                damaged[at : at + 1] = [chance.choice(b'[]{},:"0123456789-.eEnul\\')]
            elif kind == 2:
                del damaged[at : at + chance.randrange(1, 30)]
            elif kind == 3:
                damaged[at:at] = damaged[at : at + chance.randrange(1, 400)]
            else:
                damaged[at:at] = b"[" * chance.randrange(1, 3000)
        accepted(bytes(damaged))


def test_reading_costs_in_proportion_to_the_length() -> None:
    many = b'[[],"d",[' + b"0," * (ENTRY_BYTES // 2 - 30) + b"0]]"
    assert len(many) < ENTRY_BYTES
    assert unpack(many) is None
    raw = pack(rich())
    assert raw is not None
    assert unpack(raw + b" " * (ENTRY_BYTES - len(raw))) is not None
    assert unpack(raw + b" " * (ENTRY_BYTES - len(raw) + 1)) is None
    document = json.loads(raw)
    place = next(path for path in places(document) if value_at(document, path) == [0, 1, [1, 2]])
    flat = json.dumps(with_another(document, place, [0] * 100_000)).encode()
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        read = unpack(flat)
    finally:
        sys.setprofile(None)
    assert read is not None
    assert 100_000 < calls < 400_000


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
