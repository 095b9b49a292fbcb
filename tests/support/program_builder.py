"""What `pte_lint.testing.program_builder` has, which is in the wheel."""

from pte_lint.testing.program_builder import *  # noqa: F403
