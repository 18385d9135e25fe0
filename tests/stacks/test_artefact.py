"""What is uploaded: the code's folder, and whether the functions start from it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from local.deployment import this_machine
from stacks import code
from stacks.dependencies import ROOT, dependencies
from stacks.settings import Settings
from tests.stacks.routes import routes
from tests.stacks.synthesis import Synthesize, Synthesized, without_the_functions_python
from tests.stacks.synthesis import synthesize as synthesized

IMPORT_ALL = """
import importlib, json, sys
folders, handlers = json.loads(sys.argv[1])
sys.path[:0] = folders
for handler in handlers:
    module, _, name = handler.rpartition(".")
    assert callable(getattr(importlib.import_module(module), name)), handler
print(importlib.import_module("lambdas").__file__)
print(*sorted({module.partition(".")[0] for module in sys.modules}))
"""


def test_the_code_is_the_package_lambdas_and_nothing_else(templates: Synthesized) -> None:
    assert sources(templates.code) == {Path("lambdas"), *sources(ROOT / "lambdas", ROOT)}


def test_beside_it_is_byte_code_of_its_modules_or_none(
    synthesize: Synthesize, tmp_path: Path
) -> None:
    """Of all where this machine has the functions' Python, and never what lay about here."""
    host = synthesize(stage="dev", runtime=host_settings().runtime).code
    modules = {cache_from_source(str(each)) for each in host.rglob("*.py")}

    assert {str(each) for each in host.rglob("*.pyc")} == modules
    with without_the_functions_python():
        assert [*synthesized({}, tmp_path).code.rglob("__pycache__")] == []


def test_its_name_does_not_move_with_files_that_are_not_in_it(
    templates: Synthesized, tmp_path: Path
) -> None:
    """The project has tests and byte code; the copy has other ones in their places."""
    root = project(tmp_path)
    for other in (
        "tests/test_new.py",
        "README.md",
        ".env",
        "stacks/lambdas/new.py",
        "lambdas/__pycache__/new.cpython-313.pyc",
        "lambdas/design/__pycache__/new.cpython-313.pyc",
        "lambdas/runtime/new.pyc",
    ):
        (root / other).parent.mkdir(parents=True, exist_ok=True)
        (root / other).write_text("new")

    assert synthesized({}, tmp_path, root).code_key == templates.code_key


@pytest.mark.parametrize("file", ["lambdas/new.py", "lambdas/design/ecommerce.py"])
def test_its_name_moves_with_every_file_that_is_in_it(
    templates: Synthesized, tmp_path: Path, file: str
) -> None:
    root = project(tmp_path)
    with (root / file).open("a") as changed:
        changed.write("# new\n")

    assert synthesized({}, tmp_path, root).code_key != templates.code_key


def test_its_name_does_not_move_with_the_patch_release_that_has_compiled_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = set()
    for release in ("3.14.0", "3.14.1"):

        def compile_all(folder: Path, *_: str, release: str = release) -> None:
            (folder / "lambdas" / "compiled.pyc").write_text(release)

        monkeypatch.setattr(code, "BUILT", tmp_path / f"built by {release}")
        monkeypatch.setattr(code, "compile_all", compile_all)
        found = synthesized({}, tmp_path / release)
        assert (found.code / "lambdas" / "compiled.pyc").read_text() == release
        keys.add(found.code_key)
    assert len(keys) == 1


def test_every_handler_starts_from_what_is_uploaded_alone(
    templates: Synthesized, tmp_path: Path
) -> None:
    """Without credentials, network and TABLE_NAME, as Lambda imports a module."""
    layer = dependencies(host_settings())

    started = start(templates, tmp_path, layer / "python")

    assert started.returncode == 0, started.stderr
    place, modules = started.stdout.splitlines()
    assert Path(place).is_relative_to(templates.code)
    assert not {"aws_cdk", "jsii", "moto", "pytest", "pydantic", "aws_xray_sdk"} & {
        *modules.split()
    }


def test_without_the_layer_no_handler_starts(templates: Synthesized, tmp_path: Path) -> None:
    started = start(templates, tmp_path)

    assert started.returncode != 0
    assert re.search("No module named 'msgspec'", started.stderr)


def test_the_layer_is_compiled_for_what_the_functions_run_on() -> None:
    compiled = {each.name for each in dependencies(Settings()).rglob("*.so")}

    assert compiled
    assert all(name.endswith(".cpython-314-aarch64-linux-gnu.so") for name in compiled)


def sources(folder: Path, relative_to: Path | None = None) -> set[Path]:
    """The files and folders in it, without byte code."""
    return {
        each.relative_to(relative_to or folder)
        for each in folder.rglob("*")
        if "__pycache__" not in each.parts
    }


def project(folder: Path) -> Path:
    """A copy of what the code is taken from."""
    root = folder / "project"
    shutil.copytree(
        ROOT / "lambdas", root / "lambdas", ignore=shutil.ignore_patterns("__pycache__")
    )
    return root


def host_settings() -> Settings:
    """The settings with which the layer can be loaded here."""
    return Settings(**this_machine())


def start(templates: Synthesized, folder: Path, *layers: Path) -> subprocess.CompletedProcess[str]:
    """Import every handler in a Python that sees the code, the layers and Lambda's boto3 alone."""
    folders = [str(each) for each in (templates.code, *layers, lambda_runtime(folder))]
    handlers = [route.handler for route in routes(templates)]
    options = ["-I", "-S", "-W", "error", "-c", IMPORT_ALL]
    return subprocess.run(  # noqa: S603
        [sys.executable, *options, json.dumps([folders, handlers])],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONDONTWRITEBYTECODE": "1"},
        cwd=folder,
    )


def lambda_runtime(folder: Path) -> Path:
    """A folder with what Lambda's Python brings: boto3 and what it needs."""
    runtime = folder / "runtime"
    runtime.mkdir()
    for name in needed_by("boto3"):
        found = distribution(name)
        tops = {file.parts[0] for file in found.files or () if file.parts[0] != ".."}
        for top in tops - {"__pycache__"}:
            (runtime / top).symlink_to(Path(str(found.locate_file(top))))
    return runtime


def needed_by(name: str) -> set[str]:
    """A package and all that it requires, without extras."""
    required = [each for each in distribution(name).requires or () if "extra ==" not in each]
    names = [re.split(r"[^A-Za-z0-9._-]", each)[0] for each in required]
    return {name}.union(*(needed_by(each) for each in names))
