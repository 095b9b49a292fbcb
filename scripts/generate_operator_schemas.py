"""Writes pte_lint/profiles/schemas.json: argument kinds of the operators that profiles name.

Runs in an environment with torch and executorch (nothing in the package does). Reads operator
names from the profiles; schemas come from torch's registry, after importing the module of
executorch that registers operators of its own, and from the lists of custom operators in the wheel.

    python scripts/generate_operator_schemas.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import executorch.exir  # noqa: TID251 - a development script
import executorch.exir.passes.dim_order_ops_registry  # noqa: TID251
import torch  # noqa: TID251 - a development script

WHEEL = Path(executorch.exir.__file__).parents[1]
LISTS = ("kernels/portable/custom_ops.yaml", "kernels/quantized/quantized.yaml")
PROFILES = Path(__file__).parents[1] / "pte_lint" / "profiles"

KINDS = {
    "Tensor": "T",
    "Tensor[]": "L",
    "Optional[Tensor][]": "O",
    "int": "i",
    "SymInt": "i",
    "int[]": "I",
    "SymInt[]": "I",
    "float": "f",
    "float[]": "F",
    "bool": "b",
    "bool[]": "B",
    "number": "s",
    "str": "z",
    "ScalarType": "i",
    "MemoryFormat": "i",
    "Layout": "i",
    "Device": "?",
    "Generator": "?",
}


def kind(type_: Any, real: Any) -> str:
    """The code of an argument's kind, followed by `?` when it may be None."""
    if type_.kind() == "OptionalType":
        return kind(type_.getElementType(), real.getElementType()) + "?"
    # torch shows enums (dtype, memory format) as int, and lists of optional tensors spelled out.
    text = str(type_).replace("List[", "").rstrip("]")
    if type_.kind() == "ListType":
        inner = type_.getElementType()
        text = "Optional[Tensor][]" if inner.kind() == "OptionalType" else f"{inner}[]"
    elif type_.kind() == "NumberType":
        text = "number"
    if text not in KINDS:
        raise SystemExit(f"no code for the kind {text!r}")
    return KINDS[text]


def signature(schema: Any) -> str:
    """Kinds of the arguments in order; `:` before the first out argument."""
    codes: list[str] = []
    outs = False
    for argument in schema.arguments:
        if argument.is_out and not outs:
            codes.append(":")
            outs = True
        codes.append(kind(argument.type, argument.real_type))
    return " ".join(codes)


def names() -> Iterator[str]:
    """Names of all operators of the profiles, the hand-registered prim ops left out."""
    for path in sorted(PROFILES.glob("executorch-*.json")):
        for name in json.loads(path.read_text("utf-8"))["kernels"]:
            if not name.startswith(("executorch_prim::", "et_copy::")):
                yield name


def schemas() -> Iterator[Any]:
    """Every schema that torch knows and that the wheel's lists declare."""
    yield from torch._C._jit_get_all_schemas()
    for each in LISTS:
        for line in (WHEEL / each).read_text("utf-8").splitlines():
            if line.startswith("- func: "):
                yield torch._C.parse_schema(line.removeprefix("- func: "))


def main() -> None:
    """Writes the file."""
    known = {}
    for schema in schemas():
        full = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
        known[full] = schema
    found, missing = {}, []
    for name in sorted(set(names())):
        if name in known:
            found[name] = signature(known[name])
        else:
            missing.append(name)
    command = "python scripts/generate_operator_schemas.py"
    source = f"torch {torch.__version__.partition('+')[0]}, executorch {version('executorch')}"
    content = {"command": command, "source": source, "schemas": found}
    text = json.dumps(content, indent=1, sort_keys=True)
    (PROFILES / "schemas.json").write_text(text + "\n", "utf-8")
    print(f"{len(found)} schemas; without one: {', '.join(missing) or 'none'}", file=sys.stderr)


if __name__ == "__main__":
    main()
