"""Which cloud this terminal sees, AWS or the local one, and what to do when it is neither.

`python -m tools.terminal` fails where it is the local one. `make bootstrap`, `make deploy` and
`make destroy` ask it first: what they deploy is for AWS, and the local cloud would answer nothing
any more.
"""

import os
import sys
from typing import Final

from botocore.exceptions import (
    BotoCoreError,
    EndpointConnectionError,
    NoCredentialsError,
    NoRegionError,
)

from local.env_file import ENV_FILE
from seed.connection import is_loopback

READ_ENV: Final = "set -a; source .local/env; set +a"


def local_endpoint() -> str | None:
    """Return the endpoint of the local cloud if this terminal sees that and nothing of AWS."""
    url = os.environ.get("AWS_ENDPOINT_URL", "")
    return url if is_loopback(url) else None


def ways() -> str:
    """Return what to set, in a line for each cloud."""
    state = "running now" if ENV_FILE.exists() else "`make run` starts it"
    return (
        "  for AWS: set AWS_REGION, and AWS_PROFILE or other credentials\n"
        f"  for the local cloud ({state}): {READ_ENV}"
    )


def told(error: BotoCoreError) -> str:
    """Return what boto3 says, and below it the way out where this terminal sees no cloud."""
    if isinstance(error, NoRegionError | NoCredentialsError):
        return f"{error}\n{ways()}"
    if isinstance(error, EndpointConnectionError) and local_endpoint():
        return (
            f"{error}\n"
            "  this terminal sees the local cloud, which does not run: `make run` starts it, and "
            "a new terminal sees AWS"
        )
    return str(error)


def main() -> int:
    """Refuse the local cloud, and return the exit status."""
    if endpoint := local_endpoint():
        print(
            f"error: this terminal sees the local cloud ({endpoint}): restart `make run` to deploy "
            "a change there, or open a new terminal for AWS",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
