"""A digest of a user's function: its text, and the values it uses, so that a changed one is another key."""

import functools
import hashlib
import inspect
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from .fingerprint import array_digest


def code_digest(*values: Any) -> str:
    """Return 16 hex digits of functions, by their source and the values they use, and of plain values.

    Names that a function looks up are followed: numbers, text, arrays, other functions. Modules and objects
    of other kinds are known by their name or class alone.
    """
    digest = hashlib.sha256()
    for value in values:
        digest.update(_text(value, ()).encode())
    return digest.hexdigest()[:16]


def _text(value: Any, inside: tuple[int, ...]) -> str:
    """A text that is the same for the same content in every process."""
    if id(value) in inside:  # a function that calls itself, a list that holds itself
        return "itself"
    inside = (*inside, id(value))
    match value:
        case None | bool() | int() | float() | complex() | str() | bytes():
            return repr(value)
        case np.ndarray() if value.dtype != object:
            return array_digest(value)
        case np.generic():
            return repr(value.item())
        case list() | tuple():
            return f"({','.join(_text(item, inside) for item in value)})"
        case set() | frozenset():
            return f"{{{','.join(sorted(_text(item, inside) for item in value))}}}"
        case Mapping():
            items = sorted((_text(k, inside), _text(v, inside)) for k, v in value.items())
            return f"{{{','.join(f'{k}:{v}' for k, v in items)}}}"
        case functools.partial():
            return "partial" + _text((value.func, value.args, value.keywords), inside)
        case types.MethodType():
            return "method" + _text((value.__func__, value.__self__), inside)
        case types.FunctionType():
            return _function(value, inside)
        case types.ModuleType():
            return f"module {value.__name__}"
        case type():
            return f"class {value.__module__}.{value.__qualname__} {_source(value)}"
    if callable(getattr(value, "to_numpy", None)):  # a table of pandas
        return f"{_text(type(value), inside)} {_text(value.to_numpy().tolist(), inside)}"
    if callable(getattr(value, "state_dict", None)):  # a torch module: its layers and weights
        weights = {name: tensor.detach().cpu().numpy() for name, tensor in value.state_dict().items()}
        return f"{_text(type(value), inside)} {value} {_text(weights, inside)}"
    if callable(getattr(value, "get_params", None)):  # a regressor of scikit-learn: its settings
        return f"{_text(type(value), inside)} {_text(value.get_params(), inside)}"
    if isinstance(value, types.BuiltinFunctionType | np.ufunc):
        return f"builtin {getattr(value, '__module__', '')}.{value.__name__}"
    return f"{_text(type(value), inside)} {_text(_state(value), inside)}"


def _function(function: types.FunctionType, inside: tuple[int, ...]) -> str:
    closed = [_cell(cell) for cell in function.__closure__ or ()]
    used = {
        name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__
    }
    parts = (_source(function), function.__defaults__, function.__kwdefaults__, closed, used)
    return "function" + _text(parts, inside)


def _cell(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _names(code: types.CodeType) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _source(thing: Any) -> str:
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):  # typed at a prompt, or compiled
        code = getattr(thing, "__code__", None)
        if code is None:
            return ""
        constants = [c for c in code.co_consts if not isinstance(c, types.CodeType)]
        return f"{code.co_code.hex()}{code.co_names}{constants}"


def _state(value: Any) -> Any:
    """The attributes of an object of a user's class; of a library's, nothing: they change as it is used."""
    user = (type(value).__module__ or "").partition(".")[0] not in _LIBRARIES
    return vars(value) if user and hasattr(value, "__dict__") else None


_LIBRARIES = {"cvxpy", "torch", "numpy", "scipy", "pandas", "sklearn", "gurobipy", "ortools", "builtins"}
