"""Records of the first release, brought to the keys of today where all that a key stands on is known."""

import json
import sqlite3
import uuid
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
    name = uuid.uuid4().hex
    for table in TABLES:
        found = db.execute(f"SELECT checksum FROM {table} NOT INDEXED").fetchall()
        seal = seal_of(digest for (digest,) in found)
        db.execute("INSERT INTO seals VALUES (?, ?, ?, ?)", (table, seal.rows, seal.text, name))


def upgraded(old: Mapping[str, Any], together: Sequence[int]) -> Cell:
    """Return the cell of today for one of the first release.

    Args:
        old: its values.
        together: the seeds that were trained in one batch with it, itself included.
    """
    older = _unknown(old, together)
    same = ("problem", "problem_version", "method", "method_version", "protocol", "seed", "device")
    shown = {name: old[name] for name in (*same, "problem_config", "method_config")}
    if older:
        settings = {"problem_settings": old["problem_config"], "method_settings": old["method_config"]}
        return Cell(**shown, **settings, older=older)
    made = {kind: _config(registry, old, kind) for kind, registry in _REGISTRIES}
    settings = {f"{kind}_settings": changed(config) for kind, config in made.items()}
    full = {f"{kind}_config": plain(config) for kind, config in made.items()}
    return Cell(**shown | full, **settings, method_changes=_changes(old, settings["method_settings"]))


_REGISTRIES: tuple[tuple[str, Registry[Any]], ...] = (
    ("problem", problems.registry),
    ("method", methods.registry),
)


def _unknown(old: Mapping[str, Any], together: Sequence[int]) -> str:
    """Say what of a score's foundations is not known; "" where all is."""
    for kind, registry in _REGISTRIES:
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
    if old["problem_config"].get("data") not in (None, "generated", "sp500"):
        return "the content of its data file was not part of its key"
    return "trained in one batch with other seeds" if len(together) > 1 else ""


def _changes(old: Mapping[str, Any], settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The settings that neither the paper nor a search can have chosen, as far as can be said today."""
    method = methods.get(old["method"])
    paper = plain(method.paper.get(old["problem"], {}))
    searched = method.search if old["protocol"] == "tuned" else ("sampling_rate",)
    free = {"samples", *searched, *(name for name, value in paper.items() if settings.get(name) == value)}
    return tuple(name for name in settings if name not in free)


def _config(registry: Registry[Any], old: Mapping[str, Any], kind: str) -> Any:
    return build(registry.get(old[kind]).Config, old[f"{kind}_config"], owner=old[kind])
