"""The problems, one file each. The package is also their registry: ``problems.get("inventory")``."""

from typing import Any

from ..contracts.problem import Problem
from ..contracts.registry import Registry

registry: Registry[Problem] = Registry("problem", __name__)
register, get, names, entries = registry.register, registry.get, registry.names, registry.entries


def make_problem(name: str, **settings: Any) -> Problem:
    """Return a problem, its configuration changed by keyword: ``make_problem("budget", fake_targets=5)``."""
    cls = get(name)
    return cls(cls.Config(**settings))
