"""Lets botocore find its model of DynamoDB without looking at those of the other services.

When it makes a client, botocore searches the folders of all its 400 services to see that there is
one of that name, and reads a list of the endpoints of all of them with Python's JSON: that is more
than half of what the making takes, at every cold start. Where botocore's loader is not made as it
was when this was tested, all is as botocore has it.
"""

from __future__ import annotations

import gzip
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from botocore.loaders import JSONFileLoader, Loader
from msgspec.json import Decoder

if TYPE_CHECKING:
    from botocore.session import Session  # noqa: TID251 - its name alone

COMPONENT: Final = "data_loader"

SERVICE: Final = "dynamodb"


def load_fast(session: Session) -> None:
    """Let the session make clients of DynamoDB in this way, and of nothing else."""
    if is_as_tested():
        session.register_component(COMPONENT, ModelLoader(file_loader=ModelFiles()))


def is_as_tested() -> bool:
    """Whether botocore makes and asks its loader as it did in version 1.43."""
    return (
        "file_loader" in signature(Loader).parameters
        and [*signature(Loader.list_available_services).parameters] == ["self", "args", "kwargs"]
        and [*signature(JSONFileLoader.load_file).parameters] == ["self", "file_path"]
    )


class ModelLoader(Loader):
    """Knows one service by heart."""

    def list_available_services(self, type_name: str) -> list[str]:  # noqa: ARG002 - botocore's
        """Asked before any model is loaded, with the name of a kind of model."""
        return [SERVICE]


class ModelFiles(JSONFileLoader):
    """Reads botocore's data files, which are JSON, compressed or not."""

    def load_file(self, file_path: str) -> Any:
        """What a file says, named without its ending; None when there is none."""
        for ending, read in ((".json", Path.read_bytes), (".json.gz", _decompressed)):
            file = Path(file_path + ending)
            if file.is_file():
                return Decoder().decode(read(file))
        return None


def _decompressed(file: Path) -> bytes:
    return gzip.decompress(file.read_bytes())
