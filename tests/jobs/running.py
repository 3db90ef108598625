"""A job in memory, on a fake service, with all that its runner touches at hand."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from item_visibility.access.access import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.jobs.apply import JobRunner
from item_visibility.jobs.engine import Engine
from item_visibility.saving.job import (
    BulkItem,
    ItemPreview,
    Job,
    JobItem,
    JobRow,
    JobState,
    Outage,
)
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.save import Saver
from tests.saving.saving import MemoryHistory
from tests.support.fake_visibilities import FakeVisibilities
from tests.support.held_items import HeldItems
from tests.support.job_engine import run_job

if TYPE_CHECKING:
    from item_visibility.errors import RecordsError

JOB = "job-1"
SUPPLIER = "4000001000005"


def item_number(number: int) -> ItemKey:
    return ItemKey(SUPPLIER, f"item-{number}")


def asks(number: int = 0, *, add: Iterable[str] = (), remove: Iterable[str] = ()) -> BulkItem:
    return BulkItem(item=item_number(number), add=frozenset(add), remove=frozenset(remove))


def sets(number: int = 0, *, exactly: Iterable[str] = ()) -> BulkItem:
    return BulkItem(item=item_number(number), exactly=frozenset(exactly))


class MemoryJobs:
    """The store of one job, in memory; each of `errors` is raised once."""

    def __init__(self, job: Job, intents: Iterable[BulkItem]) -> None:
        self.now = job
        self.all_items = [
            JobItem(position=position, intent=intent) for position, intent in enumerate(intents)
        ]
        self.rows: list[JobRow] = []
        self.states: list[tuple[JobState, str]] = []
        self.next_tries: list[datetime] = []
        self.errors: list[RecordsError] = []

    def job(self, key: str) -> Job | None:
        self._fail()
        return self.now if key == self.now.key else None

    def in_state(self, states: Collection[JobState]) -> Sequence[Job]:
        """The job, if it is in one of these."""
        self._fail()
        return [self.now] if self.now.state in states else []

    def move(self, key: str, state: JobState, *, expected: Collection[JobState], at: datetime) -> bool:
        self._fail()
        if key != self.now.key or self.now.state not in expected:
            return False
        self.states.append((state, ""))
        self.now = replace(self.now, state=state, message="", ended_at=at)
        return True

    def note_outage(self, key: str, outage: Outage | None) -> bool:
        """Say that it waits, or no longer does."""
        assert key == self.now.key
        if outage is None:
            return self.move(key, JobState.RUNNING, expected={JobState.WAITING}, at=self.now.created_at)
        if self.now.state not in {JobState.RUNNING, JobState.WAITING}:
            return False
        self.states.append((JobState.WAITING, outage.message))
        self.next_tries.append(outage.next_try_at)
        self.now = replace(self.now, state=JobState.WAITING, message=outage.message)
        return True

    def items(self, key: str, *, after: int = -1, limit: int, is_open: bool = False) -> Sequence[JobItem]:
        assert key == self.now.key
        self._fail()
        found = [item for item in self.all_items if item.position > after]
        return [item for item in found if not (is_open and item.is_ended)][:limit]

    def settle_item(self, key: str, position: int, rows: Iterable[JobRow]) -> bool:
        assert key == self.now.key
        self._fail()
        assert not self.all_items[position].is_ended
        self.all_items[position] = replace(self.all_items[position], is_ended=True)
        self.rows.extend(rows)
        return True

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
        self.history = MemoryHistory()
        self.items = HeldItems()
        self.saver = Saver(fake, self.history, clock=fake.time.now, sleep=fake.time.sleep, calls_at_once=1)
        self.on_pause: Callable[[float], None] = fake.time.sleep
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
        self.store = MemoryJobs(job, intents)
        for position, item in enumerate(self.store.all_items):
            self.store.all_items[position] = replace(item, preview=self.preview(item.intent))
        self._concurrency = concurrency
        self.runner = self.new_runner()

    def new_runner(self) -> JobRunner:
        """The runner of another start."""
        engine = Engine(
            self.fake,
            self._concurrency,
            clock=self.fake.time.now,
            pause=lambda _event, delay_s: self.on_pause(delay_s),
        )
        return JobRunner(engine=engine, store=self.store, saver=self.saver, hold=self.items.hold)

    def preview(self, intent: BulkItem) -> ItemPreview:
        current = self.fake.recipients_of(intent.item)
        return ItemPreview.of(intent, current or None, read_at=self.fake.time.now())

    def show(self, position: int, preview: ItemPreview | None) -> None:
        self.store.all_items[position] = replace(self.store.all_items[position], preview=preview)

    def run(self) -> bool:
        """Work on the job until it has ended, or is to be left; True when it has ended."""
        run_job(self.runner, JOB)
        return self.store.now.state is JobState.ENDED

    @property
    def job(self) -> Job:
        return self.store.now

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """The outcome of each recipient; the items of a test that asks for this name different ones."""
        return {row.recipient_id: row.outcome for row in self.store.rows}

    @property
    def messages(self) -> dict[str, str]:
        return {row.recipient_id: row.message for row in self.store.rows}

    def truth(self, number: int = 0) -> frozenset[str]:
        return self.fake.recipients_of(item_number(number))


def service(*recipients: str, items: int = 1) -> FakeVisibilities:
    """A service where these can see each item of the job."""
    return FakeVisibilities({item_number(number): recipients for number in range(items)})


def keys_of(entries: Mapping[str, object]) -> list[str]:
    """The keys of a history, in order."""
    return sorted(entries)
