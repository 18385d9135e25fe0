"""The page about monitoring says what is deployed, and its picture shows it."""

from __future__ import annotations

import re
from io import BytesIO

import pytest

from docs import dashboard, monitoring
from lambdas.runtime import metrics
from stacks.prices import PRICES

PAGE = monitoring.monitoring()


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_alarm_is_there_with_its_threshold() -> None:
    found = dashboard.of_type("AWS::CloudWatch::Alarm", dashboard.template()).values()

    assert [name for name, _, _ in rows("Alarms")] == [
        f"`{each['AlarmName'].removeprefix('SingleTable-')}`" for each in found
    ]
    told = {name.strip("`"): when for name, when, _ in rows("Alarms")}
    assert "5 %" in told["ErrorRate"]
    assert "3000 ms" in told["SlowAnswers"]
    assert "more than 5 USD a day" in told["CostlyWrites-GSI1"]


def test_the_metrics_that_are_paid_for_are_those_that_patterns_give() -> None:
    [first, *_] = rows("What it costs")
    given = sum(len(metrics.of(each)) for each in monitoring.PATTERNS)

    assert first[1].startswith(f"{given}, of which 10 are free")
    assert float(first[2]) == pytest.approx((given - 10) * PRICES.cloudwatch.metric_month)


def test_what_a_dashboard_cannot_have_is_an_error() -> None:
    odd = {"Type": "AWS::CloudWatch::Dashboard", "Properties": {"DashboardBody": {"Fn::Sub": "x"}}}
    with pytest.raises(ValueError, match="Fn::Sub"):
        dashboard.body({"Resources": {"Odd": odd}})


def test_the_picture_is_of_this_dashboard() -> None:
    drawn = (dashboard.ROOT / dashboard.PICTURE).read_bytes()

    assert f"Description\0{dashboard.digest()}".encode() in drawn, "`make docs` renews it"


@pytest.mark.emulator  # draws with matplotlib, which requirements-dev.txt installs
def test_the_picture_comes_out_as_it_was() -> None:
    from matplotlib.image import imread  # noqa: PLC0415

    from docs.dashboard_picture import picture  # noqa: PLC0415 - needs matplotlib

    drawn, kept = imread(BytesIO(picture())), imread(dashboard.ROOT / dashboard.PICTURE)

    assert drawn.shape == kept.shape
    # Another processor may round the edge of a letter otherwise.
    assert abs(drawn - kept).mean() < 0.001, "`make docs` renews it"


@pytest.mark.emulator
def test_the_picture_has_something_in_every_widget() -> None:
    from docs.dashboard_picture import shown  # noqa: PLC0415 - needs matplotlib

    widgets = dashboard.body(dashboard.template())["widgets"]
    for properties in (each["properties"] for each in widgets if each["type"] == "metric"):
        lines = shown(properties)
        assert lines, properties["title"]
        for line in lines:
            assert len(line.values) == (1 if properties.get("setPeriodToTimeRange") else 36)
    [slowest] = [
        each for each in widgets if "Slowest patterns" in str(each["properties"].get("title"))
    ]
    assert [line.label for line in shown(slowest["properties"])][:2] == [
        "CW-05 place_order",
        "CW-06 change_order_status",
    ]


def test_links_lead_to_files() -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", PAGE):
        assert (dashboard.ROOT / "docs" / target).exists(), target
