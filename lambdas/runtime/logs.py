"""The one logger. What it is told are ids, counts and places: never a value of the caller's."""

import logging

from aws_lambda_powertools import Logger

# Without the trace's id, which a caller may send; Lambda's own report of a request has both ids.
logger = Logger(service="single-table", xray_trace_id=None)

# What the SDK logs quotes requests and answers: at DEBUG whole, and at WARNING the headers that it
# cannot read, which may be an item when an answer is broken. What it meets is told as our fault.
for _sdk in ("boto3", "botocore", "urllib3"):
    logging.getLogger(_sdk).setLevel(logging.CRITICAL)
