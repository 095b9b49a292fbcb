"""The HTML report, by parsing it."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

from pte_lint.claims.finding import Confirmation, Unchecked
from pte_lint.claims.result import InternalError, Suppressed
from pte_lint.picture import html
from tests.pte_lint.picture.programs import around_a_delegate, built, chain, planned_on_a_device
from tests.support.look import DATA, every_file
from tests.support.markup import read
from tests.support.pictures import looked_at, nothing, page
from tests.support.reports import finding
from tests.support.sanitised import page as check

BAD = DATA / "device" / "add_skip_both_planned.pte"


@pytest.mark.parametrize("path", every_file(), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_file_gives_a_sound_page(path: Path) -> None:
    text = page(path)
    check(text)
    assert len(text) < 500_000


@pytest.mark.parametrize(
    "content",
    [b"", b"version https://git-lfs.github.com/spec/v1\n", b"\x7fELF" + bytes(99), b"ET12" * 9],
)
def test_what_is_no_program_gives_a_page_too(content: bytes) -> None:
    text = page(content)
    check(text)
    assert "load_program fails" in text


def test_the_same_bytes_every_time() -> None:
    assert page(BAD) == page(BAD)


def test_the_policy_allows_this_style_sheet_and_nothing_else() -> None:
    text = page(BAD)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert policy
    assert style
    digest = b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy[1] == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    assert text.index("Content-Security-Policy") < text.index("<title>")
    assert "@import" not in style[1]
    assert not re.search(r"url\((?!#)", style[1])


def test_findings_come_first_and_link_there_and_back() -> None:
    text = page(BAD)
    assert text.index('id="findings"') < text.index('id="m0"') < text.index('id="bytes"')
    found = read(text)
    placed = [i for i in found.ids if i.startswith("f-")]
    assert len(placed) == 6
    assert {"#m0-in0", "#m0-in1", "#m0-v0", "#m0-v1", "#m0-out0"} <= set(found.links)
    assert {f"#{i}" for i in placed[:2]} <= set(found.links)


def test_errors_come_before_warnings_before_infos() -> None:
    kinds = re.findall(r'<article class="finding (\w+)">', page(BAD))
    assert kinds == ["error", "warning", "info", "info", "info"]


def test_what_the_fix_changes_is_said_in_numbers() -> None:
    text = " ".join(" ".join(read(page(BAD)).text).split())
    assert "planned on cuda:0 now 768 bytes with the fix 256 bytes" in text
    assert "with PTE301 fixed : 256 bytes planned; input 0, input 1 in the caller" in text
    assert "512 bytes saved" in text


def test_a_clean_page_says_so() -> None:
    text = page(DATA / "clean" / "linear.pte", find=nothing)
    check(text)
    assert "Nothing was found." in text
    assert '<main class="plain">' in text
    assert "PTE" not in text


def test_stamps_and_evidence_of_a_run() -> None:
    with looked_at(BAD) as (report, context):
        (artifact,) = report.artifacts
        told = Confirmation(
            "confirmed",
            evidence={
                "reason": "the runtime did it",
                "logs": ["first", "second <b>"],
                "older_runtimes": {"1.4": {"status": "confirmed", "reason": "it crashed"}},
            },
        )
        quiet = Confirmation("unsupported", evidence={"reason": "nothing to see"})
        findings = tuple(
            replace(f, confirmation=told if f.rule == "PTE301" else quiet)
            for f in artifact.findings
        )
        verdict = tuple(replace(v, confirmation=told) for v in artifact.verdict)
        shown = replace(artifact, findings=findings, verdict=verdict)
        text = html.render(replace(report, artifacts=(shown,)), context)
    check(text)
    assert text.count('<span class="stamp confirmed">confirmed</span>') == 2  # verdict, group
    assert text.count('<div class="confirmation confirmed">') == 2  # one for each input
    assert text.count("executorch 1.4 replayed: confirmed, it crashed") == 2
    assert "second &lt;b&gt;" in text
    assert '<span class="stamp unsupported">' not in text
    assert "not shown by running</b>: nothing to see" in text


def test_what_went_wrong_or_was_left_out_is_on_the_page() -> None:
    with looked_at(BAD) as (report, context):
        (artifact,) = report.artifacts
        shown = replace(
            artifact,
            internal_errors=(InternalError("PTE999", "KeyError('x')", "Traceback\nKeyError"),),
            suppressed=(Suppressed(artifact.findings[0], "we know"),),
            unchecked=tuple(Unchecked(f"thing {n}", "why") for n in range(300)),
        )
        made = replace(report, artifacts=(shown,), notes=("an ignore entry matches nothing",))
        text = html.render(made, context)
    check(text)
    assert "internal error in PTE999" in text
    assert "1 finding set aside" in text
    assert "we know" in text
    assert "an ignore entry matches nothing" in text
    assert "and 200 more" in text


def test_many_findings_fold_and_keep_their_links() -> None:
    text = page(
        built(around_a_delegate(60, kernels=0)),
        find=lambda method: [
            finding(location=method.location(step=step), evidence={}) for step in method.steps
        ],
    )
    check(text)
    assert "174 more like this" in text


def test_a_long_program_is_a_small_page() -> None:
    text = page(built(chain(3000)))
    check(text)
    assert len(text) < 600_000
    assert "2,991 instructions" in text


def test_methods_have_their_own_sections_and_verdicts() -> None:
    text = page(built(planned_on_a_device(), around_a_delegate(name="second")))
    check(text)
    found = read(text)
    assert {"m0", "m1"} <= set(found.ids)
    assert text.count('<span class="said bad">') == 1
    assert text.count('<span class="said good">') == 1


def test_constant_methods_are_a_list() -> None:
    text = page(DATA / "clean" / "constant_methods.pte", find=nothing)
    check(text)
    words = " ".join(" ".join(read(text).text).split())
    with looked_at(DATA / "clean" / "constant_methods.pte", find=nothing) as (_, context):
        constant = [m.name for m in context.methods if not m.steps]
        drawn = [m.name for m in context.methods if m.steps]
    assert constant
    assert text.count('<section class="method"') == len(drawn)
    assert "Constant methods They have no instructions" in words
    for name in constant:
        assert f"<dt>{name}</dt>" in re.sub(r"<svg.*?</svg>", "", text)


def test_good_verdicts_of_many_methods_are_folded() -> None:
    methods = [around_a_delegate(name=f"m{n}") for n in range(8)]
    text = page(built(*methods))
    check(text)
    assert "all 8 methods run" in text
    text = page(built(planned_on_a_device(), *methods[:7]))
    assert "<strong>7 methods run</strong>" in text
    assert text.index("forward: set_input fails") < text.index("7 methods run")


def test_runtimes_that_do_the_same_are_told_together() -> None:
    words = " ".join(" ".join(read(page(BAD)).text).split())
    assert "runs on 1.2 , 1.3 1.4 : set_input crashes (SIGSEGV)" in words
    assert "1.5 : set_input fails with NotSupported" in words
