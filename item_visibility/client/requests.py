"""The request for each of the five operations. Spec: "Endpoints".

Nothing here sends anything: each function checks the identifiers and builds the request. The URL
is built as one string from encoded segments; no library may join, resolve or re-encode it.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from item_visibility.client.identifiers import ItemKey, path_segment
from item_visibility.client.operations import (
    ADD_VISIBILITY,
    GET_VISIBILITIES,
    REMOVE_VISIBILITIES,
    REMOVE_VISIBILITY,
    SET_VISIBILITIES,
    Operation,
)
from item_visibility.errors import IdentifierError

ACCEPT = ("Accept", "application/json, application/problem+json")
JSON_BODY = ("Content-Type", "application/json")
_SHORTEST_ORIGIN = len("https://")


@dataclass(frozen=True, slots=True)
class Request:
    """One request, complete except for its access token. The ids are those in its URL."""

    operation: Operation
    url: str
    item: ItemKey | None = None
    recipient_id: str | None = None
    headers: tuple[tuple[str, str], ...] = (ACCEPT,)
    body: bytes | None = field(default=None, repr=False)

    @property
    def path(self) -> str:
        """The path of the URL as it is sent, without the host. None of our addresses has a query."""
        return self.url[self.url.index("/", _SHORTEST_ORIGIN) :].partition("?")[0]


def get_visibilities(base_url: str, item: ItemKey) -> Request:
    """Ask for all recipients of the item. Spec: "Endpoints"."""
    return Request(GET_VISIBILITIES, _item_url(base_url, item), item)


def set_visibilities(base_url: str, item: ItemKey, recipients: Iterable[str]) -> Request:
    """Send a RecipientsArray, sorted and without duplicates. Spec: "RecipientsArray"; Note N10."""
    if isinstance(recipients, str):
        raise IdentifierError("The recipients are one text.", advice="Give a list of recipient ids.")
    unique = frozenset(recipients)
    if not all(isinstance(recipient_id, str) for recipient_id in unique):
        raise IdentifierError("A recipient is not a text.", advice="Give a list of recipient ids.")
    body = json.dumps(sorted(unique)).encode("ascii")
    return Request(
        SET_VISIBILITIES,
        _item_url(base_url, item),
        item,
        headers=(ACCEPT, JSON_BODY),
        body=body,
    )


def remove_visibilities(base_url: str, item: ItemKey) -> Request:
    """Ask to remove all recipients of the item. Spec: "Endpoints"."""
    return Request(REMOVE_VISIBILITIES, _item_url(base_url, item), item)


def add_visibility(base_url: str, item: ItemKey, recipient_id: str) -> Request:
    """Ask to make the item visible for one recipient. Spec: "Endpoints"."""
    return Request(ADD_VISIBILITY, _recipient_url(base_url, item, recipient_id), item, recipient_id)


def remove_visibility(base_url: str, item: ItemKey, recipient_id: str) -> Request:
    """Ask to remove the visibility of the item for one recipient. Spec: "Endpoints"."""
    return Request(REMOVE_VISIBILITY, _recipient_url(base_url, item, recipient_id), item, recipient_id)


def _item_url(base_url: str, item: ItemKey) -> str:
    supplier = path_segment(item.supplier, name="supplier")
    supplier_item_id = path_segment(item.supplier_item_id, name="item")
    return f"{base_url}/itemvisibilities/{supplier}/{supplier_item_id}"


def _recipient_url(base_url: str, item: ItemKey, recipient_id: str) -> str:
    return f"{_item_url(base_url, item)}/recipient/{path_segment(recipient_id, name='recipient')}"
