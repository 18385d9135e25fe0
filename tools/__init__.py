"""Command lines for a service that is deployed to AWS."""
