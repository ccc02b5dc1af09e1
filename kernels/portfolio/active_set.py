"""Exact active-set solver of the simplex QP, its derivative and its optimality check, compiled.

Adding one constant to every entry of H = 2γΣ moves aᵀHa by a constant on Σa = 1, so all factors below are of
H + shift·11ᵀ: it is positive definite on a support exactly when the QP is strictly convex there, even where Σ
itself is singular.

Arguments: y, a and grad (G, K, N) hold the K vectors that share each of the G matrices of sigma (G, N, N);
max_iter, the limit of pivots per row; out, the result.
"""

import numpy as np
from numba import njit

INDEFINITE, ASYMMETRIC, FLAT, DEFINITE = -2, -1, 0, 1  # kinds of matrices
NOT_FINITE, UNSOLVED, SOLVED = -3, 2, 3  # states of rows

PIVOT = 1e-13  # a Cholesky pivot below this share of its diagonal entry counts as zero: a flat direction
PRICE = 1e-12  # reduced costs nearer to zero count as zero; above PIVOT, so that a flat step always gains


@njit(cache=True, error_model="numpy", nogil=True)
def _largest_diagonal(sigma):
    largest = 0.0
    for i in range(sigma.shape[0]):
        largest = max(largest, sigma[i, i])
    return largest


@njit(cache=True, error_model="numpy", nogil=True)
def first_outside(sigma, scale, low, high):
    """Return the first matrix whose largest variance × scale is not zero and not in [low, high], or -1.

    Args:
        sigma: (G, N, N), risk.
        scale: 2γ.
        low: smallest product allowed.
        high: largest product allowed.
    """
    for g in range(sigma.shape[0]):
        largest = _largest_diagonal(sigma[g])
        if largest > 0.0 and not (low <= scale * largest <= high):
            return g
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def classify(sigma, tolerance, out):
    """Write the kind of each matrix: ASYMMETRIC, INDEFINITE, singular to 1e-6 (FLAT) or DEFINITE.

    Args:
        sigma: (G, N, N), risk.
        tolerance: how far rounding may leave a matrix from symmetric and semi-definite, relative to its size.
        out: (G,), written.
    """
    n = sigma.shape[1]
    work = np.empty((n, n))
    for g in range(sigma.shape[0]):
        size, gap = 0.0, 0.0
        for i in range(n):
            for j in range(i + 1):
                size = max(size, abs(sigma[g, i, j]))
                gap = max(gap, abs(sigma[g, i, j] - sigma[g, j, i]))
                work[j, i] = sigma[g, i, j]
        if gap > tolerance * size:
            out[g] = ASYMMETRIC
            continue
        for i in range(n):
            work[i, i] += tolerance * size
        out[g] = DEFINITE
        for k in range(n):
            pivot = work[k, k]
            if pivot < 0.0 or (pivot == 0.0 and size > 0.0):
                out[g] = INDEFINITE
                break
            if pivot <= 1e-6 * size:
                out[g] = FLAT
            if size == 0.0:
                break
            # Upper triangle by rows: the inner loop is contiguous and free of a reduction, so it vectorises.
            for i in range(k + 1, n):
                share = work[k, i] / pivot
                for j in range(i, n):
                    work[i, j] -= share * work[k, j]


@njit(cache=True, error_model="numpy", nogil=True)
def _append(i, n, support, factor, lead, ones, linear, sigma, scale, shift, flat):
    """Grow the factor of the support by index i; False, with the row left in place, when H is flat there.

    lead and ones carry L⁻¹linear and L⁻¹1 along, which leaves one back substitution for every minimiser.
    """
    row = factor[n]
    diagonal = scale * sigma[i, i] + shift
    pivot, carry_lead, carry_ones = diagonal, linear[i], 1.0
    for r in range(n):
        value = scale * sigma[i, support[r]] + shift
        for c in range(r):
            value -= factor[r, c] * row[c]
        value /= factor[r, r]
        row[r] = value
        pivot -= value * value
        carry_lead -= value * lead[r]
        carry_ones -= value * ones[r]
    if pivot <= flat * diagonal:
        return False
    row[n] = np.sqrt(pivot)
    lead[n] = carry_lead / row[n]
    ones[n] = carry_ones / row[n]
    support[n] = i
    return True


@njit(cache=True, error_model="numpy", nogil=True)
def _back_substitute(n, factor, x):
    """Overwrite x by L⁻ᵀx, by rows of L."""
    for r in range(n - 1, -1, -1):
        x[r] /= factor[r, r]
        for c in range(r):
            x[c] -= factor[r, c] * x[r]


