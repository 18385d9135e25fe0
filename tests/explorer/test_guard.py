from __future__ import annotations

import pytest

from tests.explorer.site import Site

CALL = "/patterns/CW-09"
FORM = {"p.session_id": "S-003"}


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1"])
def test_a_request_for_another_host_is_refused(site: Site, host: str) -> None:
    """A name that leads to loopback by DNS arrives with that name as its host."""
    assert site.get("/", host=host).status == 403


def test_both_names_of_this_machine_are_answered(site: Site) -> None:
    for name in ("127.0.0.1", "localhost"):
        assert site.get("/", host=f"{name}:{site.port}").status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}"])
def test_a_request_from_another_origin_is_refused(site: Site, origin: str) -> None:
    foreign = origin.format(port=site.port)

    assert site.get("/", origin=foreign).status == 403
    assert site.post(CALL, FORM, origin=foreign).status == 403


def test_a_page_elsewhere_cannot_read_the_table_by_an_image_or_a_script(site: Site) -> None:
    foreign = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"}

    assert site.get("/patterns/AP-01?run=1", **foreign).status == 403


def test_but_a_link_elsewhere_may_lead_here(site: Site) -> None:
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}

    assert site.get("/", **link).status == 200


def test_a_write_that_does_not_say_where_it_comes_from_is_refused(site: Site) -> None:
    assert site.ask("POST", CALL, {}, "p.session_id=S-003").status == 403
    assert site.post(CALL, FORM).status == 200


def test_every_answer_allows_nothing_from_elsewhere(site: Site) -> None:
    for path in ("/", "/static/style.css", "/nothing", "/export/workbench.json"):
        headers = site.get(path).headers

        assert (
            "default-src 'none'; script-src 'self'; style-src" in headers["content-security-policy"]
        )
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


def test_the_page_has_no_script_and_no_style_but_the_files_of_its_own(site: Site) -> None:
    text = site.get("/patterns/AP-02?run=1").text

    assert text.count("<script") == 1
    assert '<script src="/static/htmx.min.js" defer></script>' in text
    assert "<style" not in text
    assert " style=" not in text


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_choosing_a_language_leads_back_to_this_page_only(site: Site, back: str) -> None:
    answer = site.get(f"/preferences?lang=de&back={back}")

    assert (answer.status, answer.headers["location"]) == (303, "/")
    assert "HttpOnly" in answer.headers["set-cookie"]
