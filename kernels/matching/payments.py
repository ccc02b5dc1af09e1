"""What matchings cost, and how they look as 0/1 matrices, in Numba."""

from numba import njit


@njit(cache=True, error_model="numpy", nogil=True)
def mark(columns, out):
    """Turn the column of every row into 0/1 matrices."""
    out[:] = 0.0
    for instance in range(columns.shape[0]):
        for i in range(columns.shape[1]):
            out[instance, i, columns[instance, i]] = 1.0


@njit(cache=True, error_model="numpy", nogil=True)
def _row(rows, i):
    """Follow a row map of `broadcast_rows`; an empty one means that every row is its own."""
    return rows[i] if rows.shape[0] else i


@njit(cache=True, error_model="numpy", nogil=True)
def payments(columns, costs, rows_columns, rows, out):
    """Write the sum of the chosen costs of every instance, added row by row.

    Args:
        columns: (m, n), the column of each row.
        costs: (m, n, n), what each entry costs.
        rows_columns: (instances,), the matching that each result uses, or empty if each uses its own.
        rows: (instances,), the costs that each result uses, or empty if each uses its own.
        out: (instances,), written.
    """
    for instance in range(out.shape[0]):
        chosen, prices = _row(rows_columns, instance), _row(rows, instance)
        total = 0.0
        for i in range(columns.shape[1]):
            total += costs[prices, i, columns[chosen, i]]
        out[instance] = total
