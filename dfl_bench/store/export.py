"""Records as a pandas frame, and as CSV or Parquet."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..contracts.fingerprint import canonical
from ..contracts.ledger import PHASES
from ..problems import swept
from .record import Record
from .store import Store
from .text import without_formulas

if TYPE_CHECKING:
    import pandas as pd


def load_results(path: str | Path) -> pd.DataFrame:
    """Return one row for each cell: results, and the failures that have not succeeded since."""
    with Store(path, readonly=True) as store:
        return frame([*store.records(), *store.failures()])


def frame(records: list[Record]) -> pd.DataFrame:
    """Return records as a table.

    After `samples` comes a column for every setting that a problem among the records declares as a sweep.
    These columns are empty where a cell has no such setting.
    """
    import pandas as pd

    sweeps = _sweeps(records)
    first, rest = _COLUMNS[:_BEFORE_SWEEPS], _COLUMNS[_BEFORE_SWEEPS:]
    table = pd.DataFrame([_row(record, sweeps) for record in records], columns=[*first, *sweeps, *rest])
    whole = [name for name in sweeps if _is_whole(record.cell.problem_config.get(name) for record in records)]
    return table.astype({"samples": "Int64", "seed": "int64", **dict.fromkeys(whole, "Int64")})


def _sweeps(records: Iterable[Record]) -> list[str]:
    configs: dict[str, dict[str, Any]] = {}
    for record in records:
        configs.setdefault(record.cell.problem, {}).update(record.cell.problem_config)
    found = (setting for problem, config in configs.items() for setting in swept(problem, config))
    return [name for name in dict.fromkeys(found) if name not in _COLUMNS]


def _is_whole(values: Iterable[object]) -> bool:
    return all(value is None or type(value) is int for value in values)


def export(path: str | Path, target: str | Path) -> int:
    """Write a store's records to a .csv or .parquet file; return how many."""
    table = load_results(path)
    match Path(target).suffix:
        case ".csv":
            without_formulas(table).to_csv(target, index=False)
        case ".parquet":
            table.to_parquet(target, index=False)
        case other:
            raise ValueError(f"expected a file that ends in .csv or .parquet, got {other!r} in {target}.")
    return len(table)


_COLUMNS = (
    "problem", "method", "protocol", "samples", "seed", "normalized_regret", "seconds", "status",
    *(f"seconds_{phase}" for phase in PHASES), *(f"solves_{phase}" for phase in PHASES),
    "regret_sum", "worst_sum", "predicted_worst_sum", "optimal_sum", "relative_regret",
    "peak_bytes", "reference", "alone", "older", "device", "machine", "commit",
    "problem_version", "problem_config", "problem_settings", "problem_code", "source_digest",
    "method_version", "method_config", "method_changes", "method_code", "data_digest", "provenance",
    "attempts", "error", "started", "finished", "key",
)  # fmt: skip
_BEFORE_SWEEPS = _COLUMNS.index("samples") + 1


def _row(record: Record, sweeps: Iterable[str]) -> dict[str, Any]:
    cell = record.cell
    return {
        "problem": cell.problem,
        "method": cell.method,
        "protocol": cell.protocol,
        "samples": cell.samples,
        **{name: cell.problem_config.get(name) for name in sweeps},
        "seed": cell.seed,
        "normalized_regret": record.normalized_regret,
        "seconds": record.total_seconds,
        "status": record.status,
        **{f"seconds_{phase}": record.seconds.get(phase, 0.0) for phase in PHASES},
        **{f"solves_{phase}": record.solves.get(phase, 0) for phase in PHASES},
        "regret_sum": record.regret_sum,
        "worst_sum": record.worst_sum,
        "predicted_worst_sum": record.predicted_worst_sum,
        "optimal_sum": record.optimal_sum,
        "relative_regret": record.relative_regret,
        "peak_bytes": record.peak_bytes,
        "reference": record.reference,
        "alone": record.alone,
        "older": cell.older,
        "device": cell.device,
        "machine": record.machine,
        "commit": record.environment.get("commit", ""),
        "problem_version": cell.problem_version,
        "problem_config": canonical(cell.problem_config),
        "problem_settings": canonical(cell.problem_settings),
        "problem_code": cell.problem_code,
        "source_digest": cell.source_digest,
        "method_version": cell.method_version,
        "method_config": canonical(cell.method_config),
        "method_changes": " ".join(cell.method_changes),
        "method_code": cell.method_code,
        "data_digest": record.data_digest,
        "provenance": record.provenance,
        "attempts": record.attempts,
        "error": record.error,
        "started": record.started,
        "finished": record.finished,
        "key": record.key,
    }
