"""The names that a shell completes: those of `dfl-bench list`, each with its line."""

from collections.abc import Mapping

Names = list[tuple[str, str]]


def problem_names(incomplete: str) -> Names:
    """Return the problems that begin so."""
    from .. import problems

    return _beginning(incomplete, {name: entry.summary for name, entry in problems.entries().items()})


def method_names(incomplete: str) -> Names:
    """Return the methods and families that begin so."""
    from .. import methods

    entries = methods.entries()
    families = {entry.family: "a family of methods" for entry in entries.values() if entry.family}
    return _beginning(incomplete, families | {name: entry.summary for name, entry in entries.items()})


def suite_names(incomplete: str) -> Names:
    """Return the suites that begin so."""
    from ..experiment.suite import built_in

    return _beginning(incomplete, built_in())


def paper_names(incomplete: str) -> Names:
    """Return the papers that begin so."""
    from ..results.papers import papers

    return _beginning(incomplete, papers())


def data_names(incomplete: str) -> Names:
    """Return the sources of data that begin so."""
    from .names import data_sources

    return _beginning(incomplete, data_sources())


def listed_names(incomplete: str) -> Names:
    """Return what `dfl-bench list NAME` describes."""
    return [*problem_names(incomplete), *method_names(incomplete), *suite_names(incomplete)]


def _beginning(incomplete: str, names: Mapping[str, str]) -> Names:
    return [(name, names[name]) for name in sorted(names) if name.startswith(incomplete)]
