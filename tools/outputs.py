"""`python -m tools.outputs NAME`: prints an output of the deployed stacks, TableName or ApiUrl.

STAGE says which deployment (default `prod`); account and region are those of the AWS settings.
"""

import os
import sys

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from tools.redaction import without_credentials
from tools.terminal import told

STACKS = {"TableName": "SingleTable", "ApiUrl": "SingleTableApi"}


class LookUpError(Exception):
    """The output cannot be had; the message is for who asked."""


def output(name: str) -> str:
    """Return an output of the stacks that STAGE names. Raises LookUpError."""
    stage = os.environ.get("STAGE") or "prod"
    stack = STACKS[name] if stage == "prod" else f"{STACKS[name]}-{stage}"
    try:
        client = boto3.client("cloudformation", region_name=os.environ.get("AWS_REGION"))
        description = client.describe_stacks(StackName=stack)["Stacks"][0]
    except ClientError as error:
        raise LookUpError(f"stack {stack}: {error.response['Error']['Message']}") from error
    except BotoCoreError as error:
        raise LookUpError(f"stack {stack}: {told(error)}") from error
    outputs = {pair["OutputKey"]: pair["OutputValue"] for pair in description.get("Outputs", [])}
    if name not in outputs:
        raise LookUpError(f"stack {stack} has no output {name}")
    return outputs[name]


def main(arguments: list[str]) -> int:
    """Print the output that the command line names, and return the exit status."""
    if len(arguments) != 1 or arguments[0] not in STACKS:
        print(f"usage: python -m tools.outputs {' or '.join(STACKS)}", file=sys.stderr)
        return 1
    try:
        print(output(arguments[0]))
    except LookUpError as error:
        print(f"error: {without_credentials(str(error))}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
