"""From the options of a command to the entries of a run."""

import dataclasses
import itertools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import methods, problems
from ..contracts.settings import did_you_mean, names_of
from .plan import draws_samples
from .suite import Entry, load_suite, named_methods

DEFAULT_SUITE = "quick"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What the user asked for; empty means not asked."""

    suite: str | None = None
    problems: Sequence[str] = ()
    methods: Sequence[str] = ()
    samples: Sequence[int] = ()
    problem_settings: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # each name with its values
    seeds: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the methods

    def entries(self) -> list[Entry]:
        """Return the entries: a suite, narrowed to what is named, or the product of what is named.

        With a suite, problems, methods, samples and the sweeps it has narrow it; seeds and all
        other settings change it. Without one, the named problems and methods are crossed, in their own
        configuration.
        """
        whole = not (self.problems or self.methods)
        if self.suite is not None or whole:
            entries = self._narrowed(self.suite or DEFAULT_SUITE)
        else:
            entries = self._crossed()
        self._check_samples(entries)
        changed = [
            dataclasses.replace(e, method_settings={**e.method_settings, **self.settings}) for e in entries
        ]
        if self.seeds is not None:
            changed = [dataclasses.replace(e, seeds=self.seeds) for e in changed]
        return changed

    def known(self) -> tuple["Selection", list[str]]:
        """Return what is left without the problems and methods that are not registered, and those names."""
        wanted = named_methods(list(self.methods))
        missing = [p for p in self.problems if p not in problems.names()] + [
            m for m in wanted if m not in methods.names()
        ]
        kept_problems = [p for p in self.problems if p not in missing]
        kept_methods = [m for m in wanted if m not in missing]
        if (self.problems and not kept_problems) or (self.methods and not kept_methods):
            raise ValueError(f"nothing is left to run without {', '.join(missing)}.")
        return dataclasses.replace(self, problems=kept_problems, methods=kept_methods), missing

    def _narrowed(self, suite: str) -> list[Entry]:
        entries = load_suite(suite)
        wanted = named_methods(list(self.methods))
        _require_in_suite("problem", self.problems, {e.problem for e in entries}, suite)
        _require_in_suite("method", wanted, {m for e in entries for m in e.methods}, suite)
        _require_in_suite("samples", self.samples, {k for e in entries for k in e.samples}, suite)
        narrowed = []
        for entry in entries:
            methods = tuple(m for m in entry.methods if not wanted or m in wanted)
            samples = tuple(k for k in entry.samples if not self.samples or k in self.samples)
            if methods and (not self.problems or entry.problem in self.problems):
                narrowed.append(dataclasses.replace(entry, methods=methods, samples=samples))
        for name, values in self.problem_settings.items():
            swept = {str(e.settings[name]) for e in entries if name in problems.swept(e.problem, e.settings)}
            if swept:
                _require_in_suite(f"problem-set {name}", map(str, values), swept, suite)
                narrowed = [e for e in narrowed if e.settings.get(name, values[0]) in values]
            else:
                narrowed = _crossed_with(narrowed, {name: values})
        if not narrowed:
            raise ValueError(f"the suite {suite} has no cells with all that is asked for at once.")
        return narrowed

    def _crossed(self) -> list[Entry]:
        usual = load_suite(DEFAULT_SUITE)
        plain = [
            Entry(
                problem=name,
                methods=named_methods(list(self.methods)) or usual[0].methods,
                samples=tuple(self.samples),
            )
            for name in self.problems or [entry.problem for entry in usual]
        ]
        return _crossed_with(plain, self.problem_settings)

    def _check_samples(self, entries: Sequence[Entry]) -> None:
        named = list(dict.fromkeys(m for e in entries for m in e.methods))
        if self.samples and not any(map(draws_samples, named)):
            raise ValueError(f"--samples: none of {', '.join(named)} draws samples; add a method that does.")


def _crossed_with(entries: Sequence[Entry], settings: Mapping[str, Sequence[Any]]) -> list[Entry]:
    """Give each entry every combination of those settings that its problem has."""
    known = {entry.problem: names_of(problems.get(entry.problem).Config) for entry in entries}
    for name in settings:
        if not any(name in names for names in known.values()):
            raise ValueError(_no_problem_setting(name, known))
    crossed = []
    for entry in entries:
        own = {name: values for name, values in settings.items() if name in known[entry.problem]}
        for values in itertools.product(*own.values()):
            chosen = {**entry.settings, **dict(zip(own, values, strict=True))}
            crossed.append(dataclasses.replace(entry, settings=chosen))
    return crossed


def _no_problem_setting(name: str, known: Mapping[str, Sequence[str]]) -> str:
    near = did_you_mean(name, [setting for names in known.values() for setting in names])
    owners = [p for p in problems.names() if name in names_of(problems.get(p).Config)]
    advice = f" It is a setting of {', '.join(owners)}: add --problem {owners[0]}." if owners else ""
    return f"--problem-set {name}: {', '.join(known)} has no such setting.{near}{advice}"


def _require_in_suite(option: str, asked: Any, known: set[Any], suite: str) -> None:
    for value in asked:
        if value not in known:
            listed = ", ".join(map(str, sorted(known))) or "none"
            raise ValueError(
                f"--{option} {value}: the suite {suite} has {listed}; leave --suite out to run others."
            )


def parse_settings(texts: Sequence[str], option: str = "--set") -> dict[str, Any]:
    """Turn "steps=300" into {"steps": 300}; of a name given twice, the last value stays."""
    return {name: values[-1] for name, values in parse_values(texts, option).items()}


def parse_values(texts: Sequence[str], option: str) -> dict[str, list[Any]]:
    """Turn "degree=4", "degree=8" into {"degree": [4, 8]}: values are TOML, what is not TOML is a string."""
    values: dict[str, list[Any]] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.isidentifier():
            raise ValueError(f"expected {option} name=value, got {text!r}.")
        try:
            parsed = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            parsed = value
        values.setdefault(name, []).append(parsed)
    return values
