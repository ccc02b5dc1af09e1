"""The papers, two files each: NAME.csv has the numbers, under the paper's own names; NAME.toml says the rest.

A column of the CSV file that is none of `COLUMNS` is a setting of the problem.
"""

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from ...contracts.settings import did_you_mean
from ...errors import UnknownNameError
from ..paper import Paper, Published, Track, in_full

DEFAULT = "lcgln"
COLUMNS = ("table", "problem", "samples", "method", "mean", "sem", "sd", "repeats")
_FOLDER = files(__name__)


def papers() -> dict[str, str]:
    """Return the papers by name, each with its authors and title."""
    names = sorted(file.name for file in _FOLDER.iterdir() if file.name.endswith(".toml"))
    tables = {name.removesuffix(".toml"): _table(name) for name in names}
    return {name: f"{table['authors']}: {table['title']}" for name, table in tables.items()}


@cache
def load_paper(name: str = DEFAULT) -> Paper:
    """Return a paper by name."""
    known = papers()
    if name not in known:
        hint = did_you_mean(name, known)
        raise UnknownNameError(f"no paper named {name!r}.{hint} Known: {', '.join(known)}.")
    table = _table(f"{name}.toml")
    methods = {theirs: _ours(ours) for theirs, ours in table.pop("methods").items()}
    tracks = {track: Track(name=track, **_fixed(given)) for track, given in table.pop("tracks").items()}
    paper = Paper(name=name, methods=methods, tracks=tracks, **_fixed(table))
    rows = csv.DictReader(_read(f"{name}.csv").splitlines())
    return replace(paper, numbers=tuple(_number(paper, row) for row in rows))


def _read(file: str) -> str:
    return (_FOLDER / file).read_text(encoding="utf-8")


def _table(file: str) -> dict[str, Any]:
    return tomllib.loads(_read(file))


def _fixed(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def _ours(method: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Our name with settings, where a name alone was written too."""
    return {"method": method} if isinstance(method, str) else method


def _number(paper: Paper, row: Mapping[str, str]) -> Published:
    ours = dict(paper.methods[row["method"]])
    settings = {name: _value(text) for name, text in row.items() if name not in COLUMNS and text}
    shared = {name: value for name, value in settings.items() if name != paper.rows}
    sem = _sem(row)
    return Published(
        table=row.get("table") or f"{row['problem']} {in_full(shared)}",
        problem=row["problem"],
        settings=settings,
        samples=int(row["samples"]) if row.get("samples") else None,
        method=ours.pop("method"),
        name=row["method"],
        method_settings=ours,
        mean=paper.unit * float(row["mean"]),
        sem=None if sem is None else paper.unit * sem,
        half_digit=paper.unit * 0.5 * 10.0**-paper.decimals,
    )


def _sem(row: Mapping[str, str]) -> float | None:
    """The standard error of a mean: printed, or from the deviation of single runs; None for one run."""
    if row.get("sem"):
        return float(row["sem"])
    return float(row["sd"]) / int(row["repeats"]) ** 0.5 if row.get("sd") else None


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
