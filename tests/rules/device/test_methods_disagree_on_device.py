from __future__ import annotations

from pathlib import Path

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.result import ArtifactReport
from pte_lint.data import reading
from pte_lint.rulebook import pipeline as pipeline_module
from pte_lint.rulebook.pipeline import Peers, Pipeline
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.device_programs import add_method, findings, only, report, verdict

FEED = Pipeline(None, "prefill", 0, None, "decode", 0)


def gives(**options: object) -> MethodBuilder:
    """Leaves its output on cuda:0, unplanned."""
    settings = {"skip_d2h": True, "plan_outputs": False, **options}
    return add_method("prefill", **settings)  # type: ignore[arg-type]


def takes(**options: object) -> MethodBuilder:
    """Takes its inputs on cuda:0, unplanned."""
    settings = {"skip_h2d": True, "plan_inputs": False, **options}
    return add_method("decode", **settings)  # type: ignore[arg-type]


def fed(*methods: MethodBuilder, target: str = "1.5") -> ArtifactReport:
    return report(*methods, target=target, options={"pipelines": [FEED]})


def test_a_hand_over_on_the_device_is_fine() -> None:
    assert findings(fed(gives(), takes()), "PTE322") == []


def test_a_hand_over_on_the_host_is_fine() -> None:
    assert findings(fed(add_method("prefill"), add_method("decode")), "PTE322") == []


def test_device_data_for_a_planned_host_input() -> None:
    said = fed(gives(), add_method("decode"))
    found = only(said, "PTE322")
    assert found.severity is Severity.ERROR
    assert (found.method, found.location.value) == ("decode", 0)
    assert found.evidence["difference"] == "planning"
    assert found.evidence["output"]["is"] == "float32 [8, 8] on cuda:0"
    assert verdict(said, "decode") == "set_input error NotSupported"
    assert verdict(said, "prefill") == "execute ok"
    older = fed(gives(), add_method("decode"), target="1.4")
    assert verdict(older, "decode") == "set_input crash SIGSEGV"


def test_device_data_for_an_unplanned_host_input() -> None:
    """The pointer is shared, and nobody looks at where it is."""
    said = fed(gives(), add_method("decode", plan_inputs=False))
    assert only(said, "PTE322").evidence["difference"] == "device"
    assert verdict(said, "decode") == "execute undefined"


def test_host_data_for_a_device_input() -> None:
    said = fed(add_method("prefill"), takes())
    assert only(said, "PTE322").severity is Severity.ERROR
    assert verdict(said, "decode") == "execute undefined"


def test_another_device_of_the_same_kind() -> None:
    said = fed(gives(), takes(device="cuda:1"))
    assert "data on cuda:0 is given where cuda:1 is taken" in only(said, "PTE322").message


def test_memory_that_the_first_method_plans_is_a_warning() -> None:
    said = fed(gives(plan_outputs=True), takes())
    found = only(said, "PTE322")
    assert found.severity is Severity.WARNING
    assert "its next execute overwrites it" in found.message


@pytest.mark.parametrize(
    ("sizes", "dynamism", "severity", "outcome"),
    [
        ((8, 4), 0, Severity.ERROR, "set_input error NotSupported"),
        ((64,), 0, Severity.ERROR, "set_input error NotSupported"),
        ((4, 8), 1, Severity.ERROR, "set_input error NotSupported"),
        ((16, 8), 1, None, "execute ok"),
    ],
)
def test_sizes(
    sizes: tuple[int, ...], dynamism: int, severity: Severity | None, outcome: str
) -> None:
    said = fed(add_method("prefill"), add_method("decode", sizes=sizes, dynamism=dynamism))
    assert [f.severity for f in findings(said, "PTE322")] == ([severity] if severity else [])
    assert verdict(said, "decode") == outcome


def test_dynamic_output_into_a_fixed_input_is_a_warning() -> None:
    said = fed(add_method("prefill", dynamism=1), add_method("decode"))
    assert only(said, "PTE322").severity is Severity.WARNING


def test_types_and_dim_orders() -> None:
    giver = MethodBuilder("prefill")
    giver.output(giver.call("aten::relu.out", giver.input((8, 4), "int64"), out=(8, 4)))
    taker = MethodBuilder("decode")
    taker.output(taker.call("aten::relu.out", taker.input((8, 4)), out=(8, 4)))
    assert verdict(fed(giver, taker), "decode") == "set_input error InvalidArgument"
    turned = MethodBuilder("decode")
    x = turned.input((8, 4), dim_order=(1, 0))
    turned.output(turned.call("aten::relu.out", x, out=(8, 4)))
    plain = MethodBuilder("prefill")
    plain.output(plain.call("aten::relu.out", plain.input((8, 4)), out=(8, 4)))
    said = fed(plain, turned)
    assert only(said, "PTE322").evidence["difference"] == "dim order"
    assert verdict(said, "decode") == "execute undefined"


