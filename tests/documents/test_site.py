"""The documentation site builds without a warning, has no dead link, and works from files."""

import subprocess
import sys
import time

import pytest

from tests.documents.test_documents import ROOT
from tests.support.chromium import CHROMIUM, Chromium
from tools.check_site import faults

pytest.importorskip("mkdocs", reason="the site is built with mkdocs")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_link_leads_somewhere_and_nothing_comes_from_elsewhere(site):
    assert list(faults(site)) == []
    assert len(list(site.glob("*.html"))) > 20


def test_the_check_sees_a_dead_link(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#x"></a><a href="c.html"></a><img src="https://example.org/a.png">'
    )
    (tmp_path / "b.html").write_text('<p id="y">')
    assert sorted(faults(tmp_path)) == [
        "a.html loads https://example.org/a.png from another server",
        "a.html: b.html#x: no such place on the page",
        "a.html: c.html: no such file",
    ]


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path")
def test_it_works_from_files(site, tmp_path):
    with Chromium(tmp_path / "profile") as browser:
        for width in (390, 1280):
            browser.open(site / "index.html", width=width)
            assert browser.evaluate("document.documentElement.scrollWidth") == width
        browser.click("document.querySelector('.md-search__input')")
        browser.type("knapsack")
        found, deadline = 0, time.monotonic() + 20
        while not found and time.monotonic() < deadline:
            time.sleep(0.1)
            found = browser.evaluate("document.querySelectorAll('.md-search-result__item').length")
        assert found > 3
        assert all(address.startswith(("file:", "data:", "about:")) for address in browser.requests())
        assert browser.complaints() == []
