"""The rows that a step trains on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from torch import Tensor

from lcgln.ensemble.batches import take


@dataclass(frozen=True, slots=True)
class Minibatch:
    """Some training rows of every seed, (S, n, ...), and their indices (S, n); None is all rows in order."""

    x: Tensor
    y: Tensor
    context: Mapping[str, Tensor]
    index: Tensor | None


@dataclass(frozen=True, slots=True)
class Taken(Mapping[str, Tensor]):
    """Some rows of tensors by name, taken when they are first asked for: most losses never ask."""

    whole: Mapping[str, Tensor]
    index: Tensor
    _rows: dict[str, Tensor] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Tensor:
        if name not in self._rows:
            self._rows[name] = take(self.whole[name], self.index)
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole)

    def __len__(self) -> int:
        return len(self.whole)
