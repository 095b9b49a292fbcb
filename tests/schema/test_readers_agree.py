"""The fast reader takes every good document, and never one that the careful reader faults."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pte_lint.schema.loaded import binding, read_bundled_program, read_flat_tensor, read_program

from tests.schema.both_readers import read_both
from tests.schema.mutations import mutate
from tests.schema.small_format import BINDING, good_document
from tests.support.dumps import files


@pytest.mark.parametrize("file", files(".pte"), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_the_fast_reader_takes_every_exported_program(file: Path) -> None:
    content = file.read_bytes()
    size = read_program(content).container.program_size
    assert read_both(memoryview(content)[:size], binding("program"))


@pytest.mark.parametrize("file", files(".ptd"), ids=lambda file: file.name)
def test_the_fast_reader_takes_every_data_file(file: Path) -> None:
    content = file.read_bytes()
    size = read_flat_tensor(content).container.program_size
    assert read_both(memoryview(content)[:size], binding("flat_tensor"))


@pytest.mark.parametrize("file", files(".bpte"), ids=lambda file: file.name)
def test_the_fast_reader_takes_every_bundle(file: Path) -> None:
    content = file.read_bytes()
    assert read_bundled_program(content).violations == ()
    assert read_both(content, binding("bundled_program"))


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=400, deadline=None)
def test_both_say_the_same_of_damaged_documents(seed: int) -> None:
    read_both(mutate(good_document(), random.Random(seed)), BINDING)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=200, deadline=None)
def test_both_say_the_same_of_damaged_programs(seed: int) -> None:
    choice = random.Random(seed)
    content = choice.choice(_SMALL)
    size = read_program(content).container.program_size
    read_both(memoryview(mutate(content, choice, size))[:size], binding("program"))


@given(content=st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_both_say_the_same_of_noise(content: bytes) -> None:
    read_both(b"\x0c\0\0\0TEST" + content, BINDING)


_SMALL = [file.read_bytes() for file in files(".pte") if file.stat().st_size < 4000]
