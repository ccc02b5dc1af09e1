"""The matrix of thirty methods on ten problems in a real browser: read, sorted, linked, saved and printed."""

import json
import re
import time

import pytest

from dfl_bench import methods
from dfl_bench.results.read import read_results
from dfl_bench.show.page import write_page
from tests.support.chromium import CHROMIUM
from tests.support.made import run_record, unscored, write

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path"),
]
NAMES = [name for name, entry in methods.entries().items() if entry.family != "reference"][:30]
PROBLEMS = [f"problem-{i}" for i in range(10)]
REASON = "needs a cost that is linear in the outcome"
HEADERS = "[...document.querySelectorAll('.matrix thead th')]"
ROWS = "[...document.querySelectorAll('.matrix .methods tr.row')]"
FIRST = f"{ROWS}.map(row => row.cells[0].innerText)"
# Boxes of the texts of a figure that meet, a little less than they are: letters do not fill their line.
CLASHES = """[...document.querySelectorAll('figure')].flatMap(figure => {
  const texts = [...figure.querySelectorAll('svg text')];
  const parts = texts.flatMap(t => t.children.length ? [...t.children] : [t]);
  const boxes = parts.map(t => [t.textContent, t.getBoundingClientRect()]).filter(([text]) => text);
  const beside = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1;
  const below = (a, b) => a.bottom <= b.top + 2.5 || b.bottom <= a.top + 2.5;
  const meet = (a, b) => !beside(a, b) && !below(a, b);
  return boxes.flatMap(([a, r], i) => boxes.slice(i + 1).filter(([, s]) => meet(r, s)).map(([b]) => [a, b]));
})"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("overview")
    records = []
    for p, problem in enumerate(PROBLEMS):
        for i, name in enumerate(NAMES):
            made = {"method_config": {"steps": 300, "rate": 0.01 * i}, "method_changes": ("steps",)}
            if p == 3 and i % 4 == 0:
                records.append(unscored("n/a", REASON, problem=problem, method=name, **made))
                continue
            made |= {"level": 0.1 + 0.01 * ((7 * i + 3 * p) % 30), "seconds": {"train": 0.1 + i}}
            records += [run_record(problem, name, seed, **made) for seed in range(6)]
        records += [run_record(problem, "constant", seed, level=0.4) for seed in range(6)]
    store = write(folder / "field.sqlite", *records)
    write_page(read_results(store), folder / "page.html", "methods.md")
    return folder / "page.html"


def test_all_of_it_fits_on_a_desktop_and_names_stay_in_sight_on_a_phone(browser, page):
    browser.open(page, width=1440, height=900)
    assert browser.complaints() == []
    shape = "(() => { const s = document.querySelector('.whole'); return [s.scrollWidth, s.clientWidth]; })()"
    needed, had = browser.evaluate(shape)
    assert needed <= had <= 1440, "ten problems fit without scrolling"
    top = browser.evaluate("document.querySelector('.matrix tbody').getBoundingClientRect().top")
    assert top < 450, "the matrix begins on the first screen"
    browser.open(page, width=390, height=844)
    assert browser.evaluate("document.documentElement.scrollWidth") == 390
    needed, had = browser.evaluate(shape)
    assert needed > had, "it scrolls inside"
    browser.evaluate("document.querySelector('.whole').scrollLeft = 500")
    browser.evaluate("document.querySelector('.whole').scrollTop = 300")
    place = (
        "(e => { const r = e.getBoundingClientRect(), whole = document.querySelector('.whole');"
        "const w = whole.getBoundingClientRect();"
        "return [Math.round(r.left - w.left), Math.round(r.top - w.top)]; })"
    )
    assert browser.evaluate(f"{place}({ROWS}[20].cells[0])")[0] == 0, "the name sticks to the left"
    assert browser.evaluate(f"{place}({HEADERS}[9])")[1] == 0, "the heading sticks to the top"


def test_the_sentence_comes_first_and_the_boards_are_folded_in_the_order_of_the_columns(browser, page):
    browser.open(page)
    order = "[...document.querySelectorAll('.lead, .matrix, #cost, .board')].map(e => e.className || e.id)"
    assert browser.evaluate(order)[:4] == ["lead", "matrix", "cost", "board"]
    assert browser.evaluate("document.querySelector('.lead').innerText").startswith(
        "Of 30 methods on 10 problems"
    )
    columns = browser.evaluate(f"{HEADERS}.slice(5).map(t => t.dataset.name)")
    boards = browser.evaluate("[...document.querySelectorAll('.board')].map(b => b.dataset.problem)")
    assert columns == boards == PROBLEMS
    assert browser.evaluate("document.querySelectorAll('.board[open]').length") == 0


def test_groups_are_shaded_and_the_whole_first_group_is_bold(browser, page):
    browser.open(page)
    weights = browser.evaluate(
        "[...document.querySelectorAll('.matrix .methods td[data-problem]')]"
        ".map(td => [td.classList.contains('g1'), Number(getComputedStyle(td).fontWeight) > 500])"
    )
    assert all(first == bold for first, bold in weights) and any(first for first, _ in weights)
    shades = {
        browser.evaluate(f"getComputedStyle(document.querySelector('.matrix td.{g}')).backgroundColor")
        for g in ("g1", "g2", "g3")
    }
    assert len(shades) == 3
    groups = browser.evaluate(
        "[...document.querySelectorAll('.board .methods tr.row')]"
        ".map(r => [r.classList.contains('best'), r.cells[4].dataset.value === '1'])"
    )
    assert all(bold == first for bold, first in groups) and any(bold for bold, _ in groups)


def test_what_does_not_apply_says_why(browser, page):
    browser.open(page)
    told = browser.evaluate(
        "[...document.querySelectorAll('.matrix .reason')].map(td => [td.innerText, td.title])"
    )
    assert told == [["n/a", REASON]] * 8
    browser.click("document.querySelector('.matrix .reason')")
    assert REASON in browser.evaluate("document.querySelector('dialog[open]').innerText")


def test_settings_of_a_row_on_a_click_and_a_link_to_its_method(browser, page):
    browser.open(page)
    browser.click(f"{ROWS}[0].querySelector('td[data-rows]')")
    text = browser.evaluate("document.querySelector('dialog[open]').innerText")
    assert "Settings" in text and "steps" in text and "300" in text and "rate" in text
    changed = browser.evaluate("[...document.querySelectorAll('dialog .changed dt')].map(t => t.innerText)")
    assert changed == ["steps"]
    name = browser.evaluate(f"{ROWS}[0].cells[0].innerText").split()[0]
    link = browser.evaluate("document.querySelector('dialog a').getAttribute('href')")
    assert link == f"methods.md#{name}"
    browser.press("Escape", 27)
    assert not browser.evaluate("document.querySelector('dialog').open")
    browser.click(f"{ROWS}[0].querySelector('th a')")  # a method with ten rows: one place for each
    assert browser.evaluate("document.querySelectorAll('dialog .places li').length") == 10
    browser.click("document.querySelector('dialog .places button')")
    assert "Settings" in browser.evaluate("document.querySelector('dialog[open]').innerText")
    assert browser.evaluate("location.hash") == "" and browser.complaints() == []


def test_the_address_keeps_what_was_chosen(browser, page):
    browser.open(page)
    before = browser.evaluate(FIRST)
    browser.click(f"{HEADERS}[5].querySelector('button')")
    browser.click(f"{HEADERS}[5].querySelector('button')")
    browser.evaluate("document.querySelector('#filter [name=text]').focus()")
    browser.type("lodl")
    browser.evaluate(
        "(() => { const s = document.querySelector('#filter [name=beside]'); s.value = 'solves';"
        "s.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    sorted_rows, address = browser.evaluate(FIRST), browser.evaluate("location.hash")
    assert sorted_rows != before
    assert set(re.findall(r"[#&]([^=]+)=", address)) == {"sort.matrix-paper-cpu", "text", "beside"}
    browser.open(page)
    assert browser.evaluate(FIRST) == before
    browser.evaluate(f"location.hash = {json.dumps(address)}")
    time.sleep(0.1)
    assert browser.evaluate(FIRST) == sorted_rows
    assert browser.evaluate("document.querySelector('#filter [name=text]').value") == "lodl"
    visible = browser.evaluate(f"{ROWS}.filter(r => !r.hidden).map(r => r.cells[0].innerText)")
    assert visible and all("lodl" in name for name in visible)
    shown = "getComputedStyle(document.querySelector('.matrix tr:not([hidden]) .{}')).display"
    assert (browser.evaluate(shown.format("solves")), browser.evaluate(shown.format("seconds"))) == (
        "inline-block",
        "none",
    )
    assert browser.complaints() == []


def test_a_link_opens_the_board_it_leads_to(browser, page):
    browser.open(page)
    browser.click(f"{HEADERS}[7].querySelector('a')")
    opened = browser.evaluate("[...document.querySelectorAll('.board[open]')].map(b => b.dataset.problem)")
    assert opened == [PROBLEMS[2]]
    assert browser.evaluate("location.hash").startswith("#at=board-problem-2")


def test_points_say_their_values(browser, page):
    browser.open(page)
    browser.hover("document.querySelector('#cost svg [aria-label]')")
    told = browser.evaluate("document.getElementById('tip').innerText")
    assert re.fullmatch(r"[\w-]+: mean rank [\d.]+ \([\d.–]+\), first \d+/\d+, time ×[\d.]+", told)
    silent = browser.evaluate(
        "[...document.querySelectorAll('figure')].filter(f => !f.querySelector('svg [aria-label]')).length"
    )
    assert silent == 0, "every figure has points that speak"


def test_no_labels_of_figures_collide(browser, page):
    for width in (1440, 390):
        browser.open(page, width=width)
        assert browser.evaluate(CLASHES) == []


@pytest.fixture
def saved(browser, page, tmp_path):
    """Press a button of the page and return the file that it saves."""
    browser.open(page)
    browser.save_to(tmp_path)

    def save(selector, name):
        browser.click(f"document.querySelector({json.dumps(selector)})")
        deadline = time.monotonic() + 20
        while not (tmp_path / name).is_file() and time.monotonic() < deadline:
            time.sleep(0.05)
        return (tmp_path / name).read_bytes()

    return save


def test_tables_are_saved_as_csv_and_latex(browser, saved):
    table = saved(".matrix [data-file$='.csv']", "matrix-paper-cpu.csv").decode()
    assert table.count("\n") == 32 and table.startswith("method,settings,family,mean rank")
    assert saved(".matrix [data-file$='.tex']", "matrix-paper-cpu.tex").decode().count(r"\\") >= 33
    browser.evaluate("document.querySelector('.board').open = true")
    assert b"regret sem" in saved(".board [data-file$='.csv']", "board-problem-0-paper-cpu.csv")
    assert b"\\toprule" in saved(".board [data-file$='.tex']", "board-problem-0-paper-cpu.tex")
    assert browser.complaints() == []


def test_figures_are_saved_as_svg_and_pdf(browser, saved):
    svg = saved("#cost [data-format=svg]", "cost-paper-cpu.svg").decode()
    assert svg.startswith("<svg") and "var(" not in svg and 'fill="#ffffff"' in svg
    assert all(f">{name}</text>" in svg for name in NAMES), "with a legend"
    pdf = saved("#figures [data-format=pdf]", "time-problem-0-paper-cpu.pdf")
    assert pdf.startswith(b"%PDF-1.4") and pdf.rstrip().endswith(b"%%EOF")
    start = int(pdf.rpartition(b"startxref")[2].split()[0])
    table = pdf[start:].splitlines()
    assert table[0] == b"xref"
    for number, line in enumerate(table[3 : 3 + 4], 1):  # every object is where the table says
        assert pdf[int(line[:10]) :].startswith(f"{number} 0 obj".encode())
    length = int(re.search(rb"/Length (\d+)", pdf)[1])
    stream = pdf.partition(b"stream\n")[2]
    assert stream[length:].startswith(b"endstream")
    written = bytes.fromhex("".join(re.findall(r"<([0-9a-f]*)> Tj", stream[:length].decode()))).decode(
        "latin-1"
    )
    assert "normalized regret" in written and NAMES[0] in written
    assert browser.complaints() == []


def test_print_cuts_nothing(browser, page):
    browser.open(page, width=1040)  # about the width of the paper
    browser.call("Emulation.setEmulatedMedia", media="print")
    try:
        cut = browser.evaluate(
            "[...document.querySelectorAll('.scroll, .wide-figures figure')].filter(e => e.offsetParent)"
            ".filter(e => getComputedStyle(e).overflowX !== 'visible').map(e => e.className)"
        )
        assert cut == []
        assert browser.evaluate("document.querySelector('.matrix table').offsetWidth") <= 1040
    finally:
        browser.call("Emulation.setEmulatedMedia", media="")
    pages = browser.print()
    assert len(re.findall(rb"/Type /Page\b", pages)) > len(PROBLEMS), "the boards are unfolded on paper"
    assert browser.evaluate("document.querySelectorAll('.board[open]').length") == 0, "and folded again"
