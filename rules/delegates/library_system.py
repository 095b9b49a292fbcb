"""A delegate's library that the target's system cannot load.

What it finds:
    Libraries of CUDA and Metal delegates for another processor than the target's (`machine` of the
    profile), that ask for a newer C library (`glibc`) or a newer libstdc++ (`glibcxx`) than it has,
    or for an executable stack, which glibc grants no library from 2.41 on. Nothing without a
    profile that says so.

What the runtime does:
    The backend writes the library to a file and calls dlopen, which refuses it: AccessFailed at
    load_method (backends/cuda/runtime/platform/platform.cpp: load_library). The versions stand in
    the library's own table, which the loader checks first (System V ABI, symbol versioning).

Why it happens:
    The program was exported on a newer system, or on another kind of machine, than it is to run on.

How to fix it:
    Export on the system that runs the program, or in a container of its release:

        docker run --gpus all -v "$PWD:/w" -w /w ubuntu:22.04 python3 export.py

How it is confirmed:
    Only on a machine with the backend.

Seen in:
    executorch#17153
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.finding import Finding, Json, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.profile import Profile
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.data.libraries import DelegateLibrary, libraries
from pte_lint.rulebook.rule import Yields, artifact_rule

_FAILS = Forecast.always(error(Stage.LOAD_METHOD, "AccessFailed"))
_MACHINES = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}
_NO_EXECUTABLE_STACK = (2, 41)


@artifact_rule(
    "PTE431",
    "library-system",
    Severity.ERROR,
    "libraries for another system",
    sign=Unseen("the library is loaded by the backend, on the target's own system"),
)
def check(ctx: Context) -> Yields:
    """The first reason of each library."""
    profile = ctx.target.profile
    if not (profile.machine or profile.glibc or profile.glibcxx):
        return
    for library in libraries(ctx):
        for what, has, wants in _reasons(profile, library):
            yield _finding(ctx, library, what, {"target": has, "library": wants})
            break


def _reasons(profile: Profile, library: DelegateLibrary) -> Iterator[tuple[str, str, str]]:
    facts = library.facts
    machine = _MACHINES.get(profile.machine.lower(), profile.machine)
    if machine and facts.machine and facts.machine != machine:
        yield f"is for {facts.machine}, and the target is {machine}", machine, facts.machine
    if facts.image is None:
        return
    for prefix, has in (("GLIBC_", profile.glibc), ("GLIBCXX_", profile.glibcxx)):
        wanted = [name for _, name in facts.image.versions if name.startswith(prefix)]
        newest = max(wanted, key=lambda name: _numbers(name[len(prefix) :]), default="")
        if has and newest and _numbers(newest[len(prefix) :]) > _numbers(has):
            yield f"asks for {newest}, and the target has {prefix}{has}", has, newest
    if facts.image.executable_stack and _numbers(profile.glibc) >= _NO_EXECUTABLE_STACK:
        text = f"asks for an executable stack, which glibc {profile.glibc} grants no library"
        yield text, profile.glibc, "executable stack"


def _numbers(version: str) -> tuple[int, ...]:
    """A version to compare by; private and odd ones (`GLIBC_PRIVATE`) come before all others."""
    parts = version.split(".")
    return tuple(map(int, parts)) if all(part.isdigit() for part in parts) else ()


def _finding(
    ctx: Context, library: DelegateLibrary, what: str, evidence: dict[str, Json]
) -> Finding:
    method, blob = library.method, library.blob
    is_proven = blob.backend in ctx.target.profile.backends
    return Finding(
        message=f"The library {library.subject} {what}.",
        remediation="Export on the system that runs the program, or in a container of its "
        "release:\n\n"
        '    docker run --gpus all -v "$PWD:/w" -w /w ubuntu:22.04 python3 export.py',
        location=blob.location(method, library.span.start),
        forecast=_FAILS if is_proven else None,
        order=(LoadMethodStep.DELEGATES, blob.index, 4),
        evidence=evidence,
        subject=f"delegates[{blob.index}] system",
        severity=Severity.ERROR if is_proven else Severity.WARNING,
        method=method.name,
        plan=method.index,
    )
