"""The page's own words: one file for each language that it speaks, one line a caption."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import json

FOLDER: Final = Path(__file__).with_name("captions")
LANGUAGES: Final = tuple(sorted(file.stem for file in FOLDER.glob("*.json")))
DEFAULT: Final = "en"


class Captions:
    """The captions of one language: `captions("read", items=3)`."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._texts = texts(language)

    def __call__(self, name: str, **values: object) -> str:
        """The caption of this name, with the values in their places."""
        return self._texts[name].format(**values)


@lru_cache
def texts(language: str) -> Mapping[str, str]:
    """All captions of a language by their names."""
    return json.decode((FOLDER / f"{language}.json").read_bytes(), type=dict[str, str])


def preferred(accepted: str) -> str:
    """The language that a browser's Accept-Language asks for, among ours."""
    asked = (part.partition(";")[0].strip()[:2].lower() for part in accepted.split(","))
    return next((language for language in asked if language in LANGUAGES), DEFAULT)
