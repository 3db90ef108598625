"""The values of a bulk job.

A job first previews the changes to many items, then saves them item by item.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from item_visibility.access.people import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.model.large_changes import is_large_removal
from item_visibility.model.outcome import UNDOABLE, Outcome
from item_visibility.model.words import many


class BulkAction(StrEnum):
    """The action that a row asks for."""

    ADD = "add"
    REMOVE = "remove"
    SET = "set exactly"
    """All rows of the item together form its complete list of recipients."""
    WITHDRAW = "withdraw all"


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkItem:
    """All changes to one item, collected from the rows of a list.

    When `exactly` is not None, it is the complete new list, and `add` and `remove` are
    empty. An empty `exactly` removes all recipients. `rows` holds one tuple of row
    numbers for each recipient, in the order of the recipient ids. If the item has no
    recipients, `rows` holds one: the row numbers of the item.
    """

    item: ItemKey
    add: frozenset[str] = frozenset()
    remove: frozenset[str] = frozenset()
    exactly: frozenset[str] | None = None
    rows: tuple[tuple[int, ...], ...] = ()

    @property
    def row_numbers(self) -> tuple[int, ...]:
        """The sorted row numbers of this item."""
        return tuple(sorted({number for numbers in self.rows for number in numbers}))

    @property
    def rows_by_recipient(self) -> dict[str, tuple[int, ...]]:
        """Map each recipient to its row numbers."""
        recipients = self.add | self.remove | (self.exactly or frozenset())
        # Without recipients, `rows` holds the row numbers of the item.
        return dict(zip(sorted(recipients), self.rows, strict=False))


class JobState(StrEnum):
    """The state of a job.

    READING -> PREVIEWED -> QUEUED -> RUNNING -> ENDED; RUNNING <-> WAITING while the
    service is down; QUEUED, RUNNING or WAITING -> PAUSED -> QUEUED; anything unfinished
    -> CANCELLED.
    """

    READING = "reading"
    """The items are being read for the preview. Nothing is written yet."""
    PREVIEWED = "previewed"
    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    """The service is down or asked for a pause.

    The job tries an item from time to time; none is skipped.
    """
    PAUSED = "paused"
    CANCELLED = "cancelled"
    ENDED = "ended"


class JobOrigin(StrEnum):
    """Where a job was started. Nothing else works on it."""

    BULK_PAGE = "bulk page"
    """The dashboards' work queue applies the job, and continues it after a restart."""
    COMMAND = "command"
    """The command itself applies the job.

    After a kill, the job waits for a person's decision.
    """


class JobKind(StrEnum):
    """The purpose of a job. A scan only reads items."""

    CHANGES = "changes"
    SCAN = "scan"


NOT_BEGUN = frozenset({JobState.READING, JobState.PREVIEWED})
UNDER_WAY = frozenset({JobState.QUEUED, JobState.RUNNING, JobState.WAITING})
BEGUN = UNDER_WAY | {JobState.PAUSED}
"""A person has applied the job, and it is not finished."""
STOPPED = frozenset({JobState.PAUSED, JobState.CANCELLED})
FINISHED = frozenset({JobState.CANCELLED, JobState.ENDED})

AS_ASKED = frozenset({Outcome.DONE, Outcome.IN_PLACE})
FAILED = frozenset(Outcome) - AS_ASKED

