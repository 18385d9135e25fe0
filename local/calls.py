"""Calls to try: commands to copy, and what the service answers to them at this moment."""

import shlex
import urllib.error
import urllib.request

EXAMPLES = [
    "/ecommerce/users/U-001",
    "/ecommerce/orders/2024-01-15/items",
    "/ecommerce/users/U-001/orders?newest=true&limit=5",
]
SHOWN_CHARACTERS = 300

# A proxy, if one is configured, cannot reach this machine's loopback.
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def show_calls(api_url: str) -> None:
    """Print each example as a command, and below it the answer."""
    for path in EXAMPLES:
        url = api_url + path
        print(f"\n  curl -s {shlex.quote(url)}\n  {shortened(answer(url))}", flush=True)


def answer(url: str) -> str:
    """Return the body that a GET gets, after the status if that is an error."""
    try:
        with direct.open(url, timeout=30) as response:
            body: bytes = response.read()
            return body.decode()
    except urllib.error.HTTPError as error:
        return f"HTTP {error.code} {error.read().decode()}"
    except OSError as error:
        return f"no answer ({error})"


def shortened(text: str) -> str:
    """Return the text, or of a long one as much as one reads."""
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]} ..."
