"""The page in a real browser: no errors, no requests, links and folding work, it fits."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.fast_writer import chain_program
from tests.pte_lint.picture.programs import around_a_delegate, built
from tests.pte_lint.picture.test_hostile_pictures import hostile_page
from tests.pte_lint.report.test_hostile_looks import text_of
from tests.pte_lint.report.test_hostile_names import NAMES
from tests.support.browser import Browser
from tests.support.look import DATA
from tests.support.pictures import page
from tests.support.reports import finding

pytestmark = pytest.mark.browser

BAD = DATA / "device" / "add_skip_both_planned.pte"
EXAMPLES = [
    "device/add_skip_both_planned.pte",
    "device/add_default.pte",
    "device/two_devices.pte",
    "device/cond_delegate_in_branch.pte",
    "clean/cond_nested.pte",
    "clean/transformer_block.pte",
    "clean/several_methods.pte",
    "clean/external_constants.ptd",
    "clean/bundled_linear.bpte",
]
_IN_VIEW = """
const box = document.querySelector(arguments[0]).getBoundingClientRect();
return box.bottom > 0 && box.top < innerHeight;
"""

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a page to a file."""

    def done(text: str) -> Path:
        path = tmp_path / "report.html"
        path.write_text(text, "utf-8")
        return path

    return done


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_errors_and_no_requests(chromium: Browser, write: Write, name: str) -> None:
    path = write(page(DATA / name))
    chromium.look()
    chromium.open(path)
    assert chromium.messages() == []
    assert chromium.requests() == [path.resolve().as_uri()]


@pytest.mark.parametrize("kind", ["html", "entity", "cdata", "quotes", "bidi", "nul"])
def test_hostile_names_do_nothing(chromium: Browser, write: Write, kind: str) -> None:
    path = write(hostile_page(NAMES[kind], text_of(kind)))
    chromium.look()
    chromium.open(path)
    assert chromium.messages() == []
    assert chromium.requests() == [path.resolve().as_uri()]
    assert chromium.run("return document.scripts.length + document.images.length") == 0


def test_the_policy_stops_what_should_ever_get_in(chromium: Browser, write: Write) -> None:
    """The same page with a script, a style attribute and an image smuggled in."""
    smuggled = (
        "<script>document.title = 'owned'</script><p id='bad' style='color: red'>x</p>"
        "<img src='http://127.0.0.1:9/x.png'></body>"
    )
    path = write(page(BAD).replace("</body>", smuggled))
    chromium.look()
    chromium.open(path)
    assert chromium.run("return document.title") == "model.pte: pte-lint report"
    colour = "return getComputedStyle(document.getElementById('bad')).color"
    assert chromium.run(colour) != "rgb(255, 0, 0)"
    assert len(chromium.messages()) >= 3
    assert chromium.requests() == [path.resolve().as_uri()]


def test_the_style_sheet_is_in_force(chromium: Browser, write: Write) -> None:
    path = write(page(BAD))
    backgrounds = []
    for dark in (False, True):
        chromium.look(dark=dark)
        chromium.open(path)
        backgrounds.append(chromium.run("return getComputedStyle(document.body).backgroundColor"))
    assert backgrounds == ["rgb(255, 255, 255)", "rgb(18, 22, 27)"]


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_hangs_over_the_edge(
    chromium: Browser, write: Write, name: str, width: int
) -> None:
    chromium.look(width, 800)
    chromium.open(write(page(DATA / name)))
    assert chromium.run("return document.documentElement.scrollWidth") <= width
    cut_off = chromium.run(
        "return [...document.querySelectorAll('.box, .tensor, .finding')]"
        ".filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText)"
    )
    assert cut_off == []
    small = chromium.run(
        "return [...document.querySelectorAll('p, li, td, th, dd, dt, summary, h1, h2, h3')]"
        ".filter(e => e.innerText.trim() && parseFloat(getComputedStyle(e).fontSize) < 10)"
        ".length"
    )
    assert small == 0


def test_the_first_screen_tells_what_is_wrong_and_what_the_fix_changes(
    chromium: Browser, write: Write
) -> None:
    chromium.look(1280, 900)
    chromium.open(write(page(BAD)))
    for selector in (".verdict.bad", ".finding.error", "#m0-in0", "#m0-v0", ".version.then .saved"):
        assert chromium.run(_IN_VIEW, selector), selector


def test_links_lead_to_the_pictures_and_back(chromium: Browser, write: Write) -> None:
    chromium.look(900, 500)
    chromium.open(write(page(BAD)))
    chromium.click(".finding.error .see[href='#m0-in0']")
    assert chromium.run("return location.hash") == "#m0-in0"
    assert chromium.run(_IN_VIEW, "#m0-in0")
    assert chromium.run("return document.querySelector('tr:target').id") == "m0-in0"
    chromium.click("#m0-in0 a.badge")
    assert chromium.run("return document.querySelector('.place:target') !== null")
    assert chromium.run(_IN_VIEW, ".place:target")
    chromium.click(".finding.error .see[href='#m0-v0']")
    assert chromium.run(_IN_VIEW, "#m0-v0")
    assert chromium.run("return document.querySelector('svg:target').id") == "m0-v0"
    chromium.run("document.querySelector('a:has(#m0-v1)').scrollIntoView({block: 'center'})")
    chromium.click("a:has(#m0-v1) .tenant")
    assert chromium.run(_IN_VIEW, ".place:target")


