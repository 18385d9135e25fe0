"""What is declared is there, is tested, and works on the example data; and nothing is left over."""

from __future__ import annotations

import ast
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lambdas.design import ACCESS_PATTERNS
from lambdas.design.operations import Write
from lambdas.design.pattern import AccessPattern
from tests.conftest import Put
from tests.handlers.caller import call

HANDLERS = Path(__file__).parent / "handlers"
DATASETS = sorted({pattern.dataset for pattern in ACCESS_PATTERNS})
ROUTED = [pattern for pattern in ACCESS_PATTERNS if not pattern.variant_of]

EVERY_PATTERN = pytest.mark.parametrize("pattern", ACCESS_PATTERNS, ids=lambda each: each.id)
EVERY_DATASET = pytest.mark.parametrize("dataset", DATASETS)


@EVERY_DATASET
def test_each_pattern_with_a_route_has_an_entry_point_and_there_is_no_other(dataset: str) -> None:
    module = import_module(f"lambdas.handlers.{dataset}")

    defined = [name for name, value in vars(module).items() if _is_entry_point(name, value, module)]

    assert defined == [pattern.name for pattern in ROUTED if pattern.dataset == dataset]


@pytest.mark.parametrize("pattern", ROUTED, ids=lambda each: each.id)
def test_an_entry_point_answers_the_pattern_that_it_is_named_after(pattern: AccessPattern) -> None:
    entry_point = getattr(import_module(f"lambdas.handlers.{pattern.dataset}"), pattern.name)

    assert entry_point.__doc__ == f"{pattern.id}: {pattern.summary}"


def test_there_is_a_module_of_entry_points_for_each_dataset_and_one_for_the_description() -> None:
    folder = Path(import_module("lambdas.handlers").__path__[0])
    modules = {each.stem for each in folder.glob("*.py")}

    assert modules == {"__init__", "documents", *DATASETS}


@pytest.mark.parametrize(
    "pattern",
    [each for each in ACCESS_PATTERNS if isinstance(each.operation, Write)],
    ids=lambda each: each.id,
)
def test_each_write_is_carried_out_by_the_function_that_has_its_name(
    pattern: AccessPattern,
) -> None:
    function = getattr(import_module(f"lambdas.writes.{pattern.dataset}"), pattern.name)

    assert function.__doc__.startswith(f"{pattern.id}: ")


@EVERY_DATASET
def test_there_is_no_function_of_a_write_that_is_gone(dataset: str) -> None:
    module = import_module(f"lambdas.writes.{dataset}")

    written = {name for name, value in vars(module).items() if _is_entry_point(name, value, module)}

    assert written == {
        each.name
        for each in ACCESS_PATTERNS
        if each.dataset == dataset and isinstance(each.operation, Write)
    }


@EVERY_PATTERN
def test_each_pattern_has_tests_of_its_own(pattern: AccessPattern) -> None:
    """They are in a file named after it, a variant's as well."""
    file = HANDLERS / pattern.dataset / f"test_{pattern.name}.py"

    assert file.exists(), f"{pattern.id} has no tests: write {file.name}"
    assert _tests_in(file), f"there is no test in {file.name}"


def test_there_are_no_tests_of_patterns_that_are_gone() -> None:
    tested = {str(file.relative_to(HANDLERS)) for file in HANDLERS.glob("*/**/test_*.py")}

    assert tested <= {f"{each.dataset}/test_{each.name}.py" for each in ACCESS_PATTERNS}


@pytest.fixture
def example_data(put: Put) -> Callable[[str], None]:
    """Loads what `make seed` loads of a dataset."""

    def load(dataset: str) -> None:
        put(*import_module(f"seed.{dataset}").items(datetime.now(UTC)))

    return load


@pytest.mark.parametrize(
    "pattern", [each for each in ACCESS_PATTERNS if each.method == "GET"], ids=lambda each: each.id
)
def test_each_pattern_s_example_gives_something_on_the_example_data(
    pattern: AccessPattern, example_data: Callable[[str], None]
) -> None:
    assert call(pattern, pattern.example).status in {200, 404}
    example_data(pattern.dataset)

    answer = call(pattern, pattern.example)

    assert answer.status == 200
    assert answer.items if pattern.is_paged else answer.body


def _is_entry_point(name: str, value: Any, module: ModuleType) -> bool:
    """Whether a public name is a function that was written or made here, and not imported."""
    if name.startswith("_") or not callable(value):
        return False
    is_made_here = "<locals>" in getattr(value, "__qualname__", "")
    return is_made_here or value.__module__ == module.__name__


def _tests_in(file: Path) -> list[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [name for name in functions if name.startswith("test_")]
