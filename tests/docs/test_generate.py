"""The generated documents are up to date, and the command notices when they are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from docs import generate, sample
from lambdas.design.ecommerce import PUT_PRODUCT
from lambdas.runtime.endpoint import endpoint
from lambdas.writes.ecommerce import put_product

README = f"# Title\n\n{generate.BEGIN}\nold\n{generate.END}\n\nThe end.\n"


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    return generate._generated()  # noqa: SLF001


@pytest.fixture
def written(
    tmp_path: Path,
    generated: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Path:
    """A folder with everything generated, and a README with the markers."""
    monkeypatch.setattr(generate, "_generated", lambda: generated)
    (tmp_path / "README.md").write_text(README, "utf-8")
    assert generate.main([], tmp_path) == 0
    capsys.readouterr()
    return tmp_path


def test_the_documents_are_up_to_date(
    generated: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(generate, "_generated", lambda: generated)
    status = generate.main(["--check"])
    assert (status, capsys.readouterr().err) == (0, "")


@pytest.mark.thorough
def test_what_is_generated_once_more_is_the_same(generated: dict[str, str]) -> None:
    sample._requests.cache_clear()  # noqa: SLF001
    assert generate._generated() == generated  # noqa: SLF001


def test_a_second_run_changes_nothing(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main([], written) == 0
    assert capsys.readouterr().out == ""
    assert generate.main(["--check"], written) == 0


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "docs/data-model.md",
        "docs/openapi.json",
        "docs/techniques.md",
        "lambdas/runtime/openapi/examples.json",
    ],
)
def test_check_names_the_file_that_was_changed_and_leaves_it(
    name: str, written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written / name
    changed = path.read_text("utf-8").replace("U-001", "U-999", 1)
    assert changed != path.read_text("utf-8")
    path.write_text(changed, "utf-8")
    assert generate.main(["--check"], written) == 1
    assert [line.split()[3] for line in capsys.readouterr().err.splitlines()] == [name]
    assert path.read_text("utf-8") == changed


def test_check_names_a_file_that_is_missing(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (written / "docs" / "openapi.json").unlink()
    assert generate.main(["--check"], written) == 1
    assert "docs/openapi.json" in capsys.readouterr().err
    assert not (written / "docs" / "openapi.json").exists()


def test_an_example_that_does_not_answer_as_declared_is_named_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    again = replace(PUT_PRODUCT, example={"product_id": "P-100"})  # it is there: 200, and not 201
    monkeypatch.setattr(sample, "ACCESS_PATTERNS", (again,))
    monkeypatch.setattr(sample, "handler", lambda _: endpoint(again, put_product))

    assert generate.main([], tmp_path) == 1

    [error] = capsys.readouterr().err.splitlines()
    assert error.startswith(
        "error: CW-07's example {'product_id': 'P-100'} is answered with 200 and not 201 on the "
        'example data of seed/ecommerce.py: {"Type":"Product"'
    )
    assert list(tmp_path.iterdir()) == []


def test_the_matrix_goes_between_the_markers_and_nothing_else_changes(written: Path) -> None:
    text = (written / "README.md").read_text("utf-8")
    assert text.startswith(f"# Title\n\n{generate.BEGIN}\n\n### Ecommerce\n")
    assert text.endswith(f"\n\n{generate.END}\n\nThe end.\n")
    assert "old" not in text.split(generate.END)[0].split("###")[0]


def test_a_text_without_both_markers_stays_as_it_is() -> None:
    for text in ("# Title\n", f"{generate.BEGIN}\n", f"{generate.END}\n{generate.BEGIN}\n"):
        assert generate.with_matrix(text) == text
