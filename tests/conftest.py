from pathlib import Path

import pytest

from dfl_bench.execute import Plugin
from dfl_bench.registry import load_plugin

TOY = Path(__file__).with_name("toy.py")


@pytest.fixture
def toy() -> Plugin:
    """The plugin of toys, imported here and ready for workers."""
    load_plugin(TOY)
    return Plugin.read(TOY)
