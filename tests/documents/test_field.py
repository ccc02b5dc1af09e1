"""The counts that docs/field.md tells of the suite `field` are those of its results file."""

import re
from collections import Counter

from dfl_bench import methods
from dfl_bench.contracts.method import Reference
from dfl_bench.store.store import Store
from tests.documents.test_documents import ROOT

PAGE = re.sub(r"\s+", " ", (ROOT / "docs" / "field.md").read_text(encoding="utf-8"))


def test_cells_that_do_not_apply_are_counted():
    with Store(ROOT / "results" / "field.sqlite", readonly=True) as store:
        records, failures = store.records(), store.failures()
    statuses = Counter(record.status for record in records)
    (told,) = re.findall(r"The suite has ([\d,]+) cells, of which ([\d,]+) do not apply", PAGE)
    assert [int(number.replace(",", "")) for number in told] == [len(records), statuses["n/a"]]
    assert set(statuses) == {"ok", "n/a"} and failures == []
    assert all(record.error for record in records if record.status == "n/a")
    (minutes,) = re.findall(r"All fits of the stored run took (\d+) minutes", PAGE)
    assert abs(sum(sum(record.seconds.values()) for record in records) / 60 - int(minutes)) < 1
    ran = {record.cell.method for record in records}
    lines = [name for name in ran if issubclass(methods.get(name), Reference)]
    assert (len(ran) - len(lines), len(lines)) == (42, 4) and "Forty-two methods and four reference" in PAGE
