"""What a configuration is checked for, with errors that name the field."""

import math
from typing import Any


def require_counts(config: Any, *names: str, least: int = 1) -> None:
    """Raise unless these fields of a configuration are whole numbers of at least `least`, or None.

    None stands where a default is looked up elsewhere; a field that must be a number declares its type.

    Args:
        config: the configuration.
        *names: its fields.
        least: the smallest number that is allowed.
    """
    for name in names:
        value = getattr(config, name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
            raise ValueError(f"expected {name} to be an integer of at least {least}, got {value!r}.")


def require_between(config: Any, low: float, high: float, *names: str) -> None:
    """Raise unless these fields of a configuration are numbers in [low, high].

    Args:
        config: the configuration.
        low: the smallest number that is allowed.
        high: the largest one.
        *names: its fields.
    """
    for name in names:
        value = getattr(config, name)
        if not _is_number(value) or not low <= value <= high:
            raise ValueError(f"expected {name} to be a number in [{low}, {high}], got {value!r}.")


def require_positive(config: Any, *names: str) -> None:
    """Raise unless these fields of a configuration are finite numbers above zero."""
    for name in names:
        value = getattr(config, name)
        if not _is_number(value) or not 0.0 < value < math.inf:
            raise ValueError(f"expected {name} to be a positive number, got {value!r}.")


def require_choice(config: Any, name: str, *choices: str) -> None:
    """Raise unless this field of a configuration is one of the choices.

    Args:
        config: the configuration.
        name: its field.
        *choices: what is allowed.
    """
    value = getattr(config, name)
    if value not in choices:
        raise ValueError(f"expected {name} to be one of {', '.join(map(repr, choices))}, got {value!r}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
