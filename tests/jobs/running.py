"""A job in memory, on a fake service, with all that its runner touches at hand."""

import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from item_visibility.access.access import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.jobs.chunk import Tools
from item_visibility.jobs.item_saver import ItemSaver
from item_visibility.jobs.runner import JobRunner
from item_visibility.jobs.throttle import Throttle
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.confirmation import is_large_removal
from item_visibility.saving.job import (
    ItemPreview,
    Job,
    JobItem,
    JobRow,
    JobState,
    SkippedRow,
)
from item_visibility.saving.locks import ItemLocks
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.save import Saver
from tests.saving.saving import MemoryHistory
from tests.support.fake_visibilities import FakeVisibilities
from tests.support.job_engine import run_job

if TYPE_CHECKING:
    from item_visibility.errors import RecordsError

JOB = "job-1"
SUPPLIER = "4000001000005"


def item_number(number: int) -> ItemKey:
    """One of the items of a job."""
    return ItemKey(SUPPLIER, f"item-{number}")


def asks(number: int = 0, *, add: Iterable[str] = (), remove: Iterable[str] = ()) -> BulkItem:
    """Rows that add and remove."""
    return BulkItem(item=item_number(number), add=frozenset(add), remove=frozenset(remove))


def sets(number: int = 0, *, exactly: Iterable[str] = ()) -> BulkItem:
    """Rows that set the whole list."""
    return BulkItem(item=item_number(number), exactly=frozenset(exactly))


class MemoryJobs:
    """A store of jobs that forgets when the test is over; each of `errors` is raised once."""

    def __init__(self) -> None:
        self.jobs_by_key: dict[str, Job] = {}
        self.items_by_key: dict[str, list[JobItem]] = {}
        self.rows_kept: list[JobRow] = []
        self.states: list[tuple[JobState, str]] = []
        self.next_tries: list[datetime] = []
        self.errors: list[RecordsError] = []
        self._lock = threading.Lock()

    def create(self, job: Job, intents: Iterable[BulkItem], skipped: Iterable[SkippedRow] = ()) -> None:
        """Keep a new job."""
        items = [JobItem(position=position, intent=intent) for position, intent in enumerate(intents)]
        self.items_by_key[job.key] = items
        self.jobs_by_key[job.key] = replace(job, item_count=len(items), skipped=len(tuple(skipped)))

    def job(self, key: str) -> Job | None:
        """The job."""
        self._fail()
        return self.jobs_by_key.get(key)

    def jobs(self, *, limit: int) -> Sequence[Job]:
        """The newest first."""
        return list(reversed(self.jobs_by_key.values()))[:limit]

    def in_state(self, states: Collection[JobState]) -> Sequence[Job]:
        """Oldest first."""
        self._fail()
        return [job for job in self.jobs_by_key.values() if job.state in states]

    def move(  # noqa: PLR0913  (as the protocol has it)
        self,
        key: str,
        state: JobState,
        *,
        expected: Collection[JobState],
        at: datetime,
        message: str = "",
        next_try_at: datetime | None = None,
        confirmed_count: int | None = None,
    ) -> bool:
        """Put it into the state."""
        self._fail()
        with self._lock:
            job = self.jobs_by_key.get(key)
            if job is None or job.state not in expected:
                return False
            self.states.append((state, message))
            self.next_tries += [next_try_at] if next_try_at else []
            count = job.confirmed_count if confirmed_count is None else confirmed_count
            ended_at = at if state is JobState.ENDED else None
            self.jobs_by_key[key] = replace(
                job, state=state, message=message, confirmed_count=count, ended_at=ended_at
            )
            return True

    def items(self, key: str, *, after: int = -1, limit: int, is_open: bool = False) -> Sequence[JobItem]:
        """By position."""
        self._fail()
        found = [item for item in self.items_by_key[key] if item.position > after]
        return [item for item in found if not (is_open and item.is_ended)][:limit]

    def put_previews(self, key: str, previews: Mapping[int, ItemPreview]) -> None:
        """Keep what reads showed."""
        items = self.items_by_key[key]
        for position, preview in previews.items():
            items[position] = replace(items[position], preview=preview)

    def settle_item(self, key: str, position: int, rows: Iterable[JobRow]) -> bool:
        """End an item."""
        self._fail()
        with self._lock:
            items = self.items_by_key[key]
            if items[position].is_ended:
                return False
            items[position] = replace(items[position], is_ended=True)
            self.rows_kept.extend(rows)
            return True

    def rows(
        self,
        key: str,
        *,
        outcomes: Collection[Outcome] = frozenset(Outcome),
        after: tuple[int, str] = (-1, ""),
        limit: int,
    ) -> Sequence[JobRow]:
        """By position and recipient."""
        assert key in self.jobs_by_key
        rows = sorted(self.rows_kept, key=lambda row: (row.position, row.recipient_id))
        return [row for row in rows if row.outcome in outcomes and (row.position, row.recipient_id) > after][
            :limit
        ]

    def _fail(self) -> None:
        if self.errors:
            raise self.errors.pop()


