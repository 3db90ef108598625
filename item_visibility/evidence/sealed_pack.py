"""Evidence: a pack, and the key that seals each form of it."""

from dataclasses import dataclass, field

from item_visibility.evidence.attached_json import attached_json
from item_visibility.evidence.html_page import html_page
from item_visibility.evidence.pack import Pack
from item_visibility.evidence.ticket_text import ticket_text


@dataclass(frozen=True, slots=True)
class Evidence:
    """A pack without secrets. Each form is written when it is asked for."""

    pack: Pack
    key: bytes | None = field(repr=False)

    def text(self) -> str:
        """Return the text for a ticket."""
        return ticket_text(self.pack, self.key)

    def page(self) -> bytes:
        """Return the page to read."""
        return html_page(self.pack, self.key).encode("utf-8")

    def json(self) -> bytes:
        """Return the file to attach."""
        return attached_json(self.pack, self.key).encode("ascii")

    @property
    def file_name(self) -> str:
        """A name for its files, without their ending."""
        return f"evidence-{self.pack.made_at:%Y-%m-%d-%H%M%S}"
