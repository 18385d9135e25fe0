"""Comparisons that a noisy machine cannot spoil: all contenders take turns, and what is compared is
always what was measured in the same turn."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from statistics import median, quantiles
from typing import Any

from bench.results import Say

Turn = Callable[[], float]
"""Measures a contender once."""


def taken_in_turn(
    contenders: Mapping[str, Turn], turns: int, say: Say = lambda _: None
) -> dict[str, list[float]]:
    """What each contender took, turn by turn."""
    took: dict[str, list[float]] = {name: [] for name in contenders}
    for at in range(turns):
        say(f"turn {at + 1} of {turns}")
        for name, turn in contenders.items():
            took[name].append(turn())
    return took


def compared(took: Mapping[str, list[float]], to: str) -> dict[str, Any]:
    """The median of each contender, and its ratio to another in the same turn: the median and the
    quartiles of the ratios."""
    return {
        name: {
            "median": round(median(values), 4),
            "ratio": _spread([a / b for a, b in zip(values, took[to], strict=True)]),
        }
        for name, values in took.items()
    }


def _spread(ratios: list[float]) -> list[float]:
    if len(ratios) == 1:
        return ratios * 3
    low, middle, high = quantiles(ratios, n=4)
    return [round(each, 4) for each in (low, middle, high)]


def shown(ratio: list[float]) -> str:
    """A ratio with its spread: `0.25 (0.24 to 0.27)`."""
    low, middle, high = ratio
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def environment(endpoint_url: str, **more: str) -> dict[str, str]:
    """The variables of a function's process, for an endpoint on this machine."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.devnull,
        "AWS_ENDPOINT_URL": endpoint_url,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_REGION": "eu-central-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "TABLE_NAME": "Table",
        **more,
    }
