"""Lists public functions of three or more parameters without an Args section: run this module to see them."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("dfl_bench", "kernels", "lcgln")
MANY = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef


def missing() -> dict[str, list[str]]:
    """Return the offenders of each room, as path:line name; a room without one has an empty list."""
    found: dict[str, list[str]] = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if is_public(parts):
                offenders = offenders_of(path.read_text(encoding="utf-8"))
                where = path.relative_to(ROOT)
                found[room(parts)] += [f"{where}:{line} {name}" for line, name in offenders]
    return dict(found)


def room(parts: tuple[str, ...]) -> str:
    """Return dfl_bench.run for modules of a room, the package for all others."""
    return ".".join(parts[:2]) if parts[0] == "dfl_bench" and len(parts) > 2 else parts[0]


def is_public(parts: tuple[str, ...]) -> bool:
    return not any(part.startswith("_") and part not in ("__init__", "__main__") for part in parts)


def offenders_of(source: str) -> list[tuple[int, str]]:
    """Return (line, name) of each public function of a module that lacks its Args section."""
    return [
        (node.lineno, name)
        for name, node in _public_functions(ast.parse(source).body)
        if _parameters(node) >= MANY and "Args:" not in (ast.get_docstring(node) or "")
    ]


def _public_functions(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, Function]]:
    for node in body:
        if isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_"):
            if isinstance(node, ast.ClassDef):
                yield from _public_functions(node.body, f"{node.name}.")
            else:
                yield f"{owner}{node.name}", node


def _parameters(node: Function) -> int:
    given = node.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    named += [extra for extra in (given.vararg, given.kwarg) if extra is not None]
    return sum(argument.arg not in ("self", "cls") for argument in named)


if __name__ == "__main__":
    for name, offenders in sorted(missing().items()):
        print(f"{name}: {len(offenders)}")
        print("".join(f"  {offender}\n" for offender in offenders), end="")
