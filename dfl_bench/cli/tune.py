"""The command that searches settings at an equal budget."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from .completion import method_names, problem_names, suite_names
from .options import Plugins, ProblemFiles, load_plugins, load_problem_files

if TYPE_CHECKING:
    from ..run.search import Search


def tune(
    suite: Annotated[
        str | None,
        typer.Option(
            help="All that a suite needs; with --problem or --method, a part of it.",
            autocompletion=suite_names,
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="A method or a family; repeatable.", autocompletion=method_names),
    ] = None,
    problem: Annotated[
        list[str] | None, typer.Option(help="A problem; repeatable.", autocompletion=problem_names)
    ] = None,
    problem_file: ProblemFiles = None,
    problem_set: Annotated[
        list[str] | None, typer.Option("--problem-set", help="A problem's setting, as degree=8.")
    ] = None,
    protocol: Annotated[
        str, typer.Option(help="tuned: the method's own space; paper: the published sampling rates.")
    ] = "tuned",
    trials: Annotated[int, typer.Option(min=1, help="Trials for every method and problem.")] = 20,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Seeds for each trial, from 1000 on: no score uses them; if not given, 6 for paper, else 3.",
        ),
    ] = None,
    folder: Annotated[
        Path, typer.Option(help="Where searches are kept; `run --searches FOLDER` uses them.")
    ] = Path("searches"),
    plugin: Plugins = None,
) -> None:
    """Search settings by validation regret; a search that was stopped goes on where it was."""
    import torch

    from .. import methods
    from ..experiment.protocols import get_protocol, place_of
    from ..experiment.selection import Selection, parse_values
    from ..problems import make_problem
    from ..run.search import Search
    from ..run.search import tune as search

    load_plugins(plugin)
    problem = [*(problem or ()), *load_problem_files(problem_file)[0]]
    if suite is None and not (method and problem):
        raise ValueError("expected --suite, or --method and --problem: what is to be searched.")
    selection = Selection(
        suite=suite,
        problems=problem,
        methods=method or (),
        problem_settings=parse_values(problem_set or (), "--problem-set"),
    )
    torch.set_num_threads(1)
    console = Console()
    for entry in selection.entries():
        for name in entry.methods:
            wanted = Search(
                method=methods.get(name),
                problem=make_problem(entry.problem, **entry.settings),
                protocol=get_protocol(protocol),
                trials=trials,
                seeds=seeds,
            )
            title = f"{name} on {place_of(wanted.problem)}"
            if reason := _nothing_to_search(wanted):
                console.print(Text(f"{title}: {reason}."), soft_wrap=True)
                continue

            def report(trial: dict[str, Any], title: str = title) -> None:
                value = "failed" if trial["value"] is None else f"{trial['value']:.4f}"
                console.print(Text(f"{title}: {value} in {trial['seconds']:.0f} s, {trial['settings']}"))

            record = search(wanted, folder, report)
            console.print(
                Text(f"{title}: best {record['value']}, {record['best']}", style="bold"), soft_wrap=True
            )


def _nothing_to_search(search: "Search") -> str:
    if reason := search.method.refuses(search.problem):
        return f"n/a: {reason}"
    return "" if search.space else f"nothing to search in protocol {search.protocol.name}"
