"""A record as a file holds it, and the checksum that says whether it is still what was written."""

import hashlib
from typing import NamedTuple

from .record import FINAL


class DamagedRow(Exception):
    """A row is not what was written; the message is the reason."""

    def __init__(self, key: object, reason: object) -> None:
        super().__init__(str(reason))
        self.key = key


class Row(NamedTuple):
    """A record as a file holds it. A failure has no column for protocol, seed, score and regrets."""

    key: str
    problem: str
    method: str
    protocol: str | None
    seed: int | None
    status: str
    normalized_regret: float | None
    cell: str
    regret: bytes | None
    worst: bytes | None
    details: str
    environment: str  # digest of the facts
    facts: str | None
    attempts: int
    checksum: str

    @property
    def is_final(self) -> bool:
        """Whether it is a result, not a failure."""
        return self.status in FINAL

    def sealed(self) -> "Row":
        """Return this row with the checksum of its content."""
        return self._replace(checksum=self.content_checksum())

    def content_checksum(self) -> str:
        """Return the checksum of what is here now."""
        common = (self.key, self.status, self.cell, self.details, self.environment)
        return checksum(*common, *((self.regret, self.worst) if self.is_final else (str(self.attempts),)))


def checksum(*parts: str | bytes | None) -> str:
    """Return 16 hex digits of the parts of a row, in order."""
    digest = hashlib.sha256()
    for part in parts:
        data = b"\0" if part is None else part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:16]


def digest_of(facts: str) -> str:
    """Return the digest that an environment is kept under, from its canonical text."""
    return hashlib.sha256(facts.encode()).hexdigest()[:16]
