"""The shop and the university in several tables, as a careful engineer would design them: to hold
the single table against.

`schema` declares a table for each entity, with the indexes that its questions need, and turns the
entities of the single table into rows; `questions` answers what the single table's patterns answer,
and joins in Python what lies in different tables.
"""
