"""The JSON Schemas of reports and of the configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from pte_lint.config import Config
from pte_lint.report.model import ReportModel

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def pages() -> Iterator[tuple[str, str]]:
    """The two schema files."""
    yield "schema/report.schema.json", _dump(report_schema())
    yield "schema/config.schema.json", _dump(config_schema())


def report_schema() -> dict[str, Any]:
    """Every key that a report always has is required; keys that are not known are allowed."""
    return _schema(ReportModel, "serialization", "A report of pte-lint check --format json")


def config_schema() -> dict[str, Any]:
    """Keys that are not known are forbidden, as the reader forbids them."""
    return _schema(Config, "validation", "Configuration of pte-lint ([tool.pte-lint])")


def _schema(model: type[BaseModel], mode: Any, title: str) -> dict[str, Any]:
    schema = model.model_json_schema(mode=mode, by_alias=True)
    return {"$schema": DRAFT, "title": title} | {
        k: v for k, v in _tidy(schema).items() if k != "title"
    }


def _tidy(node: Any) -> Any:
    """Descriptions on one line, and none of the titles that pydantic makes of field names."""
    if isinstance(node, dict):
        out = {}
        for key, value in node.items():
            if key == "title" and isinstance(value, str):
                continue
            if key == "description" and isinstance(value, str):
                out[key] = " ".join(value.split())
            else:
                out[key] = _tidy(value)
        return out
    return [_tidy(v) for v in node] if isinstance(node, list) else node


def _dump(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"
