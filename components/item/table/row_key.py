"""The key of a recipient's or an item's own widgets."""

import hashlib

from item_visibility.api.identifiers import ItemKey


def row_key(what: str, recipient_id: str) -> str:
    """Return the key of this recipient's widget, whatever its id holds.

    A late click on a widget of another page then never means the recipient that stands there now.
    """
    return f"{what}_{hashlib.sha256(recipient_id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def item_key(what: str, environment: str, item: ItemKey) -> str:
    """Return the key of this item's widget: entries there are never carried over to another item."""
    return row_key(what, f"{environment}\n{item.supplier}\n{item.supplier_item_id}")
