"""What a runner must provide, and how verdicts say so."""

from __future__ import annotations

from pte_lint.claims.need import Need, NeedKind, words
from pte_lint.claims.target import Target
from pte_lint.report.phrases import verdict
from pte_lint.report.text import render_text
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.device_programs import add_method
from tests.support.judging import judge
from tests.support.reports import artifact, report


def _told(*methods: MethodBuilder, target: Target | None = None) -> list[str]:
    said = judge(build_program(*methods).bytes(), target=target)
    return [f"{need.method} {need.kind}: {need.what}" for need in said.needs]


def test_a_program_of_the_host_needs_nothing() -> None:
    b = MethodBuilder()
    b.output(b.call("aten::sigmoid.out", b.input((4,), planned=False), out=(4,)))
    assert _told(b) == []


def test_an_output_without_memory() -> None:
    """The kernel writes where its pointer points, and that is nowhere."""
    b = MethodBuilder()
    x = b.input((4,))
    b.output(x)
    out = b.tensor((4,), planned=False)
    b.output(b.call("aten::sigmoid.out", x, out=out))
    b.output(b.tensor((0,), planned=False))
    assert _told(b) == ["forward output: memory for output 1"]


def test_a_device_program_names_memory_inputs_and_outputs() -> None:
    default = add_method("a")
    paired = add_method("b", skip_h2d=True, skip_d2h=True, plan_inputs=False, plan_outputs=False)
    assert _told(default, paired) == [
        "a backend: the backend SomeDeviceBackend",
        "a memory: 768 bytes on cuda:0",
        "b backend: the backend SomeDeviceBackend",
        "b input: inputs 0, 1 on cuda:0",
        "b output: memory on cuda:0 for output 0",
    ]


def test_kernels_of_a_library_of_their_own() -> None:
    b = MethodBuilder()
    b.output(b.call("llama::custom.out", b.input((4,)), out=(4,)))
    assert _told(b) == ["forward kernels: the LLM kernels"]
    assert _told(b, target=Target(explicit_profile=True)) == []


def test_what_is_said_twice_is_told_once_and_much_is_counted() -> None:
    some = [Need(NeedKind.BACKEND, f"the backend {n % 3}", f"m{n}") for n in range(6)]
    assert words(some) == "the backend 0, the backend 1 and the backend 2"
    assert words(some, "m4") == "the backend 1"
    assert words(some, "other") == ""
    many = [Need(NeedKind.BACKEND, f"b{n}", "m") for n in range(20)]
    assert words(many) == "b0, b1, b2, b3, b4, b5, b6, b7 and 12 other things"


def test_verdict_and_versions_say_that_it_is_not_sure() -> None:
    need = Need(NeedKind.BACKEND, "the backend QnnBackend", "forward")
    made = artifact(needs=(need,))
    assert verdict(made.verdict[0], made.needs) == ("forward: runs if given the backend QnnBackend")
    assert render_text(report(made)).splitlines()[0] == (
        "model.pte: clean; runs if given the backend QnnBackend; may run on 1.2, 1.3, 1.4, 1.5"
    )
