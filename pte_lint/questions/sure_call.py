"""A kernel call with the tensors that are surely there: none that a move may have exchanged."""

from __future__ import annotations

from pte_lint.interpret.file_call import FileCall
from pte_lint.interpret.residency import residency_of
from pte_lint.ops.checks.call import Operand


class SureCall(FileCall):
    """As `FileCall`, but a tensor that a move may exchange is not known."""

    def _operand(self, v: int, name: str) -> Operand | None:
        if residency_of(self._method).is_rebound(v):
            return None
        return super()._operand(v, name)
