from __future__ import annotations

from pte_lint.rulebook.contract import GivenContract
from pte_lint.testing.data_builder import build_data
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import adder_program, found, only
from tests.support.contracts import options, own_contract
from tests.support.examples import adder, externally

RULE = "PTE630"


def test_a_method_that_is_gone() -> None:
    both = own_contract(build_program(adder("encode"), adder("decode")))
    finding = only(build_program(adder("encode")), RULE, options=options(both))
    assert finding.message == ("contract.toml promises a method decode; the file has [encode].")
    assert finding.evidence == {
        "contract": "contract.toml",
        "key": "methods.decode",
        "promised": "decode",
        "found": ["encode"],
    }
    assert (finding.method, finding.runtime) == (None, None)


def test_more_methods_than_promised() -> None:
    one = own_contract(build_program(adder("encode")))
    assert found(build_program(adder("encode"), adder("decode")), RULE, options=options(one)) == ()


def test_no_program_at_all_keeps_no_contract() -> None:
    finding = only(b"<html></html>", RULE, options=options(own_contract(adder_program())))
    assert finding.message.endswith("one that can be read; the file has no readable program.")


def test_keys_of_data_files_are_those_promised() -> None:
    contract = options(own_contract(build_program(externally("weight"))))
    assert found(build_program(externally("weight")), RULE, options=contract) == ()
    finding = only(build_program(externally("bias")), RULE, options=contract)
    assert finding.message == (
        "contract.toml promises that the keys of data files are [weight]; the file has [bias]."
    )


def test_data_files_promise_nothing() -> None:
    contract = options({"methods": {"forward": {}}})
    assert found(build_data({"weight": bytes(16)}).bytes(), RULE, options=contract) == ()


def test_a_contract_is_for_the_programs_that_it_names() -> None:
    given = GivenContract("c", '{"methods": {"other": {}}}', "*.pte", "/")
    assert found(adder_program(), RULE, options={"contracts": (given,)}) == ()
    everywhere = GivenContract("c", '{"methods": {"other": {}}}', "*", "/")
    assert len(found(adder_program(), RULE, options={"contracts": (everywhere,)})) == 1
