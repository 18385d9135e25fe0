#!/usr/bin/env python3
"""The CDK app of `cdk synth` and `cdk deploy`; its settings are the context (`-c stage=dev`)."""

import sys

from aws_cdk import App

from stacks.byte_code import BuildError
from stacks.settings import SettingsError
from stacks.system import add_stacks

app = App()
try:
    add_stacks(app)
except (BuildError, SettingsError) as error:
    sys.exit(f"error: {error}")
app.synth()
