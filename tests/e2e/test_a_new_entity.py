"""The recipe of `docs/changing-the-model.md` for a new entity, followed to the letter on a copy."""

from __future__ import annotations

import pytest

from tests.docs.steps import follow, steps
from tests.docs.test_changing_the_model import chapter
from tests.e2e.test_guide import Copy, assert_answers, assert_prints, copy

__all__ = ["copy"]  # a fixture

NEW_ROUTES = [
    "GET /ecommerce/products/{product_id}/stock",
    "PUT /ecommerce/products/{product_id}/stock/{warehouse}",
]


@pytest.mark.thorough
def test_a_new_entity_comes_with_what_the_page_says_and_nothing_else_changes(
    copy: Copy,
) -> None:
    before = copy.permissions()

    for step in steps(chapter("A new entity")):
        if step["command"] is None:
            follow(step, copy.folder)
        elif "curl" in step["command"]:
            assert_answers(copy, step)
        elif "Error" in step["shown"]:
            refused = copy.shell(step["command"])
            assert (refused.returncode, step["shown"] in refused.stdout) == (1, True)
        else:
            assert_prints(copy, step["command"], step["shown"].split("\n"))

    gained = [line for line in copy.permissions() if line not in before]
    assert [line.partition(" |")[0].strip() for line in gained] == NEW_ROUTES
    assert [line for line in copy.permissions() if line in before] == before
    checked = copy.shell("ruff format --check . && ruff check . && mypy --strict && make docs")
    assert checked.returncode == 0, checked.stdout
    assert "wrote" not in checked.stdout
    pinned = (
        "tests/design tests/stacks/test_permissions_of_writes.py tests/bench/test_multi_keys.py"
    )
    tested = copy.shell(f'make test ARGS="{pinned}"')
    assert tested.returncode == 0, tested.stdout
