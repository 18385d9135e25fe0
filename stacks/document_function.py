"""The functions that describe the API, and the page that a local run shows."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from lambdas.handlers.documents import PAGE_PACKAGE
from stacks.dependencies import ROOT
from stacks.pattern_function import EntryPoint
from stacks.settings import Settings

SWAGGER_UI = ROOT / "node_modules" / "swagger-ui-dist"
PAGE = ROOT / "docs" / "page.html"
BUILT = ROOT / "build" / "api-page"


class DocumentFunction(EntryPoint):
    """A function that reads nothing: its role has no permission on the table at all."""

    def __init__(
        self,
        scope: Construct,
        name: str,
        description: str,
        *,
        code: lambda_.Code,
        layers: list[lambda_.ILayerVersion],
        settings: Settings,
    ) -> None:
        super().__init__(
            scope,
            name,
            handler=f"lambdas.handlers.documents.{name}",
            description=description,
            may={},
            environment={"AUTH": settings.auth},
            code=code,
            layers=layers,
            settings=settings,
        )


def api_page() -> Path | None:
    """The folder of the layer that holds the page; None where Swagger UI is not installed.

    The page is made here, of `docs/page.html` and Swagger UI's own files, so that it loads nothing
    from anywhere else.
    """
    if not SWAGGER_UI.exists():
        return None
    page = page_of(PAGE.read_text("utf-8"), SWAGGER_UI)
    layer = BUILT / sha256(page.encode()).hexdigest()[:12]
    folder = layer / "python" / PAGE_PACKAGE
    folder.mkdir(parents=True, exist_ok=True)
    # Another process may do the same now; a file appears under its name only when it is whole.
    with NamedTemporaryFile("w", dir=BUILT, encoding="utf-8", delete=False) as unfinished:
        unfinished.write(page)
    Path(unfinished.name).chmod(0o644)
    Path(unfinished.name).replace(folder / "index.html")
    return layer


def page_of(template: str, swagger_ui: Path) -> str:
    """The template with Swagger UI's files in place of `<!-- file -->`."""

    def inlined(found: re.Match[str]) -> str:
        name, element = found[1], "style" if found[1].endswith(".css") else "script"
        text = (swagger_ui / name).read_text("utf-8")
        text = re.sub(r"/\*# sourceMappingURL=.*?\*/", "", text)
        # An end tag within the text would end the element there.
        text = text.replace(f"</{element}", f"<\\/{element}")
        return f"<{element}>{text}</{element}>"

    return re.sub(r"<!-- ([\w.-]+\.(?:css|js)) -->", inlined, template)
