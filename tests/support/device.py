"""What `pte_lint.testing.device` has, which is in the wheel."""

from pte_lint.testing.device import *  # noqa: F403
