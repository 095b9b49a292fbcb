"""Caps as people write them."""

from __future__ import annotations

import pytest
from pte_lint.schema import limits

from pte_lint.files.remote.caps import Caps, CapsError


def test_the_defaults_are_those_of_the_limits_file() -> None:
    assert Caps() == Caps(limits.FETCH_BYTES, limits.FETCH_REQUESTS, limits.FETCH_BESIDES, 30.0)


def test_each_is_changed_alone() -> None:
    assert Caps().changed({"bytes": "1GiB"}) == Caps(bytes=1 << 30)
    assert Caps().changed({"bytes": "10 MiB"}) == Caps(bytes=10 << 20)
    assert Caps().changed({"besides": "2048"}) == Caps(besides=2048)
    assert Caps().changed({"requests": "7", "timeout": "0.5"}) == Caps(requests=7, timeout=0.5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"byte": "1"}, "no cap 'byte': there are bytes, requests, besides, timeout"),
        ({"bytes": "1GB"}, "bytes: '1GB' is no size"),
        ({"besides": "-1"}, "besides: '-1' is no size"),
        ({"requests": "0"}, "requests: '0' is no number"),
        ({"requests": "many"}, "requests: 'many' is no number"),
        ({"timeout": "0"}, "timeout: '0' is no number"),
        ({"timeout": "nan"}, "timeout: 'nan' is no number"),
        ({"timeout": "soon"}, "timeout: 'soon' is no number"),
    ],
)
def test_others_are_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(CapsError, match=message):
        Caps().changed(given)
