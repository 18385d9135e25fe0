"""`.local/env` says how to reach the running local cloud: `source .local/env`."""

import shlex
from pathlib import Path

from local.cloud import Cloud
from local.deployment import ACCESS_KEY, PROJECT, REGION, SECRET_KEY

ENV_FILE = PROJECT / ".local" / "env"
"""It is there while a local cloud runs."""


def env_text(cloud: Cloud) -> str:
    """Return the lines `KEY=value` for the cloud."""
    values = {
        "API_URL": cloud.api_url,
        "TABLE_NAME": cloud.table_name,
        "STAGE": "dev",  # for `make seed`, `make doctor` and the others that look up the stacks
        "AWS_ENDPOINT_URL": cloud.endpoint_url,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,  # what boto3 and the AWS command line look at
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
    }
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in values.items())


def write_env(file: Path, cloud: Cloud) -> None:
    """Write the file in one move, so that nobody reads half of it."""
    draft = file.with_suffix(".draft")
    draft.write_text(env_text(cloud), "utf-8")
    draft.replace(file)


def remove_env(file: Path, endpoint_url: str) -> None:
    """Remove the file if it is about the cloud at the endpoint; runs on other ports keep theirs.

    Called at the start as well: a run that was killed has left its file.
    """
    if file.exists() and f"AWS_ENDPOINT_URL={endpoint_url}\n" in file.read_text("utf-8"):
        file.unlink()
