"""`python -m docs.dashboard_picture`: draws the dashboard with made-up values into a picture.

It draws what the synthesized dashboard says: its widgets, their titles and places, their metrics
and expressions. CloudWatch's own picture has other colours and the same content.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from docs import dashboard_sample as sample
from docs.dashboard import PICTURE, ROOT, body, digest, of_type, template
from docs.dashboard_sample import Values

COLUMN: Final = 0.62
ROW: Final = 0.46
"""Inches of a cell of the dashboard's grid."""

COLOURS: Final = (
    *("#2f6fb3", "#e07b28", "#3c9a5f", "#b8405e", "#7a5bb5"),
    *("#8c6d46", "#c95fa8", "#5f6b76", "#a5a02b", "#2fa3b8", "#1f4e79", "#9b2d1f"),
)
RED: Final = "#c0392b"
GREEN: Final = "#2e8b57"
INK: Final = "#1f2933"
PALE: Final = "#6b7785"


class Line(NamedTuple):
    """What a widget shows of a metric or an expression."""

    label: str
    values: Values


def picture() -> bytes:
    """The dashboard as a PNG file."""
    found = template()
    widgets = body(found)["widgets"]
    rows = max(each["y"] + each["height"] for each in widgets)
    figure = Figure(figsize=(24 * COLUMN, rows * ROW), facecolor="#eceff1", dpi=100)
    for widget in widgets:
        axes = _card(figure, widget, rows)
        match widget["type"]:
            case "alarm":
                _draw_alarms(axes, widget["properties"], _alarm_names(found))
            case "text":
                _draw_text(axes, widget["properties"]["markdown"])
            case _:
                _draw_metrics(figure, axes, widget)
    file = BytesIO()
    about = {"Software": None, "Description": digest()}
    figure.savefig(file, format="png", metadata=about)
    return file.getvalue()


def _alarm_names(found: Mapping[str, Any]) -> dict[str, str]:
    alarms = of_type("AWS::CloudWatch::Alarm", dict(found))
    return {logical_id: each["AlarmName"] for logical_id, each in alarms.items()}


# --- What a widget shows --------------------------------------------------------------------


def shown(properties: Mapping[str, Any]) -> list[Line]:
    """The lines of a widget; with `setPeriodToTimeRange` each is a single value."""
    is_total = properties.get("setPeriodToTimeRange", False)
    metrics: dict[str, Line] = {}
    lines: list[Line] = []
    for *names, options in (each for each in properties["metrics"] if len(each) > 1):
        namespace, name, *pairs = names
        dimensions = dict(zip(pairs[::2], pairs[1::2], strict=True))
        values = sample.values(namespace, name, dimensions, options["stat"])
        line = Line(
            options.get("label", name), _total(values, options["stat"]) if is_total else values
        )
        metrics[options.get("id", f"unnamed{len(metrics)}")] = line
        if options.get("visible", True):
            lines.append(line)
    period = properties["period"] * (sample.PERIODS if is_total else 1)
    for [options] in (each for each in properties["metrics"] if len(each) == 1):
        lines += _computed(options, metrics, period)
    return lines


def _total(values: Values, statistic: str) -> Values:
    total = values.sum() if statistic == "Sum" else np.percentile(values, 90)
    return np.asarray([total], dtype=np.float64)


def _computed(options: Mapping[str, str], metrics: Mapping[str, Line], period: int) -> list[Line]:
    """What an expression gives: of CloudWatch's functions, those that the dashboard uses."""
    text = options["expression"]
    if "SELECT" in text or "SEARCH" in text:
        return [Line(label, values) for label, values in sample.looked_up(text).items()]
    if found := re.fullmatch(r"SORT\(METRICS\(\), (SUM|MAX), DESC, (\d+)\)", text):
        by = np.sum if found[1] == "SUM" else np.max
        ranked = sorted(metrics.values(), key=lambda line: -float(by(line.values)))
        return ranked[: int(found[2])]

    def chosen(part: str = "") -> list[Values]:
        return [line.values for name, line in metrics.items() if part in name]

    names = {
        "METRICS": chosen,
        "SUM": lambda found: np.sum(found, axis=0),
        "FILL": lambda values, _: values,
        "PERIOD": lambda _: period,
        **{name: line.values for name, line in metrics.items()},
    }
    computed = eval(text, {"__builtins__": {}}, names)  # noqa: S307 - our own template's text
    return [Line(options["label"], np.asarray(computed, dtype=np.float64))]


# --- Drawing --------------------------------------------------------------------------------


def _card(figure: Figure, widget: Mapping[str, Any], rows: int) -> Axes:
    """A white card in the widget's place, with its title; what is in it has the unit square."""
    gap = 0.05
    left, width = widget["x"] * COLUMN + gap, widget["width"] * COLUMN - 2 * gap
    bottom = (rows - widget["y"] - widget["height"]) * ROW + gap
    height = widget["height"] * ROW - 2 * gap
    wide, high = figure.get_size_inches()
    card = figure.add_axes((left / wide, bottom / high, width / wide, height / high))
    card.set(xlim=(0, width), ylim=(0, height))
    card.axis("off")
    card.add_patch(FancyBboxPatch((0, 0), width, height, "round,pad=0", fc="white", ec="#d5dbe0"))
    title = widget["properties"].get("title", "")
    card.text(0.12, height - 0.1, title, va="top", size=9, weight="bold", color=INK)
    return card


