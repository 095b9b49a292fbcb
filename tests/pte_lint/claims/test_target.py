"""Targets: versions and profiles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome, Stage, Verification
from pte_lint.claims.profile import Profile, default_profile
from pte_lint.claims.target import Target, TargetError

ADD = Path(__file__).parents[2] / "data" / "clean" / "linear.pte"
XNNPACK = Path(__file__).parents[2] / "data" / "clean" / "mlp_xnnpack.pte"


@pytest.mark.parametrize("text", ["1.4", "1.4.1", "executorch==1.4.1", " executorch == 1.4.0 "])
def test_a_version(text: str) -> None:
    target = Target.parse(text, Verification.FULL)
    assert (target.runtime, target.verification, target.explicit_profile) == (
        "1.4",
        Verification.FULL,
        False,
    )


def test_shipped_profiles_say_how_they_were_made() -> None:
    folder = Path(pte_lint.claims.profile.__file__).parent / "profiles"
    for path in folder.glob("executorch-*.json"):
        profile = Profile.from_json(json.loads(path.read_text("utf-8")))
        assert profile.command.startswith("pte-lint target capture")
        assert profile.to_json() == path.read_text("utf-8")
        assert "aten::add.out" in profile.kernels
        assert "XnnpackBackend" in profile.backends
    assert "quantized_decomposed::add.out" not in default_profile().kernels


def _profile(tmp_path: Path, **changes: object) -> Path:
    data = {"name": "mine", "runtime": "1.5.1", "backends": [], "kernels": {}} | changes
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(data), "utf-8")
    return path


def test_a_missing_operator_is_an_error_for_a_given_profile(tmp_path: Path) -> None:
    path = _profile(tmp_path, kernels={"aten::add.out": [""]})
    report = pte_lint.check(ADD, target=str(path), isolated=True).artifacts[0]
    (verdict,) = report.verdict
    assert (verdict.stage, verdict.outcome, verdict.error) == (
        Stage.LOAD_METHOD,
        Outcome.ERROR,
        "OperatorMissing",
    )


def test_a_missing_backend_is_an_error_for_a_given_profile(tmp_path: Path) -> None:
    kernels = {name: [""] for name in default_profile().kernels}
    path = _profile(tmp_path, kernels=kernels)
    report = pte_lint.check(XNNPACK, target=str(path), isolated=True).artifacts[0]
    (verdict,) = report.verdict
    assert (verdict.stage, verdict.error) == (Stage.LOAD_METHOD, "NotFound")
    assert any(f.severity is Severity.ERROR for f in report.findings)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"runtime": "9.9"}, "not known"),
        ({"runtime": "new"}, "no runtime version"),
        ({"kernels": None}, "not a target profile"),
        ({"kernel": {}}, r"keys that no profile has: 'kernel' \(did you mean kernels\?\)"),
        ({"backend": [], "x": 1}, r"'backend' \(did you mean backends\?\)"),
        ({"tensorrt": "10"}, "tensorrt is '10', not such as '10.13.3'"),
        ({"vulkan": 2048}, "vulkan holds limits of the device: maxImageDimension2D"),
        ({"vulkan": {"maxImageDimension3D": 1, "maxImage": 1}}, "vulkan holds limits"),
        ({"vulkan": {"maxImageDimension3D": 0}}, "is a number above zero"),
        ({"vulkan": {"maxImageDimension3D": True}}, "is a number above zero"),
    ],
)
def test_a_bad_profile(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(TargetError, match=message):
        Target.parse(str(_profile(tmp_path, **changes)))


def test_what_is_told_of_the_machine_is_kept(tmp_path: Path) -> None:
    told = {"tensorrt": "10.13", "vulkan": {"maxImageDimension3D": 2048, "maxImageDimension2D": 1}}
    profile = Target.parse(str(_profile(tmp_path, **told))).profile
    assert (profile.tensorrt, profile.vulkan) == ("10.13", told["vulkan"])
    again = Profile.from_json(json.loads(profile.to_json()))
    assert (again.tensorrt, again.vulkan) == ("10.13", told["vulkan"])


def test_files_that_are_no_profile(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="cannot read target"):
        Target.parse(str(tmp_path / "missing.json"))
    garbage = tmp_path / "garbage.json"
    garbage.write_bytes(b"\xff{")
    with pytest.raises(TargetError, match="cannot read target"):
        Target.parse(str(garbage))
