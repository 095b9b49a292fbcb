"""What `pte_lint.testing.table_writer` has, which is in the wheel."""

from pte_lint.testing.table_writer import *  # noqa: F403
