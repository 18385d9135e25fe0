"""The pages as a browser gets them, without one."""

from __future__ import annotations

import os
import re
from urllib.parse import quote, urlencode

import pytest

from explorer import app, asking, reading
from explorer.captions import texts
from explorer.reading import Filter
from explorer.rows import VIEWS, name_of, primary_key
from lambdas.design import ACCESS_PATTERNS, ENTITIES
from lambdas.design.pattern import AccessPattern
from lambdas.design.table import INDEXES, TABLE
from lambdas.runtime import store
from tests.docs.schemas import pattern as pattern_of
from tests.explorer.site import Answer, Site

EVERY_PATTERN = pytest.mark.parametrize("pattern", ACCESS_PATTERNS, ids=lambda each: each.id)

SCRIPT = "<script>alert('x')</script>"
BACKWARDS = "\u202eabc מזל"
EMOJI = "👩‍👩‍👧‍👦 & \"quotes\" 'n' <b>"


def _ask(pattern: AccessPattern, **given: str) -> str:
    filled = {f"p.{name}": text for name, text in {**asking.example(pattern), **given}.items()}
    return f"/patterns/{pattern.id}?{urlencode({'run': '1', **filled})}"


# --- Every page -----------------------------------------------------------------------------


def test_the_first_page_has_the_table_s_items_and_fetches_the_indexes(site: Site) -> None:
    page = site.get("/").page

    assert len(page.rows) == reading.PAGE_ITEMS
    assert {link for link in page.links if link.startswith("/rows/")} == {
        *(f"/rows/{index.name}" for index in INDEXES),
        next(link for link in page.links if link.startswith("/rows/table?after=")),
    }


@pytest.mark.parametrize("name", [name_of(index) for index in VIEWS])
def test_going_on_shows_every_item_of_a_view_once(site: Site, name: str) -> None:
    found = []
    path: str | None = f"/rows/{name}"
    while path:
        page = site.get(path).page
        found += [key for key, _ in page.rows]
        path = next((link for link in page.links if link.startswith("/rows/")), None)

    [index] = [index for index in VIEWS if name_of(index) == name]
    everything, _ = reading.everything(index, Filter(), 1000)
    assert sorted(found) == sorted(map(primary_key, everything))
    assert len(found) == len(set(found)) > 0


def test_every_kind_of_link_leads_somewhere(site: Site) -> None:
    """One of each kind, which is a path with the names of its parameters."""
    pages = (
        "/",
        "/?view=GSI1",
        "/item?pk=USER%23U-001&sk=ORDER%232024-01-05",
        "/patterns/AP-02?run=1&p.user_id=U-001&p.limit=2",
    )
    links = {link for path in pages for link in site.get(path).page.links}
    kinds = {_kind(link): link for link in links if link[0] == "/" and ".png" not in link}

    answers = {link: site.get(link).status for link in kinds.values()}

    assert set(answers.values()) == {200, 303}, answers
    assert len(answers) > 20


def _kind(link: str) -> str:
    path, _, query = link.partition("?")
    names = [pair.partition("=")[0] for pair in query.split("&")]
    return f"{re.sub(r'[A-Z]{2}-[0-9]{2}', 'ID', path)}?{'&'.join(names)}"


def test_a_filter_stays_in_the_links_that_go_on(site: Site) -> None:
    page = site.get("/?view=table&entity=Order&prefix=USER%23U-001").page

    assert {key[0] for key, _ in page.rows} == {"USER#U-001"}
    assert len(page.rows) == 9
    tabs = [link for link in page.links if link.startswith("/?") and "view=GSI2" in link]
    assert any("entity=Order" in link and "prefix=USER%23U-001" in link for link in tabs)


def test_a_collection_alone_is_one_query(site: Site) -> None:
    page = site.get("/?view=GSI1&partition=STATUS%23PENDING").page

    assert {key[1][:6] for key, _ in page.rows} == {"ORDER#"}
    assert texts("en")["one_collection"] in page.text
    assert texts("en")["scan_honestly"] not in page.text


def test_the_whole_table_is_a_scan_and_says_so(site: Site) -> None:
    for path in ("/", "/?view=all&partition=STATUS%23PENDING"):
        text = site.get(path).page.text
        assert texts("en")["scan_honestly"] in text
        assert texts("en")["one_collection"] not in text


