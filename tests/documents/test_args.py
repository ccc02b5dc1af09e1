"""A public function with three or more parameters explains them, in the rooms where all do already."""

import pytest

from tests.documents.missing_args import missing, offenders_of

CLEAN = ("dfl_bench", "dfl_bench.data", "dfl_bench.experiment", "lcgln")


@pytest.mark.parametrize("room", CLEAN)
def test_every_public_function_explains_its_parameters(room):
    assert missing()[room] == []


def test_what_counts():
    source = '''
def two(a, b): ...
def three(a, *, b, c): "No section."
def explained(a, b, c):
    """Explained.

    Args:
        a: one.
    """
def _hidden(a, b, c): ...
class Open:
    def method(self, a, b, **rest): ...
    def small(self, a, b): ...
class _Closed:
    def method(self, a, b, c): ...
'''
    assert [name for _, name in offenders_of(source)] == ["three", "Open.method"]
