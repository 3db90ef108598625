"""The items and recipients of a preview that the directory does not know: they may be mistyped."""

from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.in_words import many
from item_visibility.storage.jobs.job_store import Jobs
from item_visibility.storage.jobs.job_tables import ItemsShown
from item_visibility.use_cases.known_names import KnownNames

LOOKED_AT = 20_000
"""The limit of items: a person waits for the answer."""
_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class NotInDirectory:
    """Unknown items that would be changed, and unknown recipients that would be added; each in order.

    `is_more` when the job has more items than were looked at.
    """

    items: tuple[ItemKey, ...] = ()
    recipients: tuple[str, ...] = ()
    is_more: bool = False

    @property
    def words(self) -> str:
        """The sentence that counts them; empty when there are none."""
        counts = ((len(self.items), "item"), (len(self.recipients), "recipient"))
        found = " and ".join(many(count, one) for count, one in counts if count)
        verb = "is" if len(self.items) + len(self.recipients) == 1 else "are"
        at_least = "At least " if self.is_more else ""
        return f"{at_least}{found} {verb} not in your directory." if found else ""


def look_for_unknown(store: Jobs, names: KnownNames, key: str) -> NotInDirectory:
    """Return what the preview of this job would change and the directory does not know."""
    items: list[ItemKey] = []
    recipients: set[str] = set()
    after, count = -1, 0
    while page := store.items(key, after=after, limit=_PAGE, shown=ItemsShown.CHANGES):
        asked = [one.intent.item for one in page]
        known = names.known_items(asked)
        items.extend(one for one in asked if one not in known)
        recipients.update(*(one.preview.add for one in page if one.preview is not None))
        after, count = page[-1].position, count + len(page)
        if count >= LOOKED_AT:
            break
    unknown = recipients - names.known_recipients(recipients)
    return NotInDirectory(tuple(items), tuple(sorted(unknown)), is_more=count >= LOOKED_AT)