def test_one_of_something_is_not_said_in_the_plural(site: Site) -> None:
    one, three = site.get(_ask(pattern_of("AP-01"))).text, site.get(_ask(pattern_of("AP-05"))).text

    assert "<dt>item read</dt>" in one
    assert "<dt>request</dt>" in one
    assert "<dt>items read</dt>" in three
    assert "<dt>request</dt>" in three


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nothing", 404),
        ("/rows/GSI9", 404),
        ("/patterns/AP-99", 404),
        ("/item", 404),
        ("/item?pk=USER%23nobody&sk=PROFILE", 404),
        ("/rows/table?after=garbage", 400),
        ("/export/GSI9.png", 404),
        ("/?view=GSI9", 200),
        ("/?entity=Nothing", 200),
        ("/static/../app.py", 404),
    ],
)
def test_what_is_not_there_is_told(site: Site, path: str, status: int) -> None:
    answer = site.get(path)

    assert answer.status == status
    assert "Traceback" not in answer.text


def test_the_page_speaks_the_language_that_is_chosen_or_the_browser_s(site: Site) -> None:
    german, english = texts("de")["patterns"], texts("en")["exact_request"]

    assert '<html lang="de"' in site.get("/", accept_language="de-DE").text
    assert '<html lang="de"' in site.get("/", cookie="lang=de", accept_language="en").text
    assert german in site.get("/", cookie="lang=de").text
    assert english in site.get("/patterns/AP-01?run=1", cookie="lang=xx").text


def test_the_theme_that_is_chosen_is_kept(site: Site) -> None:
    assert 'data-theme="dark"' in site.get("/", cookie="theme=dark").text
    assert 'data-theme="auto"' in site.get("/", cookie="theme=pink").text


def test_patterns_are_listed_by_dataset_or_by_technique(site: Site) -> None:
    by_dataset, by_technique = (site.get("/", cookie=f"by={by}") for by in ("dataset", "technique"))

    for answer in (by_dataset, by_technique):
        links = set(answer.page.links)
        assert {f"/patterns/{pattern.id}" for pattern in ACCESS_PATTERNS} <= links
    assert "Sparse index" in by_technique.page.text
    assert "Sparse index" not in by_dataset.page.text


def test_every_entity_is_in_the_legend(site: Site) -> None:
    page = site.get("/").page

    for entity in ENTITIES:
        assert any(f"entity={entity.__name__}" in link for link in page.links)


# --- Access patterns ------------------------------------------------------------------------


@EVERY_PATTERN
def test_every_pattern_has_a_page_with_its_example_filled_in(
    site: Site, pattern: AccessPattern
) -> None:
    answer = site.get(f"/patterns/{pattern.id}")

    assert answer.status == 200
    for name, value in pattern.example.items():
        field = re.search(rf'<input name="p.{re.escape(name)}" value="([^"]*)"', answer.text)
        assert field, name
        assert field[1] == value


@pytest.mark.parametrize(
    "pattern", [p for p in ACCESS_PATTERNS if asking.is_read(p)], ids=lambda each: each.id
)
def test_exactly_the_answer_s_items_light_up_in_the_index_that_is_read(
    site: Site, pattern: AccessPattern
) -> None:
    expected = asking.ask(pattern, asking.example(pattern))

    page = site.get(_ask(pattern)).page

    assert sorted(page.marked("read")) == sorted(expected.answered)
    assert len(page.marked("read")) == len(set(expected.answered)) > 0
    index = name_of(pattern.index)
    assert f"/rows/{index}" in {link.partition("?")[0] for link in page.links}


def test_the_rest_comes_dimmed_and_without_what_is_lit(site: Site) -> None:
    page = site.get(_ask(pattern_of("AP-05"))).page
    [rest] = [link for link in page.links if link.startswith("/rows/GSI1")]

    others = site.get(rest).page

    assert "dim=1" in rest
    assert not {key for key, _ in page.rows} & {key for key, _ in others.rows}
    assert others.rows


def test_newest_first_shows_the_end_of_a_collection_in_its_own_order(site: Site) -> None:
    page = site.get(_ask(pattern_of("AP-09"))).page

    sorts = [sort for (_, sort), _ in page.rows]
    assert sorts == sorted(sorts)
    assert [sort for _, sort in page.marked("read")] == sorts[-6:-1]


def test_an_answer_that_is_none_is_shown_with_its_reason(site: Site) -> None:
    answer = site.get(_ask(pattern_of("AP-02"), limit="0"))

    assert answer.status == 200
    assert "must be a whole number from 1 to 200" in answer.text
    assert not answer.page.marked("read")


