"""Lists public functions of three or more parameters without an Args section: run this module to see them."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import typer

from dfl_bench.cli import app

ROOT = Path(__file__).parents[2]
PACKAGES = ("dfl_bench", "kernels", "lcgln")
MANY = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef
Classes = dict[str, list[ast.ClassDef]]  # by bare name, since a base is written so


def missing() -> dict[str, list[str]]:
    """Return the offenders of each room, as path:line name; a room without one has an empty list."""
    found: dict[str, list[str]] = defaultdict(list)
    commands = commands_of(app)
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    sources = {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in paths}
    classes = classes_of(sources.values())
    for where, source in sources.items():
        parts = where.with_suffix("").parts
        if is_public(parts):
            module = ".".join(parts).removesuffix(".__init__")
            found[room(parts)] += [
                f"{where}:{line} {name}"
                for line, name in offenders_of(source, classes)
                if f"{module}.{name}" not in commands
            ]
    return dict(found)


def commands_of(group: typer.Typer) -> set[str]:
    """Return module.name of each command of the command line; `missing` does not count them."""
    # Options explain the parameters of a command, and --help would print an Args section of its docstring.
    callbacks = [command.callback for command in group.registered_commands]
    own = {f"{callback.__module__}.{callback.__qualname__}" for callback in callbacks if callback}
    inner = [below.typer_instance for below in group.registered_groups]
    return own.union(*(commands_of(below) for below in inner if below))


def classes_of(sources: Iterable[str]) -> Classes:
    """Return the classes of some modules by name."""
    found: Classes = defaultdict(list)
    for source in sources:
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(node)
    return dict(found)


def room(parts: tuple[str, ...]) -> str:
    """Return dfl_bench.run for modules of a room, the package for all others."""
    return ".".join(parts[:2]) if parts[0] == "dfl_bench" and len(parts) > 2 else parts[0]


def is_public(parts: tuple[str, ...]) -> bool:
    return not any(part.startswith("_") and part not in ("__init__", "__main__") for part in parts)


def offenders_of(source: str, classes: Classes | None = None) -> list[tuple[int, str]]:
    """Return (line, name) of each public function of a module that lacks its Args section.

    A method that overrides an explained one need not repeat it: the parameters mean the same.
    """
    known = classes_of([source]) if classes is None else classes
    return [
        (node.lineno, ".".join([*(owner.name for owner in owners), node.name]))
        for owners, node in _public_functions(ast.parse(source).body)
        if len(_parameters(node)) >= MANY
        and not _explains(node)
        and not (owners and _is_explained_above(owners[-1], node, known))
    ]


def _public_functions(
    body: list[ast.stmt], owners: tuple[ast.ClassDef, ...] = ()
) -> Iterator[tuple[tuple[ast.ClassDef, ...], Function]]:
    for node in body:
        if isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_"):
            if isinstance(node, ast.ClassDef):
                yield from _public_functions(node.body, (*owners, node))
            else:
                yield owners, node


def _explains(node: Function) -> bool:
    return "Args:" in (ast.get_docstring(node) or "")


def _is_explained_above(owner: ast.ClassDef, node: Function, classes: Classes) -> bool:
    names = {base.id for base in owner.bases if isinstance(base, ast.Name)} - {owner.name}
    bases = [base for name in names for base in classes.get(name, [])]
    if any(_is_explained_twin(other, node) for base in bases for other in base.body):
        return True
    return any(_is_explained_above(base, node, classes) for base in bases)


def _is_explained_twin(other: ast.stmt, node: Function) -> bool:
    return (
        isinstance(other, Function)
        and other.name == node.name
        and _parameters(other) == _parameters(node)
        and _explains(other)
    )


def _parameters(node: Function) -> list[str]:
    given = node.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    named += [extra for extra in (given.vararg, given.kwarg) if extra is not None]
    return [argument.arg for argument in named if argument.arg not in ("self", "cls")]


if __name__ == "__main__":
    for name, offenders in sorted(missing().items()):
        print(f"{name}: {len(offenders)}")
        print("".join(f"  {offender}\n" for offender in offenders), end="")
