"""The plugin keeps to what pte-lint asks of every plugin."""

from __future__ import annotations

from pte_lint.testing import check_plugin


def test_the_plugin_conforms() -> None:
    check_plugin("example-rules")
