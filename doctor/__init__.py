"""`python -m doctor`: holds every item of a table to the declaration, and mends what follows.

When the declaration gains a key, the items that were written before lack it: to the doctor that is
a fault like any other, so the same command is the backfill. See `docs/changing-the-model.md`.
"""
