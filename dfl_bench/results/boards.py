"""Records to tables: a board for each configured problem and protocol, a row for each configured method."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from ..contracts.fingerprint import canonical
from ..contracts.ledger import PHASES
from ..problems import shows_relative_regret
from ..store.cell import Cell
from ..store.record import Record
from .groups import rank_groups
from .naming import telling
from .siblings import Siblings
from .statistics import MIN_SEEDS, Scores, mean_sem


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One configured method on one board."""

    method: str
    config: dict[str, Any]
    reference: bool
    settings: str  # what tells this row from others of the same method, "K=8" or "K=8 steps=300"
    scores: dict[int, float]  # normalized regret by seed
    records: list[Record] = field(repr=False)
    mean: float | None  # None: no score, see `reason`
    sem: float | None  # None below two seeds
    relative: float | None  # mean of Σ regret / Σ |optimal cost|, on problems that show it
    in_race: bool  # False: a reference, older, or not the largest K of its method
    rank: int | None  # None: not in the race, or too few seeds
    passed: tuple[str, ...] = ()  # rows of a better group whose mean is higher
    timed: int  # how many records the seconds are the mean of
    alone: bool  # whether all of those ran with the machine to themselves
    seconds: dict[str, float]  # by phase, one seed on its own; empty without a timing record
    solves: dict[str, float]  # by phase
    failures: int  # cells that failed and have not succeeded since
    reason: str  # why it is n/a, or the last failure's first line
    beats_constant: bool | None  # None without the reference `constant`

    @property
    def older(self) -> str:
        """Why this code cannot say what the scores stand on; "" for all it has made itself."""
        return self.records[0].cell.older

    @property
    def changes(self) -> tuple[str, ...]:
        """The settings that are not those of the protocol."""
        return self.records[0].cell.method_changes

    @property
    def label(self) -> str:
        """The method and what tells it from its siblings."""
        return f"{self.method} {self.settings}".strip()

    @property
    def has_too_few_seeds(self) -> bool:
        """Whether there are fewer seeds than a rank needs."""
        return len(self.scores) < MIN_SEEDS

    @property
    def total_seconds(self) -> float | None:
        """Seconds of all phases, None without a timing record."""
        return sum(self.seconds.values()) if self.seconds else None

    @property
    def total_solves(self) -> float | None:
        """Instances given to the solver in all phases, None without a timing record."""
        return sum(self.solves.values()) if self.solves else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The methods on one configured problem, best first; reference policies apart."""

    problem: str
    version: int  # of the problem; the code may have another one
    config: dict[str, Any]
    changed: dict[str, Any]  # the settings of `config` that were not the default
    settings: str  # what tells this board from others of the same problem
    swept: dict[str, Any]  # the settings that the problem declares as sweeps
    source_digest: str  # of the file the data was read from, "" for generated data
    protocol: str
    device: str
    rows: list[Row]
    references: list[Row]
    ranked: bool  # whether at least two methods have six seeds
    provenance: str
    environments: list[dict[str, Any]]  # of the seconds shown

    @property
    def all_rows(self) -> list[Row]:
        """The methods, then the reference policies."""
        return [*self.rows, *self.references]

    @property
    def has_too_few_seeds(self) -> bool:
        """Whether a row has fewer seeds than a rank needs."""
        return any(row.mean is not None and row.has_too_few_seeds for row in self.rows)

    @property
    def has_unranked_samples(self) -> bool:
        """Whether a row is left out of the ranks because its method has one with more samples."""
        return any(not row.in_race and not row.older and not row.has_too_few_seeds for row in self.rows)

    @property
    def title(self) -> str:
        """Problem, settings, protocol and device."""
        return f"{self.problem} {self.settings}".strip() + f" · protocol {self.protocol} · {self.device}"

    @property
    def name(self) -> str:
        """The title without what is usual."""
        return self.title.removesuffix(" · cpu").removesuffix(" · protocol paper")


def boards(records: Iterable[Record], failures: Iterable[Record] = ()) -> list[Board]:
    """Return the boards of a store's records; cells of superseded versions are left out."""
    by_board: dict[str, list[Record]] = defaultdict(list)
    for record in newest([*records, *failures]):
        cell = record.cell
        by_board[canonical([cell.place, cell.protocol, cell.device])].append(record)
    cells: dict[str, list[Cell]] = defaultdict(list)
    for group in by_board.values():
        cells[group[0].cell.problem].append(group[0].cell)
    siblings = {problem: Siblings.of(found) for problem, found in cells.items()}
    made = [_board(group, siblings[group[0].cell.problem]) for group in by_board.values()]
    return sorted(
        made, key=lambda board: (board.problem, canonical(board.config), board.protocol, board.device)
    )


def scores_of(records: Iterable[Record]) -> Scores:
    """Return the per-instance regrets of one configured method, as the statistics take them."""
    ok = [record for record in records if record.regret is not None]
    return Scores(
        {r.cell.seed: r.regret for r in ok if r.regret is not None},
        {r.cell.seed: r.worst_regret for r in ok if r.worst_regret is not None},
    )


def newest(records: Sequence[Record]) -> list[Record]:
    """Return the records of the newest version of each problem and method that there is among them."""
    problem: dict[str, int] = defaultdict(int)
    method: dict[str, int] = defaultdict(int)
    for r in records:
        problem[r.cell.problem] = max(problem[r.cell.problem], r.cell.problem_version)
        method[r.cell.method] = max(method[r.cell.method], r.cell.method_version)
    return [
        r
        for r in records
        if r.cell.problem_version == problem[r.cell.problem]
        and r.cell.method_version == method[r.cell.method]
    ]


