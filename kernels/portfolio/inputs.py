"""What the inputs of the portfolio kernel must look like, and the errors when they do not."""

import numpy as np

from . import active_set

SMALLEST, LARGEST = 1e-290, 1e290
"""Between these the solvers neither overflow nor lose digits to subnormal numbers."""


def check_risk_aversion(risk_aversion: float) -> None:
    """Require γ to be zero or a number with room for products and quotients."""
    if risk_aversion != 0.0 and not SMALLEST <= risk_aversion <= LARGEST:
        raise ValueError(
            f"expected a finite risk_aversion of at least 0, and if not 0, from {SMALLEST:g} to {LARGEST:g}, "
            f"got {risk_aversion}; multiply it and y by one number (the weights stay the same), or use 0."
        )


def check_scale(sigma: np.ndarray, risk_aversion: float) -> None:
    """Require that 2γ times the largest variance of every matrix (G, N, N) has room, or is zero."""
    if risk_aversion == 0.0:
        return
    bad = active_set.first_outside(sigma, 2.0 * risk_aversion, SMALLEST, LARGEST)
    if bad >= 0:
        variance = float(sigma[bad].diagonal().max())
        raise ValueError(
            f"expected 2 × risk_aversion × (largest variance of sigma) from {SMALLEST:g} to {LARGEST:g}, "
            f"got {2.0 * risk_aversion * variance:g} (matrix {bad}, largest variance {variance:g}); "
            "multiply risk_aversion and y by one number: the weights stay the same."
        )


def require_valid(kind: np.ndarray) -> None:
    """Raise when `classify` found a matrix not symmetric or not positive semi-definite; kind is (G,)."""
    for code, wanted, cure in (
        (active_set.ASYMMETRIC, "symmetric", "use (sigma + sigma.T) / 2"),
        (active_set.INDEFINITE, "positive semi-definite", "add a multiple of the identity"),
    ):
        if (bad := kind == code).any():
            raise ValueError(
                f"expected a {wanted} sigma, got {int(bad.sum())} of {bad.size} matrices that are not "
                f"(first: matrix {int(bad.argmax())}); {cure}."
            )