ROW_WORDS: Mapping[Outcome, str] = {outcome: outcome.value for outcome in Outcome} | {
    Outcome.DONE: "verified",
    Outcome.UNKNOWN: "not confirmed",
}
"""The text for each outcome of a row.

A row is DONE only if a read after the last write shows its change.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPreview:
    """The changes that a job will make to one item.

    They follow from the list `current`, which was read at `read_at`. It is None when
    the service has no list for the item (Note N4), or when the item was not read.
    `refusal` says why the item cannot be changed. It is empty if the item can be
    changed.
    """

    current: frozenset[str] | None
    read_at: datetime
    add: frozenset[str] = frozenset()
    remove: frozenset[str] = frozenset()
    in_place: frozenset[str] = frozenset()
    is_large_removal: bool = False
    refusal: str = ""

    @classmethod
    def of(
        cls,
        intent: BulkItem,
        current: frozenset[str] | None,
        *,
        read_at: datetime,
        refusal: str = "",
    ) -> "ItemPreview":
        """Return the preview for an item whose list is `current`.

        With a `refusal`, there are no changes.
        """
        if refusal:
            return cls(current=current, read_at=read_at, refusal=refusal)

        # The recipients that the rows name, and the list that they ask for.
        listed = current or frozenset()
        if intent.exactly is None:
            requested = intent.add | intent.remove
            wanted = (listed | intent.add) - intent.remove
        else:
            requested = intent.exactly
            wanted = intent.exactly

        add = wanted - listed
        remove = listed - wanted
        is_large = is_large_removal(
            before=len(listed), removed=len(remove), added=len(add)
        )
        return cls(
            current=current,
            read_at=read_at,
            add=add,
            remove=remove,
            in_place=requested - add - remove,
            is_large_removal=is_large,
        )


class ItemsShown(StrEnum):
    """A filter for the items of a preview."""

    ALL = "all"
    CHANGES = "changes"
    LARGE_REMOVALS = "large removals"
    REFUSED = "refused"
    UNREAD = "not read"
    NOTHING_TO_DO = "nothing to do"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobItem:
    """One item of a job.

    If `is_ended`, the outcomes of the item are final, and nothing more is sent.
    """

    position: int
    intent: BulkItem
    preview: ItemPreview | None = None
    is_ended: bool = False


@dataclass(frozen=True, slots=True)
class Outage:
    """A time, beginning at `since`, during which the service does not answer."""

    message: str
    since: datetime
    next_try_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedRow:
    """A skipped row of the list: its original text, and the reason for skipping it."""

    number: int
    supplier: str
    supplier_item_id: str
    recipients: str
    action: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job in its current state.

    `title` is the source of the rows, such as the name of a file. `confirmed_count` is
    the number of removals that the person typed, or None if they did not have to type
    it. `message` says why the job waits or ended early. While the service is down,
    `waiting_since` is the start of the outage, and `next_try_at` the time of the next
    attempt. `outcomes` counts the rows with each outcome, and `repeated` the rows that
    repeat another row. The other counts come from the preview. `to_add`, `to_remove`
    and `in_place` count recipients, summed over all items. `changing`, `refused` and
    `large_removals` count items. A person must type `removals_to_confirm`, the number
    of recipients that all large removals together remove. `applied_role` is the role of
    the person who last applied or resumed the job. The job keeps this role even when
    that person's sign-in ends.
    """

    key: str
    title: str
    person: str
    reason: str = ""
    state: JobState
    created_at: datetime
    item_count: int = 0
    read_items: int = 0
    ended_items: int = 0
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)
    started_at: datetime | None = None
    ended_at: datetime | None = None
    undo_of: str | None = None
    retry_of: str | None = None
    confirmed_count: int | None = None
    message: str = ""
    waiting_since: datetime | None = None
    next_try_at: datetime | None = None
    skipped: int = 0
    repeated: int = 0
    to_add: int = 0
    to_remove: int = 0
    in_place: int = 0
    changing: int = 0
    refused: int = 0
    large_removals: int = 0
    removals_to_confirm: int = 0
    person_key: str = ""
    applied_role: Role | None = None
    origin: JobOrigin = JobOrigin.BULK_PAGE

    @property
    def unread(self) -> int:
        """The number of items that were not read yet."""
        return self.item_count - self.read_items

    @property
    def nothing_to_do(self) -> int:
        """The number of items that were read and need no change."""
        return self.read_items - self.refused - self.changing

    @property
    def is_nothing_to_do(self) -> bool:
        """True when all items were read and nothing is to be changed."""
        return not self.unread and not self.changing

    @property
    def is_verified(self) -> bool:
        """True when the job has ended and no row failed."""
        return self.state is JobState.ENDED and not self.failed

    @property
    def is_given_up(self) -> bool:
        """True for a preview that was cancelled before anything was applied."""
        return (
            self.state is JobState.CANCELLED
            and self.started_at is None
            and not self.outcomes
        )

    @property
    def is_undoable(self) -> bool:
        """True when the job changed something and is finished."""
        is_changed = any(self.outcomes.get(outcome) for outcome in UNDOABLE)
        return self.state in FINISHED and is_changed

    @property
    def rows_in_words(self) -> str:
        """A text with the number of rows for each outcome."""
        numbers = {
            ROW_WORDS[outcome]: self.outcomes.get(outcome, 0) for outcome in Outcome
        }
        numbers["skipped"] = self.skipped
        numbers["repeated in the list"] = self.repeated
        counts = " · ".join(
            f"{number:,} {words}" for words, number in numbers.items() if number
        )

        # The total is of interest only if not every row is verified.
        if not (self.failed or self.skipped or self.repeated):
            return counts
        return f"{many(sum(numbers.values()), 'row')}: {counts}"

    @property
    def failed(self) -> int:
        """The number of rows that did not end as requested."""
        return sum(self.outcomes.get(outcome, 0) for outcome in FAILED)