@njit(cache=True, error_model="numpy", nogil=True)
def _minimise(n, factor, lead, ones, total, x):
    """Write the minimiser of ½xᵀHx − linearᵀx with Σx = total on the support into x."""
    cross, square = 0.0, 0.0
    for r in range(n):
        cross += ones[r] * lead[r]
        square += ones[r] * ones[r]
    multiplier = (total - cross) / square
    for r in range(n):
        x[r] = lead[r] + multiplier * ones[r]
    _back_substitute(n, factor, x)


@njit(cache=True, error_model="numpy", nogil=True)
def _drop(k, n, support, weight, factor, lead, ones, linear, sigma, scale, shift):
    """Remove position k and factor what stood behind it again; return the new size, −1 when that fails."""
    for r in range(k, n - 1):
        weight[r] = weight[r + 1]
        # _append writes support[r] and reads only positions before r, so shifting ahead of it is safe.
        if not _append(support[r + 1], r, support, factor, lead, ones, linear, sigma, scale, shift, 0.0):
            return -1
    return n - 1


@njit(cache=True, error_model="numpy", nogil=True)
def _best_vertex(y, sigma, scale):
    best, value = 0, np.inf
    for i in range(y.shape[0]):
        cost = 0.5 * scale * sigma[i, i] - y[i]
        if cost < value:
            best, value = i, cost
    return best


@njit(cache=True, error_model="numpy", nogil=True)
def _price(n, support, weight, linear, slack, sigma, scale, gradient):
    """Return the stock whose entry helps most, −1 when none does."""
    size = linear.shape[0]
    for i in range(size):
        gradient[i] = -linear[i]
    for r in range(n):
        row, share = sigma[support[r]], scale * weight[r]
        for i in range(size):
            gradient[i] += share * row[i]
    multiplier = 0.0
    for r in range(n):
        multiplier += weight[r] * gradient[support[r]]
    for r in range(n):
        gradient[support[r]] = np.inf
    enter, most = -1, 0.0
    for i in range(size):
        reduced = gradient[i] - multiplier
        if reduced < most and reduced < slack[i]:
            enter, most = i, reduced
    return enter


@njit(cache=True, error_model="numpy", nogil=True)
def _solve_row(
    y, sigma, scale, max_iter, out, support, weight, target, factor, lead, ones, linear, slack, gradient
):
    """Write the best weights into out and say whether optimality was reached within max_iter pivots.

    No cycling: the members between two pricings are stationary, so the stock that enters always gains weight
    and the cost falls strictly; drops in between are at most the size of the support.
    """
    size = y.shape[0]
    start = _best_vertex(y, sigma, scale)
    shift = scale * sigma[start, start]
    if shift <= 0.0:
        shift = 1.0
    for i in range(size):
        linear[i] = y[i] - y[start]  # a common level of y cancels on Σa = 1; here it would cost digits
        slack[i] = -PRICE * (shift + abs(linear[i]) + scale * sigma[i, i])
        out[i] = 0.0
    _append(start, 0, support, factor, lead, ones, linear, sigma, scale, shift, 0.0)
    weight[0] = 1.0
    n = 1
    for _ in range(max_iter):
        _minimise(n, factor, lead, ones, 1.0, target)
        step, block = 1.0, -1
        for r in range(n):
            if target[r] < 0.0:
                limit = weight[r] / (weight[r] - target[r])
                if limit < step or block < 0:
                    step, block = limit, r
        for r in range(n):
            weight[r] += step * (target[r] - weight[r]) if block >= 0 else target[r] - weight[r]
        if block >= 0:
            n = _drop(block, n, support, weight, factor, lead, ones, linear, sigma, scale, shift)
            if n < 0:
                return False
            continue
        enter = _price(n, support, weight, linear, slack, sigma, scale, gradient)
        if enter < 0:
            total = 0.0
            for r in range(n):
                total += weight[r]
            if not total > 0.0:  # NaN: variances too different for float64
                return False
            for r in range(n):
                out[support[r]] = weight[r] / total
            return True
        if _append(enter, n, support, factor, lead, ones, linear, sigma, scale, shift, PIVOT):
            weight[n] = 0.0
            n += 1
            continue
        # Flat: the cost falls linearly along (−L⁻ᵀl, 1) with H·direction = 0 and Σdirection = 0, so a member
        # is used up; without that member the support with the new one is strictly convex again.
        for r in range(n):
            target[r] = factor[n, r]
        _back_substitute(n, factor, target)
        step, block = np.inf, 0
        for r in range(n):
            if target[r] > 0.0 and weight[r] < step * target[r]:
                step, block = weight[r] / target[r], r
        for r in range(n):
            weight[r] = max(weight[r] - step * target[r], 0.0)
        n = _drop(block, n, support, weight, factor, lead, ones, linear, sigma, scale, shift)
        if n < 0 or step == np.inf:
            return False
        if not _append(enter, n, support, factor, lead, ones, linear, sigma, scale, shift, 0.0):
            return False
        weight[n] = step
        n += 1
    return False


