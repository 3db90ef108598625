"""A pack as text, to be pasted into a ticket."""

from item_visibility.evidence.pack import Pack
from item_visibility.evidence.seal import sealed
from item_visibility.evidence.sections import HOW_TO_CHECK, head_of, sections_of
from item_visibility.evidence.shown_texts import shown

_LINES = 20
"""The limit of lines of a kind: a ticket is read, and the JSON file has the rest."""


def ticket_text(pack: Pack, key: bytes | None) -> str:
    """Return the text with its seal in the last line."""
    head = head_of(pack)
    width = max(len(label) for label, _ in head)
    lines = [f"EVIDENCE: {shown(pack.sentence)}", ""]
    lines += [f"{label:<{width}}  {value}" for label, value in head]
    for section in sections_of(pack, limit=_LINES):
        lines += ["", section.heading, *(f"  {line}" for line in section.lines)]
    return sealed("\n".join((*lines, "", HOW_TO_CHECK, "")), key)
