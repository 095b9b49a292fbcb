"""What holds for every text that is printed, whatever names the file is full of."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Final

from tests.support.markup import read

_PICTURE: Final = {
    "svg", "g", "title", "style", "defs", "pattern", "rect", "line", "path", "polygon", "text",
}  # fmt: skip
_NOT_IN_A_PAGE: Final = {
    "script", "iframe", "object", "embed", "img", "form", "input", "base", "use", "image",
}  # fmt: skip
_NOT_AS_ATTRIBUTE: Final = {"style", "src", "srcset", "action", "ping", "xlink:href"}
_ID: Final = r'"(?:[^"\\]|\\.)*"'
_DOT_LINE: Final = re.compile(
    rf"digraph {_ID} \{{|(?:graph|node|edge) \[.*\];|subgraph cluster_[\d_]+ \{{"
    rf"|label={_ID};.*|{_ID} \[label={_ID}.*\];|{_ID} -> {_ID}(?: \[.*\])?;|\}}"
)
_COMMAND: Final = re.compile(r"::(error|warning|notice) (file=[^\r\n:,]*,line=1,)?title=[^:,]*::.*")
_OURS: Final = re.compile(r"</?(details|summary)>|<!-- -->")
_MARKUP: Final = re.compile(r"<|\]\(|@\w|://")


def plain(text: str) -> None:
    """No control character, nothing invisible, no broken Unicode."""
    text.encode("utf-8")
    if not text.replace("\n", " ").isprintable():
        raise AssertionError({c for c in text if not c.isprintable() and c != "\n"})


def data(text: str) -> None:
    """JSON in ASCII."""
    assert text.isascii()
    plain(text)
    json.loads(text)


def github(text: str) -> None:
    """One workflow command a line, with our properties, and a summary."""
    plain(text)
    *commands, summary = text.splitlines()
    for line in commands:
        assert _COMMAND.fullmatch(line), line
    assert summary.startswith("pte-lint: "), summary


def junit(text: str) -> None:
    """XML with our elements."""
    plain(text)
    tags = {element.tag for element in ET.fromstring(text.encode("utf-8")).iter()}
    assert tags <= {"testsuites", "testsuite", "testcase", "failure", "error", "system-out",
                    "skipped", "properties", "property"}, tags  # fmt: skip


def markdown(text: str) -> None:
    """No markup, link or mention but our own."""
    plain(text)
    outside = _OURS.sub("", outside_code(text))
    found = _MARKUP.search(outside)
    assert not found, outside[max(0, found.start() - 40) : found.end() + 40]


def outside_code(text: str) -> str:
    """Markdown without fenced blocks and code spans."""
    text = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)


def page(text: str) -> None:
    """A whole HTML page that loads, runs and sends nothing."""
    plain(text)
    found = read(text)
    assert not set(found.tags) & _NOT_IN_A_PAGE
    known = set(found.ids)
    assert len(found.ids) == len(known)
    for href in found.links:
        assert href == "data:," or (href.startswith("#") and href[1:] in known), href
    names = {name for _, name, _ in found.attributes}
    assert not {n for n in names if n.startswith("on")}
    assert not names & _NOT_AS_ATTRIBUTE
    assert found.comments == []
    assert text.endswith("</html>\n")


def picture(text: str) -> None:
    """An SVG of shapes and words."""
    plain(text)
    assert {e.tag.partition("}")[2] for e in ET.fromstring(text).iter()} <= _PICTURE


def dot(text: str) -> None:
    """Every line is one that the writer means to write, and braces match."""
    plain(text)
    for line in text.splitlines():
        assert _DOT_LINE.fullmatch(line.strip()), line
    outside = re.sub(_ID, "", text)
    assert outside.count("{") == outside.count("}")


REPORTS: Final = {
    "text": plain,
    "concise": plain,
    "json": data,
    "sarif": data,
    "junit": junit,
    "github": github,
    "gitlab": data,
    "markdown": markdown,
}
"""What holds for each format of a report."""
