"""Reads an HTML page strictly: what is in it, and what it links to."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


@dataclass
class Document:
    """What was found in a page."""

    tags: list[str] = field(default_factory=list)
    """Every element's tag, in order."""
    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    """(tag, attribute, value)."""
    text: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = Document()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._element(tag, attrs)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._element(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.found.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.found.comments.append(data)

    def _element(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.tags.append(tag)
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute is there twice in <{tag}>: {names}"
        for name, value in attrs:
            self.found.attributes.append((tag, name, value or ""))
            if name == "id":
                self.found.ids.append(value or "")
            if name == "href":
                self.found.links.append(value or "")


def read(page: str) -> Document:
    """Reads a page; elements must nest properly."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader.found
