"""The command that searches settings at an equal budget."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
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
    jobs: Annotated[int, typer.Option(min=1, help="Searches that run at once, each in one thread.")] = 1,
    plugin: Plugins = None,
) -> None:
    """Search settings by validation regret; a search that was stopped goes on where it was."""
    from ..experiment.protocols import get_protocol
    from ..experiment.selection import Selection, parse_values

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
    get_protocol(protocol)  # an unknown name is an error before anything runs
    wanted = [
        _Wanted(name, entry.problem, dict(entry.settings), protocol, trials, seeds)
        for entry in selection.entries()
        for name in entry.methods
    ]
    # Entries may differ in what is no matter for a search, as the number of samples.
    searches = list({one.search().path(folder): one for one in wanted}.values())
    if jobs == 1:
        for one in searches:
            _run(one, folder)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _prepare, (plugin, problem_file)) as pool:
        for done in [pool.submit(_run, one, folder) for one in searches]:
            done.result()


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A search by names and plain values, so that it can travel to another process."""

    method: str
    problem: str
    settings: dict[str, Any]
    protocol: str
    trials: int
    seeds: int | None

    def search(self) -> "Search":
        from .. import methods
        from ..experiment.protocols import get_protocol
        from ..problems import make_problem
        from ..run.search import Search

        return Search(
            method=methods.get(self.method),
            problem=make_problem(self.problem, **self.settings),
            protocol=get_protocol(self.protocol),
            trials=self.trials,
            seeds=self.seeds,
        )


def _prepare(plugin: list[Path] | None, problem_file: list[str] | None) -> None:
    """Make a new process know what the first one was given."""
    load_plugins(plugin)
    load_problem_files(problem_file)


def _run(wanted: _Wanted, folder: Path) -> None:
    """Search, and print each trial and the best."""
    import torch

    from ..experiment.protocols import place_of
    from ..run.search import tune as search

    torch.set_num_threads(1)
    console, made = Console(), wanted.search()
    title = f"{wanted.method} on {place_of(made.problem)}"
    if reason := _nothing_to_search(made):
        console.print(Text(f"{title}: {reason}."), soft_wrap=True)
        return

    def report(trial: dict[str, Any]) -> None:
        value = "failed" if trial["value"] is None else f"{trial['value']:.4f}"
        console.print(Text(f"{title}: {value} in {trial['seconds']:.0f} s, {trial['settings']}"))

    record = search(made, folder, report)
    console.print(Text(f"{title}: best {record['value']}, {record['best']}", style="bold"), soft_wrap=True)


def _nothing_to_search(search: "Search") -> str:
    if reason := search.method.refuses(search.problem):
        return f"n/a: {reason}"
    return "" if search.space else f"nothing to search in protocol {search.protocol.name}"
