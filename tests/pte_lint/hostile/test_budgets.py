"""Every budget that there is: below it a program is judged, from it on `check` fails."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner
from pte_lint.schema import limits
from pte_lint.schema.loaded import read_program

import pte_lint
from pte_lint.claims.result import Report
from pte_lint.cli.app import app
from tests.support import padded
from tests.support.budgets import budgets
from tests.support.padded import Make

ROOT = Path(__file__).resolve().parents[3]
_LIMITS = "pte_lint.schema.limits"
_TABLES = {f"{_LIMITS}:FREE_TABLES": 60, f"{_LIMITS}:TABLE_BYTES": 1 << 40}
_SHARED = {**_TABLES, f"{_LIMITS}:UNSHARED_FACTOR": 0}
_PLACES = {
    "pte_lint.interpret.change_meanings:MAX_PLACES": 6,
    "pte_lint.interpret.residency:MAX_PLACES": 6,
}
_READING = "pte_lint/data/reading.py"
_OVER = "rules/memory/kernel_over_its_input.py: what"

Row = tuple[str, Make, Mapping[str, int]]
"""Where it is entered that a budget is used up, a program that grows, and small budgets."""


def _of(module: str, **values: int) -> dict[str, int]:
    return {f"{module}:{name}": value for name, value in values.items()}


ROWS: dict[str, Row] = {
    "tables": (f"{_READING}: 'the program'", padded.values, _TABLES),
    "tables of any file": (
        f"{_READING}: 'the program'", padded.values, _of(_LIMITS, MAX_TABLES=60)),
    "memory": (
        f"{_READING}: 'the program'", padded.values,
        _of(_LIMITS, FREE_BYTES=9_000, BYTES_FACTOR=0)),
    "memory for any file": (
        f"{_READING}: 'the program'", padded.values, _of(_LIMITS, MAX_BYTES=9_000)),
    "shared content": (
        f"{_READING}: 'the program'", padded.shared_segments,
        {**_SHARED, f"{_LIMITS}:FREE_UNSHARED": 1_000}),
    "shared content of a method": (
        f"{_READING}: 'the method'", padded.shared_values,
        {**_SHARED, f"{_LIMITS}:FREE_UNSHARED": 3_000}),
    "tables of a bundle": (f"{_READING}: 'the bundle'", padded.bundled_cases, _TABLES),
    "tables of a data file": (
        f"{_READING}: f\"the tables of {{file.name or 'the data file'}}\"", padded.data_keys,
        _TABLES),
    "blobs": (
        f"{_READING}: f'delegate {{blob.index}}'", padded.blobs,
        _of("pte_lint.data.delegate_blobs", _FREE_BYTES=300, _FACTOR=0)),
    "lists": (
        f"{_READING}: 'the method'", padded.long_lists,
        _of("pte_lint.ir.steps", _LIST_ALLOWANCE=20, _LIST_SHARE=0, _ITEMS_A_STEP=0)),
    "a constant": (
        f"{_READING}: 'the method'", padded.constant_condition,
        {**_of("pte_lint.data.reading", MOST_CONSTANT_BYTES=16),
         **_of("pte_lint.data.constant_bytes", MOST_CONSTANT_BYTES=16)}),
    "methods": (f"{_READING}: what", padded.methods, _of("pte_lint.data.reading", MAX_METHODS=5)),
    "changes of values": (
        "pte_lint/interpret/reaching.py: 'what its values point to'", padded.moves,
        _of("pte_lint.interpret.reaching", _BUDGET_FLOOR=60, _BUDGET_PER_STEP=0)),
    "places": (
        "pte_lint/interpret/residency.py: 'what its values point to'", padded.moves, _PLACES),
    "places of what is moved": (
        "pte_lint/interpret/residency.py: 'what its values point to'", padded.moves_of_moves,
        _PLACES),
    "values across blocks": (
        "pte_lint/interpret/dataflow.py: MEMORY_PLAN", padded.branches,
        _of("pte_lint.interpret.dataflow", _BUDGET_FLOOR=60, _BUDGET_PER_STEP=0)),
    "played steps": (
        "pte_lint/interpret/runs.py: 'its loops and jumps'", padded.sums,
        _of("pte_lint.interpret.runs", _BUDGET_FLOOR=60, _BUDGET_PER_STEP=0)),
    "paths": (
        "pte_lint/questions/paths.py: 'which paths can be taken'", padded.paths,
        _of("pte_lint.questions.paths", _BUDGET=20)),
    "earlier tenants": (
        "pte_lint/questions/storage.py: 'what its views show'", padded.tenants,
        _of("pte_lint.questions.storage", _BUDGET_FLOOR=20, _BUDGET_PER_STEP=0)),
    "ranges": (
        "pte_lint/questions/overlap.py: MEMORY_PLAN", padded.conflicts,
        _of("pte_lint.questions.overlap", _BUDGET_FLOOR=20, _BUDGET_PER_STEP=0)),
    "conflicts": (
        "pte_lint/questions/overlap.py: MEMORY_PLAN", padded.conflicts,
        _of("pte_lint.questions.overlap", _MAX_RESULTS=20)),
    "names of a tensor": (
        "pte_lint/questions/liveness.py: MEMORY_PLAN", padded.branches,
        _of("pte_lint.questions.liveness", _BUDGET_FLOOR=20, _BUDGET_PER_ACCESS=0)),
    "blocks before a write": (
        "pte_lint/questions/liveness.py: 'what is read before it is written'", padded.paths,
        _of("pte_lint.questions.liveness", _BUDGET_FLOOR=20, _BUDGET_PER_STEP=0,
            _BUDGET_PER_ACCESS=64)),
    "what a condition hangs on": (
        "pte_lint/questions/repeats.py: 'whether its loops end'", padded.waiting,
        _of("pte_lint.questions.repeats", _BUDGET=60)),
    "conditions": (
        "rules/structure/endless_loop.py: 'whether its loops end'", padded.many_conditions,
        _of("pte_lint.rules.structure.endless_loop", _FREE_BLOCKS=400, _TIMES=0)),
    "values that nothing writes": (
        "pte_lint/questions/missing_writer.py: 'which copies of results are missing'",
        padded.unwritten, _of("pte_lint.questions.missing_writer", _BUDGET=20)),
    "findings": (
        "pte_lint/judging/engine.py: what", padded.findings,
        _of("pte_lint.judging.engine", FREE_FINDINGS=5, BYTES_A_FINDING=1 << 40)),
    "findings of any file": (
        "pte_lint/judging/engine.py: what", padded.findings,
        _of("pte_lint.judging.engine", MOST_FINDINGS=5)),
    "findings that are alike": (
        "pte_lint/judging/engine.py: what", padded.findings,
        _of("pte_lint.judging.engine", MOST_ALIKE=5)),
    "elements": (_OVER, padded.over_its_input,
        _of("pte_lint.questions.replay_elementwise", _MOST_ELEMENTS=20)),
    "bytes": (_OVER, padded.rows_over_their_input,
        _of("pte_lint.questions.replay", _MOST_BYTES=60)),
    "copies": (_OVER, padded.rows_over_their_input,
        _of("pte_lint.questions.replay", _MOST_MOVES=20)),
}  # fmt: skip


def judged(row: Row, n: int, wrong: bool) -> Report:
    program, data = row[1](n, wrong)
    with budgets(row[2]):
        report = pte_lint.check(program, data=list(data), isolated=True)
    assert report.internal_errors == ()
    return report


def is_told(report: Report) -> bool:
    return any(f.is_unjudged for f in report.findings)


def first_above(row: Row) -> int:
    """The smallest size that uses up a budget."""
    most = 1
    while not is_told(judged(row, most, False)):
        most *= 2
        assert most <= 256, "nothing uses it up"
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        if is_told(judged(row, middle, False)):
            most = middle
        else:
            least = middle
    return most


@pytest.mark.parametrize("name", ROWS)
def test_a_budget_that_is_used_up_is_no_pass(name: str, tmp_path: Path) -> None:
    row = ROWS[name]
    above = first_above(row)
    assert above > 1
    for n in (above - 1, above, above + 1):
        for wrong in (False, True):
            report = judged(row, n, wrong)
            if n >= above or wrong:
                assert not report.is_clean(), (n, wrong)
            if n >= above or not wrong:
                assert is_told(report) == (n >= above), (n, wrong)
    assert any(f.rule == "PTE401" for f in judged(row, above - 1, True).findings)
    path = tmp_path / "model.pte"
    program, data = row[1](above, True)
    path.write_bytes(program)
    options = []
    for number, content in enumerate(data):
        (tmp_path / f"{number}.ptd").write_bytes(content)
        options += ["--data", str(tmp_path / f"{number}.ptd")]
    with budgets(row[2]):
        command = ["check", "--isolated", "--no-cache", *options, str(path)]
        assert CliRunner().invoke(app, command).exit_code == 1


def _sites() -> set[str]:
    """Where the code enters what it gave up on."""
    found = set()
    for path in sorted([*ROOT.glob("pte_lint/**/*.py"), *ROOT.glob("rules/**/*.py")]):
        name = path.relative_to(ROOT).as_posix()
        if name == "pte_lint/claims/ledger.py" or name.startswith("pte_lint/picture/"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            if isinstance(called, ast.Name) and called.id == "Budget":
                found.add(f"{name}: {ast.unparse(node.args[1])}")
            elif isinstance(called, ast.Attribute) and called.attr == "give_up":
                found.add(f"{name}: {ast.unparse(node.args[0])}")
    return found


#: Entered by what a file far away, or another file, does: tested where that is.
ELSEWHERE = {
    f"{_READING}: 'what is wrong with its tables'",
    "pte_lint/rulebook/pipeline.py: f'what pipelines hand over from or to {glob}'",
}


def test_no_place_that_gives_up_is_without_a_row() -> None:
    assert _sites() == {site for site, _, _ in ROWS.values()} | ELSEWHERE


_BOUND = re.compile(
    r"MOST|MAX|LIMIT|BUDGET|FREE_|FACTOR|LONGEST|DEEPEST|DEPTH|FORKS|ROUNDS|LOOK|TIMES|ALLOWANCE"
    r"|SHARE|PLACES|PER_STEP|SPANS|STARTS|AHEAD|BACK|FILE_BYTES|STREAM_BYTES|NAMES$|CONFIGURATION"
)
_JUDGING = ("schema", "pte_lint/data", "pte_lint/interpret", "pte_lint/ir", "pte_lint/judging",
            "pte_lint/ops", "pte_lint/questions", "pte_lint/rulebook", "rules")  # fmt: skip

_RUNTIME = "the runtime's own figure"
_SHOWN = "how much is shown, or of which length"
_FETCHING = "what is not fetched is told: tests/pte_lint/files/remote/test_how_much.py"
_OPENING = "beyond it nothing is opened: tests/pte_lint/hostile/test_what_is_opened.py"
_PIPELINES = "tests/rules/device/test_methods_disagree_on_device.py"
_HINT = "behind it there is a hint or a milder finding only"
_LIBRARY = "no linker makes so much: a library that has it is told as not read"
NO_BUDGETS = {
    "schema/blob/aoti.py:_LONGEST_LINES": "a blob that is longer is told as not read",
    "schema/blob/aoti.py:_MOST_WEIGHTS": "a blob that has more is told as not read",
    "schema/blob/coreai.py:_MOST_BYTES": "a manifest that is longer is told as not read",
    "schema/blob/coreml.py:_DEPTH": _SHOWN,
    "schema/blob/coreml.py:_MOST": "beyond it a number is none of a file",
    "schema/blob/tensorrt.py:_MOST": "beyond it a number is none of a header",
    "schema/blob/cuda_code.py:MOST_IMAGES": "a library that has more is told as not read",
    "schema/blob/elf.py:MOST_SYMBOLS": _LIBRARY,
    "schema/blob/elf.py:_FREE_STRINGS": _LIBRARY,
    "schema/blob/elf.py:_LONGEST": _SHOWN,
    "schema/blob/elf.py:_MOST_DYNAMIC": _LIBRARY,
    "schema/blob/elf.py:_MOST_HEADERS": _LIBRARY,
    "schema/blob/elf.py:_MOST_STRINGS": _LIBRARY,
    "schema/blob/library.py:_FACTOR": "a library that names more is told as not read",
    "schema/blob/library.py:_FREE_BYTES": "the same",
    "schema/enums.py:MAX_RANK": _RUNTIME,
    "schema/limits.py:CONFIGURATION_BYTES": _OPENING,
    "schema/limits.py:FETCH_AHEAD": _FETCHING,
    "schema/limits.py:FILE_BYTES": _OPENING,
    "schema/limits.py:MAX_VIOLATIONS": "test_more_violations_than_are_kept",
    "schema/limits.py:RECORD_FILE_BYTES": _OPENING,
    "schema/limits.py:STORE_NAMES": "test_what_is_beyond_the_limits_is_counted_and_no_pass",
    "schema/limits.py:STREAM_BYTES": _OPENING,
    "schema/limits.py:VERIFIER_MAX_BYTES": _RUNTIME,
    "schema/limits.py:VERIFIER_MAX_DEPTH": _RUNTIME,
    "schema/limits.py:VERIFIER_MAX_TABLES": _RUNTIME,
    "schema/limits.py:SHARED_BYTES": "what is taken off the budget of memory",
    "schema/writer/program_file.py:_MOST_ALIGNMENT": "no reading",
    "schema/loaded.py:_LONGEST_KEY": "a key that is longer counts as one that nobody knows",
    "schema/record.py:_MOST": "the fields of the widest table of the formats",
    "schema/sniff.py:_LOOK": "what a file that is no program may be instead",
    "schema/sniff.py:_MAGIC_LOOK": "what a file that is no program may be instead",
    "schema/xnnpack_checks.py:_MAX_EXTERNS": _RUNTIME,
    "schema/xnnpack_layers.py:_MOST_FACTOR": _RUNTIME,
    "schema/xnnpack_values.py:MAX_DIMS": _RUNTIME,
    "schema/xnnpack_values.py:_MOST_SCALES": "beyond it single scales are left open",
    "pte_lint/data/libraries.py:_FACTOR": "a library beyond it is told as not read",
    "pte_lint/data/libraries.py:_FREE_BYTES": "the same",
    "pte_lint/data/language_model.py:_MOST_INPUTS": _HINT,
    "pte_lint/data/method_memory.py:_MOST_DIMS": _RUNTIME,
    "pte_lint/data/needs.py:MOST_NEEDS": _SHOWN,
    "pte_lint/data/weights.py:_MOST_RANK": _HINT,
    "pte_lint/data/text_damage.py:_LOOK": "why a file that is refused is broken",
    "pte_lint/data/same_bytes.py:MOST_COMPARED": "the first bytes, and says so",
    "pte_lint/data/uniform.py:_DEEPEST": _HINT,
    "pte_lint/interpret/choices.py:_MOST_ALONE": "a warning: not all sizes are tried",
    "pte_lint/ops/layouts/meanings.py:_MOST_PRODUCTS": "beyond it every misread layout counts",
    "pte_lint/interpret/dead.py:_FREE_LOOKS": "beyond it states are told apart that could be one",
    "pte_lint/interpret/dead.py:_LOOKS_A_STEP": "the same",
    "pte_lint/interpret/delegates.py:_MOST_DIMENSIONS": _RUNTIME,
    "pte_lint/interpret/runs.py:MOST_INSTRUCTIONS": _RUNTIME,
    "pte_lint/interpret/runs.py:_FORKS": "numbers that hang on data: told under unchecked",
    "pte_lint/interpret/runs.py:_MOST_RUNS": "beyond it jumps may go both ways",
    "pte_lint/judging/engine.py:MOST_BACKENDS": _SHOWN,
    "pte_lint/judging/engine.py:MOST_UNCHECKED": "the last one tells how many more there are",
    "pte_lint/judging/engine.py:MOST_UNLISTED": "beyond it there are at least so many errors",
    "pte_lint/judging/finish.py:LONGEST_LIST": _SHOWN,
    "pte_lint/judging/finish.py:LONGEST_TEXT": _SHOWN,
    "pte_lint/judging/source.py:_MOST": _SHOWN,
    "pte_lint/ops/checks/call.py:_MOST": "more elements than any tensor has",
    "pte_lint/ops/checks/fills.py:_LONGEST": _RUNTIME,
    "pte_lint/ops/xnnpack_windows.py:_MOST_ELEMENTS": _RUNTIME,
    "pte_lint/questions/extent.py:_MOST_SPANS": "which outputs a finding that is there names",
    "pte_lint/questions/layout_effects.py:_MOST_ELEMENTS": "beyond it every misread layout counts",
    "pte_lint/questions/liveness.py:_ROUNDS": "beyond it more counts as live than is",
    "pte_lint/questions/needs.py:_LONGEST": _SHOWN,
    "pte_lint/questions/placement/export_settings.py:_MOST_METHODS": _SHOWN,
    "pte_lint/questions/plain_plan.py:_BUDGET_FLOOR": "beyond it a plan is judged the long way",
    "pte_lint/questions/plain_plan.py:_BUDGET_PER_STEP": "the same",
    "pte_lint/questions/planning.py:_BUDGET": _HINT,
    "pte_lint/questions/resolution.py:MAX_KEY": _RUNTIME,
    "pte_lint/questions/resolution.py:MAX_NAME": _RUNTIME,
    "pte_lint/questions/state.py:SHARED_ARENA": "the number of an arena",
    "pte_lint/rulebook/pipeline.py:_MOST_PEERS": _PIPELINES,
    "schema/limits.py:GLOB_NAMES": _PIPELINES,
    "rules/container/padding.py:_MOST_BYTES": _HINT,
    "rules/delegates/delegate_named_data.py:_MOST_SCALES": "no layer has as many scales",
    "rules/container/padding.py:_MOST_GAPS": _HINT,
    "rules/delegates/backend_missing.py:_LONGEST": _SHOWN,
    "rules/fixes/patches.py:_MOST": "beyond it a confirmation does not try the file changed",
    "rules/hygiene/embedded_executable.py:_MOST": _HINT,
    "rules/hygiene/source_paths.py:_LOOK": _HINT,
}  # fmt: skip
"""Bounds that nothing is passed off as clean behind, and why."""


def _bounds() -> set[str]:
    found = set()
    for folder in _JUDGING:
        for path in ROOT.joinpath(folder).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            for node in ast.parse(path.read_text("utf-8")).body:
                target = node.targets[0] if isinstance(node, ast.Assign) else None
                target = node.target if isinstance(node, ast.AnnAssign) else target
                if not isinstance(target, ast.Name) or not _BOUND.search(target.id):
                    continue
                try:
                    value = eval(ast.unparse(node.value), {}) if node.value else None
                except (NameError, TypeError, AttributeError):
                    continue
                if isinstance(value, int | float):
                    found.add(f"{name}:{target.id}")
    return found


def test_no_bound_is_without_a_row_or_a_reason() -> None:
    """A new one has to be put into one of the two tables."""
    rows = {
        f"{module.removeprefix('pte_lint.').replace('.', '/')}.py:{name}"
        for _, _, small in ROWS.values()
        for module, _, name in (key.partition(":") for key in small)
    }
    shown = {each.removeprefix("pte_lint/") for each in _bounds()}
    reasons = {each.removeprefix("pte_lint/") for each in NO_BUDGETS}
    assert rows & reasons == set()
    assert {each for each in shown if each not in rows} == reasons


def test_more_violations_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under minimal verification a violation that was not kept may be the one that counts."""
    monkeypatch.setattr(limits, "MAX_VIOLATIONS", 3)
    content = bytearray(padded.values(0, False)[0])
    program = read_program(bytes(content)).program
    assert program is not None
    ends = [content.index(text + b"\0") + len(text) for text in (b"forward", b"aten::relu", b"out")]
    for number, told in ((2, False), (3, True)):
        damaged = bytearray(content)
        for end in ends[:number]:
            damaged[end] = 1
        assert len(read_program(bytes(damaged)).violations) == number
        report = pte_lint.check(bytes(damaged), isolated=True, verification="minimal")
        assert is_told(report) == told
        assert not told or not report.is_clean()
        assert not is_told(pte_lint.check(bytes(damaged), isolated=True))
