"""Reads an .fbs text into layout objects: which field is in which slot, of which type.

Covers the subset that the formats use: include, namespace, file_identifier, enum, union (also with
named members), table, root_type, scalar defaults, `force_align` and `deprecated`. Structs and
required fields do not occur in them and are refused, so that a text which needs them cannot be
half understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from pathlib import Path

from pte_lint.schema.errors import LayoutError
from pte_lint.schema.frozen import dataclass, field

# Scalar type name -> (struct format character, bytes).
SCALARS: dict[str, tuple[str, int]] = {
    **dict.fromkeys(("bool",), ("?", 1)),
    **dict.fromkeys(("byte", "int8"), ("b", 1)),
    **dict.fromkeys(("ubyte", "uint8"), ("B", 1)),
    **dict.fromkeys(("short", "int16"), ("h", 2)),
    **dict.fromkeys(("ushort", "uint16"), ("H", 2)),
    **dict.fromkeys(("int", "int32"), ("i", 4)),
    **dict.fromkeys(("uint", "uint32"), ("I", 4)),
    **dict.fromkeys(("long", "int64"), ("q", 8)),
    **dict.fromkeys(("ulong", "uint64"), ("Q", 8)),
    **dict.fromkeys(("float", "float32"), ("f", 4)),
    **dict.fromkeys(("double", "float64"), ("d", 8)),
}

_TOKEN = re.compile(r'\s+|//[^\n]*|(?P<text>"[^"\n]*")|(?P<word>[\w.+-]+)|(?P<mark>[{}\[\]():;,=])')


class Form(Enum):
    """What a slot holds."""

    SCALAR = "scalar"
    UNION_TYPE = "union type"
    STRING = "string"
    TABLE = "table"
    UNION = "union"
    SCALARS = "vector of scalars"
    STRINGS = "vector of strings"
    TABLES = "vector of tables"
    DEPRECATED = "deprecated"

    @property
    def is_inline(self) -> bool:
        """Whether the value itself is in the table, rather than an offset to it."""
        return self in (Form.SCALAR, Form.UNION_TYPE)


@dataclass(frozen=True, slots=True)
class FieldLayout:
    """One slot of a table.

    Attributes:
        name: Field name; a union's type slot is named `<field>_type`.
        slot: Index in the vtable: its entry is at byte 4 + 2 * slot.
        form: What the slot holds.
        code: Struct format character of the scalar, or of the vector's elements; "I" for offsets.
        size: Bytes of what `code` stands for.
        default: Value when the slot is absent; None for whatever an offset leads to.
        target: Name of the table or union that the field leads to, or of the enum it holds.
        force_align: Alignment in bytes asked of a vector's content, 0 when none is.
    """

    name: str
    slot: int
    form: Form
    code: str
    size: int
    default: int | float | bool | None = None
    target: str = ""
    force_align: int = 0


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything one .fbs text defines.

    Attributes:
        tables: Table name -> its fields in slot order.
        enums: Enum name -> member name -> value.
        unions: Union name -> code -> table name. Code 0 is NONE and not listed.
        union_names: Union name -> code -> member name, where that is not the table's.
        root: Name of the root table.
        identifier: The four bytes at offset 4 of a file of this format.
    """

    tables: dict[str, tuple[FieldLayout, ...]] = field(default_factory=dict)
    enums: dict[str, dict[str, int]] = field(default_factory=dict)
    unions: dict[str, dict[int, str]] = field(default_factory=dict)
    union_names: dict[str, dict[int, str]] = field(default_factory=dict)
    root: str = ""
    identifier: bytes = b""


@dataclass(slots=True)
class _RawField:
    name: str
    type: str
    is_vector: bool
    default: str | None
    force_align: int
    is_deprecated: bool


