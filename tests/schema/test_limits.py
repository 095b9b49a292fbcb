"""What a document may cost, by its size."""

from __future__ import annotations

from pte_lint.schema.limits import FREE_TABLES, MAX_TABLES, TABLE_BYTES, table_budget


def test_tables_grow_with_the_file_up_to_a_limit() -> None:
    assert table_budget(0) == FREE_TABLES
    assert table_budget(10 * TABLE_BYTES) == FREE_TABLES + 10
    assert table_budget(1 << 60) == MAX_TABLES
