"""The one error of the kernels that is not a plain ValueError or TypeError."""


class SolverError(RuntimeError):
    """A solver stopped without a solution; the message names the rows.

    An unsolved instance is never a decision.
    """
