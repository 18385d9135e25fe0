"""The explorer: a page on this machine that shows the table, and what each access pattern reads.

Entities, keys, indexes and access patterns are those of `lambdas.design`; nothing of them is named
here. Reads run as the functions run them, writes go through the API of the local cloud alone.
"""
