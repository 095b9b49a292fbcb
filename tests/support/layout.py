"""What `pte_lint.testing.layout` has, which is in the wheel."""

from pte_lint.testing.layout import *  # noqa: F403
