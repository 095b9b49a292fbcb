"""What judging a program costs, in function calls: the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import open_artifact
from pte_lint.judging.engine import Settings, judge
from pte_lint.rulebook.registry import load_rules
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program


def calls(build: Callable[[int], MethodBuilder], count: int, family: str = "") -> int:
    """Function calls, those into C among them, that judging a program makes.

    Args:
        build: Makes a program of some length.
        count: Its length.
        family: How the ids of the rules that are asked begin; all of them when left out.
    """
    file = build_program(build(count)).bytes()
    rules = [rule for rule in load_rules(isolated=True) if rule.id.startswith(f"PTE{family}")]
    made = 0

    def profile(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    with open_artifact(file) as artifact:
        context = open_context(artifact, Target(), (), {})
        before = sys.getprofile()
        sys.setprofile(profile)
        try:
            judge(context, Settings(rules))
        finally:
            sys.setprofile(before)
    return made
