from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from botocore.loaders import JSONFileLoader, Loader
from botocore.session import Session, get_session

from lambdas.runtime import models, store
from lambdas.runtime.models import COMPONENT, ModelFiles, ModelLoader

DATA = Path(Loader.BUILTIN_DATA_PATH)


@pytest.fixture
def session() -> Session:
    session = get_session()
    models.load_fast(session)
    return session


def loader(session: Session) -> object:
    return type(session.get_component(COMPONENT))


@pytest.mark.parametrize(
    "file",
    [
        "endpoints",
        "partitions",
        "sdk-default-configuration",
        "dynamodb/2012-08-10/service-2",
        "dynamodb/2012-08-10/endpoint-rule-set-1",
        "dynamodb/2012-08-10/paginators-1",
        "dynamodb/2012-08-10/no-such-file",
    ],
)
def test_a_data_file_says_what_botocore_reads_in_it(file: str, tmp_path: Path) -> None:
    """A copy of it: what the tests keep of the file itself is what botocore has made of that."""
    name = Path(file).name
    for each in (DATA / file).parent.glob(f"{name}.json*"):
        shutil.copy(each, tmp_path)
    path = str(tmp_path / name)
    assert ModelFiles().load_file(path) == JSONFileLoader().load_file(path)


def test_a_service_model_is_the_one_that_botocore_finds(session: Session) -> None:
    found: Any = session.get_component(COMPONENT)
    for kind in ("service-2", "endpoint-rule-set-1"):
        assert found.load_service_model("dynamodb", kind) == Loader().load_service_model(
            "dynamodb", kind
        )


@pytest.mark.parametrize("region", ["eu-central-1", "us-gov-west-1", "cn-north-1"])
def test_a_client_is_the_one_that_botocore_makes(session: Session, region: str) -> None:
    fast = session.create_client("dynamodb", region_name=region)
    stock = get_session().create_client("dynamodb", region_name=region)
    assert loader(session) is ModelLoader
    assert fast.meta.endpoint_url == stock.meta.endpoint_url
    assert fast.meta.method_to_api_mapping == stock.meta.method_to_api_mapping
    assert fast.meta.service_model.operation_names == stock.meta.service_model.operation_names


def test_only_dynamodb_is_known(session: Session) -> None:
    assert session.get_available_services() == ["dynamodb"]


def test_where_botocore_asks_its_loader_otherwise_its_own_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def load_file(self: JSONFileLoader, file_path: str, version: str) -> None:
        """As a later botocore might have it."""

    monkeypatch.setattr(JSONFileLoader, "load_file", load_file)
    session = get_session()
    models.load_fast(session)
    assert loader(session) is Loader


def test_where_botocore_makes_its_loader_otherwise_its_own_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def made(self: Loader, extra_search_paths: list[str]) -> None:
        """As a later botocore might have it."""

    monkeypatch.setattr(Loader, "__init__", made)
    assert not models.is_as_tested()


def test_the_functions_client_is_made_in_this_way(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def list_available_services(_self: ModelLoader, type_name: str) -> list[str]:
        asked.append(type_name)
        return ["dynamodb"]

    monkeypatch.setattr(ModelLoader, "list_available_services", list_available_services)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    store.client.cache_clear()
    store.client()
    store.client.cache_clear()
    assert "service-2" in asked
