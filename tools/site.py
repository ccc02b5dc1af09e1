"""What MkDocs is told besides mkdocs.yml: pages that are made from other files."""

import inspect
import re
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import typer.main
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

import dfl_bench
from dfl_bench.cli import app

ROOT = Path(__file__).resolve().parents[1]
# The folders of figures, each with the report that explains them.
GALLERIES = {
    "field/figures": ("All methods on eight problems", "field/results.md"),
    "field-tuned/figures": ("All methods with equal budgets", "field-tuned/results.md"),
    "figures": ("Published and searched settings", "results.md"),
    "published/figures": ("The paper as in published code", "published/results.md"),
    "ablation/figures": ("Parts of lcgln-plus", "ablation/results.md"),
    "websites/figures": ("Other websites", "websites/results.md"),
    "spo/figures": ("Shortest paths of the SPO paper", "spo/results.md"),
}
ENDINGS = (".svg", ".png")
GALLERY = """\
# Gallery

Every figure of the committed results, made by `dfl-bench report`. Click one to see it large.

## At a glance

![All methods on all problems](pictures/overview.svg)
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the made pages and, under another name, the pages of boards."""
    docs = Path(config.docs_dir)
    for source in ("CONTRIBUTING.md", "CHANGELOG.md"):
        text = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, source.lower(), content=text))
    files.append(File.generated(config, "gallery.md", content=_gallery(docs)))
    files.append(File.generated(config, "command-line.md", content=_command_line()))
    for page in sorted(docs.rglob("results.html")):
        files.append(_moved(page, docs, config))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Lead links to files beside docs/ to their pages; add public names that the reference lacks."""
    if page.file.src_uri == "api/dfl_bench.md":
        markdown += _other_names(markdown)
    return markdown.replace("](../CONTRIBUTING.md", "](contributing.md")


def _other_names(markdown: str) -> str:
    """The classes and functions of the package that are in none of the groups of its page."""
    public = {name: getattr(dfl_bench, name) for name in dfl_bench.__all__}
    described = [name for name, it in public.items() if inspect.isroutine(it) or inspect.isclass(it)]
    other = [name for name in described if f"::: dfl_bench.{name}\n" not in markdown]
    entries = "".join(f"\n::: dfl_bench.{name}\n    options:\n      heading_level: 3\n" for name in other)
    return f"\n## Other names\n{entries}" if other else ""


def _moved(page: Path, docs: Path, config: MkDocsConfig) -> File:
    """A page of boards, which links name as results.html and the site has as boards.html."""
    source = page.relative_to(docs).as_posix()
    text = page.read_text(encoding="utf-8").replace("methods.md#", "methods.html#")
    file = File.generated(config, source, content=text, inclusion=InclusionLevel.INCLUDED)
    file.dest_uri = file.url = source.removesuffix("results.html") + "boards.html"
    return file


def _gallery(docs: Path) -> str:
    """Every figure of every report."""
    parts = [GALLERY]
    for folder, (title, report) in GALLERIES.items():
        drawn = sorted(path for path in (docs / folder).glob("*") if path.suffix in ENDINGS)
        cells = "".join(_figure(folder, path) for path in drawn)
        parts.append(f"## {title}\n\nThe numbers are in [{report}]({report}).\n")
        parts.append(f'<div class="gallery">{cells}</div>\n')
    return "\n".join(parts)


def _figure(folder: str, path: Path) -> str:
    address, name = f"{folder}/{quote(path.name)}", escape(path.stem.replace("-", " "))
    picture = f'<img src="{address}" alt="{name}" loading="lazy">'
    return f'<figure><a href="{address}">{picture}</a><figcaption>{name}</figcaption></figure>'


def _command_line() -> str:
    """The help of every command."""
    parts = ["# Command line\n\nWhat `dfl-bench COMMAND --help` prints.\n"]
    for words, command in _leaves(typer.main.get_command(app), ()):
        with command.make_context(f"dfl-bench {words}", [], resilient_parsing=True) as context:
            text = re.sub(r"\n{3,}", "\n\n", command.get_help(context))
        parts.append(f"## {words}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def _leaves(group: Any, path: tuple[str, ...]) -> Any:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _leaves(command, (*path, name))
        else:
            yield " ".join((*path, name)), command
