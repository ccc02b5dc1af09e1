"""From plain values, as JSON, TOML or a command line give them, to a configuration."""

import dataclasses
import difflib
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any

_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text", tuple: "a list"}


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint with the nearest known name, with a space before it; "" where no name is near."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def names_of(config: type) -> list[str]:
    """Return the settings of a configuration class, sorted."""
    return sorted(field.name for field in dataclasses.fields(config))


def require_known(name: str, known: Iterable[str], owner: str) -> None:
    """Raise an error for a setting that its owner does not have.

    Args:
        name: the setting asked for.
        known: the settings that the owner has.
        owner: whose setting it is, for the error text.
    """
    listed = sorted(known)
    if name not in listed:
        raise ValueError(
            f"{owner} has no setting {name!r}.{did_you_mean(name, listed)} "
            f"Known: {', '.join(listed) or 'none'}."
        )


def build(config: type, settings: Mapping[str, Any], *, owner: str) -> Any:
    """Return a configuration made from plain values.

    A list becomes a tuple, and a whole number becomes a float where the field is one, so that equal
    configurations have equal keys.

    Args:
        config: a dataclass with a default for every field.
        settings: values by name; the other fields keep their defaults.
        owner: whose settings these are, for the error text.
    """
    hints = _hints(config)
    for name in settings:
        require_known(name, names_of(config), owner)
    return config(
        **{name: _fitted(value, hints.get(name), f"{owner}: {name}") for name, value in settings.items()}
    )


def _hints(config: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(config)
    except NameError:  # a user's file may name a type that is not at hand; its own checks remain
        return {}


def _fitted(value: Any, hint: Any, where: str) -> Any:
    """Return the value in the type that a field declares, or say what was expected."""
    value = tuple(value) if isinstance(value, list) else value
    kinds = _kinds(hint)
    if not kinds or type(value) in kinds or (value is None and type(None) in kinds):
        return value
    if float in kinds and type(value) is int:
        return float(value)
    expected = " or ".join(_WORDS[kind] for kind in kinds if kind in _WORDS)
    raise ValueError(f"{where}: expected {expected}, got {value!r}.")


def _kinds(hint: Any) -> tuple[type, ...]:
    """The plain types a hint admits; none where it is anything else, and then nothing is checked."""
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    kinds = tuple(typing.get_origin(option) or option for option in options)
    return kinds if all(kind in (*_WORDS, types.NoneType) for kind in kinds) else ()
