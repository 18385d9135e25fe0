"""The whole system, put together."""

from __future__ import annotations

from aws_cdk import App

from stacks.api_stack import ApiStack
from stacks.rules import hold_to_rules
from stacks.settings import read_settings
from stacks.table_stack import TableStack


def add_stacks(app: App) -> tuple[TableStack, ApiStack]:
    """Add the stacks to an app, as its context has it. Raises SettingsError, BuildError."""
    settings = read_settings(app.node)
    hold_to_rules(app, settings)
    table_stack = TableStack(
        app, settings, description="The single table: every entity, three indexes"
    )
    api_stack = ApiStack(
        app,
        settings,
        table_stack.table,
        description="The API over the single table: one function for each access pattern",
    )
    return table_stack, api_stack
