from __future__ import annotations

from pte_lint.claims.profile import Profile
from pte_lint.claims.target import Target
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder
from tests.support.judging import judge, only, verdict

PROGRAM = build_program(adder()).bytes()
KEY = "v1/6;0,1|6;0,1|6;0,1|6;0,1"


def target(*keys: str) -> Target:
    profile = Profile("mine", "1.5.1", {"aten::add.out": keys}, ())
    return Target(profile=profile, explicit_profile=True)


def test_kernels_for_other_dtypes() -> None:
    report = judge(PROGRAM, "PTE402", target=target(KEY.replace("6", "7")))
    assert only(report).message == (
        f"aten::add.out has kernels in mine, but none for {KEY}; it has {KEY.replace('6', '7')}."
    )
    assert verdict(report).error == "OperatorMissing"


def test_the_right_key() -> None:
    assert judge(PROGRAM, "PTE402", target=target("v1/7;0", KEY)).findings == ()


def test_a_fallback_takes_everything() -> None:
    assert judge(PROGRAM, "PTE402", target=target("v1/7;0", "")).findings == ()
