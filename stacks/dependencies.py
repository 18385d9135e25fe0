"""Builds the layer with what the functions need beyond their runtime's boto3, without Docker.

pip takes ready-made wheels for the functions' Python and architecture, whatever this machine has.
The result is kept under `build/`, in a folder named after all that it depends on, so it is built
once and again only when one of these changes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from stacks.byte_code import BuildError, compile_all, form
from stacks.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "lambdas" / "requirements.txt"
CONSTRAINTS = ROOT / "constraints.txt"
BUILT = ROOT / "build" / "dependencies"

PLACE = "/opt"
"""Where Lambda unpacks a layer."""

_WHEELS = {
    "arm64": ("manylinux2014_aarch64", "manylinux_2_28_aarch64"),
    "x86_64": ("manylinux2014_x86_64", "manylinux_2_28_x86_64"),
}
"""The wheels that Lambda's Amazon Linux 2023 can load (its glibc is 2.34)."""


def dependencies(settings: Settings) -> Path:
    """The layer's folder: it holds `python/`, as Lambda expects it.

    Builds it if it is missing, which takes some seconds and says so on stderr. Raises BuildError.
    """
    layer = BUILT / f"{settings.architecture}-{settings.runtime}-{_digest(settings)}"
    if not layer.exists():
        print(
            f"building the functions' dependencies for {settings.runtime}, "
            f"{settings.architecture} ...",
            file=sys.stderr,
            flush=True,
        )
        BUILT.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=BUILT) as unfinished:
            _install(Path(unfinished) / "python", settings)
            compile_all(Path(unfinished), PLACE, settings.python_version)
            finished = Path(unfinished) / "finished"
            finished.mkdir()
            (Path(unfinished) / "python").rename(finished / "python")
            publish(finished, layer)
    return layer


def _digest(settings: Settings) -> str:
    wheels = f"{settings.wheels} {_WHEELS[settings.architecture]}"
    said = f"{wheels} {form(settings.python_version)}"
    texts = (REQUIREMENTS.read_bytes(), CONSTRAINTS.read_bytes(), said.encode())
    return sha256(b"\0".join(texts)).hexdigest()[:12]


def _install(target: Path, settings: Settings) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-compile", "--only-binary", ":all:", "--target", str(target)]
    command += ["--requirement", str(REQUIREMENTS), "--constraint", str(CONSTRAINTS)]
    if settings.wheels == "lambda":
        command += ["--implementation", "cp", "--python-version", settings.python_version]
        for platform in _WHEELS[settings.architecture]:
            command += ["--platform", platform]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if finished.returncode != 0:
        reasons = [line for line in finished.stderr.splitlines() if line.startswith("ERROR")]
        raise BuildError(
            f"pip could not install {REQUIREMENTS.relative_to(ROOT)} for {settings.runtime} on "
            f"{settings.architecture}: {' '.join(reasons) or finished.stderr.strip()}"
        )
    # Command-line scripts name this machine's Python; a function has no use for them.
    shutil.rmtree(target / "bin", ignore_errors=True)


def publish(finished: Path, name: Path) -> None:
    """Give a folder its name only now that it is whole; another process may have been faster."""
    try:
        finished.rename(name)
    except OSError:
        if not name.exists():
            raise
