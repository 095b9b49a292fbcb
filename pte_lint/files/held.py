"""Data files that an exporter's object holds beside its program."""

from __future__ import annotations

from collections.abc import Mapping

from pte_lint.files.artifact import Artifact


def held_data(source: object) -> tuple[Artifact, ...]:
    """The data files of an object that was exported with external constants.

    `ExecutorchProgram` has them as `data_files`; `ExecutorchProgramManager` keeps them for
    `write_tensor_data_to_file` (exir/program/_program.py). Their names may lack the suffix.
    """
    if not hasattr(source, "buffer"):
        return ()
    held = getattr(source, "data_files", None)
    if not isinstance(held, Mapping):
        held = getattr(source, "_tensor_data", None)
    if not isinstance(held, Mapping):
        return ()
    return tuple(
        Artifact(name if name.endswith(".ptd") else f"{name}.ptd", bytes(content))
        for name, content in held.items()
        if isinstance(name, str) and hasattr(content, "__bytes__")
    )
