from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.runtime import times

ZONES = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda m: timezone(timedelta(minutes=m)))


def test_a_time_is_stored_in_utc_with_milliseconds() -> None:
    berlin = timezone(timedelta(hours=2))
    assert times.to_text(datetime(2024, 7, 1, 0, 30, tzinfo=berlin)) == "2024-06-30T22:30:00.000Z"
    assert times.to_text(datetime(2024, 7, 1, 0, 30, tzinfo=UTC)) == "2024-07-01T00:30:00.000Z"


def test_what_is_finer_than_a_millisecond_is_cut_off_not_rounded() -> None:
    time = datetime(2024, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    assert times.to_text(time) == "2024-12-31T23:59:59.999Z"


def test_a_year_has_four_digits_always() -> None:
    assert times.to_text(datetime(33, 4, 3, tzinfo=UTC)) == "0033-04-03T00:00:00.000Z"


@given(
    st.lists(
        st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=ZONES),
        min_size=2,
    )
)
def test_times_sort_as_text_as_they_do_in_the_calendar(moments: list[datetime]) -> None:
    whole = [moment.replace(microsecond=0) for moment in moments]
    assert sorted(map(times.to_text, whole)) == list(map(times.to_text, sorted(whole)))


def test_now_is_the_present_time_in_utc() -> None:
    before = datetime.now(UTC)
    now = times.now()
    assert before <= now <= datetime.now(UTC)
    assert now.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1705312800, "2024-01-15T10:00:00.000Z"),
        (253402300799, "9999-12-31T23:59:59.000Z"),
    ],
)
def test_epoch_seconds_and_text_stand_for_each_other(seconds: int, text: str) -> None:
    assert times.from_epoch(seconds) == text
    assert times.to_epoch(text) == seconds


@given(st.integers(0, 253402300799))
def test_every_second_survives_the_way_to_text_and_back(seconds: int) -> None:
    assert times.to_epoch(times.from_epoch(seconds)) == seconds


def test_milliseconds_are_cut_off_on_the_way_to_epoch_seconds() -> None:
    assert times.to_epoch("2024-01-15T10:00:00.999Z") == times.to_epoch("2024-01-15T10:00:00.000Z")


@pytest.mark.parametrize("text", ["", "soon", "1705312800"])
def test_text_that_is_no_time_has_no_epoch_seconds(text: str) -> None:
    with pytest.raises(ValueError, match="Invalid isoformat string"):
        times.to_epoch(text)


# --- Periods: requests.py turns them into ranges, and test_requests.py checks those -----------


@pytest.mark.parametrize(
    ("period", "prefix"),
    [
        ("2024", "2024"),
        ("2024-01", "2024-01"),
        ("2024-01-31", "2024-01-31"),
        ("2024-02-29", "2024-02-29"),
        ("2024-01-31T18:45Z", "2024-01-31T18:45"),
        ("2024-01-31T18:45:00Z", "2024-01-31T18:45:00"),
        ("2024-01-31T18:45:00.1Z", "2024-01-31T18:45:00.1"),
        ("2024-01-31T18:45:00.123Z", "2024-01-31T18:45:00.123"),
    ],
)
def test_a_period_is_the_text_that_all_its_times_begin_with(period: str, prefix: str) -> None:
    assert times.period_prefix(period) == prefix


def test_what_is_finer_than_a_millisecond_means_the_whole_millisecond() -> None:
    assert times.period_prefix("2024-01-31T18:45:00.123456Z") == "2024-01-31T18:45:00.123"


@pytest.mark.parametrize(
    ("period", "prefix"),
    [
        ("2024-01-31T18:45:00+01:00", "2024-01-31T17:45:00"),
        ("2024-01-31T18:45+01:00", "2024-01-31T17:45"),
        ("2024-01-31T18:45:00.123-05:30", "2024-02-01T00:15:00.123"),
        ("2024-01-01T00:00:00+00:01", "2023-12-31T23:59:00"),
        ("2024-02-28T23:30-00:30", "2024-02-29T00:00"),
        ("2024-01-31T18:45:00+00:00", "2024-01-31T18:45:00"),
    ],
)
def test_a_time_is_converted_to_utc_and_keeps_its_precision(period: str, prefix: str) -> None:
    assert times.period_prefix(period) == prefix


@pytest.mark.parametrize(
    ("valid", "invalid"),
    [
        ("2024-02-29", "2023-02-29"),
        ("2024-02-29", "2024-02-30"),
        ("2024-04-30", "2024-04-31"),
        ("2000-02-29", "1900-02-29"),
        ("2024-12", "2024-13"),
        ("2024-01", "2024-00"),
        ("2024-01-01", "2024-01-00"),
        ("0001", "0000"),
        ("2024-01-31T23:59Z", "2024-01-31T23:60Z"),
        ("2024-01-31T18:45:59Z", "2024-01-31T18:45:60Z"),
        ("2024-02-29T18:45:00Z", "2023-02-29T18:45:00Z"),
        ("2024-01-31T18:45+23:59", "2024-01-31T18:45+24:00"),
        ("2024", "\uff12\uff10\uff12\uff14"),
    ],
)
def test_a_period_that_the_calendar_does_not_have_is_refused(valid: str, invalid: str) -> None:
    assert times.period_prefix(valid)
    with pytest.raises(ValueError):  # noqa: PT011 - the calendar's own words
        times.period_prefix(invalid)


@pytest.mark.parametrize("text", ["0001-01-01T00:00+00:01", "9999-12-31T23:59-00:01"])
def test_a_time_that_leaves_the_calendar_in_utc_is_refused(text: str) -> None:
    assert times.period_prefix(text[:16] + "Z")
    with pytest.raises(ValueError, match="not within the years 1 to 9999"):
        times.period_prefix(text)
