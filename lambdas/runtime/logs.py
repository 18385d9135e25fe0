"""The one logger. What it is told are ids, counts and places: never a value of the caller's."""

import logging

from aws_lambda_powertools import Logger

# Without the trace's id, which a caller may send; Lambda's own report of a request has both ids.
logger = Logger(service="single-table", xray_trace_id=None)

# At the level DEBUG the SDK logs requests and answers whole. Whoever sets it for a function, to see
# more of ours, must not get the callers' data with it.
for _sdk in ("boto3", "botocore", "urllib3"):
    logging.getLogger(_sdk).setLevel(logging.WARNING)
