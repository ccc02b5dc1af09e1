"""The one error of the kernels that is not a plain ValueError or TypeError."""


class SolverError(RuntimeError):
    """A solver stopped without a solution. The message names the rows.

    An unsolved instance is never returned as a decision.
    """
