"""Contracts: of every good file, through the file that says them, and kept."""

from __future__ import annotations

from pathlib import Path

import pytest

import pte_lint
from pte_lint.config.file import load_contract
from pte_lint.data.blobs import blobs
from pte_lint.data.multiply_adds import delegated_multiply_adds, host_multiply_adds
from pte_lint.inspection.contract import contract_of, with_headroom
from pte_lint.report import contract_toml
from pte_lint.rulebook.contract import OPTION, GivenContract
from pte_lint.rulebook.contract_model import Contract
from pte_lint.testing.program_builder import build_program
from tests.support.contracts import own_contract
from tests.support.language_models import constant
from tests.support.look import opened

CLEAN = Path(__file__).parents[2] / "data" / "clean"
RULES = [f"PTE63{n}" for n in range(5)]


def _contract(path: Path) -> Contract:
    with opened(path) as context:
        return contract_of(context)


PROGRAMS = sorted([*CLEAN.glob("*.pte"), *CLEAN.glob("*.bpte")])


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_every_good_file_keeps_what_is_written_of_it(path: Path, tmp_path: Path) -> None:
    made = _contract(path)
    file = tmp_path / "contract.toml"
    file.write_text(contract_toml.render(made, path.name), "utf-8")
    assert load_contract(file) == made
    given = GivenContract.of(made, "contract.toml", tmp_path, by_hand=True)
    report = pte_lint.check(path, select=RULES, isolated=True, options={OPTION: (given,)})
    assert (report.artifacts[0].findings, report.internal_errors) == ((), ())


def test_names_from_a_file_stay_text(tmp_path: Path) -> None:
    names = ['a"\\\n[methods.b]', "\x7f\x00\u2028", "x.y", "\U0001f600"]
    made = own_contract(build_program(*(constant(name, name) for name in names)))
    file = tmp_path / "contract.toml"
    file.write_text(contract_toml.render(made, 'm"\n[x]'), "utf-8")
    assert load_contract(file) == made


def test_room_to_grow() -> None:
    before = _contract(CLEAN / "linear.pte")
    after = with_headroom(before, 10)
    assert before.most_bytes is not None
    assert after.most_bytes == {k: v + v // 10 for k, v in before.most_bytes.items()}
    old, new = before.methods["forward"], after.methods["forward"]
    assert (old.largest_tensor, new.largest_tensor) == (48, 52)
    assert new.inputs == old.inputs


@pytest.mark.parametrize(
    ("host", "lowered"),
    [("convnet.pte", "convnet_xnnpack.pte"), ("dynamic_batch.pte", "dynamic_batch_xnnpack.pte")],
)
def test_a_lowered_model_has_as_many_multiply_adds(host: str, lowered: str) -> None:
    found = []
    for name in (host, lowered):
        with opened(CLEAN / name) as context:
            (method,) = context.methods
            inside = delegated_multiply_adds(method, blobs(method, context))
            found.append((host_multiply_adds(method), inside))
    assert found[0][0] == found[1][1] > 0
    assert found[0][1] == found[1][0] == 0


def test_bytes_in_delegates() -> None:
    least = _contract(CLEAN / "convnet_xnnpack.pte").methods["forward"].least_delegated
    assert (least.calls, least.operators, least.bytes, least.multiply_adds) == (1, 1, 1, 1)
    half = _contract(CLEAN / "mixed_xnnpack.pte").methods["forward"].least_delegated
    assert (half.calls, half.operators) == (0.666, 0.666)


def test_keys_come_from_the_data_file() -> None:
    data = CLEAN / "external_constants.ptd"
    with opened(CLEAN / "external_constants.pte", [data]) as context:
        found = contract_of(context).external
    assert found is not None
    assert sorted(found) == list(found)
    assert len(found) == len(set(found)) > 1
