"""What every problem checks of its configuration."""

from typing import Any


def require_counts(config: Any, *names: str, least: int = 1) -> None:
    """Raise unless these fields of a configuration are whole numbers of at least `least`."""
    for name in names:
        value = getattr(config, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"expected {name} to be an integer of at least {least}, got {value!r}.")


def require_between(config: Any, low: float, high: float, *names: str) -> None:
    """Raise unless these fields of a configuration are numbers in [low, high]."""
    for name in names:
        value = getattr(config, name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise ValueError(f"expected {name} to be a number in [{low}, {high}], got {value!r}.")


def require_choice(config: Any, name: str, *choices: str) -> None:
    """Raise unless this field of a configuration is one of the choices."""
    value = getattr(config, name)
    if value not in choices:
        raise ValueError(f"expected {name} to be one of {', '.join(map(repr, choices))}, got {value!r}.")
