"""Errors a user can act on. Bad values stay plain ValueError and TypeError."""


class DflBenchError(Exception):
    """Base of the suite's own errors."""


class UnknownNameError(DflBenchError, LookupError):
    """A problem, method or suite nobody registered."""


class NotApplicableError(DflBenchError):
    """A method refuses a problem; the message is the reason shown as "n/a: reason"."""


class DivergedError(DflBenchError):
    """A fit produced non-finite losses or predictions; the cell fails with this reason."""


class DataError(DflBenchError):
    """A data file is missing, truncated, hostile or of the wrong hash."""


class StoreError(DflBenchError):
    """A results file cannot be read or written safely."""
