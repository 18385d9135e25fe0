"""The real deployment: bootstraps the account, deploys the stacks, loads the example data."""

import json
import os
import platform
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from local.emulator import HOST
from local.process import Command, RunError, run

PROJECT = Path(__file__).resolve().parent.parent
CDK = PROJECT / "node_modules" / ".bin" / "cdk"
VENV_PROGRAMS = Path(sys.executable).parent
PATH = os.pathsep.join([str(VENV_PROGRAMS), os.environ.get("PATH", os.defpath)])

ACCOUNT = "000000000000"  # the emulator's, for every access key that is not an account number
REGION = "us-east-1"
API_ID = "singletable"
"""The API's id here, whichever run it is: addresses stay good when a run follows another."""

PROFILE = "local"
ACCESS_KEY = "local"
SECRET_KEY = "local"  # noqa: S105  the emulator takes any

OPEN = {"auth": "none"}
CLOSED = {"auth": "iam", "policies": "emulator"}
"""The context of a deployment to an emulator that enforces IAM."""

ENFORCING = {"AUTH": "true", "AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
"""What makes the emulator enforce IAM; who has this key is the account itself, and may do all."""


def check_tools() -> None:
    """Raise RunError if something that a deployment needs is not installed."""
    installed = {
        "ministack": find_spec("ministack") is not None,
        "Node.js": shutil.which("node", path=PATH) is not None,
        "the CDK's command line": CDK.exists(),
    }
    missing = [name for name, is_there in installed.items() if not is_there]
    if missing:
        advice = "`make run` installs it; after `make clean` everything anew"
        raise RunError(f"not installed: {', '.join(missing)} ({advice})")


@dataclass(frozen=True)
class Deployment:
    """The way of our stacks onto an emulator; templates, outputs and logs go to the folder."""

    endpoint_url: str
    folder: Path
    settings: Mapping[str, str] = field(default_factory=lambda: OPEN)
    """Who may call, as the CDK's context says it: OPEN, CLOSED, or for tokens of an issuer."""

    @property
    def environment(self) -> dict[str, str]:
        """The variables that every child runs with: the emulator is all of AWS that it can see."""
        return {
            **{name: value for name, value in os.environ.items() if not is_about_aws(name)},
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL": self.endpoint_url,
            "AWS_REGION": REGION,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_SHARED_CREDENTIALS_FILE": str(self.credentials_file),
            "CDK_DISABLE_CLI_TELEMETRY": "true",
            "CDK_HOME": str(self.folder),  # it remembers which key belongs to which account
            # pip may need a proxy, to build the functions' dependencies; the emulator is here.
            "NO_PROXY": f"{os.environ.get('NO_PROXY', '')},{HOST}",
            "no_proxy": f"{os.environ.get('no_proxy', '')},{HOST}",
            "PATH": PATH,
        }

    @property
    def credentials_file(self) -> Path:
        """Holds the profile that the CDK uses, whatever `~/.cdk.json` says."""
        return self.folder / "credentials"

    def prepare(self, *others: "Deployment") -> None:
        """Bootstrap the account and synthesize the stacks, side by side.

        Others are deployments to follow on the same account; they are synthesized as well.
        """
        deployments = (self, *others)
        for each in deployments:
            each.write_credentials()
        bootstrap = self.cdk("bootstrap", f"aws://{ACCOUNT}/{REGION}")
        run(bootstrap, *(each.synth() for each in deployments))

    def write_credentials(self) -> None:
        """Write the profile that the CDK uses."""
        self.credentials_file.write_text(
            f"[{PROFILE}]\naws_access_key_id={ACCESS_KEY}\naws_secret_access_key={SECRET_KEY}\n",
            "utf-8",
        )

    def synth(self) -> Command:
        """The command that synthesizes the stacks."""
        options = ["--quiet", f"--output={self.assembly}", *context(self.settings)]
        return self.cdk("synth", *options, folder=PROJECT)

    def deploy(self) -> dict[str, dict[str, str]]:
        """Deploy all stacks, and return their outputs by stack and by name."""
        outputs = self.folder / "outputs.json"
        options = ["--require-approval=never", "--method=direct", f"--outputs-file={outputs}"]
        tag = f"--tags=ms-custom-id={API_ID}"  # the emulator takes an API's id from this tag
        run(self.cdk("deploy", "--all", f"--app={self.assembly}", tag, *options))
        by_stack: dict[str, dict[str, str]] = json.loads(outputs.read_bytes())
        return by_stack

    def seed(self, table_name: str) -> None:
        """Load the example data into the table."""
        arguments = ["seed", "all", "--table", table_name, "--endpoint-url", self.endpoint_url]
        command = [sys.executable, "-m", *arguments]
        run(Command(command, PROJECT, self.environment, self.folder / "seed.log"))

    @property
    def assembly(self) -> Path:
        """The folder of the synthesized templates and assets."""
        return self.folder / "cdk.out"

    def cdk(self, verb: str, *arguments: str, folder: Path | None = None) -> Command:
        """A call of the CDK's command line; it sees the app only in the project's folder."""
        line = [str(CDK), verb, *arguments, f"--profile={PROFILE}", "--no-notices"]
        return Command(line, folder or self.folder, self.environment, self.folder / f"{verb}.log")


def is_about_aws(name: str) -> bool:
    """Tell whether a variable may lead to a real account."""
    return name.startswith(("AWS_", "CDK_"))


def this_machine() -> dict[str, Any]:
    """What the CDK's context says of functions that are to run here, by the Python that does."""
    return {
        "architecture": "arm64" if platform.machine() in {"arm64", "aarch64"} else "x86_64",
        "runtime": f"python3.{sys.version_info.minor}",
        "wheels": "host",
    }


def context(settings: Mapping[str, str] = OPEN) -> list[str]:
    """The CDK's context for a local run: by default open to unsigned calls; for this machine."""
    values = {
        **settings,
        "stage": "dev",
        **this_machine(),
        "monitoring": "off",  # the emulator does not know AWS::Logs::QueryDefinition
    }
    return [f"--context={name}={value}" for name, value in values.items()]