# --- An item, and its changes ---------------------------------------------------------------


def test_an_item_s_page_says_where_it_stands_who_returns_it_and_what_it_costs(site: Site) -> None:
    text = site.get("/item?pk=USER%23U-001&sk=ORDER%232024-01-05").page.text

    for said in ("AP-02", "AP-04", "AP-10", "CW-06", "STATUS#PENDING", "not in it", "{OrderId}"):
        assert said in text
    assert "AP-05" not in text.partition(texts("en")["readers"])[2]


def test_an_item_that_a_write_moves_is_seen_to_move(site: Site) -> None:
    key = ("USER#U-001", "ORDER#2024-01-15")
    form = {
        "p.user_id": "U-001",
        "p.order_id": "2024-01-15",
        "p.body": '{"Status": "PAID"}',
        "from": "\r\n".join(key),
    }

    page = site.post("/patterns/CW-06", form).page

    assert set(page.marked("gone")) == set(page.marked("changed")) == {key}
    assert texts("en")["move_left"] in page.text


def test_a_change_can_follow_the_one_before(site: Site) -> None:
    """The version that the form names is the one that the last change has made."""
    form = {"p.job_id": "J-003", "p.If-Match": '"1"', "p.body": '{"Status": "SUCCEEDED"}'}

    first = site.post("/patterns/CW-11", form)

    assert 'value="&#34;2&#34;"' in first.text


def test_a_write_s_outcome_has_an_address_that_can_be_loaded_again_without_calling_again(
    site: Site,
) -> None:
    form = {"p.job_id": "J-002", "p.body": '{"Status": "SUCCEEDED"}'}

    answer = site.send("/patterns/CW-11", form)
    path = answer.headers["location"].partition("#")[0]
    first, again = site.get(path), site.get(path)

    assert answer.status == 303
    assert first.text == again.text
    assert len(first.page.marked("changed")) > 0
    item = reading.item("JOB#J-002", "JOB#J-002")
    assert item
    assert item["Version"] == {"N": "2"}


def test_a_write_s_outcome_can_be_seen_in_one_view_alone(site: Site) -> None:
    form = {"p.user_id": "U-003", "p.body": '{"Name": "Somebody"}'}
    path = site.send("/patterns/CW-02", form).headers["location"].partition("#")[0]

    page = site.get(path).page
    [tab] = [link for link in page.links if link.startswith(path) and "view=GSI1" in link]
    text = site.get(tab).text

    assert 'id="view-GSI1"' in text
    assert 'id="view-table"' not in text
    assert texts("en")["move_changed"] in text


