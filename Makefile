# `make help` lists the targets. A machine needs Python 3.11 or newer and make; each target sets up the rest by itself.

PYTHON ?= python3
STAGE ?= prod
export STAGE
export PATH := $(CURDIR)/.venv/bin:$(PATH)

# With a stack trace, each remark of a synthesis would name a line of jsii's code.
cdk := CDK_DISABLE_STACK_TRACE=1 node_modules/.bin/cdk
context := --context stage=$(STAGE)
parallel := --numprocesses auto --dist loadfile

.DEFAULT_GOAL := help
.PHONY: help run explore explore-test test fuzz check format snapshots docs synth rules on-aws bootstrap guard deploy destroy seed doctor call permissions bench clean

help: ## list the targets
	@echo "usage: make TARGET [ARGS='...' to pass on]; STAGE=dev or prod (default) for what is deployed"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: .venv/ready node_modules/ready ## deploy to a local cloud and stay up until Ctrl-C; PORT=4566
	@.venv/bin/python -m local

explore: .venv/ready node_modules/ready ## show the table on a page; ARGS='--table NAME --region R' for a deployed one
	@.venv/bin/python -m explorer $(ARGS)

explore-test: .venv/ready node_modules/ready ## test the explorer's page in Chromium, which must be installed
	.venv/bin/python -m pytest -m browser $(parallel) $(ARGS)

test: .venv/ready node_modules/ready ## run the tests, those on the local cloud included
	.venv/bin/python -m pytest -m "not thorough and not browser" $(parallel) $(ARGS)

fuzz: .venv/ready node_modules/ready ## run the long tests: generated writes and calls on the local cloud, faults, the guide's steps
	.venv/bin/python -m pytest -m thorough $(parallel)
	.venv/bin/python -m pytest tests/stateful --hypothesis-profile=fuzz $(parallel)

check: .venv/ready ## check format, lint and types
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy --strict

format: .venv/ready ## format the code and repair what the linter can
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

snapshots: .venv/ready ## write the snapshots of the templates and of costs anew, unless the guard refuses the change
	@.venv/bin/python -m tools.guard snapshot
	.venv/bin/python -m bench cost heat
	.venv/bin/python -m pytest tests/stacks/test_snapshots.py --snapshot-update $(ARGS)

docs: .venv/ready ## write the generated documents anew
	.venv/bin/python -m docs.generate
	.venv/bin/python -m docs.dashboard_picture
	.venv/bin/python -m bench --render

synth: .venv/ready node_modules/ready ## write the CloudFormation templates to cdk.out
# With --ci remarks and faults alone go to stderr; what is left is about the command line's own options.
	$(cdk) synth --quiet --ci --no-notices $(context) $(ARGS) >/dev/null
	@echo "wrote the templates: cdk.out/*.template.json"

rules: synth ## hold the templates to the rules, and print what is acknowledged and why
	@.venv/bin/python -m tools.acknowledged

on-aws: .venv/ready
	@.venv/bin/python -m tools.terminal

bootstrap: .venv/ready node_modules/ready on-aws ## prepare an AWS account and region for the CDK (once)
	$(cdk) bootstrap $(ARGS)

guard: .venv/ready ## say whether the table can be deployed over the deployed one without losing data or failing
	@.venv/bin/python -m tools.guard deployed $(context) $(ARGS)

deploy: .venv/ready node_modules/ready on-aws guard ## deploy to your AWS account, unless the guard refuses the change
	$(cdk) deploy --all $(context) $(ARGS)

destroy: .venv/ready node_modules/ready on-aws ## remove what was deployed (with STAGE=prod the table stays)
	$(cdk) destroy --all $(context) $(ARGS)

seed: .venv/ready ## load the example data into the deployed table; ARGS='all --reset' empties it first
	table=$$(.venv/bin/python -m tools.outputs TableName) && .venv/bin/python -m seed --table "$$table" $(ARGS)

doctor: .venv/ready ## hold the deployed table to the declaration; ARGS='--fix' to mend it, or bring it along
	table=$$(.venv/bin/python -m tools.outputs TableName) && .venv/bin/python -m doctor --table "$$table" $(ARGS)

call: .venv/ready ## send a signed request: make call ROUTE="GET /ecommerce/users/U-001" [BODY='{...}']
	@.venv/bin/python -m tools.call

permissions: .venv/ready node_modules/ready ## try each function's role against every DynamoDB action, on a local cloud
	@.venv/bin/python -m tools.permissions

bench: .venv/ready node_modules/ready ## measure cost and speed, and write docs/performance.md anew; ARGS='NAME ...'
	.venv/bin/python -m bench $(ARGS)

clean: ## remove what make has made
	rm -rf .venv node_modules .local build cdk.out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# The environment. The stamps lie inside the folders they vouch for, and both folders are made from nothing, so an
# installation that was interrupted leaves no stamp.

.venv/ready: requirements.txt requirements-dev.txt constraints.txt lambdas/requirements.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("error: Python 3.11 or newer is needed, and $(PYTHON) is " + sys.version.split()[0] + " (another one: make PYTHON=python3.12 ...)")'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "error: $(PYTHON) has no venv (Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }
	@echo "setting up .venv (once, a few minutes) ..."
	@$(PYTHON) -m venv --clear .venv
	@.venv/bin/python -m pip install $$(test -t 2 || echo -qq) --disable-pip-version-check --no-input --requirement requirements-dev.txt
	@touch $@

node_modules/ready: package.json package-lock.json | .venv/ready
	@echo "setting up node_modules (once, a few seconds) ..."
	@.venv/bin/npm ci --ignore-scripts --loglevel=error --no-audit --no-fund --no-update-notifier >/dev/null
	@touch $@
