"""Starting files for a user's own method or problem."""

import re
from importlib.resources import files
from pathlib import Path
from string import Template

KINDS = ("method", "problem")


def write_start(kind: str, name: str, folder: str | Path = ".") -> Path:
    """Write a commented file that runs as it is, and return its path; an existing file is left alone."""
    if kind not in KINDS:
        raise ValueError(f"expected one of {', '.join(KINDS)}, got {kind!r}.")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ValueError(f"expected a name of lower-case letters, digits and single dashes, got {name!r}.")
    path = Path(folder) / f"{name.replace('-', '_')}.py"
    template = Template((files("dfl_bench.cli") / "templates" / f"{kind}.py.txt").read_text(encoding="utf-8"))
    text = template.substitute(
        name=name, file=path.name, Class="".join(part.capitalize() for part in name.split("-"))
    )
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
    return path
