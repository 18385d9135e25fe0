"""The views that the tests know what to expect of; a table that grows has more."""

from lambdas.design.table import GSI1, GSI2, INVERTED_INDEX, TABLE

KNOWN_VIEWS = (TABLE, GSI1, GSI2, INVERTED_INDEX)
