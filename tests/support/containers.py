"""What `pte_lint.testing.containers` has, which is in the wheel."""

from pte_lint.testing.containers import *  # noqa: F403
