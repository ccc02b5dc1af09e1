"""Records of the first release, brought to the keys of today where all that a key stands on is known."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from .. import methods, problems
from ..contracts.fingerprint import canonical, plain
from ..contracts.registry import Registry
from ..contracts.settings import build
from .cell import Cell, changed
from .header import DamagedFile
from .row import checksum
from .seal import TABLES, seal_of


def upgrade_rows(db: sqlite3.Connection) -> None:
    """Give every row its key of today and a checksum; what is not known is kept and marked as older.

    A row that cannot be read stays as it is, without a checksum: whoever reads the file hears of it.
    """
    for table, arrays in (("results", "regret, packed"), ("failures", "NULL, NULL")):
        join = " LEFT JOIN worst_regrets ON id = worst" if table == "results" else ""
        rows = db.execute(
            f"SELECT {table}.rowid, status, cell, details, environment, {arrays}, checksum FROM {table}{join}"
        ).fetchall()
        for rowid, status, cell, details, environment, regret, worst, digest in rows:
            if digest:
                raise DamagedFile("it says that it is older than its records are")
            try:
                new = upgraded(json.loads(cell), json.loads(details).get("group", [0]))
                digest = checksum(new.key, status, canonical(new), details, environment, regret, worst)
            except Exception:  # damaged bytes can raise anything
                continue
            db.execute(
                f"UPDATE {table} SET key = ?, cell = ?, checksum = ? WHERE rowid = ?",
                (new.key, canonical(new), digest, rowid),
            )


def seal_rows(db: sqlite3.Connection) -> None:
    """Write down what an older file holds, and let the checksum of a failure cover how often it was tried."""
    if db.execute("SELECT count(*) FROM seals").fetchone() != (0,):
        raise DamagedFile("it says that it is older than its tables are")
    query = "SELECT rowid, key, status, cell, details, environment, attempts, checksum FROM failures"
    for rowid, *parts, attempts, digest in db.execute(query).fetchall():
        if digest == checksum(*parts, None, None):
            new = checksum(*parts, str(attempts))
            db.execute("UPDATE failures SET checksum = ? WHERE rowid = ?", (new, rowid))
    for table in TABLES:
        found = db.execute(f"SELECT checksum FROM {table} NOT INDEXED").fetchall()
        seal = seal_of(digest for (digest,) in found)
        db.execute("INSERT INTO seals VALUES (?, ?, ?)", (table, seal.rows, seal.text))


def upgraded(old: Mapping[str, Any], together: Sequence[int]) -> Cell:
    """Return the cell of today for one of the first release.

    Args:
        old: its values.
        together: the seeds that were trained in one batch with it, itself included.
    """
    same = ("problem", "problem_version", "method", "method_version", "protocol", "seed", "device")
    values = {name: old[name] for name in same}
    for kind, registry in _REGISTRIES:
        settings, config = old[f"{kind}_config"], old[f"{kind}_config"]
        if not _unknown_code(registry, old, kind):
            made = _config(registry, old, kind)
            settings, config = changed(made), plain(made)
        values |= {f"{kind}_settings": settings, f"{kind}_config": config}
    older = _unknown(old, together)
    changes = () if older else _changes(old, values["method_settings"])
    return Cell(**values, older=older, method_changes=changes)


_REGISTRIES: tuple[tuple[str, Registry[Any]], ...] = (
    ("problem", problems.registry),
    ("method", methods.registry),
)


def _unknown(old: Mapping[str, Any], together: Sequence[int]) -> str:
    """Say what of a score's foundations is not known; "" where all is."""
    for kind, registry in _REGISTRIES:
        if reason := _unknown_code(registry, old, kind):
            return reason
    if old["problem_config"].get("data") not in (None, "generated", "sp500"):
        return "the content of its data file was not part of its key"
    return "trained in one batch with other seeds" if len(together) > 1 else ""


def _unknown_code(registry: Registry[Any], old: Mapping[str, Any], kind: str) -> str:
    """Say why the code behind a name is not the code of today; "" where it is."""
    name, version = old[kind], old[f"{kind}_version"]
    entry = registry.entries().get(name)
    if entry is None or not entry.source.startswith(f"{registry.package}."):
        return f"the file of the {kind} was not part of its key"
    if registry.get(name).version != version:
        return f"version {version} of the {kind}"
    try:
        _config(registry, old, kind)
    except (ValueError, TypeError):
        return f"the {kind} had other settings"
    return ""


def _changes(old: Mapping[str, Any], settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The settings that neither the paper nor a search can have chosen, as far as can be said today."""
    method = methods.get(old["method"])
    paper = plain(method.paper.get(old["problem"], {}))
    searched = method.search if old["protocol"] == "tuned" else ("sampling_rate",)
    free = {"samples", *searched, *(name for name, value in paper.items() if settings.get(name) == value)}
    return tuple(name for name in settings if name not in free)


def _config(registry: Registry[Any], old: Mapping[str, Any], kind: str) -> Any:
    return build(registry.get(old[kind]).Config, old[f"{kind}_config"], owner=old[kind])
