"""Values of decisions in Numba."""

from numba import njit


@njit(cache=True, error_model="numpy", nogil=True)
def _row(rows, i):
    """Follow a row map of `broadcast_rows`; an empty one means that every row is its own."""
    return rows[i] if rows.shape[0] else i


@njit(cache=True, error_model="numpy", nogil=True)
def sum_rows(items, values, rows_items, rows_values, out):
    """Write Σ_i items_i values_i of every row, added in the order of the items.

    Args:
        items: (n, m), decisions on m items.
        values: (n, m), values of the items.
        rows_items: (rows,), the row of items that each result uses, or empty if every row uses its own.
        rows_values: (rows,), the row of values that each result uses, or empty if every row uses its own.
        out: (rows,), written.
    """
    for row in range(out.shape[0]):
        z, v = items[_row(rows_items, row)], values[_row(rows_values, row)]
        total = 0.0
        for item in range(z.shape[0]):
            total += z[item] * v[item]
        out[row] = total
