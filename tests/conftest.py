from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from dfl_bench.contracts.registry import load_plugin
from dfl_bench.run.job import Plugin

TOY = Path(__file__).parent / "support" / "toy.py"
ROOT = Path(__file__).parents[1]

# A machine with other work is slow now and then; that is no fault of a test.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture
def toy() -> Plugin:
    """The plugin of toys, imported here and ready for workers."""
    load_plugin(TOY)
    return Plugin.read(TOY)
