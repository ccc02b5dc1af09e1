"""Where the cells of a page were run: one block for each machine, what differs inside it counted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...contracts.fingerprint import canonical
from ...store.record import Record

MACHINE = ("cpu", "cores", "memory_gib", "system", "gpu", "device")  # facts that make it another machine


@dataclass(frozen=True, slots=True)
class Environment:
    """One machine: its facts, each with the number of cells that share the value."""

    cpu: str
    cells: int
    facts: Mapping[str, list[tuple[Any, int]]]  # most frequent value first


def environments(records: Sequence[Record]) -> list[Environment]:
    """Return the machines of some records, the busiest first."""
    machines: dict[str, Counter[str]] = {}
    facts: dict[str, Mapping[str, Any]] = {}
    for record in records:
        text = repr(record.environment)
        facts.setdefault(text, record.environment)
        machine = canonical({name: record.environment.get(name) for name in MACHINE})
        machines.setdefault(machine, Counter())[text] += 1
    found = [_environment([(facts[text], n) for text, n in counts.items()]) for counts in machines.values()]
    return sorted(found, key=lambda environment: -environment.cells)


def _environment(counted: Sequence[tuple[Mapping[str, Any], int]]) -> Environment:
    names = dict.fromkeys(name for facts, _ in counted for name in facts if name != "cpu")
    return Environment(
        cpu=counted[0][0].get("cpu") or "unknown processor",
        cells=sum(n for _, n in counted),
        facts={name: _values([(facts.get(name), n) for facts, n in counted]) for name in names},
    )


def _values(counted: Sequence[tuple[Any, int]]) -> list[tuple[Any, int]]:
    counts: Counter[str] = Counter()
    values: dict[str, Any] = {}
    for value, n in counted:
        counts[canonical(value)] += n
        values.setdefault(canonical(value), value)
    return [(values[text], n) for text, n in counts.most_common()]
