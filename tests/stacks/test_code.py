from __future__ import annotations

import os
import shutil
import time
from importlib.util import cache_from_source
from itertools import count
from pathlib import Path

import pytest

from local.deployment import this_machine
from stacks import code as module
from stacks.code import code
from stacks.settings import Settings
from tests.stacks.synthesis import Synthesize, without_the_functions_python
from tests.stacks.synthesis import synthesize as synthesized

COMPILED = Settings(**this_machine())
"""Settings of functions whose Python is at hand: it runs the tests."""

AS_SOURCES = Settings(runtime="python3.1")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a package of two modules, and byte code of this machine beside them."""
    root = tmp_path / "project"
    (root / "lambdas" / "__pycache__").mkdir(parents=True)
    (root / "lambdas" / "__init__.py").write_text("")
    (root / "lambdas" / "handler.py").write_text("def handle(event, context): ...\n")
    (root / "lambdas" / "requirements.txt").write_text("package==1.0\n")
    (root / "lambdas" / "__pycache__" / "handler.cpython-39.pyc").write_text("old")
    (root / "README.md").write_text("not uploaded")
    monkeypatch.setattr(module, "BUILT", tmp_path / "build")
    return root


def files(folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}


SOURCES = {"lambdas/__init__.py", "lambdas/handler.py", "lambdas/requirements.txt"}


def test_the_code_has_byte_code_of_every_module_where_the_functions_python_is_here(
    root: Path,
) -> None:
    byte_code = {cache_from_source(name) for name in ("lambdas/__init__.py", "lambdas/handler.py")}
    assert files(code(COMPILED, root)) == SOURCES | byte_code


def test_elsewhere_it_is_the_sources_alone(root: Path) -> None:
    assert files(code(AS_SOURCES, root)) == SOURCES


def test_it_is_compiled_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = code(COMPILED, root)
    monkeypatch.delattr(module, "compile_all")
    assert code(COMPILED, root) == first
    assert [*module.BUILT.iterdir()] == [first]


def test_a_source_that_is_saved_meanwhile_is_under_the_name_of_what_is_in_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `cdk watch` begins at each save. What is copied is what the name is of."""
    copy = shutil.copyfile

    def save_then_copy(source: Path, target: Path) -> None:
        if source.name == "handler.py":
            source.write_text("saved = 1\n")
        copy(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "copyfile", save_then_copy)
        meanwhile = code(COMPILED, root)
    assert (meanwhile / "lambdas" / "handler.py").read_text() == "saved = 1\n"
    assert code(COMPILED, root) == meanwhile


def test_its_name_tells_code_with_byte_code_from_code_without_and_each_python(root: Path) -> None:
    """So that what is uploaded under a name is always the same."""
    other = Settings(runtime="python3.2")
    assert code(COMPILED, root) != code(AS_SOURCES, root) == code(other, root)


@pytest.mark.parametrize(
    "file",
    ["lambdas/handler.py", "lambdas/requirements.txt", "lambdas/new.py", "lambdas/inner/new.json"],
)
def test_its_name_moves_with_all_that_is_in_it(root: Path, file: str) -> None:
    before = code(COMPILED, root)
    (root / file).parent.mkdir(exist_ok=True)
    with (root / file).open("a") as changed:
        changed.write("# new\n")

    after = code(COMPILED, root)

    assert after != before
    assert file in files(after)


@pytest.mark.parametrize(
    "file", ["README.md", "lambdas/__pycache__/new.cpython-313.pyc", "lambdas/old.pyc"]
)
def test_its_name_does_not_move_with_what_is_not_in_it(root: Path, file: str) -> None:
    before = code(COMPILED, root)
    (root / file).write_text("new")
    assert code(COMPILED, root) == before


def test_two_files_have_another_name_than_one_that_looks_like_both(root: Path) -> None:
    """The digest keeps the files apart, whatever is in them."""
    (root / "lambdas" / "a.py").write_bytes(b"a")
    (root / "lambdas" / "b.py").write_bytes(b"b")
    two = code(COMPILED, root)
    (root / "lambdas" / "b.py").unlink()
    (root / "lambdas" / "a.py").write_bytes(b"a\0lambdas/b.py\0b")
    assert code(COMPILED, root) != two


STATES = count()


def built(root: Path, hours_ago: float) -> Path:
    """The code of another state of the sources, last used a while ago."""
    (root / "lambdas" / "handler.py").write_text(f"state = {next(STATES)}\n")
    folder = code(AS_SOURCES, root)
    then = time.time() - hours_ago * 60 * 60
    os.utime(folder, (then, then))
    return folder


def test_the_newest_states_of_the_sources_are_kept_and_those_of_the_last_hour(root: Path) -> None:
    old = [built(root, hours_ago) for hours_ago in (9, 8, 7, 6, 5, 4)]
    recent = [built(root, hours_ago) for hours_ago in (0.9, 0.5)]

    new = built(root, 0)

    assert {*module.BUILT.iterdir()} == {*old[-module.KEPT + 3 :], *recent, new}
    several = [built(root, 0.9) for _ in range(module.KEPT + 1)]
    assert {*module.BUILT.iterdir()} == {*recent, new, *several}


def test_what_is_used_again_counts_as_new(root: Path) -> None:
    first = built(root, 9)
    source = (root / "lambdas" / "handler.py").read_text()
    for _ in range(module.KEPT - 1):
        built(root, 8)
    (root / "lambdas" / "handler.py").write_text(source)
    assert code(AS_SOURCES, root) == first

    built(root, 0)

    assert first.exists()


def test_an_interrupted_copy_leaves_nothing_that_is_taken_for_whole(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, "compile_all", interrupt)
        with pytest.raises(KeyboardInterrupt):
            code(COMPILED, root)
    assert list(module.BUILT.iterdir()) == []
    assert files(code(COMPILED, root)) >= SOURCES


def test_synthesis_says_so_where_code_goes_without_byte_code(
    synthesize: Synthesize, tmp_path: Path
) -> None:
    with without_the_functions_python():
        remarks = synthesized({}, tmp_path).remarks
    assert [each for each in remarks if "no python3.14 here" in each]
    with_it = synthesize(stage="dev", runtime=COMPILED.runtime).remarks
    assert not [each for each in with_it if "byte code" in each]
