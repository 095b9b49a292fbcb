"""How the runtime finds the kernel of each kernel call, against a target profile.

Follows `Method::resolve_operator` and its caller `Method::init` (runtime/executor/method.cpp) and
`get_op_function_from_registry`, `make_kernel_key_string` (runtime/kernel/operator_registry.cpp).
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from pte_lint.claims.profile import Profile
from pte_lint.ir.method import Method, Step
from pte_lint.ops.libraries import OPERATORS
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Operator, Tensor
from pte_lint.schema.str_enum import StrEnum
from pte_lint.text.c_strings import operator_name

MAX_NAME = 99
"""Bytes of `name.overload`; kTempBufferSizeForName is 100 with the terminator (method.cpp)."""

MAX_KEY = 658
"""Characters of a kernel key; kKernelKeyBufSize is 659 with the terminator
(runtime/kernel/operator_registry.h)."""

_KEY_PREFIX = "v1/"
_FEW_TENSORS = MAX_KEY // (2 + 1 + 16 * 3 + 1)
"""So many tensors always fit: dtype, `;`, a dim order of rank 16 with commas, `|` for each."""


class Answer(StrEnum):
    """What resolving one kernel call gives."""

    FOUND = "found"
    MISSING = "missing"
    """No kernel of this name, in a namespace that the profile knows or that nobody does."""
    FOREIGN = "foreign"
    """No kernel of this name; a known library that the profile lacks as a whole would bring it."""
    NO_KEY = "no key"
    """Kernels of this name, but none for these dtypes and dim orders."""
    NO_ENTRY = "no entry"
    NO_NAME = "no name"
    LONG_NAME = "long name"
    LONG_KEY = "long key"

    @property
    def error(self) -> str | None:
        """The runtime's error name for an error that it delays; None for the others."""
        return _ERRORS.get(self)


_WITH_KEY = frozenset((Answer.FOUND, Answer.NO_KEY, Answer.MISSING, Answer.FOREIGN))
_ERRORS = {
    Answer.NO_ENTRY: "InvalidProgram",
    Answer.NO_NAME: "InvalidProgram",
    Answer.LONG_NAME: "Internal",
    Answer.LONG_KEY: "InvalidArgument",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """A kernel call that does not resolve. `name` is the name looked up, `key` the kernel key
    where it matters."""

    step: Step
    answer: Answer
    name: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Resolution:
    """All calls of a method against a profile.

    `delayed` is the error that load_method returns when nothing is missing: the one of the last
    call that is not missing, if that call has one.
    """

    problems: tuple[Problem, ...]
    delayed: str | None

    def by_answer(self, answer: Answer) -> tuple[Problem, ...]:
        """The problems with this answer, in order."""
        return tuple(p for p in self.problems if p.answer is answer)


_CACHE: WeakKeyDictionary[Method, tuple[Profile, Resolution]] = WeakKeyDictionary()


def resolution(method: Method, profile: Profile) -> Resolution:
    """Resolves every kernel call, in the order in which the runtime does; linear in the calls."""
    known = _CACHE.get(method)
    if known is not None and known[0] is profile:
        return known[1]
    result = _resolve(method, profile)
    _CACHE[method] = profile, result
    return result


def lookup_name(operator: Operator) -> str | None:
    """The name as the runtime prints it into its buffer; None when there is no name.

    C strings end at their first NUL, while an overload counts as given by its stored length.
    """
    if operator.name is None:
        return None
    return operator_name(operator.name, operator.overload)


def kernel_key(method: Method, step: Step) -> str:
    """The key of a call: dtype and dim order of each argument that is directly a tensor."""
    tensors = [t for v in step.args if (t := method.tensor(v)) is not None]
    return _KEY_PREFIX + "|".join(map(_part, tensors)) if tensors else ""


def namespace(name: str) -> str:
    """The part of an operator's name before `::`; empty when there is none."""
    return name.split("::", 1)[0] if "::" in name else ""


def name_size(name: str) -> int:
    """Bytes of a name."""
    return len(name.encode("utf-8", "surrogateescape"))


def _resolve(method: Method, profile: Profile) -> Resolution:
    spaces = {namespace(kernel) for kernel in profile.kernels}
    entries = [_entry(op, profile, spaces) for op in method.plan.operators or ()]
    problems: list[Problem] = []
    delayed: str | None = None
    last = -1
    for alike in method.calls.groups:
        step = alike.calls[0]
        target, count = step.target, len(step.args)
        answer, name = Answer.NO_ENTRY, ""
        if 0 <= target < len(entries):
            answer, name = entries[target]
        key = ""
        if answer in _WITH_KEY and (answer is Answer.NO_KEY or count > _FEW_TENSORS):
            key = kernel_key(method, step)
            if len(key) > MAX_KEY:
                answer = Answer.LONG_KEY
            elif answer is Answer.NO_KEY and key in profile.kernels[name]:
                answer = Answer.FOUND
        if answer is not Answer.FOUND:
            problems.extend(Problem(call, answer, name, key) for call in alike.calls)
        # A missing operator leaves the delayed error as it was; everything else replaces it.
        if answer not in (Answer.MISSING, Answer.NO_KEY) and alike.calls[-1].index > last:
            last, delayed = alike.calls[-1].index, answer.error
    return Resolution(tuple(sorted(problems, key=lambda p: p.step.index)), delayed)


def _entry(operator: Operator, profile: Profile, spaces: set[str]) -> tuple[Answer, str]:
    """What all calls of an operator have in common; NO_KEY where the key decides."""
    name = lookup_name(operator)
    if name is None:
        return Answer.NO_NAME, ""
    if name_size(name) > MAX_NAME:
        return Answer.LONG_NAME, name
    keys = profile.kernels.get(name)
    if keys is not None:
        return (Answer.FOUND if "" in keys else Answer.NO_KEY), name
    space = namespace(name)
    is_foreign = space in OPERATORS and space not in spaces
    return (Answer.FOREIGN if is_foreign else Answer.MISSING), name


def _part(tensor: Tensor) -> str:
    return f"{tensor.scalar_type};" + ",".join(map(str, tensor.dim_order or ()))
