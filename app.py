#!/usr/bin/env python3
"""The CDK app of `cdk synth` and `cdk deploy`; its settings are the context (`-c stage=dev`)."""

from aws_cdk import App

from stacks.system import add_stacks

app = App()
add_stacks(app)
app.synth()
