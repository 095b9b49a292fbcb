"""Older releases run by themselves: their own libraries, found in a folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from pte_lint.cli.app import app
from pte_lint.harness.build import build_probe
from pte_lint.harness.driver import run_probe
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.older_wheel import OlderWheel, find_older, install_command, wheel_for
from pte_lint.harness.options import AsRuntime, ProbeOptions
from pte_lint.harness.process import ProbeProcess, scratch_folder
from pte_lint.harness.wheel import Wheel, find_wheel
from pte_lint.testing.data_builder import build_data
from tests.harness.test_older import CASES
from tests.rules.delegates.test_delegate_freed_constant import program as freed_constant
from tests.support.runtime import older_releases

DATA = Path(__file__).parent.parent / "data"

pytestmark = pytest.mark.runtime


@pytest.fixture(scope="module")
def releases() -> Path:
    return older_releases()


@pytest.mark.parametrize("case", [c for c in CASES if c[1] == "1.4"], ids=lambda case: case[0])
def test_the_release_does_what_is_replayed(
    files: Path, releases: Path, case: tuple[str, str | None, str, str, str | None]
) -> None:
    name, _, *expected = case
    options = ProbeOptions(as_runtime="1.4", runtime_folders=[releases], describe=False)
    report = run_probe(files / f"{name}.pte", options=options)
    assert (report.runtime_version, report.as_runtime) == ("1.4.1", "1.4")
    assert report.fence.broken is None
    run = report.methods[0].runs[0]
    assert (run.stage, run.outcome, run.error or run.signal) == tuple(expected)


def test_what_it_takes_from_others_works(files: Path, releases: Path) -> None:
    """A thread pool, a processor's description and a matrix product are not its own."""
    older = ProbeOptions(as_runtime="1.4", runtime_folders=[releases], variants=["rising"])
    for name in ("linear", "mlp_xnnpack"):
        was = run_probe(files / f"{name}.pte", options=older).methods[0].runs[0]
        now = run_probe(files / f"{name}.pte", variants=["rising"]).methods[0].runs[0]
        assert was.outcome == "ok"
        shown = [(a.sizes, a.head) for a in was.outputs]
        assert shown == [(b.sizes, pytest.approx(b.head, rel=1e-5)) for b in now.outputs]


def test_backends_of_vendors_get_stand_ins(releases: Path, tmp_path: Path) -> None:
    path = tmp_path / "qnn.pte"
    content = (DATA / "clean" / "convnet_xnnpack.pte").read_bytes()
    # As long as the name it replaces, where the table of backends has it.
    path.write_bytes(content.replace(b"\x0e\0\0\0XnnpackBackend", b"\x0a\0\0\0QnnBackend\0\0\0\0"))
    options = ProbeOptions(as_runtime="1.4", runtime_folders=[releases])
    run = run_probe(path, options=options).methods[0].runs[0]
    assert (run.outcome, run.standins) == ("ok", ("QnnBackend",))


def test_its_kernels_are_its_own(releases: Path) -> None:
    wheel = find_older("1.4", [releases], find_wheel())
    assert wheel is not None
    with scratch_folder() as folder, ProbeProcess(build_probe(wheel), "list", [], folder) as run:
        names = {each["name"] for each in json.loads(run.read_line(60) or b"")["kernels"]}
    assert {"aten::add.out", "et_copy::_h2d_copy.out", "executorch_prim::sym_int.Scalar"} <= names


