"""What `pte_lint.testing.planner` has, which is in the wheel."""

from pte_lint.testing.planner import *  # noqa: F403
