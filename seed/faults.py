"""What can go wrong while loading, in one line each."""

from __future__ import annotations

from typing import Final

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    EndpointConnectionError,
    HTTPClientError,
    NoCredentialsError,
    NoRegionError,
)

NOT_ACCEPTED: Final = frozenset(
    {
        "AuthFailure",
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "IncompleteSignatureException",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "MissingAuthenticationTokenException",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
"""The error codes of credentials that are wrong, or no longer valid."""

MOST_CHARACTERS: Final = 300


class Failure(Exception):
    """The load has failed. The message is one line for whoever ran the command."""


def no_answer(error: Exception, endpoint_url: str | None) -> Failure:
    """Why DynamoDB could not be asked."""
    match error:
        case NoRegionError():
            return Failure("no AWS region is set; set AWS_REGION")
        case NoCredentialsError():
            return Failure(
                "there are no AWS credentials; sign in, or set AWS_ACCESS_KEY_ID and "
                "AWS_SECRET_ACCESS_KEY (the local cloud takes any)"
            )
        case EndpointConnectionError() | HTTPClientError():
            return Failure(f"DynamoDB cannot be reached at {endpoint_url}: {one_line(str(error))}")
        case BotoCoreError() | ValueError():
            return Failure(one_line(str(error)))
    return not_dynamodb(endpoint_url)


def not_dynamodb(endpoint_url: str | None) -> Failure:
    """An answer came, and not one of DynamoDB's."""
    return Failure(f"what answers at {endpoint_url} is not DynamoDB")


def refused(error: ClientError, table: str, endpoint_url: str) -> Failure:
    """Why DynamoDB has refused a request."""
    code = error.response["Error"]["Code"]
    reason = one_line(error.response["Error"].get("Message", "")) or "no reason is given"
    if code == "ResourceNotFoundException":
        return Failure(f"there is no table {table} at {endpoint_url}")
    if code == "AccessDeniedException":
        return Failure(f"access denied: {reason}")
    if code in NOT_ACCEPTED:
        return Failure(f"the AWS credentials are not accepted: {reason} ({code})")
    return Failure(f"{error.operation_name} is refused at {endpoint_url}: {reason} ({code})")


def one_line(message: str) -> str:
    """A message without line breaks, and without what follows the first few hundred characters."""
    text = " ".join(message.split())
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} ..."
