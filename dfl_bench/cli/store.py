"""The commands that join and convert results files."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from .options import DEFAULT_STORE, StorePath


def merge(into: Path, other: Path) -> None:
    """Take over the records of another results file; existing ones stay as they are."""
    from ..store.store import Store

    with Store(other, readonly=True) as source, Store(into) as target:
        new_records = target.merge(source)
    Console().print(Text(f"{new_records} new results from {other} in {into}."))


def export(target: Path, store: StorePath = DEFAULT_STORE) -> None:
    """Write the records to a .csv or .parquet file."""
    from ..store.export import export as write

    Console().print(Text(f"wrote {write(store, target)} records to {target}."))
