"""What changed between two artifacts, as data: typed changes with old and new. See `diff`."""

from pte_lint.difference.build import diff
from pte_lint.difference.changes import Change
from pte_lint.difference.compare import Difference, NotComparable
from pte_lint.difference.failing import Condition, ConditionError, failing

__all__ = [
    "Change",
    "Condition",
    "ConditionError",
    "Difference",
    "NotComparable",
    "diff",
    "failing",
]
