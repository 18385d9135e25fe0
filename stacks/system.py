"""The whole system, put together."""

from __future__ import annotations

from aws_cdk import App, CliCredentialsStackSynthesizer, IStackSynthesizer

from stacks.api_stack import ApiStack
from stacks.monitoring_stack import MonitoringStack
from stacks.rules import hold_to_rules
from stacks.settings import Settings, read_settings
from stacks.table_stack import TableStack


def add_stacks(app: App) -> None:
    """Add the stacks to an app, as its context has it. Raises SettingsError, BuildError."""
    settings = read_settings(app.node)
    hold_to_rules(app, settings)
    table_stack = TableStack(
        app,
        settings,
        description="The single table and its indexes: every entity",
        synthesizer=_synthesizer(settings),
    )
    api_stack = ApiStack(
        app,
        settings,
        table_stack.table,
        description="The API over the single table: one function for each access pattern",
        synthesizer=_synthesizer(settings),
    )
    if settings.monitoring == "on":
        MonitoringStack(
            app,
            settings,
            table_stack.table,
            api_stack,
            description="The monitoring of the single table: a dashboard, alarms, saved queries",
            synthesizer=_synthesizer(settings),
        )


def _synthesizer(settings: Settings) -> IStackSynthesizer | None:
    """How the assets are published: by the roles that `cdk bootstrap` has made, the CDK's way.

    An emulator that enforces IAM refuses these roles the bucket; there it is done by who deploys.
    """
    return CliCredentialsStackSynthesizer() if settings.policies == "emulator" else None
