"""The AWS resources: the table, and a function with a route and a role for each access pattern."""
