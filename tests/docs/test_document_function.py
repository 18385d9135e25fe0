"""The functions that serve the documents, as they are deployed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from docs.generate import ROOT
from stacks import document_function
from tests.stacks.synthesis import synthesize as synthesize_anew

if TYPE_CHECKING:
    from tests.stacks.synthesis import Resource, Synthesized

LOCAL = {"stage": "dev", "auth": "none"}


@pytest.fixture
def swagger_ui(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small stand-in for Swagger UI, as npm would have installed it."""
    folder = tmp_path / "swagger-ui-dist"
    folder.mkdir()
    (folder / "swagger-ui.css").write_text(
        "p { color: red }\n/*# sourceMappingURL=x.map*/", "utf-8"
    )
    (folder / "swagger-ui-bundle.js").write_text("const end = '</script>';", "utf-8")
    monkeypatch.setattr(document_function, "SWAGGER_UI", folder)
    monkeypatch.setattr(document_function, "BUILT", tmp_path / "built")
    return folder


def function(stacks: Synthesized, handler: str) -> Resource | None:
    found = stacks.api.resources("AWS::Lambda::Function").values()
    return next((each for each in found if each["Properties"]["Handler"] == handler), None)


def actions(stacks: Synthesized, handler: str) -> set[str]:
    """All that the function's role allows."""
    role = function(stacks, handler)
    assert role
    name = role["Properties"]["Role"]["Fn::GetAtt"][0]
    policies = stacks.api.template["Resources"][name]["Properties"]["Policies"]
    statements = [s for each in policies for s in each["PolicyDocument"]["Statement"]]
    return {
        action
        for statement in statements
        for action in (
            [statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"]
        )
    }


def routes(stacks: Synthesized) -> dict[str, str]:
    """The authorization of each route."""
    found = stacks.api.resources("AWS::ApiGatewayV2::Route").values()
    properties = [each["Properties"] for each in found]
    return {each["RouteKey"]: each.get("AuthorizationType", "NONE") for each in properties}


def test_the_document_s_function_may_do_nothing_with_the_table(templates: Synthesized) -> None:
    handler = "lambdas.handlers.documents.get_openapi"
    assert {action.partition(":")[0] for action in actions(templates, handler)} == {"logs"}
    reader = actions(templates, "lambdas.handlers.ecommerce.get_user")
    assert "dynamodb:GetItem" in reader


def test_it_is_told_who_may_call_and_not_the_table_s_name(templates: Synthesized) -> None:
    found = function(templates, "lambdas.handlers.documents.get_openapi")
    assert found
    assert found["Properties"]["Environment"]["Variables"] == {"AUTH": "iam"}


def test_its_route_is_as_closed_as_the_others(templates: Synthesized) -> None:
    assert routes(templates)["GET /openapi.json"] == "AWS_IAM"
    assert set(routes(templates).values()) == {"AWS_IAM"}


def test_the_page_is_left_out_of_a_closed_api(templates: Synthesized) -> None:
    assert "GET /docs" not in routes(templates)
    assert not any("GET /docs" in warning for warning in templates.warnings)


def test_an_open_api_has_the_page(swagger_ui: Path, tmp_path: Path) -> None:
    assert swagger_ui.exists()
    stacks = synthesize_anew(LOCAL, tmp_path)
    assert routes(stacks)["GET /docs"] == "NONE"
    assert not any("GET /docs" in warning for warning in stacks.warnings)
    assert {
        a.partition(":")[0] for a in actions(stacks, "lambdas.handlers.documents.get_docs")
    } == {"logs"}


def test_without_swagger_ui_synthesis_leaves_the_page_out_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_function, "SWAGGER_UI", tmp_path / "none")
    stacks = synthesize_anew(LOCAL, tmp_path)
    assert "GET /docs" not in routes(stacks)
    assert "GET /openapi.json" in routes(stacks)
    [warning] = [each for each in stacks.warnings if "GET /docs" in each]
    assert "npm ci" in warning


def test_the_page_has_all_of_swagger_ui_in_it(swagger_ui: Path) -> None:
    layer = document_function.api_page()
    assert layer
    page = (layer / "python" / "api_page" / "index.html").read_text("utf-8")
    assert "<style>p { color: red }\n</style>" in page
    # An end tag in the code must not end the element.
    assert "<script>const end = '<\\/script>';</script>" in page
    assert "sourceMappingURL" not in page
    assert re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"(?!data:)[^\"]*\"", page) == []
    assert re.findall(r"https?://", page) == []
    assert swagger_ui.exists()


def test_the_page_keeps_its_place_until_it_changes(swagger_ui: Path) -> None:
    first = document_function.api_page()
    assert document_function.api_page() == first
    (swagger_ui / "swagger-ui.css").write_text("p { color: blue }", "utf-8")
    assert document_function.api_page() != first


def test_the_versions_that_are_inlined_are_the_pinned_ones() -> None:
    package = json.loads((ROOT / "package.json").read_bytes())
    assert re.fullmatch(r"\d+\.\d+\.\d+", package["devDependencies"]["swagger-ui-dist"])
