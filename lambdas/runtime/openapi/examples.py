"""The bodies that the patterns answer to their examples on the example data.

`python -m docs.generate` records them, so that the document which the API serves has them and the
functions need neither the example data nor a table for it.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from msgspec.json import Decoder

RECORDED: Final = Path(__file__).with_name("examples.json")


def recorded() -> dict[str, Any]:
    """The bodies by the pattern's id and the status, with exact decimals; empty when none have been
    recorded."""
    if not RECORDED.exists():
        return {}
    return Decoder(dict[str, Any], float_hook=Decimal).decode(RECORDED.read_bytes())
