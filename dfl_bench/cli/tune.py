"""The command that searches settings at an equal budget."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from .options import Plugins, load_plugins


def tune(
    method: Annotated[list[str], typer.Option(help="A method; repeat for several.")],
    problem: Annotated[list[str], typer.Option(help="A problem; repeat for several.")],
    protocol: Annotated[
        str, typer.Option(help="tuned: the method's own space; paper: the published sampling rates.")
    ] = "tuned",
    trials: Annotated[int, typer.Option(min=1, help="Trials for every method and problem.")] = 20,
    seeds: Annotated[
        int, typer.Option(min=1, help="Seeds for each trial, from 1000 on: no score uses them.")
    ] = 3,
    folder: Annotated[
        Path, typer.Option(help="Where searches are kept; `run --searches FOLDER` uses them.")
    ] = Path("searches"),
    plugin: Plugins = None,
) -> None:
    """Search settings by validation regret; a search that was stopped goes on where it was."""
    import torch

    from .. import methods
    from ..experiment.protocols import get_protocol
    from ..problems import make_problem
    from ..run.search import Search
    from ..run.search import tune as search

    load_plugins(plugin)
    torch.set_num_threads(1)
    console = Console()
    for problem_name in problem:
        for method_name in method:
            wanted = Search(
                method=methods.get(method_name),
                problem=make_problem(problem_name),
                protocol=get_protocol(protocol),
                trials=trials,
                seeds=seeds,
            )
            title = f"{method_name} on {problem_name}"
            if not wanted.space:
                console.print(Text(f"{title}: nothing to search in protocol {protocol}."))
                continue

            def report(trial: dict[str, Any], title: str = title) -> None:
                value = "failed" if trial["value"] is None else f"{trial['value']:.4f}"
                console.print(Text(f"{title}: {value} in {trial['seconds']:.0f} s, {trial['settings']}"))

            record = search(wanted, folder, report)
            console.print(
                Text(f"{title}: best {record['value']}, {record['best']}", style="bold"), soft_wrap=True
            )
