"""The data model's page draws the table as it is filled."""

from __future__ import annotations

import re
from html import unescape

import pytest

from docs import sample
from docs.data_model import data_model
from lambdas.design import ENTITIES
from lambdas.design.keys import Index
from lambdas.design.table import GSI1, GSI2, INVERTED_INDEX, TABLE

Row = tuple[str, str, str]
"""Partition key, sort key, and the cell of the attributes."""


@pytest.fixture(scope="module")
def page() -> str:
    return data_model()


def picture(page: str, index: Index, dataset: str = "Ecommerce") -> list[Row]:
    """The rows of a picture, with each partition key carried down to all of its items."""
    heading = f"### {dataset}: {index.name or 'the table'}\n"
    html = page.split(heading)[1].split("</table>", maxsplit=1)[0].replace("<wbr>", "")
    rows: list[Row] = []
    partition, left = "", 0
    for line in html.splitlines()[3:]:
        cells = [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", line)]
        if not left:
            span = re.search(r'rowspan="(\d+)"', line)
            partition, left = cells.pop(0), int(span[1]) if span else 1
        left -= 1
        keys = [re.sub(r"</?code>", "", text) for text in (partition, cells[0])]
        rows.append((keys[0], keys[1], cells[1] if len(cells) > 1 else ""))
    assert left == 0
    return rows


def collection(rows: list[Row], partition: str) -> list[str]:
    return [sort for key, sort, _ in rows if key == partition]


@pytest.mark.parametrize("index", [TABLE, GSI1, GSI2, INVERTED_INDEX])
def test_a_picture_has_each_item_of_its_index_and_no_other(page: str, index: Index) -> None:
    names = index.key_attributes
    stored = [item for item in sample.items("ecommerce") if names[0] in item]
    expected = {(item[names[0]]["S"], item[names[1]]["S"]) for item in stored}
    drawn = [(partition, sort) for partition, sort, _ in picture(page, index)]
    assert set(drawn) == expected
    assert len(drawn) == len(stored)


@pytest.mark.parametrize("index", [TABLE, GSI1, GSI2, INVERTED_INDEX])
def test_a_partition_key_stands_once_and_its_items_are_sorted(page: str, index: Index) -> None:
    rows = picture(page, index)
    partitions = [partition for partition, _, _ in rows]
    beginnings = [
        partition for at, partition in enumerate(partitions) if partition != partitions[at - 1]
    ]
    assert len(beginnings) == len(set(partitions))
    for partition in set(partitions):
        sorts = collection(rows, partition)
        assert sorts == sorted(sorts, key=str.encode)


def test_the_collection_of_a_user_is_as_the_lecture_draws_it(page: str) -> None:
    alice = collection(picture(page, TABLE), "USER#U-001")
    assert alice[0] == "ORDER#2023-11-20"
    assert alice[-1] == "PROFILE"
    assert "ORDER#2024-01-15" in alice
    assert "ORDER#2024-01-15T16:05:12.480Z-7F3K9Q" not in alice


def test_the_sparse_index_has_the_pending_orders_alone(page: str) -> None:
    rows = picture(page, GSI1)
    pending = collection(rows, "STATUS#PENDING")
    assert "2024-01-15" in pending
    assert "2024-01-05" not in pending
    shown = [cell for partition, _, cell in rows if partition == "STATUS#PENDING"]
    assert all("<b>Status</b> PENDING" in cell for cell in shown)


def test_an_index_shows_the_table_s_keys_and_the_table_those_of_its_indexes(page: str) -> None:
    [in_table] = [cell for _, sort, cell in picture(page, TABLE) if sort == "ORDER#2024-01-15"]
    assert "GSI1PK <code>STATUS#PENDING</code>" in in_table
    [in_index] = [cell for _, sort, cell in picture(page, GSI1) if sort == "2024-01-15"]
    assert "PK <code>USER#U-001</code>" in in_index
    assert "GSI1PK" not in in_index


def test_an_order_that_is_paid_shows_no_key_of_the_sparse_index(page: str) -> None:
    [paid] = [cell for _, sort, cell in picture(page, TABLE) if sort == "ORDER#2024-12-24"]
    assert "GSI2PK" in paid
    assert "GSI1PK" not in paid


def test_the_inverted_index_has_keys_only(page: str) -> None:
    rows = picture(page, INVERTED_INDEX)
    assert "ORDER#2024-01-15" in collection(rows, "ITEM#P-100")
    assert {cell for _, _, cell in rows} == {""}


def test_the_chart_has_each_entity_with_its_templates_and_conditions(page: str) -> None:
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert [re.findall(r"`(\w+)`", line)[0] for line in rows] == [e.__name__ for e in ENTITIES]
    [order] = [line for line in rows if line.startswith("| `Order`")]
    assert "`STATUS#PENDING`<br>`{OrderId}`<br>only while `Status` is PENDING" in order
    assert "`ORDER#{OrderId}`<br>`ORDER` |" in order


def test_what_may_be_absent_has_a_question_mark_and_what_is_a_count_has_none(page: str) -> None:
    [user] = [line for line in page.splitlines() if line.startswith("| `User`")]
    assert "`Name` `Email` `CreatedAt` `VIP?` `Address?`" in user
    [person] = [line for line in page.splitlines() if line.startswith("| `Person`")]
    assert "`Name` `Followers` `Following`" in person


def test_what_belongs_to_no_dataset_is_said_to_be_of_all(page: str) -> None:
    headings = re.findall(r"^## (.+)$", page, flags=re.MULTILINE)
    assert headings == ["Ecommerce", "University", "Social", "All datasets"]
    shared = page.split("## All datasets")[1]
    assert "`Idempotency`" in shared
    assert "`IDEMPOTENCY#{Pattern}#{Caller}#{Key}`" in shared
    assert "`Digest` `Answer` `Headers` `ExpiresAt`" in shared
    assert "<table>" not in shared


def test_text_of_the_data_cannot_become_html(page: str) -> None:
    assert set(re.findall(r"</?(\w+)", page)) <= {
        *("table", "tr", "th", "td", "code", "b", "br", "wbr")
    }
