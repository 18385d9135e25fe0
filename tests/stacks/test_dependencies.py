from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from stacks import dependencies as module
from stacks.byte_code import BuildError
from stacks.dependencies import dependencies
from stacks.settings import Settings

SETTINGS = Settings()


class Pip:
    """Stands for pip: installs a file, and remembers how it was called.

    `meanwhile` is done after the first half of the installation.
    """

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.meanwhile: Callable[[], None] = lambda: None
        self.error = ""

    def run(
        self, command: list[str], *, capture_output: bool, text: bool, check: bool
    ) -> subprocess.CompletedProcess[str]:
        assert (capture_output, text, check) == (True, True, False)
        self.calls.append(command)
        target = Path(command[command.index("--target") + 1])
        (target / "bin").mkdir(parents=True)
        (target / "bin" / "tool").write_text("#!/this/machine/s/python")
        (target / "first.py").touch()
        self.meanwhile()
        if not self.error:
            (target / "last.py").touch()
        return subprocess.CompletedProcess(command, int(bool(self.error)), "", self.error)


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pip:
    """A project of its own with requirements, and pip that needs no network."""
    pip = Pip()
    for name in ("requirements.txt", "constraints.txt"):
        (tmp_path / name).write_text("package==1.0\n")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "REQUIREMENTS", tmp_path / "requirements.txt")
    monkeypatch.setattr(module, "CONSTRAINTS", tmp_path / "constraints.txt")
    monkeypatch.setattr(module, "BUILT", tmp_path / "build")
    monkeypatch.setattr(subprocess, "run", pip.run)
    monkeypatch.setattr(module, "form", lambda _: "sources")
    monkeypatch.setattr(module, "compile_all", lambda *_: None)
    return pip


def is_whole(layer: Path) -> bool:
    return sorted(str(each.relative_to(layer)) for each in layer.rglob("*")) == [
        "python",
        "python/first.py",
        "python/last.py",
    ]


def test_the_layer_is_built_once_and_says_so_once(
    pip: Pip, capsys: pytest.CaptureFixture[str]
) -> None:
    first = dependencies(SETTINGS)
    said = capsys.readouterr()
    second = dependencies(SETTINGS)

    assert is_whole(first)
    assert second == first
    assert len(pip.calls) == 1
    assert "python3.14, arm64" in said.err
    assert said.out == ""
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["requirements.txt", "constraints.txt"])
def test_the_layer_is_built_again_when_its_requirements_change(
    pip: Pip, tmp_path: Path, name: str
) -> None:
    before = dependencies(SETTINGS)
    (tmp_path / name).write_text("package==1.1\n")

    after = dependencies(SETTINGS)

    assert after != before
    assert is_whole(after)
    assert len(pip.calls) == 2


@pytest.mark.parametrize(
    "other",
    [Settings(architecture="x86_64"), Settings(runtime="python3.12"), Settings(wheels="host")],
    ids=str,
)
def test_each_architecture_runtime_and_kind_of_wheels_has_a_layer_of_its_own(
    pip: Pip, other: Settings
) -> None:
    assert dependencies(SETTINGS) != dependencies(other)
    assert len(pip.calls) == 2


def test_a_layer_with_byte_code_has_another_name_than_one_without(
    pip: Pip, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = dependencies(SETTINGS)
    monkeypatch.setattr(module, "form", lambda _: "byte code")
    compiled: list[tuple[str, str]] = []
    monkeypatch.setattr(
        module, "compile_all", lambda _, place, version: compiled.append((place, version))
    )

    assert dependencies(SETTINGS) != without
    assert compiled == [("/opt", "3.14")]
    assert len(pip.calls) == 2


def test_what_has_no_part_in_the_layer_does_not_build_it_again(pip: Pip) -> None:
    other = Settings(stage="dev", auth="jwt", jwt_issuer="https://i.example", jwt_audience="shop")

    assert dependencies(SETTINGS) == dependencies(other)
    assert len(pip.calls) == 1


@pytest.mark.parametrize(
    ("settings", "version", "platform"),
    [
        (Settings(), "3.14", "aarch64"),
        (Settings(architecture="x86_64", runtime="python3.12"), "3.12", "x86_64"),
    ],
)
def test_pip_takes_ready_made_wheels_for_the_functions_not_for_this_machine(
    pip: Pip, settings: Settings, version: str, platform: str
) -> None:
    dependencies(settings)

    [command] = pip.calls
    options = list(pairwise(command))
    assert ("--only-binary", ":all:") in options
    assert ("--python-version", version) in options
    platforms = [value for option, value in options if option == "--platform"]
    assert platforms
    assert all(each.endswith(f"_{platform}") for each in platforms)
    assert "--no-compile" in command  # byte code would be another Python's


def test_for_a_local_run_pip_takes_this_machine_s_wheels(pip: Pip) -> None:
    dependencies(Settings(wheels="host"))

    [command] = pip.calls
    assert not {"--platform", "--python-version", "--implementation"} & set(command)


def test_an_interrupted_build_leaves_nothing_that_is_taken_for_whole(
    pip: Pip, tmp_path: Path
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    pip.meanwhile = interrupt
    with pytest.raises(KeyboardInterrupt):
        dependencies(SETTINGS)
    assert list((tmp_path / "build").iterdir()) == []

    pip.meanwhile = lambda: None
    assert is_whole(dependencies(SETTINGS))


def test_until_it_is_whole_a_layer_has_another_name(pip: Pip, tmp_path: Path) -> None:
    """So what a killed build leaves behind is never taken for a layer."""
    seen: list[str] = []
    pip.meanwhile = lambda: seen.extend(each.name for each in (tmp_path / "build").iterdir())

    layer = dependencies(SETTINGS)

    assert seen
    assert layer.name not in seen


def test_two_builds_at_once_both_succeed(pip: Pip) -> None:
    both_are_building = threading.Barrier(2)

    def wait() -> None:
        both_are_building.wait(timeout=10)

    pip.meanwhile = wait

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(dependencies, [SETTINGS, SETTINGS])

    assert len(pip.calls) == 2
    assert first == second
    assert is_whole(first)
    assert list(first.parent.iterdir()) == [first]


def test_when_pip_fails_the_error_says_what_and_why_and_nothing_is_left(
    pip: Pip, tmp_path: Path
) -> None:
    pip.error = (
        "WARNING: a remark\n"
        "ERROR: Could not find a version that satisfies package==1.0\n"
        "ERROR: No matching distribution found for package==1.0\n"
    )

    with pytest.raises(BuildError) as raised:
        dependencies(SETTINGS)

    message = str(raised.value)
    assert "requirements.txt for python3.14 on arm64" in message
    assert "No matching distribution found for package==1.0" in message
    assert "remark" not in message
    assert "\n" not in message
    assert list((tmp_path / "build").iterdir()) == []


def test_when_pip_fails_without_a_reason_the_error_has_all_it_said(pip: Pip) -> None:
    pip.error = "Segmentation fault\n"

    with pytest.raises(BuildError, match="Segmentation fault"):
        dependencies(SETTINGS)
