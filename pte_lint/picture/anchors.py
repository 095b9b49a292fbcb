"""The ids of things in a page, so that findings and pictures can link to each other."""

from __future__ import annotations

from pte_lint.claims.finding import Finding


def finding(found: Finding) -> str:
    """A finding; fingerprints are unique within an artifact."""
    return f"f-{found.fingerprint}"


def method(index: int) -> str:
    """A method's section."""
    return f"m{index}"


def step(method_index: int, index: int) -> str:
    """An instruction's row."""
    return f"m{method_index}-i{index}"


def fold(method_index: int, first: int) -> str:
    """A folded stretch of instructions, by its first one."""
    return f"m{method_index}-f{first}"


def end(method_index: int) -> str:
    """Where the method ends."""
    return f"m{method_index}-end"


def input_port(method_index: int, position: int) -> str:
    """A method input's row."""
    return f"m{method_index}-in{position}"


def output_port(method_index: int, position: int) -> str:
    """A method output's row."""
    return f"m{method_index}-out{position}"


def value(method_index: int, v: int) -> str:
    """A tensor's rectangle in the memory plan."""
    return f"m{method_index}-v{v}"
