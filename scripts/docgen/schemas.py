"""The JSON Schemas of reports and of the configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, TypeAdapter

from pte_lint.config.model import Config
from pte_lint.picture.graph_json import GraphDocument
from pte_lint.report.documents import DifferenceDocument, InspectionDocument
from pte_lint.report.model import ReportModel

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def pages() -> Iterator[tuple[str, str]]:
    """The schema files."""
    yield "schema/report.schema.json", _dump(report_schema())
    yield "schema/config.schema.json", _dump(config_schema())
    yield "schema/inspection.schema.json", _dump(inspection_schema())
    yield "schema/difference.schema.json", _dump(difference_schema())
    yield "schema/graph.schema.json", _dump(graph_schema())


def report_schema() -> dict[str, Any]:
    """Every key that a report always has is required; keys that are not known are allowed."""
    return _schema(ReportModel, "serialization", "A report of pte-lint check --format json")


def config_schema() -> dict[str, Any]:
    """Keys that are not known are forbidden, as the reader forbids them."""
    return _schema(Config, "validation", "Configuration of pte-lint ([tool.pte-lint])")


def inspection_schema() -> dict[str, Any]:
    """Every key is always there."""
    return _document(InspectionDocument, "What pte-lint inspect --json prints")


def difference_schema() -> dict[str, Any]:
    """Every key is always there."""
    return _document(DifferenceDocument, "What pte-lint diff --format json prints")


def graph_schema() -> dict[str, Any]:
    """Every key is always there."""
    return _document(GraphDocument, "What pte-lint graph --json prints")


def _document(kind: type, title: str) -> dict[str, Any]:
    schema = TypeAdapter(kind).json_schema(mode="serialization")
    return _titled(_all_required(schema), title)


def _all_required(node: Any) -> Any:
    """A dataclass field with a default is written all the same."""
    if isinstance(node, dict):
        out = {key: _all_required(value) for key, value in node.items() if key != "default"}
        if isinstance(out.get("properties"), dict):
            out["required"] = sorted(out["properties"])
        return out
    return [_all_required(v) for v in node] if isinstance(node, list) else node


def _schema(model: type[BaseModel], mode: Any, title: str) -> dict[str, Any]:
    return _titled(model.model_json_schema(mode=mode, by_alias=True), title)


def _titled(schema: dict[str, Any], title: str) -> dict[str, Any]:
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
