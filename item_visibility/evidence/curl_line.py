"""A command for a shell that asks the service the same again. The token is `$TOKEN`, never its value."""

import shlex

from item_visibility.api.operations import GET_VISIBILITIES, SET_VISIBILITIES
from item_visibility.api.requests import ACCEPT, JSON_BODY

LIST_FILE = "list.json"
"""The body of setVisibilities, which the command reads from this file."""

_AS_WRITTEN = "--globoff --path-as-is"
"""Without these curl reads brackets and dots in the path as its own."""


def curl_line(operation: str, method: str, url: str) -> str:
    """Return the command for an operation, by its operationId. The URL is sent byte for byte.

    A command that changes something is a comment: a paste of all of them changes nothing.
    """
    words = [
        f"curl -sS -i {_AS_WRITTEN} -X {method}",
        '-H "Authorization: Bearer $TOKEN"',
        f"-H {shlex.quote(': '.join(ACCEPT))}",
    ]
    if operation == SET_VISIBILITIES.name:
        words += [f"-H {shlex.quote(': '.join(JSON_BODY))}", f"--data-binary @{LIST_FILE}"]
    command = " ".join([*words, shlex.quote(url)])
    return command if operation == GET_VISIBILITIES.name else f"# {command}"
