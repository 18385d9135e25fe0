"""Start here: everything that the system knows of its data, declared once.

`table` has the table and its indexes. `ecommerce`, `university` and `social` each have entities
with their keys, then the access patterns on them. The words they are written in are in `keys`,
`entity`, `operations`, `pattern` and `values`. Functions, permissions, routes, parameter checks and
documents follow from what is declared.
"""

from lambdas.design import ecommerce, idempotency, social, university
from lambdas.design.catalogue import access_patterns, entities, refuse_forgotten

ENTITIES = entities(ecommerce.ENTITIES, university.ENTITIES, social.ENTITIES, idempotency.ENTITIES)
ACCESS_PATTERNS = access_patterns(
    ecommerce.READS,
    university.READS,
    social.READS,
    ecommerce.WRITES,
    university.WRITES,
    social.WRITES,
)
refuse_forgotten((ecommerce, university, social, idempotency), ENTITIES, ACCESS_PATTERNS)

__all__ = ["ACCESS_PATTERNS", "ENTITIES"]
