"""What `pte_lint.testing.data_builder` has, which is in the wheel."""

from pte_lint.testing.data_builder import *  # noqa: F403
