"""What `pte_lint.testing.values` has, which is in the wheel."""

from pte_lint.testing.values import *  # noqa: F403
