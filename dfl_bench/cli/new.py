"""The command `new`: starting files for a user's own method or problem."""

import re
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

_TEMPLATES = files("dfl_bench.cli") / "templates"


class Kind(StrEnum):
    """What a starting file is for."""

    method = "method"
    problem = "problem"


def new(
    kind: Kind,
    name: Annotated[str, typer.Argument(help="Lower-case letters, digits and dashes, as my-method.")],
    torch: Annotated[
        bool, typer.Option("--torch", help="A method with a loss of its own in the shared training loop.")
    ] = False,
    linear: Annotated[
        bool, typer.Option("--linear", help="A problem whose cost is linear in the outcome.")
    ] = False,
) -> None:
    """Write a commented starting file that runs as it is."""
    if torch and kind is not Kind.method:
        raise ValueError("--torch is for a method; for a problem there is --linear.")
    if linear and kind is not Kind.problem:
        raise ValueError("--linear is for a problem; for a method there is --torch.")
    _require_free(kind, name)
    variant = "_torch" if torch else "_linear" if linear else ""
    path = write_start(f"{kind}{variant}", name)
    chosen = (
        f"--method {name} --problem inventory" if kind is Kind.method else f"--problem {name} --method pfl"
    )
    hint = f"wrote {path}; try: dfl-bench run --plugin {path} {chosen} --seeds 2"
    Console().print(Text(hint), soft_wrap=True)


def _require_free(kind: Kind, name: str) -> None:
    """Refuse a name that the suite has: the file would be written and could not be loaded."""
    from .. import methods, problems

    taken = (methods if kind is Kind.method else problems).entries().get(name)
    if taken is not None:
        raise ValueError(f"there is a {kind} {name} already ({taken.source}); choose another name.")


def write_start(template: str, name: str, folder: str | Path = ".") -> Path:
    """Write a starting file and return its path; an existing file is left as it is.

    Args:
        template: one of the templates, as "method" or "problem_linear".
        name: what the method or problem will be called.
        folder: where the file goes.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ValueError(f"expected a name of lower-case letters, digits and single dashes, got {name!r}.")
    path = Path(folder) / f"{name.replace('-', '_')}.py"
    text = Template((_TEMPLATES / f"{template}.py.txt").read_text(encoding="utf-8")).substitute(
        name=name, file=path.name, Class="".join(part.capitalize() for part in name.split("-"))
    )
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ValueError(
            f"{path} exists already and is left as it is. Use it with --plugin {path}, "
            "or choose another name."
        ) from None
    return path
