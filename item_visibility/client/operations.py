"""The five operations of the service, and the requests for them. Spec: "Endpoints"."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from item_visibility.client.identifiers import ItemKey, path_segment
from item_visibility.errors import IdentifierError


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    Messages are built from `thing` and `done`, such as "list" and "read".
    `may_repeat` allows a retry when the outcome is unknown. Note N17.
    """

    name: str
    method: str
    thing: str
    done: str
    may_repeat: bool = False

    @property
    def is_read(self) -> bool:
        """True for the only operation that changes nothing."""
        return self.method == "GET"


GET_VISIBILITIES = Operation("getVisibilities", "GET", "list", "read", may_repeat=True)
SET_VISIBILITIES = Operation("setVisibilities", "PUT", "list", "set")
REMOVE_VISIBILITIES = Operation("removeVisibilities", "DELETE", "list", "emptied")
ADD_VISIBILITY = Operation(
    "addVisibility", "PUT", "recipient", "added", may_repeat=True
)
REMOVE_VISIBILITY = Operation(
    "removeVisibility", "DELETE", "recipient", "removed", may_repeat=True
)

REQUEST_TOKEN = Operation("requestToken", "POST", "token", "requested")
"""The request to the token endpoint. This name is ours, not the specification's."""

ACCEPT = ("Accept", "application/json, application/problem+json")
JSON_BODY = ("Content-Type", "application/json")
_SHORTEST_ORIGIN = len("https://")


@dataclass(frozen=True, slots=True)
class Request:
    """One request without its access token."""

    operation: Operation
    url: str
    headers: tuple[tuple[str, str], ...] = (ACCEPT,)
    body: bytes | None = field(default=None, repr=False)

    @property
    def path(self) -> str:
        """The path of the URL as it is sent, without the host."""
        start = self.url.index("/", _SHORTEST_ORIGIN)
        return self.url[start:].partition("?")[0]


def item_request(
    operation: Operation, base_url: str, item: ItemKey, body: bytes | None = None
) -> Request:
    """Build a request for the whole list of an item. Spec: "Endpoints"."""
    headers = (ACCEPT,) if body is None else (ACCEPT, JSON_BODY)
    return Request(operation, _item_url(base_url, item), headers=headers, body=body)


def recipient_request(
    operation: Operation, base_url: str, item: ItemKey, recipient_id: str
) -> Request:
    """Build a request for one recipient of an item. Spec: "Endpoints"."""
    segment = path_segment(recipient_id, name="recipient")
    return Request(operation, f"{_item_url(base_url, item)}/recipient/{segment}")


def recipients_array(recipients: Iterable[str]) -> bytes:
    """Return the recipients as JSON, sorted and without duplicates.

    Spec: "RecipientsArray"; Note N10.
    """
    if isinstance(recipients, str):
        raise IdentifierError(
            "The recipients are a text, not a list.",
            advice="Pass a list of recipient ids.",
        )
    unique = frozenset(recipients)
    if not all(isinstance(recipient_id, str) for recipient_id in unique):
        raise IdentifierError(
            "One of the recipients is not a text.",
            advice="Pass a list of recipient ids.",
        )
    return json.dumps(sorted(unique)).encode("ascii")


def _item_url(base_url: str, item: ItemKey) -> str:
    supplier = path_segment(item.supplier, name="supplier")
    supplier_item_id = path_segment(item.supplier_item_id, name="item")
    return f"{base_url}/itemvisibilities/{supplier}/{supplier_item_id}"
