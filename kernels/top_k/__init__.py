"""Choose the k most valuable of n items: max Σ_i values_i z_i, Σ_i z_i = k, z_i ∈ {0, 1}.

Functions take NumPy arrays or torch tensors and return the same kind; decisions carry no gradient.
"""

import operator

import numpy as np

from .._shared.arrays import Array, giver, is_tensor, require_finite, to_numpy, to_tensor, wants_torch
from .._shared.threads import n_chunks
from ..deferred import require
from . import selection

# Values of all rows: about 100 ms with one thread, as for knapsacks.
_THREADED_FROM = 20_000_000


def best(values: Array, k: int) -> Array:
    """Return the k largest of every row, ties to the lowest index: values (..., n) -> 0/1 (..., n).

    Negative values are chosen too if they are among the k largest. 1 <= k < n.
    """
    shape = tuple(np.shape(values))
    if not shape:
        raise ValueError("expected values of shape (..., items), got a scalar.")
    size = _check_k(k, shape[-1])
    give = giver(values)
    if is_tensor(values):
        values = values.detach()  # type: ignore[union-attr]
    if wants_torch(values):
        from . import tensors

        v = to_tensor(values, "values", values.device)  # type: ignore[arg-type]
        require(v.isfinite().all(), lambda: require_finite(v.cpu().numpy(), "values"))
        return give(tensors.best(v, size))
    rows = to_numpy(values, "values")
    out = np.empty(shape)
    flat, marked = rows.reshape(-1, shape[-1]), out.reshape(-1, shape[-1])
    if (chunks := n_chunks(rows.size, _THREADED_FROM)) > 1:
        bad = selection.mark_rows_threaded(flat, size, chunks, marked)
    else:
        bad = selection.mark_rows(flat, size, 0, len(flat), marked)
    if bad >= 0:
        require_finite(rows, "values")
    return give(out)


def _check_k(k: int, n_items: int) -> int:
    try:
        size = operator.index(k)
    except TypeError:
        raise TypeError(f"expected an integer k, got {k!r}.") from None
    if not 1 <= size < n_items:
        raise ValueError(f"expected 1 <= k < {n_items} items, got {size}; nothing is left to choose.")
    return size
