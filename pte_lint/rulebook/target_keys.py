"""Keys of plugins in target profiles: the entry-point group `pte_lint.target_keys`.

What a vendor's backend can do on one chip stands best in the profile of the target, beside the
kernels and backends that pte-lint reads there.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from pte_lint.claims.profile import KEYS
from pte_lint.claims.target import Target, TargetError
from pte_lint.rulebook.options import Options, faults_of_model
from pte_lint.rulebook.origin import entry_points_of_others
from pte_lint.rulebook.registry import RuleLoadError

if TYPE_CHECKING:
    from pte_lint.data.context import Context

GROUP: Final = "pte_lint.target_keys"


@lru_cache(maxsize=1)
def load_target_keys() -> dict[str, type[Options]]:
    """Loads the models, by key.

    Raises:
        RuleLoadError: one of them cannot be used.
    """
    found: dict[str, type[Options]] = {}
    lines: list[str] = []
    for origin, load in entry_points_of_others(GROUP):
        try:
            model: Any = load()
        except (Exception, SystemExit) as exc:
            lines.append(f"{origin}: it cannot be loaded: {exc!r}")
            continue
        faults = list(faults_of_model(model))
        if origin.name in (*KEYS, *found):
            faults.append(f"the key {origin.name!r} is taken: choose another")
        lines += [f"{origin}: {fault}" for fault in faults]
        found[origin.name] = model
    if lines:
        raise RuleLoadError(lines)
    return found


def check_target(target: Target) -> None:
    """Holds the keys of others in a target's profile against their models.

    Raises:
        TargetError: a value does not fit.
        RuleLoadError: a plugin's model cannot be used.
    """
    if target.profile.others:
        models = load_target_keys()
        for key in sorted(models.keys() & target.profile.others.keys()):
            _read(target, key, models[key])


def target_key(context: Context, key: str) -> Any:
    """What the target's profile says under a plugin's key, as its model; the defaults without one.

    Args:
        context: what the rule was given.
        key: the name of an entry point of the group `pte_lint.target_keys`.

    Raises:
        KeyError: no plugin that is installed declares the key.
    """
    return _read(context.target, key, load_target_keys()[key])


def _read(target: Target, key: str, model: type[Options]) -> Options:
    try:
        return model.model_validate(target.profile.others.get(key, {}))
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        where = ".".join([key, *(str(part) for part in first["loc"])])
        raise TargetError(f"target {target.profile.name}: {where}: {first['msg']}") from exc
