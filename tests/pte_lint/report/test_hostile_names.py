"""Names that attack each format, from everywhere a name can come from, in every format."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Final

import jsonschema
import pytest

from pte_lint.claims.finding import Confirmation, Finding, Location, SourceLine, Unchecked
from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.result import InternalError, Report, RuleResult, Suppressed, Verdict
from pte_lint.report.formats import FORMATS, render
from tests.pte_lint.report.test_formats import SARIF_SCHEMA
from tests.support.reports import artifact, finding, report
from tests.support.sanitised import outside_code

NAMES: Final = {
    "escape": "\x1b[31mred\x1b[2J",
    "title": "\x1b]0;owned\x07",
    "c1": "\x9b31m",
    "newline": "a\nb\r\nc",
    "command": "\n::error::owned\n::set-output name=a::b",
    "nul": "a\x00b\x0b",
    "bidi": "\u202egnp.etp\u2066",
    "invisible": "a\u200b\ufeffb\U000e0041",
    "html": "<script>alert(1)</script><img src=x onerror=y>",
    "entity": "&lt;b&gt; & &#27;[31m",
    "cdata": "]]><!--",
    "markdown": "[click](http://evil) `x` **b** | c\n# h",
    "fence": "```\n</details>\n```",
    "mention": "@everyone #1 www.evil.com http://evil",
    "markup": "[red]x[/red]",
    "surrogate": "bad \udcff\ud800",
    "quotes": "\"'\\",
    "percent": "%s %0A %n {0} {{",
    "long": "x" * 100_000,
    "empty": "",
}

every_format = pytest.mark.parametrize("form", list(FORMATS))
every_name = pytest.mark.parametrize("kind", list(NAMES))


def hostile(evil: str) -> Report:
    """A report with the name everywhere."""
    bad: Finding = finding(
        0,
        name=evil,
        method=evil,
        message=f"The operator {evil} is bad.",
        remediation=f"Fix {evil}:\n\n    use({evil})\n",
        subject=evil,
        evidence={evil: evil, "list": [evil]},
        location=Location(path=evil, instruction=1, operator=evil),
        source=(SourceLine(evil, -5, evil, evil),),
        confirmation=Confirmation("confirmed", {evil: evil}, {evil: [evil]}),
    )
    return report(
        artifact(
            bad,
            path=evil,
            verdict=(Verdict(evil, Stage.EXECUTE, Outcome.ERROR, "NotSupported", "PTE301"),),
            runs_on={
                "1.5": (Verdict(evil, Stage.EXECUTE, Outcome.ERROR, "NotSupported", "PTE301"),)
            },
            unchecked=(Unchecked(evil, evil),),
            rules=(RuleResult("PTE402", "not_evaluated", evil),),
            internal_errors=(InternalError("PTE999", evil, f"Traceback\n{evil}"),),
            numbers={"methods": [{"method": evil}], "planned_bytes": {evil: 1}},
            suppressed=(Suppressed(bad, evil),),
        ),
        notes=(evil,),
    )


@every_format
@every_name
def test_no_control_character_and_nothing_invisible_comes_out(form: str, kind: str) -> None:
    text = render(hostile(NAMES[kind]), form)
    text.encode("utf-8")
    bad = {c for c in text if not c.isprintable() and c != "\n"}
    assert bad == set()


@every_format
def test_the_output_grows_by_what_is_shown_not_by_the_name(form: str) -> None:
    once, twice = (len(render(hostile("x" * n), form)) for n in (100_000, 200_000))
    assert once == twice


@every_name
@pytest.mark.parametrize("form", ["json", "sarif", "gitlab"])
def test_json_stays_json(form: str, kind: str) -> None:
    text = render(hostile(NAMES[kind]), form)
    assert text.isascii()
    made = json.loads(text)
    if form == "sarif":
        jsonschema.Draft7Validator(SARIF_SCHEMA).validate(made)


@every_name
def test_xml_stays_xml_with_the_same_elements(kind: str) -> None:
    def shape(name: str) -> list[str]:
        root = ET.fromstring(render(hostile(name), "junit").encode("utf-8"))
        return [element.tag for element in root.iter()]

    assert shape(NAMES[kind]) == shape("forward")


@every_name
def test_github_has_the_same_commands_line_by_line(kind: str) -> None:
    def shape(name: str) -> list[str]:
        lines = render(hostile(name), "github").splitlines()
        return [re.split(r"[ :]", line.removeprefix("::"))[0] for line in lines]

    assert shape(NAMES[kind]) == shape("forward")
    for line in render(hostile(NAMES[kind]), "github").splitlines()[:-1]:
        head = line.split("::")[1]
        assert head.count("=") == head.count(",") + 1 or "=" in NAMES[kind]


@every_name
def test_markdown_has_no_markup_of_the_file(kind: str) -> None:
    text = render(hostile(NAMES[kind]), "markdown")
    assert text.count("<details>") == 1
    assert text.count("</details>") == 1 + (kind == "fence" and _in_code(text, "</details>"))
    outside = outside_code(text)
    assert "<script" not in outside
    assert "<img" not in outside
    assert "](http" not in outside
    assert "@everyone" not in outside
    assert "http://evil" not in outside


def _in_code(text: str, word: str) -> int:
    return text.count(word) - outside_code(text).count(word)


@every_name
def test_text_is_80_columns_but_for_paths_and_code(kind: str) -> None:
    lines = render(hostile(NAMES[kind]), "text").splitlines()
    long = [line for line in lines if len(line) > 80]
    assert all("use(" in line or line == lines[0] or "PTE301" in line for line in long)
