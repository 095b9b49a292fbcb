"""The browser for tests that look at pages as people do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.browser import Browser, browser


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests."""
    with browser() as session:
        yield session
        session.close()
