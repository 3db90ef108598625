"""Words for whatever a reason names: names first, numbers second."""

from collections.abc import Callable
from datetime import datetime

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.damage import difference_words
from item_visibility.lists.numbers import market_hint
from item_visibility.saving.outcome import Verdict
from item_visibility.use_cases.why_not.near_numbers import Slip
from item_visibility.use_cases.why_not.reasons import Reason, ReasonKind, WhyNot

VERDICTS = {
    Verdict.VERIFIED: "verified",
    Verdict.NOT_CONFIRMED: "not confirmed",
    Verdict.DIFFERS: "not all of that change was made",
    Verdict.NOTHING_SENT: "not sent",
}
_THIS = "this recipient"

When = Callable[[datetime], str]
"""Writes a time as the person at the screen reads it."""


class Telling:
    """One reason, with the names of what it names."""

    def __init__(self, reason: Reason, why_not: WhyNot, when: When) -> None:
        self.reason = reason
        self.when = when
        self._why_not = why_not
        self.it = why_not.recipient_names.get(why_not.recipient_id) or _THIS
        self.it_first = self.it[0].upper() + self.it[1:]
        self.item = reason.item or why_not.item

    @property
    def asked_recipient(self) -> str:
        """The recipient that was asked about, its name first."""
        own_id = self._why_not.recipient_id
        return _called(own_id, self._why_not.recipient_names.get(own_id, ""))

    @property
    def asked_item(self) -> str:
        """The item that was asked about, its name first, and its supplier."""
        item = self._why_not.item
        supplier = _called(item.supplier, self._why_not.supplier_names.get(item.supplier, ""))
        return f"{self._item_called(item)} of {supplier}"

    @property
    def event(self) -> tuple[str, ...]:
        """Its time, its reason, and how it ended."""
        at = self.when(self.reason.at) if self.reason.at else ""
        verdict = VERDICTS[self.reason.verdict] if self.reason.verdict else ""
        return at, self.reason.why, verdict

    @property
    def who(self) -> str:
        """The person who did it."""
        return self.reason.who or "Somebody"

    @property
    def other(self) -> str:
        """The recipient that was probably meant, its name first."""
        own_id = self.reason.recipient_id or self._why_not.recipient_id
        return _called(own_id, self._why_not.recipient_names.get(own_id, ""))

    @property
    def title(self) -> str:
        """The item that was probably meant, its name first."""
        return self._item_called(self.item)

    @property
    def supplier(self) -> str:
        """The supplier of that item, its name first."""
        return _called(self.item.supplier, self._why_not.supplier_names.get(self.item.supplier, ""))

    @property
    def market(self) -> str:
        """The market of that item."""
        return _market(self.item)

    @property
    def own_market(self) -> str:
        """The market that was asked about."""
        return _market(self._why_not.item)

    @property
    def exchanged(self) -> str:
        """The parts of the question that are exchanged."""
        asked = self._why_not.item
        if self.item.supplier_item_id == asked.supplier_item_id:
            return "Supplier and recipient"
        if self.reason.recipient_id == self._why_not.recipient_id:
            return "Supplier and item"
        return (
            "Item and recipient" if self.item.supplier == asked.supplier else "Supplier, item and recipient"
        )

    @property
    def instead(self) -> str:
        """The item or recipient to ask about instead."""
        reason = self.reason
        if reason.kind is ReasonKind.EXCHANGED:
            return "it the other way round"
        return self.title if reason.item else self.other

    @property
    def difference(self) -> str:
        """The difference of the other number from the one that was asked about, in a few words."""
        if self.reason.slip not in {None, Slip.WRITING}:
            return str(self.reason.slip)
        asked, meant = self._compared
        words = difference_words(asked, meant)
        return words if ", " not in words else "only the way of writing it differs"

    @property
    def _compared(self) -> tuple[str, str]:
        """The number that was asked about, and the other."""
        asked = self._why_not.item
        if self.reason.item is None:
            return self._why_not.recipient_id, self.reason.recipient_id or ""
        if self.item.supplier != asked.supplier:
            return asked.supplier, self.item.supplier
        return asked.supplier_item_id, self.item.supplier_item_id

    @property
    def as_written(self) -> str:
        """The number under which the recipient can see another item, when it is another."""
        return f" as {self.reason.recipient_id}" if self.reason.recipient_id else ""

    @property
    def there(self) -> str:
        """The words on whether the recipient can see that other item."""
        can = f"can see that{self.as_written}"
        return f"{self.it} {can if self.reason.sees else 'cannot see that either'}"

    def _item_called(self, item: ItemKey) -> str:
        title, own_id = self._why_not.item_titles.get(item, ""), item.supplier_item_id
        return title if own_id in title else _called(own_id, title)


def _called(own_id: str, name: str) -> str:
    shown = own_id if own_id.isprintable() and own_id == own_id.strip() else f"“{own_id}”"
    return f"{name} ({shown})" if name else shown


def _market(item: ItemKey) -> str:
    return market_hint(item.supplier_item_id)


def joined(*parts: str) -> str:
    """Return the parts that are not empty, as one line."""
    return " · ".join(filter(None, parts))


def between(since: datetime | None, until: datetime | None, when: When) -> str:
    """Return the two times between which something happened; empty when they are not known."""
    return f"between {when(since)} and {when(until)}" if since and until else ""
