"""What attributes and parameters may be. Each type's description completes "must be ..."."""

from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin

from msgspec import Meta

END = r"$(?!\n)"
"""The end of a pattern: in Python `$` alone also matches before a final line feed. The OpenAPI
document has `$`, which means just this there; no other pattern looks ahead, so that every engine of
regular expressions can read them."""

LAST_SECOND = 253402300799
"""9999-12-31T23:59:59Z, the last second that a year of four digits can write."""

Id = Annotated[
    str,
    Meta(
        pattern=rf"^(\.{{0,2}}[A-Za-z0-9_~-]|\.{{3}})[A-Za-z0-9._~-]*{END}",
        max_length=64,
        description="1 to 64 of the characters A-Z a-z 0-9 . _ ~ - and not . or .. alone",
    ),
]
DatedId = Annotated[
    str,
    Meta(
        pattern=rf"^(\.{{0,2}}[A-Za-z0-9_~:-]|\.{{3}})[A-Za-z0-9._~:-]*{END}",
        max_length=64,
        description="1 to 64 of the characters A-Z a-z 0-9 . _ ~ : - and not . or .. alone",
    ),
]
Text = Annotated[str, Meta(min_length=1, max_length=256, description="text of 1 to 256 characters")]
EmailAddress = Annotated[
    str,
    Meta(
        # Not \s: what it means is different from one engine of regular expressions to the next.
        pattern=rf"^[^@\x00-\x20\x7f-\xa0]+@[^@\x00-\x20\x7f-\xa0]+{END}",
        max_length=254,  # RFC 5321 section 4.5.3.1.3, less the angle brackets
        description="an e-mail address of at most 254 characters",
    ),
]
CategoryPath = Annotated[
    str,
    Meta(
        pattern=r"^[^/]+(/[^/]+)*$",
        max_length=256,
        description="levels joined by /, such as electronics/audio, of at most 256 characters",
    ),
]
Time = Annotated[
    str,
    Meta(
        pattern=rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}\.[0-9]{{3}}Z{END}",
        description="a UTC time in milliseconds, such as 2024-03-02T09:15:00.123Z",
    ),
]
Period = Annotated[
    str,
    Meta(
        # The calendar itself is checked where the period is read (`lambdas.runtime.times`).
        pattern=(
            r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"
            r"(Z|[+-][0-9]{2}:[0-9]{2}))?)?)?" + END
        ),
        description=(
            "a year, month, day or time, such as 2024, 2024-01, 2024-01-31 or 2024-01-31T18:45:00Z"
        ),
    ),
]
CalendarPeriod = Annotated[
    str,
    Meta(
        pattern=rf"^[0-9]{{4}}(-[0-9]{{2}}(-[0-9]{{2}})?)?{END}",
        description="a year, month or day, such as 2024, 2024-01 or 2024-01-31",
    ),
]
EpochSeconds = Annotated[
    int,
    Meta(
        ge=0,
        le=LAST_SECOND,
        description="a time in whole seconds since 1970-01-01T00:00:00Z",
    ),
]
Money = Annotated[Decimal, Meta(description="an amount of money, an exact decimal number")]
Count = Annotated[int, Meta(ge=1, le=1_000_000, description="a whole number from 1 to 1000000")]
Whole = Annotated[int, Meta(ge=0, description="a whole number from 0")]
CurrencyCode = Annotated[
    str, Meta(pattern=rf"^[A-Z]{{3}}{END}", description="a currency code of ISO 4217, such as EUR")
]
Code = Annotated[
    str,
    Meta(
        pattern=rf"^[A-Za-z0-9._-]{{1,64}}{END}",
        description="1 to 64 of the characters A-Z a-z 0-9 . _ -",
    ),
]
_LINE = rf"^[^\x00-\x08\x0b\x0c\x0e-\x1f]*{END}"
"""Text whose length only an item's size bounds. A control character takes seven bytes in Lambda's
answer, and a page of megabytes of them would be larger than the six that Lambda takes."""

Line = Annotated[str, Meta(pattern=_LINE)]
LineName = Annotated[
    str,
    Meta(
        pattern=_LINE,
        min_length=1,
        max_length=256,
        description="text of 1 to 256 characters, without control characters",
    ),
]
TextMap = Annotated[
    dict[LineName, Line],
    Meta(description="a map of text to text, without control characters but tabs and line ends"),
]
Flag = Annotated[bool, Meta(description="true or false")]
MAX_LIMIT = 200
"""How many items a page has at most."""

PageLimit = Annotated[
    int, Meta(ge=1, le=MAX_LIMIT, description=f"a whole number from 1 to {MAX_LIMIT}")
]
MAX_CURSOR = 6000
"""How many characters a cursor has at most: it travels in the request line, and API Gateway takes
10,240 bytes of that and all headers together, a signature or a token among them."""

Cursor = Annotated[
    str,
    Meta(
        pattern=rf"^[A-Za-z0-9_-]+{END}",
        max_length=MAX_CURSOR,
        description="the `next` of an answer to this call with the same other parameters",
    ),
]


class Amount(Decimal):
    """An amount of money in a request: a JSON number, read as it is written.

    `lambdas.runtime.body` refuses what is not from 0 to `MAX`, or has more than `PLACES` decimals.
    """

    MAX: ClassVar[int] = 10**12
    PLACES: ClassVar[int] = 4  # no currency of ISO 4217 has more
    description: ClassVar[str] = "a number from 0 to 1000000000000 with at most 4 decimals"


EntityTag = Annotated[
    str,
    Meta(
        pattern=rf'^"[1-9][0-9]{{0,15}}"{END}',
        description='an `ETag` as it was given out: a version in double quotes, such as "1"',
    ),
]
IdempotencyKey = Annotated[
    str,
    Meta(
        pattern=rf"^[\x21-\x7e]{{1,64}}{END}",
        description="1 to 64 visible characters of ASCII, such as a UUID",
    ),
]
SecondsToLive = Annotated[
    int, Meta(ge=1, le=31_536_000, description="a whole number of seconds from 1 to one year")
]
PartiQL = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=8192,  # DynamoDB's limit for a statement
        description="a PartiQL SELECT of 1 to 8192 characters",
    ),
]
StatementParameters = Annotated[
    list[Any],
    Meta(min_length=1, max_length=100, description="a list of the values of the statement's ?"),
]
Token = Annotated[
    str,
    Meta(min_length=1, max_length=32768, description="the `NextToken` of the page before"),
]

OrderStatus = Literal["PENDING", "PAID", "SHIPPED", "DELIVERED", "CANCELLED"]
JobStatus = Literal["QUEUED", "SUCCEEDED", "FAILED"]
JobOutcome = Literal["SUCCEEDED", "FAILED"]


def accepted(kind: Any) -> str | None:
    """What a type takes, in words that complete "must be ...": the values that it lists, or its
    description; None where it has neither."""
    parts = (kind, *get_args(kind))
    if values := [each for part in parts if get_origin(part) is Literal for each in get_args(part)]:
        return f"one of {', '.join(map(str, values))}"
    if Amount in parts:
        return Amount.description
    metas = (each for part in parts for each in get_args(part) if isinstance(each, Meta))
    return next((meta.description for meta in metas if meta.description), None)
