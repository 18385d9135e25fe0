"""The explorer as a person has it: a server on loopback, over a table with the example data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from explorer.connection import Connection
from tests.docs.guide_reader import api_on_moto
from tests.explorer.site import Site, serving

# requirements.txt alone, which is enough for a plain `pytest`, does not have the driver.
collect_ignore = [] if find_spec("playwright") else ["test_browser.py"]


@pytest.fixture(scope="module")
def api_url() -> Iterator[str]:
    """The API over a table of moto's with the example data; the clock stands still."""
    with api_on_moto() as url:
        yield url


@pytest.fixture(scope="module")
def site(api_url: str) -> Iterator[Site]:
    """The page for that table, which writes through that API."""
    with serving(Connection(os.environ["TABLE_NAME"], "here", api_url, {})) as site:
        yield site


@pytest.fixture(scope="module")
def site_of_aws(api_url: str) -> Iterator[Site]:
    """The page for the same table, as if it were on AWS."""
    assert api_url
    with serving(Connection(os.environ["TABLE_NAME"], "AWS", None, {})) as site:
        yield site
