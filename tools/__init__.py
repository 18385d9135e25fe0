"""Command lines about the service: to call it where it is deployed, to measure its permissions."""
