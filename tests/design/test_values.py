from typing import Any

import pytest
from msgspec import ValidationError, convert

from lambdas.design.values import (
    CalendarPeriod,
    CategoryPath,
    Code,
    CurrencyCode,
    DatedId,
    EmailAddress,
    EpochSeconds,
    Id,
    PageLimit,
    Period,
    Text,
    Time,
)

ACCEPTED_AND_REFUSED = [
    (Id, "U-001", "U 001"),
    (Id, "a.b_c~D-9", "a+b"),
    (Id, "...", ".."),
    (Id, ".x", "."),
    (Id, "x" * 64, "x" * 65),
    (Id, "x", ""),
    (Id, "a", "ä"),
    (Id, "U-001", "U:001"),
    (Id, "U-001", "a%2Fb"),
    (Id, "U-001", "a/b"),
    (Id, "U-001", "U#001"),
    (DatedId, "2024-03-02T09:15:00.123Z-7F3K9Q", "2024-03-02T09:15:00,123Z"),
    (DatedId, ":", ".."),
    (DatedId, "1", "1#2"),
    (Text, "ü" * 256, "ü" * 257),
    (Text, " ", ""),
    (Text, "a+b #% ü", ""),
    (EmailAddress, "ann@x.de", "ann"),
    (EmailAddress, "a+b#c%d@x.de", "a b@x.de"),
    (EmailAddress, "ü@ü.de", "ann@x@x.de"),
    (EmailAddress, "a" * 249 + "@x.de", "a" * 250 + "@x.de"),
    (CategoryPath, "electronics", "electronics/"),
    (CategoryPath, "electronics/audio/headphones", "electronics//headphones"),
    (CategoryPath, "Ä#%", "/electronics"),
    (Time, "2024-03-02T09:15:00.123Z", "2024-03-02T09:15:00Z"),
    (Time, "2024-03-02T09:15:00.123Z", "2024-03-02T09:15:00.123+00:00"),
    (Period, "2024", "24"),
    (Period, "2024-01", "2024-1"),
    (Period, "2024-01-31", "2024-01-31T"),
    (Period, "2024-01-31T18:45Z", "2024-01-31T18Z"),
    (Period, "2024-01-31T18:45:00+01:00", "2024-01-31T18:45:00"),
    (Period, "2024-01-31T18:45:00.123456Z", "2024-01-31T18:45:00.1234567Z"),
    (CalendarPeriod, "2024-01-31", "2024-01-31T18:45Z"),
    (CalendarPeriod, "2024", "2024-"),
    (CurrencyCode, "EUR", "eur"),
    (CurrencyCode, "EUR", "EURO"),
    (Code, "E_TIMEOUT.1-a", "E TIMEOUT"),
    (PageLimit, 1, 0),
    (PageLimit, 200, 201),
    (EpochSeconds, 253402300799, 253402300800),
    (EpochSeconds, 0, -1),
]


@pytest.mark.parametrize(("kind", "good", "bad"), ACCEPTED_AND_REFUSED)
def test_a_type_accepts_one_value_and_refuses_its_neighbour(kind: Any, good: Any, bad: Any) -> None:
    assert convert(good, kind) == good
    with pytest.raises(ValidationError):
        convert(bad, kind)


@pytest.mark.parametrize(
    ("kind", "good"),
    [
        (Id, "U-001"),
        (DatedId, "2024-01-15"),
        (EmailAddress, "ann@x.de"),
        (Time, "2024-03-02T09:15:00.123Z"),
        (Period, "2024-01"),
        (CalendarPeriod, "2024-01"),
        (CurrencyCode, "EUR"),
        (Code, "E_TIMEOUT"),
    ],
)
def test_a_line_feed_at_the_end_is_not_overlooked(kind: Any, good: str) -> None:
    assert convert(good, kind) == good
    with pytest.raises(ValidationError):
        convert(good + "\n", kind)
