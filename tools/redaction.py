"""Keeps what is secret out of what the commands print."""

import re

CREDENTIALS = re.compile(r"""(?<=://)[^\s"'<>]*@""")
"""User name and password in a URL; a password that is not encoded can have a slash in it."""


def without_credentials(text: str) -> str:
    """Return the text without the user names and passwords of the URLs in it."""
    return CREDENTIALS.sub("", text)
