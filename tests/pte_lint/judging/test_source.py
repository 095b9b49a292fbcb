"""Where in the model a finding comes from: what wrote its value, and the line of source."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pte_lint.schema.program import Frame, FrameList

from pte_lint.claims.finding import Finding, Location, SourceLine
from pte_lint.judging.source import with_sources
from pte_lint.questions.method import Method
from pte_lint.report.phrases import source_words, where
from pte_lint.report.text import render_text
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.fuzz.judged import judged

MINE = Frame("/home/me/model.py", 7, "forward", " y = self.net(x)")
TORCH = Frame("/venv/lib/site-packages/torch/nn/modules/linear.py", 134, "forward", "return F.x")


def program(*frames: Frame, operator: str = "aten::sin.out") -> tuple[bytes, tuple[int, int, int]]:
    """Two calls, each with these frames; and the values: the input and what the calls write."""
    b = MethodBuilder("forward")
    x = b.input((2,))
    first = b.call(operator, x, out=(2,))
    second = b.call(operator, first, out=(2,))
    b.output(second)
    built = build_program(b)
    if frames:
        trace = (FrameList(frames),) * len(b.instructions)
        built = built.replaced("execution_plan[0].chains[0].stacktrace", trace)
    return built.bytes(), (x, first, second)


def placed(method: Method, location: Location) -> Finding:
    (told,) = with_sources([Finding(message="m", remediation="r", location=location)], [method])
    return replace(told, method="forward")


def test_a_value_is_told_with_what_writes_it_and_from_which_line() -> None:
    content, (x, first, second) = program(MINE, TORCH)
    method = judged(content, ())[1].methods[0]
    by_value = [placed(method, method.location(value=v)) for v in (x, first, second)]
    assert [where(each) for each in by_value] == [
        f"forward: value {x}",
        f"forward: value {first}, written by instruction 0 aten::sin.out",
        f"forward: value {second}, written by instruction 1 aten::sin.out",
    ]
    assert [bool(each.source) for each in by_value] == [False, True, True]
    step = placed(method, method.location(step=method.steps[1], value=first))
    assert where(step) == f"forward: instruction 1 aten::sin.out, value {first}"
    assert step.source == by_value[2].source


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (["/home/me/model.py", "/v/site-packages/torch/nn/modules/linear.py"], "/home/me/model.py"),
        (["C:\\me\\model.py", "C:\\v\\dist-packages\\timm\\x.py"], "C:\\me\\model.py"),
        (["/home/me/model.py", "/src/pytorch/torch/nn/modules/conv.py"], "/home/me/model.py"),
        (["/home/me/model.py", "/home/me/my-site-packages.py"], "/home/me/my-site-packages.py"),
        (
            ["/v/site-packages/zoo/a.py", "/v/site-packages/torch/b.py"],
            "/v/site-packages/torch/b.py",
        ),
    ],
)
def test_the_line_is_the_innermost_that_is_not_installed(files: list[str], told: str) -> None:
    source = tuple(SourceLine(file, 7, "forward", " y = x ") for file in files)
    finding = Finding(message="m", remediation="r", source=source)
    assert source_words(finding) == f"{told}:7 in forward: y = x"
    assert source_words(replace(finding, source=())) == ""


def test_how_to_get_lines_is_told_once_and_only_where_they_are_missing() -> None:
    unknown = "my::own.out"
    plain, _ = program(operator=unknown)
    text = render_text(judged(plain, ())[0])
    assert text.count("emit_stacktrace=True") == 1
    traced, _ = program(MINE, TORCH, operator=unknown)
    text = render_text(judged(traced, ())[0])
    assert "emit_stacktrace=True" not in text
    assert "from /home/me/model.py:7 in forward: y = self.net(x)" in text
    sound, _ = program()
    assert "emit_stacktrace" not in render_text(judged(sound, ())[0])
    # Copies are put in by a pass: no line of the model is theirs.
    copies, _ = program(operator="et_copy::own.out")
    assert "emit_stacktrace" not in render_text(judged(copies, ())[0])