def test_folding_works(chromium: Browser, write: Write) -> None:
    chromium.look()
    chromium.open(write(page(DATA / "clean" / "transformer_block.pte")))
    shown = (
        "return document.querySelector('.fold pre').checkVisibility({contentVisibilityAuto: true})"
    )
    folded = chromium.run("return document.querySelector('.fold details').open")
    assert not folded
    height = chromium.run("return document.querySelector('.fold').getBoundingClientRect().height")
    chromium.run("document.querySelector('.fold').scrollIntoView({block: 'center'})")
    chromium.click(".fold summary")
    assert chromium.run("return document.querySelector('.fold details').open")
    assert chromium.run(shown)
    grown = chromium.run("return document.querySelector('.fold').getBoundingClientRect().height")
    assert grown > height + 50


def test_a_link_into_folded_findings_unfolds_them(chromium: Browser, write: Write) -> None:
    text = page(
        built(around_a_delegate(60, kernels=0)),
        find=lambda method: [
            finding(location=method.location(step=step), evidence={}) for step in method.steps
        ],
    )
    target = re.findall(r'id="(f-[0-9a-f]+)"', text)[-1]
    path = write(text)
    chromium.look()
    chromium.open(path)
    seen = "return document.getElementById(arguments[0]).checkVisibility()"
    assert not chromium.run(seen, target)
    chromium.open(path, target)
    assert chromium.run(_IN_VIEW, f"#{target}")


def test_everything_can_be_reached_with_the_keyboard(chromium: Browser, write: Write) -> None:
    chromium.look()
    chromium.open(write(page(BAD)))
    focusable = "a[href], summary, [tabindex='0']"
    wanted = chromium.run(
        "return [...document.querySelectorAll(arguments[0])]"
        ".filter(e => e.checkVisibility({contentVisibilityAuto: true})).length",
        focusable,
    )
    seen = set()
    order = "return [...document.querySelectorAll(arguments[0])].indexOf(document.activeElement)"
    for _ in range(wanted + 2):
        chromium.press("\ue004")  # Tab
        seen.add(chromium.run(order, focusable))
    assert len(seen - {-1}) == wanted
    assert wanted > 20


def test_names_for_screen_readers(chromium: Browser, write: Write) -> None:
    """Every link, button and figure has a name in the accessibility tree."""
    chromium.look()
    chromium.open(write(page(BAD)))
    chromium.cdp("Accessibility.enable")
    tree = chromium.cdp("Accessibility.getFullAXTree")["nodes"]
    named = ("link", "DisclosureTriangle", "table", "columnheader", "rowheader", "heading")
    roles: dict[str, int] = {}
    for node in tree:
        role = node.get("role", {}).get("value", "")
        if node.get("ignored") or role not in named:
            continue
        roles[role] = roles.get(role, 0) + 1
        assert node.get("name", {}).get("value", "").strip(), node
    assert roles["link"] > 20
    assert roles["heading"] >= 9
    assert roles["columnheader"] >= 3


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_what_is_behind_it(
    chromium: Browser, write: Write, dark: bool
) -> None:
    """WCAG AA: 4.5 to 1, for the text of HTML elements that have a plain background."""
    chromium.look(dark=dark)
    chromium.open(write(page(BAD)))
    poor = chromium.run(_CONTRAST)
    assert poor == []


_CONTRAST = """
const parse = c => c.match(/[\\d.]+/g).map(Number);
const light = c => {
  const [r, g, b] = c.slice(0, 3).map(v => {
    v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = e => {
  for (; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c;
  }
  return [255, 255, 255];
};
const found = [];
for (const e of document.querySelectorAll('body *:not(svg):not(svg *)')) {
  const text = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  if (!text || !e.checkVisibility()) continue;
  const a = light(parse(getComputedStyle(e).color)), b = light(behind(e));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) found.push([e.className, e.textContent.trim().slice(0, 40), ratio.toFixed(2)]);
}
return found;
"""


def test_ten_thousand_instructions_open_within_two_seconds(chromium: Browser, write: Write) -> None:
    programs = {
        "chain": chain_program(10_000),
        "copies": built(around_a_delegate(2_500, kernels=1)),
    }
    chromium.look()
    for name, program in programs.items():
        path = write(page(program))
        assert path.stat().st_size < 2_000_000, name
        assert min(chromium.open(path) for _ in range(3)) < 2, name
        assert chromium.messages() == []


def test_it_prints(chromium: Browser, write: Write) -> None:
    chromium.look(printed=True)
    chromium.open(write(page(BAD)))
    assert chromium.run("return getComputedStyle(document.querySelector('nav')).display") == "none"
    pdf = chromium.cdp("Page.printToPDF", printBackground=True)["data"]
    assert pdf.startswith("JVBERi")  # %PDF


def test_a_screenshot_is_a_picture_of_the_page(chromium: Browser, write: Write) -> None:
    chromium.look(800, 600)
    chromium.open(write(page(BAD)))
    png = chromium.picture()
    assert struct.unpack(">II", png[16:24]) == (800, 600)
