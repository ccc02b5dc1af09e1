"""The problems, one file each. The package is also their registry: ``problems.get("inventory")``."""

from collections.abc import Mapping
from typing import Any

from ..contracts.problem import Problem
from ..contracts.registry import Registry
from ..contracts.settings import build

registry: Registry[Problem] = Registry("problem", __name__)
register, get, names, entries = registry.register, registry.get, registry.names, registry.entries
code_of = registry.code_of


def make_problem(name: str, **settings: Any) -> Problem:
    """Return a problem, its configuration changed by keyword: ``make_problem("budget", fake_targets=5)``."""
    cls = get(name)
    return cls(build(cls.Config, settings, owner=name))


def swept(name: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings of a problem that its class declares as sweeps; none for an unknown problem."""
    sweeps = get(name).sweeps if name in entries() else ()
    return {setting: config[setting] for setting in sweeps if setting in config}


def shows_relative_regret(name: str) -> bool:
    """Return whether tables show Σ regret / Σ |optimal cost| of a problem; False for an unknown one."""
    return name in entries() and get(name).shows_relative_regret