class _Parser:
    """Recursive descent over the tokens; names are resolved after everything is known."""

    def __init__(self, include: Callable[[str], str]) -> None:
        self._include = include
        self._tokens: Iterator[str] = iter(())
        self._next = ""
        self.raw: dict[str, list[_RawField]] = {}
        self.enums: dict[str, dict[str, int]] = {}
        self.underlying: dict[str, str] = {}
        self.unions: dict[str, dict[int, str]] = {}
        self.union_names: dict[str, dict[int, str]] = {}
        self.root = ""
        self.identifier = b""

    def parse(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._advance()
        while self._next:
            keyword = self._advance()
            if keyword == "include":
                self._included(self._advance().strip('"'))
                self._expect(";")
            elif keyword == "table":
                self._table()
            elif keyword == "enum":
                self._enum()
            elif keyword == "union":
                self._union()
            elif keyword in ("namespace", "file_extension", "file_identifier", "root_type"):
                self._directive(keyword, self._advance())
            else:
                raise LayoutError(f"unsupported declaration {keyword!r}")

    def _included(self, name: str) -> None:
        saved = self._tokens, self._next
        self.parse(self._include(name))
        self._tokens, self._next = saved

    def _directive(self, keyword: str, argument: str) -> None:
        if keyword == "root_type":
            self.root = argument
        elif keyword == "file_identifier":
            self.identifier = argument.strip('"').encode("ascii")
        self._expect(";")

    def _table(self) -> None:
        fields = self.raw[self._advance()] = []
        self._expect("{")
        while self._next != "}":
            name = self._advance()
            self._expect(":")
            is_vector = self._accept("[")
            type_name = self._advance().rpartition(".")[2]
            if is_vector:
                self._expect("]")
            default = self._advance() if self._accept("=") else None
            align, deprecated = self._attributes() if self._accept("(") else (0, False)
            self._expect(";")
            fields.append(_RawField(name, type_name, is_vector, default, align, deprecated))
        self._expect("}")

    def _attributes(self) -> tuple[int, bool]:
        """Reads up to the closing bracket; returns force_align (0 when absent) and deprecated."""
        align, is_deprecated = 0, False
        while not self._accept(")"):
            name = self._advance()
            if name == "force_align":
                self._expect(":")
                align = int(self._advance())
            elif name == "deprecated":
                is_deprecated = True
            else:
                raise LayoutError(f"unsupported attribute {name!r}")
            self._accept(",")
        return align, is_deprecated

    def _union(self) -> None:
        name = self._advance()
        members = self.unions[name] = {}
        names = self.union_names[name] = {}
        self._expect("{")
        while not self._accept("}"):
            code = len(members) + 1
            member = self._advance().rpartition(".")[2]
            if self._accept(":"):
                names[code] = member
                member = self._advance().rpartition(".")[2]
            members[code] = member
            self._accept(",")

    def _enum(self) -> None:
        name = self._advance()
        self._expect(":")
        self.underlying[name] = self._advance()
        self._expect("{")
        members: dict[str, int] = {}
        upcoming = 0
        while not self._accept("}"):
            member = self._advance().rpartition(".")[2]
            value = int(self._advance()) if self._accept("=") else upcoming
            members[member] = value
            upcoming = value + 1
            self._accept(",")
        self.enums[name] = members

    def _advance(self) -> str:
        token = self._next
        self._next = next(self._tokens, "")
        return token

    def _accept(self, token: str) -> bool:
        if self._next == token:
            self._advance()
            return True
        if not self._next:
            raise LayoutError(f"text ends where {token!r} could stand")
        return False

    def _expect(self, token: str) -> None:
        if self._advance() != token:
            raise LayoutError(f"expected {token!r} before {self._next!r}")


def _tokens(text: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise LayoutError(f"unexpected character {text[position]!r} at {position}")
        position = match.end()
        if match.lastgroup:
            yield match.group()


def _resolve(parser: _Parser, table: str) -> tuple[FieldLayout, ...]:
    fields: list[FieldLayout] = []
    for raw in parser.raw[table]:
        if raw.type in parser.unions:
            if raw.is_vector:
                raise LayoutError(f"{table}.{raw.name}: vectors of unions are not supported")
            kind = FieldLayout(
                f"{raw.name}_type", len(fields), Form.UNION_TYPE, "B", 1, 0, raw.type
            )
            fields.append(kind)
        fields.append(_field(parser, table, raw, len(fields)))
    return tuple(fields)


def _field(parser: _Parser, table: str, raw: _RawField, slot: int) -> FieldLayout:
    scalar = SCALARS.get(parser.underlying.get(raw.type, raw.type))
    target = raw.type if raw.type not in SCALARS and raw.type != "string" else ""
    if raw.is_deprecated:
        # The slot stays taken, but no reader looks at it, the verifier included.
        return FieldLayout(raw.name, slot, Form.DEPRECATED, "I", 4)
    if scalar:
        code, size = scalar
        if raw.is_vector:
            # Vectors of bool stay bytes: a file can hold any of 256 values there.
            code = "B" if code == "?" else code
            align = raw.force_align
            return FieldLayout(raw.name, slot, Form.SCALARS, code, size, None, target, align)
        default = _default(parser, raw, code)
        return FieldLayout(raw.name, slot, Form.SCALAR, code, size, default, target)
    if raw.type in parser.unions:
        form = Form.UNION
    elif raw.type == "string":
        form = Form.STRINGS if raw.is_vector else Form.STRING
    elif raw.type in parser.raw:
        form = Form.TABLES if raw.is_vector else Form.TABLE
    else:
        raise LayoutError(f"{table}.{raw.name}: unknown type {raw.type!r}")
    return FieldLayout(raw.name, slot, form, "I", 4, None, target, raw.force_align)


def _default(parser: _Parser, raw: _RawField, code: str) -> int | float | bool:
    if raw.default is None:
        return {"?": False, "f": 0.0, "d": 0.0}.get(code, 0)
    if code == "?":
        return raw.default == "true"
    member = parser.enums.get(raw.type, {}).get(raw.default)
    if member is not None:
        return member
    return float(raw.default) if code in "fd" else int(raw.default)


def parse(text: str, include: Callable[[str], str]) -> Layout:
    """Parses an .fbs text.

    Args:
        text: The text.
        include: Gives the text of an included file by its name.

    Returns:
        The layout, its names resolved.

    Raises:
        LayoutError: The text is not in the supported subset.
    """
    parser = _Parser(include)
    parser.parse(text)
    tables = {name: _resolve(parser, name) for name in parser.raw}
    for union in parser.unions.values():
        for member in union.values():
            if member not in tables:
                raise LayoutError(f"union member {member!r} is no table")
    if parser.root not in tables:
        raise LayoutError(f"root_type {parser.root!r} is no table")
    return Layout(
        tables,
        parser.enums,
        parser.unions,
        parser.union_names,
        parser.root,
        parser.identifier,
    )


def _packaged(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


@cache
def layout(name: str) -> Layout:
    """Returns the layout of a packaged format: `program`, `flat_tensor`, `bundled_program`, ..."""
    return parse(_packaged(f"{name}.fbs"), _packaged)
