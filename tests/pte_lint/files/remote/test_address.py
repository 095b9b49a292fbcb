"""What is an address, and what of it may be shown."""

from __future__ import annotations

import pytest

from pte_lint.files.remote.address import is_address, shown


@pytest.mark.parametrize(
    "text", ["https://a/b.pte", "s3://bucket/key", "hf://o/m/f.pte", "HTTP://a"]
)
def test_addresses(text: str) -> None:
    assert is_address(text)


@pytest.mark.parametrize(
    "text", ["model.pte", "C://model.pte", "a b://c", "./https:/x", "/s3://x", "", "://x", "1s://x"]
)
def test_paths(text: str) -> None:
    assert not is_address(text)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://host/a/model.pte", "https://host/a/model.pte"),
        ("https://user:secret@host:8443/m.pte", "https://host:8443/m.pte"),
        ("https://user:se@cret@host/m.pte", "https://host/m.pte"),
        ("https://host/m.pte?X-Amz-Signature=secret&b", "https://host/m.pte"),
        ("https://host/m.pte#secret", "https://host/m.pte"),
        ("s3://key:secret@bucket/m.pte", "s3://bucket/m.pte"),
        ("hf://org/model@main/m.pte", "hf://org/model@main/m.pte"),
        ("https://[broken/secret?secret", "https://..."),
    ],
)
def test_secrets_are_not_shown(address: str, expected: str) -> None:
    assert shown(address) == expected
