from __future__ import annotations

from pte_lint.schema.program import CompileSpec, Frame, FrameList

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import build_program
from tests.support.examples import delegated, plain
from tests.support.judging import judge, only


def test_stack_traces() -> None:
    frames = FrameList((Frame("/home/me/model.py", 3, "forward", "x + y"),))
    built = plain().replaced("execution_plan[0].chains[0].stacktrace", (frames, frames))
    finding = only(judge(built.bytes(), "PTE703"))
    assert finding.severity is Severity.INFO
    assert finding.message == (
        "The program carries stack traces: 2 frames in 1 file (/home/me/model.py)."
    )


def test_a_path_in_a_compile_spec() -> None:
    spec = CompileSpec("options", b"--cache=/home/me/cache --level=3")
    built = build_program(delegated()).replaced(
        "execution_plan[0].delegates[0].compile_specs", (spec,)
    )
    assert only(judge(built.bytes(), "PTE703")).evidence == {"paths": ["/home/me/cache"]}


def test_no_paths() -> None:
    assert judge(plain().bytes(), "PTE703").findings == ()
