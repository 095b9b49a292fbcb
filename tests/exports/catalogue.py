"""Which rules have a script, read from the scenarios' source: this needs no exporter."""

from __future__ import annotations

import ast
from pathlib import Path


def rules_with_scripts() -> frozenset[str]:
    """The rules that the classes under `scenarios` name."""
    found = set()
    for path in sorted((Path(__file__).parent / "scenarios").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Assign(targets=[ast.Name("rule")], value=ast.Constant(str(rule))):
                    found.add(rule)
                case _:
                    pass
    return frozenset(found)
