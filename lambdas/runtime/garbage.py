"""When Python looks for garbage: objects that refer to one another, and nobody else to them.

It does so whenever there are 700 more objects than before (2000 from Python 3.13 on), and now and
then through all there are. While a function starts there are a hundred thousand more, and all of
them are kept; a page of items is thousands more, and all of them go by themselves. The looking
finds nothing, and is a part of what a start and a page take.
"""

from __future__ import annotations

import gc
from typing import Final

OBJECTS: Final = 20_000
"""How many more objects it takes while a function answers: more than the largest page has."""


def leave() -> None:
    """Do not look for any; for the time in which a function starts."""
    gc.disable()


def look_again() -> None:
    """Look for it seldom, and never among all that there is by now."""
    gc.freeze()
    gc.set_threshold(OBJECTS)
    gc.enable()


def collect() -> None:
    """Remove what a call has left behind that met a fault behind us, or was sent again.

    botocore keeps an exception of the network in a frame that it refers to: garbage that holds all
    that the call was given, a body of megabytes too. Python counts objects and not their bytes, so
    dozens of them would wait for the next search. Where it searches by its own rhythm, that does.
    """
    if gc.get_freeze_count():
        gc.collect()
