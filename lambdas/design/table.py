"""The one table and its indexes. Their key attributes have generic names, because every
entity writes its own meaning into them (key overloading)."""

from lambdas.design.keys import Index

TABLE = Index(
    "", "PK", "SK", "ALL", "Item collections: a parent and its children share a partition key."
)
GSI1 = Index(
    "GSI1",
    "GSI1PK",
    "GSI1SK",
    "ALL",
    "Overloaded: look-up by e-mail, the category hierarchy, and the sparse lists.",
)
GSI2 = Index(
    "GSI2",
    "GSI2PK",
    "GSI2SK",
    "ALL",
    "Overloaded: an order with its items, VIP users, a user's sessions.",
)
INVERTED_INDEX = Index(
    "InvertedIndex",
    "SK",
    "PK",
    "KEYS_ONLY",
    "The table's keys the other way round: many-to-many from the other side.",
)

INDEXES = (GSI1, GSI2, INVERTED_INDEX)

TTL_ATTRIBUTE = "ExpiresAt"
"""Epoch seconds after which DynamoDB removes the item, some time within the next days."""
