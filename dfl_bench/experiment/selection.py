"""From the options of a command to the entries of a run."""

import dataclasses
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import methods, problems
from .plan import draws_samples
from .suite import Entry, load_suite

DEFAULT_SUITE = "quick"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What the user asked for; empty means not asked."""

    suite: str | None = None
    problems: Sequence[str] = ()
    methods: Sequence[str] = ()
    samples: Sequence[int] = ()
    fake_targets: Sequence[int] = ()
    seeds: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def entries(self) -> list[Entry]:
        """Return the entries: a suite, narrowed to what is named, or the product of what is named.

        With a suite, problems, methods, samples and fake targets narrow it, seeds and settings change it.
        Without one, the named problems and methods are crossed, in their own configuration.
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
        """Return what is left without the problems and methods nobody registered, and those names."""
        missing = [p for p in self.problems if p not in problems.names()] + [
            m for m in self.methods if m not in methods.names()
        ]
        kept_problems = [p for p in self.problems if p not in missing]
        kept_methods = [m for m in self.methods if m not in missing]
        if (self.problems and not kept_problems) or (self.methods and not kept_methods):
            raise ValueError(f"nothing is left to run without {', '.join(missing)}.")
        return dataclasses.replace(self, problems=kept_problems, methods=kept_methods), missing

    def _narrowed(self, suite: str) -> list[Entry]:
        entries = load_suite(suite)
        _require_known("problem", self.problems, {e.problem for e in entries}, suite)
        _require_known("method", self.methods, {m for e in entries for m in e.methods}, suite)
        _require_known("samples", self.samples, {k for e in entries for k in e.samples}, suite)
        fakes = {e.settings["fake_targets"] for e in entries if "fake_targets" in e.settings}
        _require_known("fake-targets", self.fake_targets, fakes, suite)
        narrowed = []
        for entry in entries:
            methods = tuple(m for m in entry.methods if not self.methods or m in self.methods)
            samples = tuple(k for k in entry.samples if not self.samples or k in self.samples)
            named = not self.problems or entry.problem in self.problems
            fake = entry.settings.get("fake_targets")
            if named and methods and (fake is None or not self.fake_targets or fake in self.fake_targets):
                narrowed.append(dataclasses.replace(entry, methods=methods, samples=samples))
        if not narrowed:
            raise ValueError(f"the suite {suite} has no cells with all that is asked for at once.")
        return narrowed

    def _crossed(self) -> list[Entry]:
        usual = load_suite(DEFAULT_SUITE)
        names = self.problems or [entry.problem for entry in usual]
        methods = tuple(self.methods or usual[0].methods)
        with_fakes = [name for name in names if _has_fakes(name)]
        if self.fake_targets and not with_fakes:
            raise ValueError(
                f"--fake-targets is a setting of the problem budget, not of {', '.join(names)}; "
                "add --problem budget or leave it out."
            )
        together = {e.problem: e.batch_seeds for suite in (DEFAULT_SUITE, "paper") for e in load_suite(suite)}
        return [
            Entry(
                problem=name,
                methods=methods,
                settings={} if fakes is None else {"fake_targets": fakes},
                samples=tuple(self.samples),
                batch_seeds=together.get(name, True),
            )
            for name in names
            for fakes in (self.fake_targets if name in with_fakes and self.fake_targets else [None])
        ]

    def _check_samples(self, entries: Sequence[Entry]) -> None:
        named = list(dict.fromkeys(m for e in entries for m in e.methods))
        if self.samples and not any(map(draws_samples, named)):
            raise ValueError(f"--samples: none of {', '.join(named)} draws samples; add a method that does.")


def _has_fakes(problem: str) -> bool:
    return any(f.name == "fake_targets" for f in dataclasses.fields(problems.get(problem).Config))


def _require_known(option: str, asked: Sequence[Any], known: set[Any], suite: str) -> None:
    for value in asked:
        if value not in known:
            listed = ", ".join(map(str, sorted(known))) or "none"
            raise ValueError(
                f"--{option} {value}: the suite {suite} has {listed}; leave --suite out to run others."
            )


def parse_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Turn "steps=300" into {"steps": 300}: values are TOML, and what is not TOML is a string."""
    settings: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.isidentifier():
            raise ValueError(f"expected --set name=value, got {text!r}.")
        try:
            settings[name] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            settings[name] = value
    return settings
