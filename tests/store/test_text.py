import pandas as pd
import pytest

from dfl_bench.store.text import as_text, without_formulas


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r"])
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(sign):
    assert as_text(f"{sign}1+1") == f"'{sign}1+1"


@pytest.mark.parametrize("value", ["pfl", "", "a=b", "'=1", -1.5, None, True])
def test_all_else_stays(value):
    assert as_text(value) is value


def test_a_table_keeps_its_numbers_and_its_types():
    table = pd.DataFrame(
        {"method": ["=cmd()", "pfl", None], "score": [-0.5, 0.5, float("nan")], "alone": [True, False, True]}
    ).assign(samples=pd.array([-1, None, 3], dtype="Int64"))
    safe = without_formulas(table)
    assert list(safe["method"][:2]) == ["'=cmd()", "pfl"] and pd.isna(safe["method"][2])
    pd.testing.assert_frame_equal(safe.drop(columns="method"), table.drop(columns="method"))
    assert list(safe.columns) == list(table.columns)
    assert "'=cmd()" in safe.to_csv(index=False) and "\n-" not in safe.to_csv(index=False)