@njit(cache=True, error_model="numpy", nogil=True)
def solve(y, sigma, risk_aversion, max_iter, out, solved):
    """Write the best weights of every row and whether it was solved.

    Every row starts from its best vertex and knows nothing of the others, so their order cannot matter.

    Args:
        y: (G, K, N), returns.
        sigma: (G, N, N), risk.
        risk_aversion: γ.
        max_iter: limit of pivots for each row.
        out: (G, K, N), written.
        solved: (G, K), bool, written: whether the row was solved.
    """
    n = y.shape[2]
    support = np.empty(n + 1, np.int64)
    factor = np.empty((n + 1, n + 1))
    vectors = np.empty((7, n + 1))
    for g in range(y.shape[0]):
        for k in range(y.shape[1]):
            solved[g, k] = _solve_row(
                y[g, k], sigma[g], 2.0 * risk_aversion, max_iter, out[g, k], support, vectors[0], vectors[1],
                factor, vectors[2], vectors[3], vectors[4][:n], vectors[5][:n], vectors[6],
            )  # fmt: skip


@njit(cache=True, error_model="numpy", nogil=True)
def cost(a, y, sigma, risk_aversion, out):
    """Write −yᵀa + γaᵀΣa of every row; stocks without weight are skipped.

    Args:
        a: (G, K, N), weights of the stocks.
        y: (G, K, N), returns.
        sigma: (G, N, N), risk.
        risk_aversion: γ.
        out: (G, K), written.
    """
    n = a.shape[2]
    for g in range(a.shape[0]):
        for k in range(a.shape[1]):
            value = 0.0
            for i in range(n):
                share = a[g, k, i]
                if share != 0.0:
                    risk = 0.0
                    for j in range(n):
                        risk += sigma[g, i, j] * a[g, k, j]
                    value += share * (risk_aversion * risk - y[g, k, i])
            out[g, k] = value


@njit(cache=True, error_model="numpy", nogil=True)
def kkt_residual(a, y, sigma, risk_aversion, out):
    """Write the largest violation of feasibility, of the reduced costs' sign and of complementarity.

    Args:
        a: (G, K, N), weights of the stocks.
        y: (G, K, N), returns.
        sigma: (G, N, N), risk.
        risk_aversion: γ.
        out: (G, K), written.
    """
    n = a.shape[2]
    gradient = np.empty(n)
    for g in range(a.shape[0]):
        for k in range(a.shape[1]):
            top = y[g, k, 0]
            for i in range(n):
                top = max(top, y[g, k, i])
            for i in range(n):
                gradient[i] = top - y[g, k, i]
            for i in range(n):
                share = 2.0 * risk_aversion * a[g, k, i]
                if share != 0.0:
                    for j in range(n):
                        gradient[j] += share * sigma[g, i, j]
            total, multiplier = 0.0, 0.0
            for i in range(n):
                total += a[g, k, i]
                multiplier += a[g, k, i] * gradient[i]
            multiplier /= total
            worst = abs(total - 1.0)
            for i in range(n):
                reduced = gradient[i] - multiplier
                worst = max(worst, -a[g, k, i], a[g, k, i] - 1.0, -reduced, abs(a[g, k, i] * reduced))
            # max() drops a NaN, the sum does not.
            out[g, k] = worst + 0.0 * (multiplier + total)


@njit(cache=True, error_model="numpy", nogil=True)
def derivative_vjp(a, sigma, grad, risk_aversion, threshold, out):
    """Write Jᵀgrad, which minimises ½dᵀHd − gradᵀd over Σd = 0 on the support; J is symmetric.

    A member along which H is flat given the ones before it is held fixed, one of the generalised derivatives.

    Args:
        a: (G, K, N), weights of the stocks.
        sigma: (G, N, N), risk.
        grad: (G, K, N), gradients with respect to a.
        risk_aversion: γ.
        threshold: stocks with a larger weight belong to the support.
        out: (G, K, N), written.
    """
    size = a.shape[2]
    support = np.empty(size, np.int64)
    factor = np.empty((size, size))
    lead, ones, target = np.empty(size), np.empty(size), np.empty(size)
    scale = 2.0 * risk_aversion
    for g in range(a.shape[0]):
        shift = scale * _largest_diagonal(sigma[g])
        for k in range(a.shape[1]):
            out[g, k] = 0.0
            n = 0
            for i in range(size):
                if shift > 0.0 and a[g, k, i] > threshold:
                    n += _append(i, n, support, factor, lead, ones, grad[g, k], sigma[g], scale, shift, PIVOT)
            if n > 0:
                _minimise(n, factor, lead, ones, 0.0, target)
                for r in range(n):
                    out[g, k, support[r]] = target[r]
