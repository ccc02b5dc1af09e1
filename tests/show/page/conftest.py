"""One browser for all tests of pages."""

import pytest

from tests.support.chromium import Chromium


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    with Chromium(tmp_path_factory.mktemp("chromium")) as running:
        yield running
