"""Turns pydantic's errors about a configuration into lines that name the key and the way out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from pte_lint.config.model import Config, IgnoreEntry, Input, Output, PipelineEntry
from pte_lint.rulebook import contract_model

if TYPE_CHECKING:
    from pydantic import ValidationError

_TAGS = frozenset({"selector", "entry"})
_MODELS: Mapping[str, type[BaseModel]] = {
    "ignore": IgnoreEntry,
    "pipeline": PipelineEntry,
    "from": Output,
    "to": Input,
    "contract": contract_model.Contract,
    "methods": contract_model.Method,
    "inputs": contract_model.Port,
    "outputs": contract_model.Port,
    "least-delegated": contract_model.Delegated,
    "state": contract_model.State,
}


def describe(
    error: ValidationError, table: Mapping[str, Any], root: type[BaseModel] = Config
) -> Iterator[str]:
    """One line per problem, such as `unknown key selct; did you mean select?`.

    Args:
        error: what the models say.
        table: the file's content.
        root: the model of its top level.
    """
    for problem in error.errors(include_url=False):
        where = tuple(part for part in problem["loc"] if part not in _TAGS)
        key = _spell(where)
        match problem["type"]:
            case "extra_forbidden":
                yield f"unknown key {key}{_hint(where, table, root)}"
            case "missing":
                yield f"{key} is missing"
            case "value_error":
                yield f"{key} {problem['ctx']['error']}"
            case "literal_error":
                given = problem["input"]
                expected = problem["ctx"]["expected"]
                yield f"{key} is {_value(given)} but must be {expected}"
            case _:
                text = problem["msg"].replace("tuple", "list")
                yield f"{key}: {text[0].lower()}{text[1:]}"


def _value(given: object) -> str:
    """What a configuration says; a number may have more digits than can be written."""
    return repr(given) if isinstance(given, str | bool) else f"of type {type(given).__name__}"


def _spell(where: Sequence[str | int]) -> str:
    """`pipeline[0].from.output`."""
    out = ""
    for part in where:
        if isinstance(part, int):
            out += f"[{part}]"
        else:
            out += f".{part}" if out else part
    return out


def _hint(where: Sequence[str | int], table: Mapping[str, Any], root: type[BaseModel]) -> str:
    word = str(where[-1])
    if len(where) == 1 and word == "tool" and isinstance(table.get("tool"), dict):
        return "; in this file the keys stand at the top level, without [tool.pte-lint]"
    names = [part for part in where[:-1] if isinstance(part, str)]
    model = root
    if names:
        # A method stands by its own name, one below the table of methods.
        model = _MODELS.get(names[-2 if names[-2:-1] == ["methods"] else -1], root)
    known = [field.alias or name for name, field in model.model_fields.items()]
    import difflib

    near = difflib.get_close_matches(word.replace("_", "-"), known, n=1)
    return f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known)}"
