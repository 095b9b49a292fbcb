"""What `pte_lint.testing.edit` has, which is in the wheel."""

from pte_lint.testing.edit import *  # noqa: F403
