"""Plugins as files: a module and the metadata of an installed distribution."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pte_lint.rulebook import formats_of_others, registry, target_keys

DOC = '''"""Finds inputs.

What it finds:
    Inputs.

What the runtime does:
    Nothing.

Why it happens:
    A test wants it.

How to fix it:
    Leave them out.

How it is confirmed:
    It is not.

Seen in:
    A test.
"""
'''

RULE = """
from pte_lint.plugin import *

@method_rule("ACME001", "input-seen", Severity.WARNING, "an input")
def seen(method, context):
    for position, value in enumerate(method.inputs):
        yield Finding(
            message=f"Input {position}.",
            remediation="Leave it out.",
            location=method.location(value=value),
            subject=f"input {position}",
        )

RULES = [seen]
"""


def install(
    folder: Path,
    code: str = DOC + RULE,
    *,
    name: str = "acme-rules",
    group: str = "pte_lint.rules",
    point: str = "acme",
    attribute: str = "RULES",
) -> None:
    """Writes a distribution of one module, named like it, with one entry point."""
    module = name.replace("-", "_")
    info = folder / f"{module}-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{point} = {module}:{attribute}\n")
    (folder / f"{module}.py").write_text(code)


@contextmanager
def installed(folder: Path) -> Iterator[None]:
    """Makes the distributions in a folder those of this process, for a while."""
    caches = (
        registry.load_rules,
        formats_of_others.load_formats,
        target_keys.load_target_keys,
    )
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    for cache in caches:
        cache.cache_clear()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for added in set(sys.modules) - before:
            if str(getattr(sys.modules[added], "__file__", "")).startswith(str(folder)):
                del sys.modules[added]
        for cache in caches:
            cache.cache_clear()
