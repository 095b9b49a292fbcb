"""Finds a checkout that is laid out but not installed; says what a daily loop leaves out."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import settings

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

_TREE = Path(__file__).parents[1] / "build" / "devtree"

if _TREE.is_dir():
    os.environ["PYTHONPATH"] = os.pathsep.join(
        p for p in (str(_TREE), os.environ.get("PYTHONPATH")) if p
    )

# Tests neither use nor fill the cache of whoever runs them; those that are about it say so.
os.environ["PTE_LINT_NO_CACHE"] = "1"
os.environ.pop("PTE_LINT_RUNTIME_FOLDER", None)  # tests name the folders that they mean

# How long one example takes is up to what else the machine does.
settings.register_profile("pte-lint", deadline=None)
settings.load_profile("pte-lint")

SLOW = (
    "action",
    "data",
    "fuzz",
    "harness",
    "hosts",
    "kernels",
    "mutation",
    "pte_lint/cli/test_light_imports.py",
    "pte_lint/cli/test_scheduler.py",
    "pte_lint/cli/test_store.py",
    "pte_lint/cli/test_whole_files.py",
    "pte_lint/files/remote",
    "pte_lint/fix/test_large.py",
    "pte_lint/hostile",
    "pte_lint/inspection/test_every_file.py",
    "pte_lint/ops/checks/test_every_call.py",
    "pte_lint/ops/test_every_layout.py",
    "pte_lint/picture",
    "pte_lint/plugin",
    "pte_lint/scaffold",
    "pte_lint/store",
    "pte_lint/test_memory.py",
    "pte_lint/testing/test_conformance.py",
    "pte_lint/test_systems.py",
    "rules/device/test_against_oracle.py",
    "rules/test_snippets.py",
    "schema/test_readers_agree.py",
    "schema/writer/test_program_file.py",
    "support",
    "test_benchmarks.py",
    "test_corpus.py",
    "test_crafted_files.py",
    "test_layers.py",
)
"""Folders and files that start many processes, or try very many cases: `scripts/test --fast` leaves
them out, with what needs the runtime or a browser."""

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of these as slow."""
    slow = [_HERE / name for name in SLOW]
    for item in items:
        if any(item.path.is_relative_to(place) for place in slow):
            item.add_marker("slow")


def _no_skips(report: Report) -> Report:
    """Makes a failure of what is skipped where `scripts/test-exports` says that nothing may be."""
    if os.environ.get("PTE_LINT_EXPORTS") == "1" and report.skipped:
        report.outcome = "failed"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Looks at tests, and at what they ask for."""
    return _no_skips((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Looks at modules."""
    return _no_skips((yield))
