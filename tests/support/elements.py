"""What `pte_lint.testing.elements` has, which is in the wheel."""

from pte_lint.testing.elements import *  # noqa: F403
