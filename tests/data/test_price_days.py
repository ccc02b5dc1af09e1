import numpy as np
import pytest

from dfl_bench.data.price_days import whole_days

DAYS = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="datetime64[D]")


def rows(n_slots=4):
    """Three days of slots; the feature is 10 × day + slot, the price 100 more."""
    day, slot = np.divmod(np.arange(3 * n_slots), n_slots)
    feature = 10.0 * day + slot
    return DAYS[day], slot, np.stack([feature, 100 + feature], axis=-1)


def test_rows_become_days_in_order_of_time_whatever_their_order():
    dates, slots, columns = rows()
    shuffled = np.random.default_rng(0).permutation(len(dates))
    days = whole_days(dates[shuffled], slots[shuffled], columns[shuffled], 4)
    np.testing.assert_array_equal(days.dates, DAYS)
    np.testing.assert_array_equal(days.features[..., 0], [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]])
    np.testing.assert_array_equal(days.prices, 100 + days.features[..., 0])
    assert len(days.left_out) == 0


@pytest.mark.parametrize("fault", ["missing slot", "repeated slot", "wrong slot", "NaN", "infinity"])
@pytest.mark.parametrize("column", [0, 1])
def test_a_day_that_is_not_whole_is_left_out(fault, column):
    dates, slots, columns = rows()
    if fault == "missing slot":
        dates, slots, columns = (np.delete(a, 5, axis=0) for a in (dates, slots, columns))
    elif fault == "repeated slot":
        dates, slots, columns = (np.insert(a, 5, a[5], axis=0) for a in (dates, slots, columns))
    elif fault == "wrong slot":
        slots[5] = slots[6]
    else:
        columns[5, column] = {"NaN": np.nan, "infinity": np.inf}[fault]
    days = whole_days(dates, slots, columns, 4)
    np.testing.assert_array_equal(days.left_out, DAYS[1:2])
    np.testing.assert_array_equal(days.dates, DAYS[[0, 2]])
    np.testing.assert_array_equal(days.prices[1], [120, 121, 122, 123])
