"""The one logger. What it is told are ids, counts and places: never a value of the caller's."""

from aws_lambda_powertools import Logger

logger = Logger(service="single-table")
