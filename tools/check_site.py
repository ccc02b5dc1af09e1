"""Looks at a built site: every link leads somewhere, and no page asks another server for anything.

`python -m tools.check_site build/site`. MkDocs checks links in Markdown; this sees what a browser sees.
"""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches without a click.
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """The addresses and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors = {"", "__comments"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag points to and what it is called."""
        given = dict(attrs)
        self.anchors |= {value for name in ("id", "name") if (value := given.get(name))}
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        if tag in LOADED and given.get(LOADED[tag]) and given.get("rel") not in ("canonical", "prev", "next"):
            self.loaded.append(str(given[LOADED[tag]]))


def faults(site: Path) -> Iterator[str]:
    """Yield what is wrong with a site, one line each."""
    files = sorted(site.rglob("*.html"))
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in files}
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        for address in page.loaded:
            if urlsplit(address).netloc:
                yield f"{name} loads {address} from another server"
        if path.name == "404.html":  # its addresses begin at the root of a server
            continue
        for address in (*page.links, *page.loaded):
            if reason := _dead(address, path, pages):
                yield f"{name}: {address}: {reason}"


def _dead(address: str, path: Path, pages: dict[Path, Page]) -> str:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return ""
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_file():
        return "no such file"
    if target in pages and unquote(parts.fragment) not in pages[target].anchors and not _is_state(target):
        return "no such place on the page"
    return ""


def _is_state(target: Path) -> bool:
    """The pages of boards keep filters in their address."""
    return target.name == "boards.html"


def main() -> None:
    """Print the faults; exit code 1 when there are any."""
    site = Path(sys.argv[1])
    found = list(faults(site))
    for fault in found:
        print(fault)
    print(f"{len(list(site.rglob('*.html')))} pages, {len(found)} faults in {site}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
