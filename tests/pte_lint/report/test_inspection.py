"""What `inspect` prints."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pte_lint.inspection.build import inspect_artifact
from pte_lint.inspection.model import Inspection, Refusal
from pte_lint.report import inspection_json, inspection_text, needs_text
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.golden import check_golden
from tests.support.look import DATA, listings, look
from tests.support.sharing_writer import write_shared

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = DATA.parents[1] / "schema" / "inspection.schema.json"

FILES = [
    "device/add_skip_both_paired.pte",
    "clean/mixed_xnnpack.pte",
    "clean/mutable_named.pte",
    "clean/external_constants.pte",
    "clean/external_constants.ptd",
    "clean/bundled_linear.bpte",
]


def shown(name: str) -> Inspection:
    """An inspection whose text does not depend on where the tests lie, nor on the rules."""
    found = look(DATA / name)
    refusals = tuple(
        Refusal(version, "forward", "load_method", "error", "OperatorMissing", "PTE601")
        for version in ("1.2", "1.3")
    )
    needs = replace(found.needs, minimum_runtime="1.4", runtimes=("1.4", "1.5"), refusals=refusals)
    return replace(found, path=name, needs=needs)


@pytest.mark.parametrize("name", FILES)
def test_golden_text(name: str) -> None:
    lines = listings(DATA / name)
    text = inspection_text.render(shown(name), lines)
    check_golden(GOLDEN / f"inspect_{Path(name).name}.txt", text)


def test_golden_json() -> None:
    name = "device/add_skip_both_paired.pte"
    text = inspection_json.render(shown(name), listings(DATA / name))
    check_golden(GOLDEN / "inspect.json", text)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("with_listing", [True, False])
def test_json_is_as_the_schema_says(name: str, with_listing: bool) -> None:
    document = json.loads(
        inspection_json.render(shown(name), listings(DATA / name) if with_listing else None)
    )
    schema: dict[str, Any] = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)
    assert set(document) == set(schema["properties"])
    assert document["bytes"]["by_kind"]
    assert sum(document["bytes"]["by_kind"].values()) == document["artifact"]["size"]


def many() -> Inspection:
    b = MethodBuilder()
    x = b.input((4,))
    for n in range(30):
        b.call(f"my::op{n:02}.out", x, out=(4,))
        b.external(f"key{n:02}", (2,))
    return look(build_program(b, named_data={f"k{n}": b"x" for n in range(30)}).bytes())


def test_long_tables_are_cut_and_say_so() -> None:
    text = inspection_text.render(many())
    assert text.count("--all shows them") == 4
    assert "... and 18 more" in text
    assert "my::op29.out" not in text


def test_all_cuts_nothing() -> None:
    text = inspection_text.render(many(), every=True)
    assert "--all" not in text
    for n in range(30):
        assert f"my::op{n:02}.out" in text
        assert f"key{n:02}" in text


def test_one_row_too_many_is_no_reason_to_cut() -> None:
    b = MethodBuilder()
    x = b.input((4,))
    for n in range(13):
        b.call(f"my::op{n:02}.out", x, out=(4,))
    text = inspection_text.render(look(build_program(b).bytes()))
    assert text.count("my::op12.out") == 1  # the operators in full, the kernels cut


@pytest.mark.parametrize(
    ("runtimes", "refusals", "expected"),
    [
        ((), (), ["  runtime   unknown"]),
        (
            (),
            (Refusal("1.5", None, "load_program", "error", "InvalidProgram", None),),
            [
                "  runtime   none of the known ones runs it",
                "            not on 1.5: load_program: InvalidProgram",
            ],
        ),
        (
            ("1.4",),
            (
                Refusal("1.2", "f", "execute", "crash", None, "PTE305"),
                Refusal("1.3", "f", "execute", "crash", None, "PTE305"),
                Refusal("1.3", "f", "execute", "crash", None, "PTE305"),
                Refusal("1.5", "f", "set_input", "error", "NotSupported", "PTE301"),
            ),
            [
                "  runtime   1.4 at least; runs on 1.4",
                "            not on 1.2, 1.3: execute of f: crash (PTE305)",
                "            not on 1.5: set_input of f: NotSupported (PTE301)",
            ],
        ),
    ],
)
def test_runtimes(
    runtimes: tuple[str, ...], refusals: tuple[Refusal, ...], expected: list[str]
) -> None:
    needs = replace(
        many().needs,
        minimum_runtime=next(iter(runtimes), None),
        runtimes=runtimes,
        refusals=refusals,
        given=(),
    )
    assert list(needs_text.lines(needs, 5))[: len(expected)] == expected


def test_a_document_is_not_many_times_as_long_as_the_file() -> None:
    b = MethodBuilder()
    x = b.input((2,))
    b.output(b.call("aten::relu.out", x, out=(2,)))
    built = build_program(b)
    (plan,) = built.program.execution_plan or ()
    plan = replace(plan, inputs=(x,) * 12_000)
    content = write_shared(replace(built.program, execution_plan=(plan,)), built.segment_data)
    text = inspection_json.render(inspect_artifact(content, name="many.pte"))
    made = json.loads(text)
    listed = len(made["methods"][0]["inputs"])
    assert made["unlisted"] == {"methods[0].inputs": 12_000 - listed}
    assert len(text) < (4 << 20) + 16 * len(content)
    assert listed > 1000


@pytest.mark.parametrize(("inputs", "listed"), [(101, 101), (102, 100)])
def test_inputs_are_listed_up_to_a_hundred(inputs: int, listed: int) -> None:
    """One more is shown rather than counted; `--all` lists every one."""
    b = MethodBuilder()
    given = [b.input((4,)) for _ in range(inputs)]
    b.output(given[0])
    found = look(build_program(b).bytes())
    lines = inspection_text.render(found).split("\n")
    at = lines.index("  inputs")
    rows = lines[at + 1 : lines.index("  outputs")]
    assert [row.split()[0] for row in rows[:listed]] == [str(n) for n in range(listed)]
    assert rows[listed:] == (["    ... and 2 more (--all shows them)"] if inputs > 101 else [])
    everything = inspection_text.render(found, every=True)
    assert everything.count("planned, arena 1") == inputs + 1
