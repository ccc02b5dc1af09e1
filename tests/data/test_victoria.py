import io

import numpy as np
import pytest

from dfl_bench.data import victoria
from dfl_bench.data.sources import sources
from tests.support.real_data import require_source

TABLE = b"""Time,Demand,Temperature,Date,Holiday
2011-12-31T13:00:00Z,4382.825174,21.4,2012-01-01,TRUE
2012-06-30T14:30:00Z,4263.365526,21.05,2012-07-01,FALSE
"""


def test_a_table_is_read_column_by_column():
    read = victoria.read_tables(io.BytesIO(TABLE))
    assert read["time"].astype(str).tolist() == ["2011-12-31T13:00", "2012-06-30T14:30"]
    assert read["date"].astype(str).tolist() == ["2012-01-01", "2012-07-01"]
    np.testing.assert_array_equal(read["demand"], [4382.825174, 4263.365526])
    assert read["holiday"].tolist() == [True, False]


def test_it_can_be_fetched_by_name():
    assert "victoria" in [source.name for source in sources()]


@pytest.mark.network
def test_the_real_table_is_whole_and_on_the_clocks_of_melbourne():
    require_source("victoria")
    table = victoria.load()
    assert len(table) == 3 * 365 * 48 + 48  # 2012 has a day more
    assert not table.isna().any().any()
    assert (table.time.dt.tz_localize(None).dt.date == table.date.dt.date).all()
