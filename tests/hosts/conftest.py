"""A machine with a real runner on it, and a repository for it to work on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.action.conftest import Repository
from tests.support.hosts import Host, build, need, publish


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need()
    folder = tmp_path_factory.mktemp("published") / "pte-lint"
    publish(folder)
    return folder


@pytest.fixture
def host(published: Path, tmp_path: Path) -> Host:
    return Host(tmp_path / "host", published)


@pytest.fixture
def host_with_index(published: Path, tmp_path: Path) -> Host:
    """One whose pip finds pte-lint."""
    wheels = tmp_path / "index" / "wheels"
    build(published, wheels)
    return Host(tmp_path / "host", published, wheels)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")
