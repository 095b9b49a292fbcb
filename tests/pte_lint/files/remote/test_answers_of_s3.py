"""What each answer of S3 says of the object that it is of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import pte_lint
from pte_lint.files.fetched import ArtifactError, Fetched
from tests.support import stores
from tests.support.loopback import need_fsspec
from tests.support.s3 import fill, object_store

need_fsspec()
stores.need("s3fs", "moto")

GOOD = stores.GOOD.read_bytes()
ADDRESS = "s3://answers/x.pte"


@pytest.fixture(scope="module", autouse=True)
def s3() -> Iterator[Any]:
    with object_store():
        yield fill("answers", {"x.pte": GOOD})


class _Body:
    """A body that comes in pieces, and may break off."""

    def __init__(self, content: bytes, piece: int, most: int) -> None:
        self._content, self._piece, self._left = content, piece, most
        self.is_closed = False

    async def read(self, count: int) -> bytes:
        if not self._left:
            raise RuntimeError("broken off at s3://user:secret@answers")
        self._left -= 1
        taken = self._content[: min(count, self._piece)]
        self._content = self._content[len(taken) :]
        return taken

    def close(self) -> None:
        self.is_closed = True


Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Change], list[str]]:
    """Changes what comes back for an object, and tells what is asked for."""
    import s3fs

    def changing(change: Change) -> list[str]:
        real, methods = s3fs.S3FileSystem._call_s3, []

        async def call(self: Any, method: str, *args: Any, **words: Any) -> Any:
            methods.append(method)
            answer = await real(self, method, *args, **words)
            if method == "get_object":
                change(answer)
            return answer

        monkeypatch.setattr(s3fs.S3FileSystem, "_call_s3", call)
        monkeypatch.setattr(s3fs.S3FileSystem, "call_s3", s3fs.core.sync_wrapper(call))
        return methods

    return changing


def test_an_answer_that_names_its_version_is_enough(
    asked: Callable[[Change], list[str]],
) -> None:
    methods = asked(lambda answer: None)
    (told,) = pte_lint.check(ADDRESS, isolated=True).artifacts
    assert methods == ["head_object", "get_object"]
    assert told.fetched == Fetched(len(GOOD), 2)


def test_where_none_is_named_the_object_is_looked_at_again(
    asked: Callable[[Change], list[str]],
) -> None:
    methods = asked(lambda answer: answer.pop("ETag"))
    (told,) = pte_lint.check(ADDRESS, isolated=True).artifacts
    assert methods == ["head_object", "get_object", "head_object"]
    assert told.fetched == Fetched(len(GOOD), 3)


def test_another_version_is_told(asked: Callable[[Change], list[str]]) -> None:
    asked(lambda answer: answer.update(ETag='"another"'))
    with pytest.raises(ArtifactError) as caught:
        pte_lint.check(ADDRESS, isolated=True)
    assert caught.value.strerror == (
        f"cannot read {ADDRESS}: it changed while it was being read (its ETag differs): try again"
    )
    assert caught.value.again is None


@pytest.mark.parametrize(
    ("body", "why", "again"),
    [
        ((GOOD + b"more", 500, 99), f"asked for {len(GOOD)} bytes, {len(GOOD) + 1} came", None),
        ((GOOD[:-1], 500, 99), f"asked for {len(GOOD)} bytes, {len(GOOD) - 1} came", None),
        ((GOOD, 500, 2), "the request failed (RuntimeError)", 0.0),
    ],
)
def test_bodies_that_are_not_what_was_asked_for(
    asked: Callable[[Change], list[str]],
    body: tuple[bytes, int, int],
    why: str,
    again: float | None,
) -> None:
    bodies: list[_Body] = []

    def change(answer: dict[str, Any]) -> None:
        answer["Body"].close()
        bodies.append(_Body(*body))
        answer["Body"] = bodies[-1]

    asked(change)
    with pytest.raises(ArtifactError) as caught:
        pte_lint.check(ADDRESS, isolated=True)
    assert caught.value.strerror == f"cannot read {ADDRESS}: {why}"
    assert caught.value.again == again
    assert [each.is_closed for each in bodies] == [True]


def test_a_body_in_pieces_is_put_together(asked: Callable[[Change], list[str]]) -> None:
    def change(answer: dict[str, Any]) -> None:
        answer["Body"].close()
        answer["Body"] = _Body(GOOD, 7, len(GOOD))

    asked(change)
    (told,) = pte_lint.check(ADDRESS, isolated=True).artifacts
    (here,) = pte_lint.check(GOOD, isolated=True).artifacts
    assert told.findings == here.findings
    assert told.verdict == here.verdict
