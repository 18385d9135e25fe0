import pytest

from tools import call, outputs
from tools.redaction import without_credentials


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("at http://user:secret@host:1/path", "at http://host:1/path"),
        ("at https://secret@host?x", "at https://host?x"),
        ('"http://user:se/cret@host" and http://u:secret@h', '"http://host" and http://h'),
        ("http://host/path", "http://host/path"),
        ("ann@x.de at http://host/", "ann@x.de at http://host/"),
    ],
)
def test_of_a_url_its_user_and_password_are_left_out(text: str, shown: str) -> None:
    assert without_credentials(text) == shown


def test_a_call_that_fails_does_not_show_the_urls_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROUTE", "GET /ecommerce/users/U-001")
    monkeypatch.setenv("API_URL", "http://user:geheim@127.0.0.1:1")
    for name, value in (("ACCESS_KEY_ID", "a"), ("SECRET_ACCESS_KEY", "b"), ("REGION", "eu-1")):
        monkeypatch.setenv(f"AWS_{name}", value)

    assert call.main() == 1
    assert "geheim" not in (shown := capsys.readouterr().err)
    assert "127.0.0.1" in shown

    monkeypatch.delenv("API_URL")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://user:geheim@127.0.0.1:1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    assert call.main() == 1
    assert outputs.main(["TableName"]) == 1
    assert "geheim" not in (shown := capsys.readouterr().err)
    assert shown.count("127.0.0.1") >= 2
