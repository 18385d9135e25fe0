from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from pathlib import Path

import pytest

from stacks.byte_code import BuildError, compile_all, interpreter

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
NOWHERE = "3.99"

CHECKED_HASH = (0b11).to_bytes(4, "little")
"""The flags of byte code that is held to its source whenever it is loaded (PEP 552)."""


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    interpreter.cache_clear()
    yield
    interpreter.cache_clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A package as it is uploaded."""
    package = tmp_path / "upload" / "package"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "inner" / "module.py").write_text("def fail():\n    raise ValueError\n")
    return package.parent


def compiled(folder: Path) -> dict[str, bytes]:
    """What is compiled of each module, by the module's path; nothing where it is not."""
    found = {path: Path(cache_from_source(str(path))) for path in folder.rglob("*.py")}
    return {
        str(path.relative_to(folder)): byte_code.read_bytes()
        for path, byte_code in found.items()
        if byte_code.is_file()
    }


def test_all_modules_are_compiled_each_for_its_very_source(folder: Path) -> None:
    compile_all(folder, "/var/task", HERE)

    found = compiled(folder)
    assert found.keys() == {"package/__init__.py", "package/inner/module.py"}
    for path, byte_code in found.items():
        digest = source_hash((folder / path).read_bytes())
        assert byte_code[:16] == MAGIC_NUMBER + CHECKED_HASH + digest


def test_without_the_functions_python_nothing_is_compiled(folder: Path) -> None:
    compile_all(folder, "/var/task", NOWHERE)

    assert compiled(folder) == {}
    assert interpreter(NOWHERE) is None


def test_a_source_that_changes_is_taken_instead_of_its_byte_code(folder: Path) -> None:
    """As when somebody edits a function in the console."""
    compile_all(folder, "/var/task", HERE)
    assert said(folder, "package.inner.module.fail.__name__") == "fail"

    (folder / "package" / "inner" / "module.py").write_text("fail = int")

    assert said(folder, "package.inner.module.fail.__name__") == "int"


def test_it_names_the_place_in_the_function_and_no_folder_of_this_machine(folder: Path) -> None:
    compile_all(folder, "/var/task", HERE)

    byte_code = compiled(folder)["package/inner/module.py"]
    assert b"/var/task/package/inner/module.py" in byte_code
    assert str(folder).encode() not in byte_code


def test_what_cannot_be_compiled_is_left_as_it_is_and_the_rest_is_compiled(folder: Path) -> None:
    (folder / "package" / "broken.py").write_text("def")

    compile_all(folder, "/var/task", HERE)

    assert compiled(folder).keys() == {"package/__init__.py", "package/inner/module.py"}


def test_compiling_twice_gives_the_same(folder: Path) -> None:
    compile_all(folder, "/var/task", HERE)
    first = compiled(folder)
    compile_all(folder, "/var/task", HERE)

    assert compiled(folder) == first


def test_the_python_that_runs_this_is_taken_where_it_is_of_the_functions_version() -> None:
    assert interpreter(HERE) == sys.executable


def test_another_one_is_taken_by_its_name_if_it_is_what_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    python = tmp_path / f"python{NOWHERE}"
    python.write_text("#!/bin/sh\necho cpython 3 99\n")
    python.chmod(0o755)
    assert interpreter(NOWHERE) == str(python)


@pytest.mark.parametrize(
    "does",
    [
        pytest.param("echo cpython 3 98", id="another version"),
        pytest.param("echo pypy 3 99", id="another implementation"),
        pytest.param("echo cpython 3 99; exit 3", id="one that fails"),
        pytest.param("printf '\\377'", id="one that says no text"),
        pytest.param("echo", id="one that says nothing"),
        pytest.param("sleep 5", id="one that does not end"),
        pytest.param("echo no such version >&2; exit 127", id="a version manager without it"),
    ],
)
def test_what_only_has_its_name_is_not_taken(
    does: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stacks.byte_code.TIMEOUT_SECONDS", 0.5)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    python = tmp_path / f"python{NOWHERE}"
    python.write_text(f"#!/bin/sh\n{does}\n")
    python.chmod(0o755)
    assert interpreter(NOWHERE) is None


@pytest.mark.parametrize("text", ["not a script", "#!/nowhere/at/all\n", "\x7fELF"])
def test_a_file_that_cannot_be_run_is_not_taken(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    python = tmp_path / f"python{NOWHERE}"
    python.write_text(text)
    python.chmod(0o755)
    assert interpreter(NOWHERE) is None


def test_a_compiler_that_is_killed_half_way_is_an_error(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else its half would be kept under the name of the whole."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    python = tmp_path / f"python{NOWHERE}"
    python.write_text('#!/bin/sh\n[ "$1" = -c ] && echo cpython 3 99 || kill -9 $$\n')
    python.chmod(0o755)

    with pytest.raises(BuildError, match="it ended with -9"):
        compile_all(folder, "/var/task", NOWHERE)


def said(folder: Path, expression: str) -> str:
    """What a new process makes of it that imports from the folder."""
    script = f"import package.inner.module; print({expression})"
    return subprocess.check_output(  # noqa: S603 - our own words
        [sys.executable, "-c", script], cwd=folder, text=True
    ).strip()
