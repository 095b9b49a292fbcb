"""What methods are given when their calls are compared."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import open_artifact
from pte_lint.harness.elements import numbers
from pte_lint.harness.reference.inputs import CONTENTS, InputSet, content, size_choices
from pte_lint.questions.method import Method
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_floats_are_finite_and_as_many_as_asked(kind: str, dtype: str) -> None:
    made = numbers(content(kind, dtype, 200, 1), dtype)
    assert made is not None
    assert len(made) == 200
    assert all(abs(x) < 100 for x in made)
    assert (len(set(made)) > 20) == (kind != "ones")
    assert (min(made) < 0) == (kind in ("falling ramps", "normal values"))


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("dtype", ["bool", "int16", "int32", "int64"])
def test_whole_numbers_are_valid_indices(kind: str, dtype: str) -> None:
    made = numbers(content(kind, dtype, 130, 0), dtype)
    assert made is not None
    assert len(made) == 130
    assert set(made) == ({1} if kind == "ones" else {0, 1})


def test_conditions_go_the_other_way_when_falling() -> None:
    rising, falling = (content(f"{kind}ramps", "bool", 1, 0) for kind in ("", "falling "))
    assert rising != falling


def test_images_use_all_values_and_repeat() -> None:
    made = content("normal values", "uint8", 2000, 3)
    assert len(set(made)) > 200
    assert made == content("normal values", "uint8", 2000, 3)
    assert made != content("normal values", "uint8", 2000, 4)


def test_a_type_without_numbers_is_left_to_the_probe() -> None:
    assert content("ramps", "bits8", 4, 0) == b""


def method(path: Path, *sizes: tuple[int, ...]) -> Method:
    b = MethodBuilder("forward")
    inputs = [b.input(each, dynamism=1) for each in sizes]
    static = b.input((7,))
    b.output(*inputs, static)
    path.write_bytes(build_program(b).bytes())
    with open_artifact(str(path), str(path)) as opened:
        return open_context(opened, Target(), (), {}).methods[0]


def test_sizes_that_may_change_are_tried_smaller(tmp_path: Path) -> None:
    choices = dict(size_choices(method(tmp_path / "a.pte", (8, 6), (8,))))
    assert list(choices) == ["smallest", "between"]
    assert choices["smallest"][0] == {0: (1, 1), 1: (1,)}
    assert {0: (1, 6), 1: (1,)} in choices["smallest"]  # the batch of both
    assert {0: (8, 1), 1: (8,)} in choices["smallest"]
    assert choices["between"][0] == {0: (4, 3), 1: (4,)}
    assert all(2 not in sizes for sizes in choices["smallest"])


def test_sizes_that_findings_name_come_first(tmp_path: Path) -> None:
    named = [{0: (3, 2), 1: (3,)}]
    choices = list(size_choices(method(tmp_path / "a.pte", (8, 6), (8,)), named))
    assert choices[0] == ("named", named)
    assert [name for name, _ in choices] == ["named", "smallest", "between"]


def test_contents_have_the_sizes_that_are_given(tmp_path: Path) -> None:
    made = InputSet("", "ones", {0: (2, 6)}).data(method(tmp_path / "a.pte", (8, 6)))
    assert made == {0: struct.pack("<12f", *[1.0] * 12), 1: struct.pack("<7f", *[1.0] * 7)}
