"""The guide on the real deployment, and its last chapter followed to the letter on a copy."""

from __future__ import annotations

import pytest

from tests.docs.guide_reader import Call, calls, guide, prints, run
from tests.e2e.http import Api


@pytest.mark.parametrize("call", calls(guide()[0]), ids=str)
def test_each_call_prints_what_the_guide_shows(call: Call, api: Api) -> None:
    printed = run(call, api.url)

    assert prints(call, printed), printed
