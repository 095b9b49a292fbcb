"""pyarrow, imported when it is needed, and the schemas of the tables as it has them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from pte_lint.store.tables import TABLES

MISSING: Final = 'results as tables need pyarrow: install it with pip install "pte-lint[store]"'


class NoArrowError(RuntimeError):
    """pyarrow is not installed; the text says what to install."""


def arrow() -> Any:
    """The module `pyarrow`; as Any, since types are not there.

    Raises:
        NoArrowError: it is not installed.
    """
    try:
        return import_module("pyarrow")
    except ImportError as exc:
        raise NoArrowError(MISSING) from exc


def parquet() -> Any:
    """The module `pyarrow.parquet`.

    Raises:
        NoArrowError: it is not installed.
    """
    arrow()
    return import_module("pyarrow.parquet")


def schema(table: str, metadata: Mapping[str, str] | None = None) -> Any:
    """The schema of a table."""
    pa = arrow()
    kinds = {
        "string": pa.string(),
        "int64": pa.int64(),
        "bool": pa.bool_(),
        "list": pa.list_(pa.string()),
    }
    fields = [pa.field(c.name, kinds[c.kind], c.name != "path") for c in TABLES[table]]
    return pa.schema(fields, metadata=metadata)