@pytest.mark.parametrize("own", [False, True], ids=["replayed", "itself"])
def test_the_report_says_what_ran(
    own: bool, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PTE_LINT_RUNTIME_FOLDER", raising=False)
    path = str(DATA / "device" / "add_skip_both_planned.pte")
    options = ["--isolated", "--device-memory", "emulated", "--as-runtime", "1.4"]
    if own:
        options += ["--runtime-folder", str(request.getfixturevalue("releases"))]
    text = CliRunner().invoke(app, ["confirm", *options, path]).stdout
    said = json.loads(CliRunner().invoke(app, ["confirm", *options, "--format=json", path]).stdout)
    sarif = CliRunner().invoke(app, ["confirm", *options, "--format=sarif", path]).stdout
    (artifact,) = said["artifacts"]
    shown = [f["confirmation"] for f in artifact["findings"] if f["severity"] == "error"]
    shown += [v["confirmation"] for v in artifact["verdict"]]
    told = [(each["evidence"]["ran_on"], each["evidence"].get("replayed")) for each in shown]
    installed = find_wheel().version
    here = ("executorch 1.4.1", None) if own else (f"executorch {installed}", "1.4")
    assert told == [here] * len(shown)
    assert {each["status"] for each in shown} == {"confirmed"}
    assert ("confirmed (replayed): " in text) is not own
    assert (re.search(r"Judged for executorch 1\.4,\s+replayed\.", text) is None) is own
    assert ("executorch 1.4.1 ran the programs itself" in text) is own
    assert ('"replayed": "1.4"' in sarif) is not own


def test_a_folder_without_the_release(tmp_path: Path) -> None:
    path = str(DATA / "device" / "add_skip_both_planned.pte")
    arguments = ["confirm", "--as-runtime", "1.4", "--runtime-folder", str(tmp_path), path]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert install_command("1.4") in result.stderr


def pretended(folder: Path, version: str) -> Path:
    root = folder / "executorch"
    root.mkdir(parents=True)
    (root / "version.py").write_text(f'__version__ = "{version}"\n')
    return root


def test_the_newest_release_of_a_version_is_found(tmp_path: Path) -> None:
    installed = Wheel(tmp_path / "installed", "1.5.1", "1.5.1", None)
    for version in ("1.5.0", "1.4.9", "1.4.10+cpu", "1.4.11rc1"):
        root = pretended(tmp_path / "all" / version, version)
        (root / "backends/qualcomm").mkdir(parents=True)
        (root / "backends/qualcomm/libqnn_executorch_backend.so").write_bytes(b"")
    folders = [tmp_path / "absent", tmp_path / "all"]
    found = find_older("1.4", folders, installed)
    assert isinstance(found, OlderWheel)
    assert (found.version, found.full_version, found.minor) == ("1.4.10", "1.4.10+cpu", 4)
    assert find_older("1.3", folders, installed) is None


def test_a_release_for_another_machine(tmp_path: Path) -> None:
    pretended(tmp_path, "1.4.1")
    with pytest.raises(HarnessUnavailable, match="not for this machine"):
        find_older("1.4", [tmp_path], Wheel(tmp_path, "1.5.1", "1.5.1", None))


def test_a_library_that_is_none_is_named(tmp_path: Path) -> None:
    root = pretended(tmp_path, "1.4.1")
    for name in (
        "backends/qualcomm/libqnn_executorch_backend.so",
        "extension/pybindings/_portable_lib.cpython-311-x86_64-linux-gnu.so",
    ):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_bytes(b"no library")
    found = find_older("1.4", [tmp_path], Wheel(tmp_path, "1.5.1", "1.5.1", None))
    assert found is not None
    with pytest.raises(HarnessUnavailable, match="cannot be read"):
        found.torchless_symbols()


@pytest.mark.parametrize(
    ("version", "ending"),
    [("1.3", ("execute", "crash", "freed")), ("1.4", ("execute", "ok", None))],
)
def test_what_only_older_releases_free_is_seen_there(
    releases: Path, tmp_path: Path, version: AsRuntime, ending: tuple[str, str, str | None]
) -> None:
    """A PReLU reads its slopes in the named data, which 1.4.1 keeps."""
    if not isinstance(wheel_for(version, [releases]), OlderWheel):
        pytest.skip(f"{install_command(version)} puts the release into {releases}")
    path, data = tmp_path / "prelu.pte", tmp_path / "slopes.ptd"
    path.write_bytes(freed_constant(key="slopes"))
    data.write_bytes(build_data({"slopes": bytes(36)}).bytes())
    options = ProbeOptions(as_runtime=version, runtime_folders=[releases], loader="guarded")
    run = run_probe(path, data=[data], options=options).methods[0].runs[0]
    assert (run.stage, run.outcome, run.fault.address_in if run.fault else None) == ending
