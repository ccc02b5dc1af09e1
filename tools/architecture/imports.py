"""Which room imports which, counted in the code itself."""

from collections import Counter

import grimp

SUITE = "dfl_bench"
LIBRARIES = ("kernels", "lcgln")
FRONT = ("errors",)  # a module beside the rooms that every room may import


def rooms() -> list[str]:
    """Return the packages inside the suite, sorted: each is a room."""
    graph = _graph()
    children = graph.find_children(SUITE)
    return sorted(child.partition(".")[2] for child in children if graph.find_children(child))


def modules() -> set[str]:
    """Return the dotted name of every module."""
    return set(_graph().modules)


def count() -> Counter[tuple[str, str]]:
    """Return how many imports lead from a room or library to another, as {(importer, imported): number}."""
    graph, known = _graph(), {*rooms(), *LIBRARIES, *FRONT}
    found: Counter[tuple[str, str]] = Counter()
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            pair = _room(module), _room(imported)
            if pair[0] != pair[1] and known.issuperset(pair):
                found[pair] += 1
    return found


def _room(module: str) -> str:
    package, _, rest = module.partition(".")
    # dfl_bench.kernels is a second name of the library, not the library: it is no room.
    room = rest.partition(".")[0]
    return package if package != SUITE else "" if room in LIBRARIES else room


def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(SUITE, *LIBRARIES)
