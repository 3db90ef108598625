"""Tells whether a recipient that a person is about to choose can see the item, or is staged."""

from item_visibility.changes.draft import Draft


def already(draft: Draft, recipient_id: str) -> str:
    """Return the recipient's state in a few words; empty when it is neither listed nor staged."""
    if recipient_id in draft.add:
        return "staged to add"
    if recipient_id in draft.remove:
        return "staged to remove"
    return "can see it already" if recipient_id in draft.recipients else ""