def _board(records: list[Record], siblings: Siblings) -> Board:
    by_row: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        cell = record.cell
        by_row[canonical([cell.method, cell.method_settings, cell.method_code, cell.older])].append(record)
    configs: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for group in by_row.values():
        configs[group[0].cell.method].append(dict(group[0].cell.method_config))
    reference = {r.cell.method: r.reference for r in records if r.status in ("ok", "n/a")}
    machine = _machine(records)
    scores = {key: _by_seed(group) for key, group in by_row.items()}
    racing = {
        key: scores[key]
        for key, group in by_row.items()
        if not reference.get(group[0].cell.method)
        and not group[0].cell.older
        and _is_largest(group[0].cell.method_config, configs[group[0].cell.method])
    }
    ranks = rank_groups(racing)
    constant = next((fmean(s.values()) for k, s in scores.items() if s and _is(by_row[k], "constant")), None)
    relative = shows_relative_regret(records[0].cell.problem)  # asked once, because it reads the registry
    rows = [
        _row(group, configs[group[0].cell.method], key in racing, ranks.get(key), machine, constant, relative)
        for key, group in by_row.items()
    ]
    rows = _in_order(rows)
    cell = records[0].cell
    return Board(
        problem=cell.problem,
        version=cell.problem_version,
        config=dict(cell.problem_config),
        changed=dict(cell.problem_settings),
        settings=siblings.in_words(cell),
        swept=siblings.swept(cell),
        source_digest=cell.source_digest,
        protocol=cell.protocol,
        device=cell.device,
        rows=[row for row in rows if not row.reference],
        references=[row for row in rows if row.reference],
        ranked=sum(len(by_seed) >= MIN_SEEDS for by_seed in racing.values()) > 1,
        provenance=next((r.provenance for r in records if r.provenance), ""),
        environments=list({r.machine: dict(r.environment) for r in records if r.machine == machine}.values()),
    )


def _in_order(rows: list[Row]) -> list[Row]:
    """Rows by their mean; one whose group does not follow from its mean says which rows it is better than."""
    rows = sorted(rows, key=lambda row: (row.mean is None, row.mean, row.label))
    passed = [
        tuple(other.label for other in rows[i:] if other.rank and row.rank and other.rank < row.rank)
        for i, row in enumerate(rows)
    ]
    return [replace(row, passed=labels) if labels else row for row, labels in zip(rows, passed, strict=True)]


def _is(records: list[Record], method: str) -> bool:
    return records[0].cell.method == method


def _is_largest(config: Mapping[str, Any], siblings: list[dict[str, Any]]) -> bool:
    """Whether no row of this method has more samples: more rows in the race would only cost it power."""
    return config.get("samples") == max((s.get("samples") for s in siblings), key=lambda k: k or 0)


def _by_seed(records: list[Record]) -> dict[int, float]:
    scored = {r.cell.seed: r.normalized_regret for r in records}
    return {seed: score for seed, score in sorted(scored.items()) if score is not None}


def _relative(records: list[Record]) -> float | None:
    known = [r.relative_regret for r in records if r.relative_regret is not None]
    return fmean(known) if known else None


def _machine(records: list[Record]) -> str:
    """The machine most timing records come from: seconds of different machines are never in one column."""
    timed = [r.machine for r in records if r.is_timing]
    return max(set(timed), key=timed.count) if timed else ""


def _row_settings(cell: Cell, siblings: list[dict[str, Any]]) -> str:
    """The settings of a row: samples, what is not the protocol's, a user's code, and whether it is older."""
    words = telling(cell.method_config, siblings, always=cell.method_changes, brief=True)
    code = f"code={cell.method_code[:8]}" if cell.method_code else ""
    older = "(older)" if cell.older else ""
    return " ".join(part for part in (words, code, older) if part)


def _row(
    records: list[Record],
    siblings: list[dict[str, Any]],
    in_race: bool,
    rank: int | None,
    machine: str,
    constant: float | None,
    relative: bool,
) -> Row:
    scores = _by_seed(records)
    mean, sem = mean_sem(list(scores.values())) if scores else (None, None)
    timed = [r for r in records if r.is_timing and r.machine == machine]
    # A single seed that had the machine to itself is the better clock.
    timed = [r for r in timed if r.alone] or timed
    reasons = [r.error.partition("\n")[0] for r in records if r.status != "ok"]
    cell = records[0].cell
    return Row(
        method=cell.method,
        config=dict(cell.method_config),
        reference=any(r.reference for r in records),
        settings=_row_settings(cell, siblings),
        scores=scores,
        records=records,
        mean=mean,
        sem=sem if len(scores) > 1 else None,
        relative=_relative(records) if relative else None,
        in_race=in_race,
        rank=rank,
        timed=len(timed),
        alone=bool(timed) and all(r.alone for r in timed),
        seconds={p: fmean(r.seconds.get(p, 0.0) for r in timed) for p in PHASES} if timed else {},
        solves={p: fmean(r.solves.get(p, 0) for r in timed) for p in PHASES} if timed else {},
        failures=sum(r.status in ("failed", "timeout") for r in records),
        reason=reasons[-1] if reasons else "",
        beats_constant=None if mean is None or constant is None else mean < constant,
    )
