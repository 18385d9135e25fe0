"""The example data, and the command that loads it: `python -m seed`.

Each dataset is a module of its own, written to be read beside the entities that it fills
(`lambdas/design`); `datasets` lists them.
"""