def _draw_alarms(card: Axes, properties: Mapping[str, Any], names: Mapping[str, str]) -> None:
    in_alarm = {"SingleTable-ThrottledWrites-GSI1"}
    width, height = card.get_xlim()[1], card.get_ylim()[1]
    columns = 7
    tile = (width - 0.24) / columns
    for at, logical_id in enumerate(properties["alarms"]):
        name = names[logical_id]
        x, y = 0.12 + at % columns * tile, height - 0.72 - at // columns * 0.45
        colour = RED if name in in_alarm else GREEN
        face = "#fdecea" if name in in_alarm else "#f1f8f4"
        box = FancyBboxPatch((x, y), tile - 0.1, 0.34, "round,pad=0", fc=face, ec=colour)
        card.add_patch(box)
        card.plot(x + 0.14, y + 0.17, "o", color=colour, markersize=5)
        state = "In alarm" if name in in_alarm else "OK"
        short = name.removeprefix("SingleTable-")
        card.text(x + 0.26, y + 0.17, short, va="center", size=7.5, color=INK)
        card.text(x + tile - 0.18, y + 0.17, state, va="center", ha="right", size=7, color=colour)


def _draw_text(card: Axes, markdown: str) -> None:
    text = re.sub(r"[*`]", "", markdown)
    words, lines = text.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 230:  # noqa: PLR2004 - as many as the card is wide
            lines.append("")
        lines[-1] += f"{word} "
    card.text(
        0.12, card.get_ylim()[1] - 0.14, "\n".join(lines), va="top", size=8.5, color=INK,
        linespacing=1.5,
    )  # fmt: skip


def _draw_metrics(figure: Figure, card: Axes, widget: Mapping[str, Any]) -> None:
    properties = widget["properties"]
    lines = shown(properties)
    match properties["view"]:
        case "singleValue":
            [line] = lines
            _draw_number(card, line)
        case "bar":
            _draw_bars(_plot(figure, card, legend=0, left=1.75), lines)
        case _:
            rows = -(-len(lines) // _columns(lines))
            axes = _plot(figure, card, legend=rows, left=0.5)
            _draw_lines(
                axes,
                lines,
                below=-0.24 / _height(figure, axes),
                is_stacked=properties.get("stacked", False),
            )
            _draw_limits(axes, properties.get("annotations", {}).get("horizontal", []))


def _columns(lines: list[Line]) -> int:
    longest = max((len(line.label) for line in lines), default=1)
    return 2 if longest > 18 else 4  # noqa: PLR2004 - what fits side by side


def _plot(figure: Figure, card: Axes, *, legend: int, left: float) -> Axes:
    """Axes within a card, above as many rows of a legend."""
    box = card.get_position()
    width, height = card.get_xlim()[1], card.get_ylim()[1]
    below = 0.34 + 0.145 * legend
    axes = figure.add_axes(
        (
            box.x0 + box.width * left / width,
            box.y0 + box.height * below / height,
            box.width * (width - left - 0.15) / width,
            box.height * (height - below - 0.42) / height,
        )
    )
    axes.tick_params(labelsize=7, colors=PALE, length=2)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color("#c5cdd4")
    axes.grid(axis="y", color="#eef1f3", linewidth=0.8)
    axes.set_axisbelow(True)
    return axes


def _draw_number(card: Axes, line: Line) -> None:
    value = float(line.values[0])
    text = f"{value:,.0f}" if value >= 100 else f"{value:.2f}"  # noqa: PLR2004 - as CloudWatch does
    middle = card.get_xlim()[1] / 2
    card.text(middle, 0.62, text, ha="center", va="center", size=19, color=INK)
    card.text(middle, 0.2, line.label, ha="center", va="center", size=7.5, color=PALE)


def _draw_bars(axes: Axes, lines: list[Line]) -> None:
    ranked = sorted(lines, key=lambda line: float(line.values[0]))
    labels = [line.label for line in ranked]
    axes.barh(labels, [float(line.values[0]) for line in ranked], color=COLOURS[0], height=0.65)
    axes.set_xlim(0, 100)
    axes.tick_params(axis="y", labelsize=6.2)
    axes.grid(axis="y", visible=False)


def _height(figure: Figure, axes: Axes) -> float:
    """Of the plot, in inches."""
    return float(axes.get_position().height * figure.get_size_inches()[1])


def _draw_lines(axes: Axes, lines: list[Line], *, below: float, is_stacked: bool) -> None:
    times = np.arange(sample.PERIODS)
    if is_stacked:
        series = [line.values for line in lines]
        axes.stackplot(times, series, labels=[x.label for x in lines], colors=COLOURS, alpha=0.85)
    else:
        for line, colour in zip(lines, COLOURS * 2, strict=False):
            axes.plot(times, line.values, label=line.label, color=colour, linewidth=1.3)
    axes.set_xlim(0, sample.PERIODS - 1)
    axes.set_ylim(0, max(1.0, axes.get_ylim()[1]))
    axes.set_xticks(range(0, sample.PERIODS, 12), ["09:00", "10:00", "11:00"])
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    axes.legend(
        loc="upper left", bbox_to_anchor=(-0.06, below), ncols=_columns(lines), fontsize=6.6,
        frameon=False, handlelength=1.1, columnspacing=1.2, labelspacing=0.25, borderaxespad=0,
        labelcolor=INK,
    )  # fmt: skip


def _draw_limits(axes: Axes, limits: list[Mapping[str, Any]]) -> None:
    for limit in limits:
        axes.set_ylim(0, max(axes.get_ylim()[1], limit["value"] * 1.15))
        axes.axhline(limit["value"], color=RED, linewidth=1, linestyle="--")
        text = f"{limit['label']} {limit['value']:,}"
        axes.text(0.4, limit["value"], text, va="bottom", size=6.8, color=RED)


def main(root: Path = ROOT) -> int:
    """Write the picture anew if it has changed, and return the exit status."""
    path, drawn = root / PICTURE, picture()
    if not path.exists() or path.read_bytes() != drawn:
        path.write_bytes(drawn)
        print(f"wrote {PICTURE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
