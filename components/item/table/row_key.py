"""The key of a recipient's own widgets."""

import hashlib


def row_key(what: str, recipient_id: str) -> str:
    """Return the key of this recipient's widget, whatever its id holds.

    A late click on a widget of another page then never means the recipient that stands there now.
    """
    return f"{what}_{hashlib.sha256(recipient_id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
