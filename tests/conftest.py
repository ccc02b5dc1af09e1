from pathlib import Path

import pytest

from dfl_bench.contracts.registry import load_plugin
from dfl_bench.run.job import Plugin

TOY = Path(__file__).parent / "support" / "toy.py"
ROOT = Path(__file__).parents[1]


@pytest.fixture
def toy() -> Plugin:
    """The plugin of toys, imported here and ready for workers."""
    load_plugin(TOY)
    return Plugin.read(TOY)
