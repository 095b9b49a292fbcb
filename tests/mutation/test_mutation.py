"""The tool on a checkout of one module: its tests see some changes of it, and some they do not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.mutation.changes import mutants, sample
from tests.mutation.relevance import CoverageMap
from tests.mutation.results import EQUIVALENT, equivalent

_MODULE = b'''\
"""Tiny."""

from __future__ import annotations

LIMIT = 3


def classify(number: int, *, quiet: bool = False) -> str:
    if number < 0 or number > LIMIT:
        return "out"
    for each in range(number):
        if each == 1:
            continue
    return "in"
'''

_SMALL = b"""\
LIMIT = 3


def classify(number):
    if number > LIMIT:
        return "out"
    return "in"
"""

_TEST = """\
from tiny import LIMIT, classify


def test_inside():
    assert classify(1) == "in"


def test_outside():
    assert classify(9) == "out"


def test_the_limit():
    assert LIMIT == 3
"""


def test_every_change_is_found_by_its_content() -> None:
    found = [(m.kind, m.function, m.old, m.new.strip()) for m in mutants("pte_lint/t.py", _MODULE)]
    at = "classify"
    assert [each[2:] for each in found if each[0] == "int-const"] == [
        ("3", "(2)"), ("3", "(4)"), ("0", "(-1)"), ("0", "(1)"), ("1", "(0)"), ("1", "(2)"),
    ]  # fmt: skip
    assert ("bool-const", at, "False", "True") in found
    assert ("guard-removed", at, "number < 0 or number > LIMIT", "False") in found
    assert ("guard-always", at, "each == 1", "True") in found
    assert ("cmp-boundary", at, "number < 0", "((number) <= (0))") in found
    assert ("cmp-flip", at, "number > LIMIT", "((number) <= (LIMIT))") in found
    assert ("drop-condition", at, "number < 0 or number > LIMIT", "((number > LIMIT))") in found
    assert ("continue-break", at, "continue", "break") in found
    assert ("return-none", at, 'return "in"', "return None") in found
    assert not [each for each in found if "Tiny" in each[2] or each[2] in ("bool", "str")]


def test_a_change_over_several_lines_leaves_the_others_where_they_are() -> None:
    source = b"def f(a, b):\n    return (\n        a\n        and b\n    )\n\n\nLAST = 1\n"
    for each in mutants("pte_lint/t.py", source):
        assert each.apply(source).count(b"\n") == source.count(b"\n"), each


def test_the_same_seed_gives_the_same_sample_and_a_smaller_one_its_begin() -> None:
    sources = {"pte_lint/t.py": _MODULE, "rules/memory/u.py": _MODULE}
    taken = sample(sources, 20, seed=4)
    assert taken == sample(sources, 20, seed=4) != sample(sources, 20, seed=5)
    assert taken[:7] == sample(sources, 7, seed=4)
    assert {each.file for each in taken} == set(sources)


def test_equivalent_changes_are_of_code_that_is_there() -> None:
    root = Path(__file__).parents[2]
    gone = []
    for key in equivalent(EQUIVALENT):
        path = root / key[0]
        source = path.read_bytes() if path.is_file() else b""
        if key not in {each.key for each in mutants(key[0], source)}:
            gone.append(key)
    assert gone == []


def _run(checkout: Path, *args: str) -> str:
    path = os.pathsep.join([str(checkout), str(Path(__file__).parents[2])])
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutation", *args],
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": path, "PTE_LINT_MUTATION_ROOT": str(checkout)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_what_a_test_sees_is_killed_and_what_none_sees_survives(tmp_path: Path) -> None:
    for folder in ("rules", "tests/rules", "scripts"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "rules" / "tiny.py").write_bytes(_SMALL)
    (tmp_path / "tests" / "rules" / "test_tiny.py").write_text(_TEST, "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = rules\n", "utf-8")
    devtree = tmp_path / "scripts" / "devtree"
    devtree.write_text("#!/bin/sh\nmkdir -p build/devtree\n", "utf-8")
    devtree.chmod(0o755)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    _run(tmp_path, "--record", "tests")
    known = CoverageMap(tmp_path / "build" / "mutation" / "coverage")
    assert list(known.tests) == [
        f"tests/rules/test_tiny.py::{name}"
        for name in ("test_inside", "test_outside", "test_the_limit")
    ]
    told = _run(tmp_path, "--count", "100", "rules/tiny.py")
    results = tmp_path / "build" / "mutation" / "results.jsonl"
    seen = {}
    for each in map(json.loads, results.read_text("utf-8").splitlines()):
        seen[each["kind"], each["old"], each["new"]] = (each["status"], each["by"])
    by = "tests/rules/test_tiny.py::test_{}".format
    assert seen == {
        ("int-const", "3", "(2)"): ("killed", by("the_limit")),  # in the copy
        ("int-const", "3", "(4)"): ("killed", by("the_limit")),
        ("guard-removed", "number > LIMIT", "False"): ("killed", by("outside")),
        ("guard-always", "number > LIMIT", "True"): ("killed", by("inside")),
        ("cmp-flip", "number > LIMIT", "((number) <= (LIMIT))"): ("killed", by("inside")),
        ("cmp-boundary", "number > LIMIT", "((number) >= (LIMIT))"): ("survived", ""),
        ("return-none", 'return "out"', "return None"): ("killed", by("outside")),
        ("return-none", 'return "in"', "return None"): ("killed", by("inside")),
    }
    assert "rules/tiny.py:5 cmp-boundary (2 tests)\n    - number > LIMIT\n" in told
    before = results.read_bytes()
    assert _run(tmp_path, "--count", "100", "rules/tiny.py").endswith(told[-200:])
    assert results.read_bytes() == before  # nothing is tried twice
