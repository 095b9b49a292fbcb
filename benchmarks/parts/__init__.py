"""The measurements, one a module. Each yields rows of plain values for its table."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]
