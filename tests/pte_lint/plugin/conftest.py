"""Scratch projects in which the plugin runs."""

from __future__ import annotations

import pkgutil
import re
import shutil
from collections.abc import Callable
from importlib import import_module

import pytest

import pte_lint
from tests.support.look import DATA
from tests.support.processes import python_path

Project = Callable[..., pytest.RunResult]

GOOD = "device/add_default.pte"
PLUGIN = "pte_lint.pytest_plugin"
BAD = "device/add_skip_both_planned.pte"


# What computes with PyTorch runs in processes of its own.
_WITH_TORCH = re.compile(
    r"\.reference\.(apart|operators|pt_file|worker|xnnpack\.(?!constants$)\w+)$"
)


@pytest.fixture(scope="session")
def whole_package() -> None:
    """Loads every module of pte_lint.

    A run of pytest inside of pytest forgets the modules that it loaded. Loaded again later, their
    enums would differ from those that modules loaded earlier still hold.
    """
    for module in pkgutil.walk_packages(pte_lint.__path__, "pte_lint."):
        if module.name.endswith((".__main__", ".pytest_plugin")) or _WITH_TORCH.search(module.name):
            continue
        import_module(module.name)


@pytest.fixture
def project(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, whole_package: None
) -> Project:
    """Runs pytest on copies of test files in the scratch folder, with no plugin but ours."""
    monkeypatch.setenv("PYTHONPATH", python_path())
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def call(*args: str, files: tuple[str, ...] = (), process: bool = False) -> pytest.RunResult:
        for name in files:
            shutil.copy(DATA / name, pytester.path / name.rpartition("/")[2])
        run = pytester.runpytest_subprocess if process else pytester.runpytest_inprocess
        return run("-p", PLUGIN, "-p", "no:cacheprovider", *args)

    return call