class JobBench:
    """A job that was previewed on the fake as it stands, and queued."""

    def __init__(
        self,
        fake: FakeVisibilities,
        *intents: BulkItem,
        confirmed_count: int | None = None,
        concurrency: int = 1,
    ) -> None:
        self.fake = fake
        self.store = MemoryJobs()
        self.history = MemoryHistory()
        self.locks = ItemLocks()
        self.throttle = Throttle(concurrency)
        self.saver = Saver(fake, self.history, clock=fake.time.now, sleep=fake.time.sleep, calls_at_once=1)
        self.runner = self.new_runner()
        job = Job(
            key=JOB,
            title="list.xlsx",
            person="ann",
            reason="a reason",
            state=JobState.QUEUED,
            created_at=fake.time.now(),
            item_count=len(intents),
            confirmed_count=confirmed_count,
            applied_role=Role.EDITOR,
        )
        self.store.create(job, intents)
        self.store.put_previews(JOB, {at: self.preview(one) for at, one in enumerate(intents)})

    def new_runner(self) -> JobRunner:
        """The runner of another start."""
        self.throttle = Throttle(self.throttle.capacity)
        return JobRunner(
            Tools(
                store=self.store,
                saver=ItemSaver(self.saver, self.history),
                locks=self.locks,
                throttle=self.throttle,
                clock=self.fake.time.now,
                sleep=self.fake.time.sleep,
                stopping=threading.Event(),
            )
        )

    def preview(self, intent: BulkItem) -> ItemPreview:
        """The preview that a read shows now."""
        current = self.fake.recipients_of(intent.item)
        changes = intent.changes_of(current)
        return ItemPreview(
            current=current or None,
            read_at=self.fake.time.now(),
            add=changes.add,
            remove=changes.remove,
            in_place=changes.in_place,
            is_large_removal=is_large_removal(
                before=len(current), removed=len(changes.remove), added=len(changes.add)
            ),
        )

    def run(self) -> bool:
        """Work on the job until it has ended, or is to be left; True when it has ended."""
        run_job(self.runner, JOB)
        return self.store.jobs_by_key[JOB].state is JobState.ENDED

    @property
    def job(self) -> Job:
        """The job as it stands."""
        return self.store.jobs_by_key[JOB]

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """The outcome of each recipient; the items of a test that asks for this name different ones."""
        return {row.recipient_id: row.outcome for row in self.store.rows_kept}

    @property
    def messages(self) -> dict[str, str]:
        """The message of each recipient."""
        return {row.recipient_id: row.message for row in self.store.rows_kept}

    def truth(self, number: int = 0) -> frozenset[str]:
        """An item's real recipients."""
        return self.fake.recipients_of(item_number(number))


def service(*recipients: str, items: int = 1) -> FakeVisibilities:
    """A service where these can see each item of the job."""
    return FakeVisibilities({item_number(number): recipients for number in range(items)})


def keys_of(entries: Mapping[str, object]) -> list[str]:
    """The keys of a history, in order."""
    return sorted(entries)
