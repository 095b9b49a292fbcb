"""The configuration reference, from the pydantic models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docgen.schemas import config_schema
from pte_lint.report.rule_markdown import inline

EXAMPLE = """\
[tool.pte-lint]
fail-on = "warning"
ignore = [
    "PTE8",
    { rule = "PTE411", reason = "our runner links the backend" },
]

[tool.pte-lint.severity]
PTE320 = "warning"

[tool.pte-lint.output]
sarif = "pte-lint.sarif"
"""

PROJECT_EXAMPLE = """\
[tool.pte-lint]
target = "executorch==1.4"
data = ["exported/llm.ptd"]

[[tool.pte-lint.pipeline]]
from = { method = "encoder", output = 0 }
to = { method = "decoder", input = 1 }
"""

DATA_EXAMPLE = """\
[tool.pte-lint]
data = [
    { program = "exported/llm.pte", file = "exported/llm.ptd" },
    { program = "exported/speech/*.pte", file = "exported/speech/weights.ptd" },
]
"""

ENTRY_EXAMPLE = """\
[[tool.pte-lint.ignore]]
rule = "device-output-planned"
path = "exported/vision/*.pte"
method = "encode*"
location = "output *"
reason = "outputs are copied before the next run"
expires = 2027-03-31
"""

_INTRODUCTION = f"""\
# Configuration

pte-lint reads one file: the nearest `pte-lint.toml`, or `pyproject.toml` with a `[tool.pte-lint]`
table, at or above the working folder (in one folder `pte-lint.toml` wins). Nothing is merged from
files further up. In `pte-lint.toml` the same keys stand at the top level. `--config FILE` names
the file instead, `--isolated` uses none. The command line overrides single values.
`--settings-from DIR` reads this file, the baseline and the target's profile from a copy of the
working folder, such as a checkout of the base branch ([ci.md](ci.md)); every other path still means
the working folder.

Paths are relative to the configuration file, and what they name lies below its folder: a pull
request can bring a configuration, so it is data of a stranger. The command line may name what a
configuration may not; [trust.md](trust.md) has the rules. A key that is not known is an error.
Editors can validate and complete the file with `schema/config.schema.json`.

```toml
{EXAMPLE}```

What a project knows of its own files and runner goes there, too: the runtime it ships, the data
files that its programs are loaded with, and which output is handed to which input.

```toml
{PROJECT_EXAMPLE}```
"""

_AFTER_IGNORE = f"""\
A TOML file cannot have both `ignore = [...]` and `[[tool.pte-lint.ignore]]`; selectors and entries
share one key, so either write entries as inline tables in the list, as in the example above, or
write entries only, as tables:

```toml
{ENTRY_EXAMPLE}```

In path globs `*` stays inside a folder and `**` crosses folders. An entry sets findings aside in
the report (they are counted, and listed under `suppressed` in JSON); the verdict still says what
the runtime does. Entries that match nothing and entries past their date are reported as notes.
"""

_AFTER_DATA = f"""\
`auto` in place of a file takes, for each program that is given none, what lies beside it and has
its keys.

For programs that have data files of their own. On the command line the glob stands before the file:
`--data exported/llm.pte=exported/llm.ptd`.

```toml
{DATA_EXAMPLE}```
"""

_SECTIONS = {
    "DataEntry": ("Entries of `data`", _AFTER_DATA),
    "IgnoreEntry": ("Entries of `ignore`", _AFTER_IGNORE),
    "PipelineEntry": ("Entries of `pipeline`", ""),
    "Output": ("`from` of a pipeline", ""),
    "Input": ("`to` of a pipeline", ""),
}


def pages() -> Iterator[tuple[str, str]]:
    """docs/configuration.md."""
    schema = config_schema()
    parts = [_INTRODUCTION, "## Keys\n", _table(schema)]
    for name, (title, after) in _SECTIONS.items():
        model = schema["$defs"][name]
        parts += [f"## {title}\n", inline(model["description"]) + "\n", _table(model)]
        if after:
            parts.append(after)
    yield "docs/configuration.md", "\n".join(parts)


def _table(model: dict[str, Any]) -> str:
    required = set(model.get("required", ()))
    rows = ["| Key | Type | Default | Meaning |", "| --- | --- | --- | --- |"]
    for key, spec in model["properties"].items():
        default = "required" if key in required else _default(spec)
        meaning = inline(spec.get("description", ""))
        rows.append(f"| `{key}` | {_type(spec)} | {default} | {meaning} |")
    return "\n".join(rows) + "\n"


def _default(spec: dict[str, Any]) -> str:
    default = spec.get("default")
    if default is None:
        return "none"
    return f"`{default}`" if default not in ([], {}) else "empty"


def _type(spec: dict[str, Any]) -> str:
    if "$ref" in spec:
        return "table"
    if "enum" in spec:
        return ", ".join(f"`{v}`" for v in spec["enum"])
    for several in ("anyOf", "oneOf"):
        if several in spec:
            kinds = [_type(s) for s in spec[several] if s.get("type") != "null"]
            return " or ".join(kinds)
    match spec.get("type"):
        case "array":
            return f"list of {_plural(_type(spec['items']))}"
        case "object":
            values = spec.get("additionalProperties", {})
            return f"table of {_plural(_type(values))}"
        case "string" if spec.get("format") == "date":
            return "date"
        case kind:
            return str(kind)


def _plural(kind: str) -> str:
    return " or ".join(f"{k}s" if not k.startswith("`") else k for k in kind.split(" or "))