def test_of_an_outcome_that_is_forgotten_the_page_says_so(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MOST_KEPT", 1)
    form = {"p.session_id": "nobody's"}
    paths = [
        site.send("/patterns/CW-09", form).headers["location"].partition("#")[0] for _ in range(2)
    ]

    said = texts("en")["outcome_forgotten"]
    assert [said in site.get(path).page.text for path in paths] == [True, False]
    others = paths[1].replace("CW-09", "CW-11")
    assert said in site.get(others).page.text


def test_a_write_shows_what_it_asks_of_dynamodb_and_what_that_took(site: Site) -> None:
    form = {"p.person_id": "carla", "p.followee_id": "alice"}

    text = site.post("/patterns/SW-02", form).text

    assert "TransactWriteItems: Put Follow, Update Person" in text
    assert "<dt>request</dt><dd>1</dd>" in text
    assert "<dt>write units</dt><dd>7</dd>" in text
    [header] = re.findall('<table class="moves">.*?</thead>', text, re.DOTALL)
    [footer] = re.findall("<tfoot>.*?</tfoot>", text)
    indexes = re.findall("<th>(.*?)</th>", header)[1:]
    by_index = dict(zip(indexes, re.findall(r"<td>(\d)</td>", footer), strict=True))
    assert by_index == {"Table": "6", "GSI1": "0", "GSI2": "0", "InvertedIndex": "1"}


def test_a_write_that_is_refused_says_why_before_it_says_that_nothing_has_moved(
    site: Site,
) -> None:
    refused = {"p.user_id": "U-001", "p.order_id": "2024-02-01", "p.body": '{"Status": "PAID"}'}
    wrong = {**refused, "p.body": '{"Status": "LOST", "Colour": 1}'}

    text = site.post("/patterns/CW-06", refused).text
    reason, nothing = "An order that is CANCELLED", texts("en")["nothing_moved"]
    assert 0 < text.index('<div class="notice bad">') < text.index(reason) < text.index(nothing)
    assert texts("en")["refused_is_charged"] in text
    assert "<code>Status</code> is CANCELLED" in text

    text = site.post("/patterns/CW-06", wrong).text
    assert '<div class="notice bad">' in text
    assert texts("en")["refused_is_charged"] not in text  # nothing was asked of DynamoDB

    text = site.post("/patterns/CW-06", {**refused, "p.order_id": "2000"}).text
    assert "<p>There is no Order with" in text


def test_a_read_is_not_called_as_a_change_and_aws_is_never_changed(
    site: Site, site_of_aws: Site
) -> None:
    form = {"p.session_id": "S-001"}

    assert site.post("/patterns/AP-15", form).status == 405
    assert site_of_aws.post("/patterns/CW-09", form).status == 405
    assert reading.item("SESSION#S-001", "SESSION#S-001")


def test_on_aws_the_page_offers_no_change(site_of_aws: Site) -> None:
    for path in ("/patterns/CW-06", "/item?pk=USER%23U-001&sk=ORDER%232024-01-05"):
        text = site_of_aws.get(path).text
        assert 'method="post"' not in text
        assert texts("en")["writes_need_local_cloud"] in text
    assert texts("en")["reads_only"] in site_of_aws.get("/").text


def test_a_form_that_is_too_large_is_refused(site: Site) -> None:
    assert site.post("/patterns/CW-09", {"p.session_id": "x" * 2**20}).status == 413


@pytest.mark.parametrize("header", ["a\r\nX: y", "x\ny", "\U0001f600"])
def test_what_no_header_can_hold_is_refused(site: Site, header: str) -> None:
    form = {"p.user_id": "U-001", "p.If-Match": header, "p.body": '{"VIP": true}'}
    assert site.post("/patterns/CW-02", form).status == 400


def test_a_form_that_is_not_encoded_is_refused(site: Site) -> None:
    headers = {"origin": site.url}
    assert site.ask("POST", "/patterns/CW-02", headers, "p.user_id=\u00ff").status == 400


# --- What must not happen -------------------------------------------------------------------


def test_values_are_text_whatever_is_in_them(site: Site) -> None:
    nasty = f"{SCRIPT}{BACKWARDS}{EMOJI}"
    item = {"PK": {"S": nasty}, "SK": {"S": nasty}, "Type": {"S": nasty}, nasty: {"S": nasty}}
    store.client().put_item(TableName=os.environ["TABLE_NAME"], Item=item)
    try:
        pages = [
            site.get(f"/item?pk={quote(nasty)}&sk={quote(nasty)}"),
            site.get(f"/?view=table&prefix={quote('<script>')}"),
            site.get(f"/?view=InvertedIndex&partition={quote(nasty)}"),
            site.get(_ask(pattern_of("AP-01"), user_id=nasty)),
            site.get("/export/explorer.html"),
        ]
    finally:
        key = {name: item[name] for name in TABLE.key_attributes}
        store.client().delete_item(TableName=os.environ["TABLE_NAME"], Key=key)

    for answer in pages:
        assert answer.status == 200
        assert "<script>alert" not in answer.text
        assert "&lt;b&gt;" in answer.text
        assert SCRIPT in answer.page.text
    assert EMOJI in pages[0].page.text


def test_credentials_never_reach_a_page(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    credentials = store.client()._request_signer._credentials  # type: ignore[attr-defined]  # noqa: SLF001
    monkeypatch.setattr(credentials, "access_key", "AKIAACCESSKEY")
    monkeypatch.setattr(credentials, "secret_key", "the-secret-key")
    monkeypatch.setattr(credentials, "token", "the-session-token")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "the-secret-key")

    for path in ("/", "/patterns/AP-02?run=1", "/item?pk=USER%23U-001&sk=PROFILE", "/nothing"):
        answer = site.get(path)
        told = answer.text + str(answer.headers)
        assert not any(each in told for each in ("AKIAACCESSKEY", "the-secret", "the-session"))


def test_a_table_that_does_not_answer_is_an_error_page(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLE_NAME", "another-table")

    answer: Answer = site.get("/")

    assert answer.status == 502
    assert "ResourceNotFoundException" in answer.text