def test_an_end_that_does_not_exist_is_not_judged() -> None:
    said = report(
        gives(), takes(), options={"pipelines": [Pipeline(None, "prefill", 7, None, "decode", 0)]}
    )
    assert findings(said, "PTE322") == []
    assert any("prefill output 7 is no tensor" in u.why for u in said.unchecked)
    said = report(gives(), options={"pipelines": [FEED]})
    assert any("no method decode" in u.why for u in said.unchecked)


def test_pipelines_of_other_artifacts_are_passed_over() -> None:
    said = report(add_method("forward"), options={"pipelines": [FEED]})
    assert said.unchecked == ()


def test_another_file_feeds_this_one(tmp_path: Path) -> None:
    (tmp_path / "encoder.pte").write_bytes(build_program(gives()).bytes())
    declared = Pipeline("encoder.pte", "prefill", 0, "decoder.pte", "decode", 0)
    options = {"pipelines": [declared], "peers": Peers(tmp_path)}
    import pte_lint

    for methods, count in (((takes(),), 0), ((add_method("decode"),), 1)):
        path = tmp_path / "decoder.pte"
        path.write_bytes(build_program(*methods).bytes())
        said = pte_lint.check(path, select=["PTE322"], isolated=True, options=options).artifacts[0]
        assert len(findings(said, "PTE322")) == count
    said = pte_lint.check(
        tmp_path / "encoder.pte", select=["PTE322"], isolated=True, options=options
    ).artifacts[0]
    assert findings(said, "PTE322") == []  # told where the data arrives


def test_this_file_feeds_another(tmp_path: Path) -> None:
    (tmp_path / "decoder.pte").write_bytes(build_program(add_method("decode")).bytes())
    declared = Pipeline(None, "prefill", 0, "*.pte", "decode", 0)
    said = report(gives(), options={"pipelines": [declared], "peers": Peers(tmp_path)})
    found = only(said, "PTE322")
    assert (found.severity, found.method, found.forecast) == (Severity.ERROR, "prefill", None)
    assert verdict(said, "prefill") == "execute ok"


def test_a_file_that_is_missing_or_broken_is_not_judged(tmp_path: Path) -> None:
    (tmp_path / "broken.pte").write_bytes(b"nothing")
    for name in ("gone.pte", "broken.pte"):
        declared = Pipeline(name, "prefill", 0, None, "decode", 0)
        said = report(takes(), options={"pipelines": [declared], "peers": Peers(tmp_path)})
        assert findings(said, "PTE322") == []
        assert any("no method prefill" in u.why for u in said.unchecked)


@pytest.mark.parametrize(
    ("bound", "value", "why"),
    [
        ("_MOST_PEERS", 2, "it names more than 2 files"),
        ("GLOB_NAMES", 2, "too many names to look at"),
    ],
)
def test_more_files_than_are_looked_at(
    bound: str, value: int, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that does not fit may be behind them."""
    monkeypatch.setattr(pipeline_module, bound, value)
    declared = Pipeline("*.pte", "prefill", 0, None, "decode", 0)
    for number in range(value):
        (tmp_path / f"a{number}.pte").write_bytes(build_program(gives()).bytes())
    options = {"pipelines": [declared], "peers": Peers(tmp_path)}
    assert findings(report(takes(), options=options), "PTE022") == []
    (tmp_path / "z.pte").write_bytes(build_program(gives()).bytes())
    options = {"pipelines": [declared], "peers": Peers(tmp_path)}
    said = report(takes(), options=options)
    told = only(said, "PTE022")
    assert (told.severity, told.evidence["why"]) == (Severity.ERROR, why)


def test_a_file_that_is_not_judged_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_METHODS", 1)
    (tmp_path / "two.pte").write_bytes(build_program(add_method("other"), gives()).bytes())
    declared = Pipeline("two.pte", "prefill", 0, None, "decode", 0)
    options = {"pipelines": [declared], "peers": Peers(tmp_path)}
    assert only(report(takes(), options=options), "PTE022").evidence["why"] == (
        "two.pte is not judged as a whole"
    )


def test_undeclared_methods_on_two_devices_are_a_warning() -> None:
    said = report(gives(), takes(device="cuda:1"))
    assert only(said, "PTE322").severity is Severity.WARNING
    assert findings(report(gives(), takes()), "PTE322") == []
    assert findings(report(gives(sizes=(4, 8)), takes(device="cuda:1")), "PTE322") == []
    assert findings(report(gives(), add_method("decode")), "PTE322") == []
