"""The only exceptions that reading and writing raise."""

from __future__ import annotations


class SchemaError(Exception):
    """Base of every error of the schema room."""


class LayoutError(SchemaError):
    """An .fbs text does not parse, or names something it does not define."""


class NotFetchedError(SchemaError):
    """A limit forbids to fetch these bytes of an artifact that is far away; the text says which."""


class UnwritableError(SchemaError):
    """A document cannot be written without losing or changing something; the text says what."""


class MalformedError(SchemaError):
    """A buffer cannot be decoded at all, or a strict read met a violation.

    Attributes:
        at: Byte offset in the file.
        path: Where in the document, such as `execution_plan[0].values[17].val.sizes`.
        what: What is wrong there.
    """

    def __init__(self, at: int, path: str, what: str) -> None:
        super().__init__(f"{path or 'root'} at byte {at}: {what}")
        self.at = at
        self.path = path
        self.what = what
