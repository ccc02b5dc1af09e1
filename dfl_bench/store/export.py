"""Records as a pandas frame, and as CSV or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..contracts.fingerprint import canonical
from ..contracts.ledger import PHASES
from .record import Record
from .store import Store

if TYPE_CHECKING:
    import pandas as pd


def load_results(path: str | Path) -> pd.DataFrame:
    """Return one row a cell: results, and the failures that have not succeeded since."""
    with Store(path, readonly=True) as store:
        return frame([*store.records(), *store.failures()])


def frame(records: list[Record]) -> pd.DataFrame:
    """Return records as a table; `samples` and `fake_targets` are empty where a cell has none."""
    import pandas as pd

    table = pd.DataFrame([_row(record) for record in records], columns=list(_COLUMNS))
    return table.astype({"samples": "Int64", "fake_targets": "Int64", "seed": "int64"})


def export(path: str | Path, target: str | Path) -> int:
    """Write a store's records to a .csv or .parquet file; return how many."""
    table = load_results(path)
    match Path(target).suffix:
        case ".csv":
            table.to_csv(target, index=False)
        case ".parquet":
            table.to_parquet(target, index=False)
        case other:
            raise ValueError(f"expected a file that ends in .csv or .parquet, got {other!r} in {target}.")
    return len(table)


_COLUMNS = (
    "problem", "method", "protocol", "samples", "fake_targets", "seed", "normalized_regret", "seconds",
    "status",
    *(f"seconds_{phase}" for phase in PHASES), *(f"solves_{phase}" for phase in PHASES),
    "regret_sum", "worst_sum", "predicted_worst_sum", "peak_bytes", "reference", "alone", "older",
    "device", "machine", "commit",
    "problem_version", "problem_config", "method_version", "method_config", "data_digest", "provenance",
    "attempts", "error", "started", "finished", "key",
)  # fmt: skip


def _row(record: Record) -> dict[str, Any]:
    cell = record.cell
    return {
        "problem": cell.problem,
        "method": cell.method,
        "protocol": cell.protocol,
        "samples": cell.samples,
        "fake_targets": cell.problem_config.get("fake_targets"),
        "seed": cell.seed,
        "normalized_regret": record.normalized_regret,
        "seconds": record.total_seconds,
        "status": record.status,
        **{f"seconds_{phase}": record.seconds.get(phase, 0.0) for phase in PHASES},
        **{f"solves_{phase}": record.solves.get(phase, 0) for phase in PHASES},
        "regret_sum": record.regret_sum,
        "worst_sum": record.worst_sum,
        "predicted_worst_sum": record.predicted_worst_sum,
        "peak_bytes": record.peak_bytes,
        "reference": record.reference,
        "alone": record.alone,
        "older": cell.older,
        "device": cell.device,
        "machine": record.machine,
        "commit": record.environment.get("commit", ""),
        "problem_version": cell.problem_version,
        "problem_config": canonical(cell.problem_config),
        "method_version": cell.method_version,
        "method_config": canonical(cell.method_config),
        "data_digest": record.data_digest,
        "provenance": record.provenance,
        "attempts": record.attempts,
        "error": record.error,
        "started": record.started,
        "finished": record.finished,
        "key": record.key,
    }
