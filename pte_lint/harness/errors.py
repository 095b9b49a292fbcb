"""What the harness raises when it cannot run a program at all."""

from __future__ import annotations


class HarnessUnavailable(Exception):  # noqa: N818 - a state of the machine, not a fault of the caller
    """The real runtime cannot be used on this machine.

    Attributes:
        reason: What is missing or failed, one sentence.
        hint: What to do about it, one sentence.
    """

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(f"{reason} {hint}")
        self.reason = reason
        self.hint = hint
