"""Fields of a stored record: those that this release knows, each with a value of its type."""

import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_Check = Callable[[Any], bool]


def known_fields(cls: type, values: Any) -> dict[str, Any]:
    """Return the values that a class has fields for: a newer release may have written others.

    Args:
        cls: a dataclass.
        values: what was read from JSON.
    """
    if type(values) is not dict:
        raise TypeError(f"expected fields by name, got {values!r:.60}")
    checks = _checks(cls)
    kept = {name: value for name, value in values.items() if name in checks}
    for name, value in kept.items():
        if not checks[name](value):
            raise TypeError(f"its field {name!r} has a value of the wrong type: {value!r:.60}")
    return kept


@cache
def _checks(cls: type) -> dict[str, _Check]:
    return {name: _check(hint) for name, hint in get_type_hints(cls).items()}


def _check(hint: Any) -> _Check:
    """Return whether a value read from JSON is of an annotated type; JSON has lists for tuples."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return lambda value: True
    if hint is float:
        return lambda value: type(value) in (float, int)
    if origin is Literal:
        return lambda value: value in inner
    if origin in (Union, types.UnionType):
        options = [_check(option) for option in inner]
        return lambda value: any(option(value) for option in options)
    if origin is tuple:
        return _check_tuple(inner)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        each = _check(inner[1])
        return lambda value: type(value) is dict and all(map(each, value.values()))
    return lambda value: type(value) is hint


def _check_tuple(inner: tuple[Any, ...]) -> _Check:
    if inner[-1] is ...:
        each = _check(inner[0])
        return lambda value: type(value) is list and all(map(each, value))
    checks = [_check(item) for item in inner]
    return lambda value: (
        type(value) is list
        and len(value) == len(checks)
        and all(check(item) for check, item in zip(checks, value, strict=True))
    )
