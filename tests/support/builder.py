"""What `pte_lint.testing.builder` has, which is in the wheel."""

from pte_lint.testing.builder import *  # noqa: F403
