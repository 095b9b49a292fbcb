#!/usr/bin/env python3
"""Writes every generated page and schema; with --check says which are out of date and fails.

Generated are the rule pages and their index, the rule table in README.md, the configuration and
command-line references, the table of fixes, and the JSON Schemas of reports and configuration.
Their sources are the rules' docstrings, the pydantic models, fixers, and the commands themselves.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(Path(__file__).resolve().parent))
if (ROOT / "build" / "devtree").is_dir():  # a checkout that is not installed
    sys.path.insert(0, str(ROOT / "build" / "devtree"))

from docgen import cli_page, configuration, contract_page, fix_page, readme, rule_pages, schemas  # noqa: E402


def pages() -> Iterator[tuple[Path, str]]:
    """Every generated file: its path and what it should hold."""
    for name, text in (
        *schemas.pages(),
        *rule_pages.pages(),
        *configuration.pages(),
        *contract_page.pages(),
        *cli_page.pages(),
        *fix_page.pages(ROOT),
        *readme.pages(ROOT),
    ):
        yield ROOT / name, text


def stale() -> Iterator[Path]:
    """Rule pages whose rule is gone."""
    wanted = {path for path, _ in pages()}
    yield from sorted(p for p in (ROOT / "docs" / "rules").glob("*.md") if p not in wanted)


def main() -> int:
    """Runs the script and returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail on drift")
    check = parser.parse_args().check
    drifted = 0
    for path, text in pages():
        old = path.read_text("utf-8") if path.is_file() else None
        if old == text:
            continue
        drifted += 1
        print(f"{'out of date' if check else 'wrote'}: {path.relative_to(ROOT)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    for path in stale():
        drifted += 1
        print(f"{'to be removed' if check else 'removed'}: {path.relative_to(ROOT)}")
        if not check:
            path.unlink()
    if check and drifted:
        print("run scripts/generate_docs.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
