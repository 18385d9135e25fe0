"""The entry points: one module a dataset, one callable an access pattern."""
