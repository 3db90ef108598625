"""A job on a fake service, with everything that its runner uses."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

from item_visibility.access.people import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.jobs.apply import JobRunner
from item_visibility.jobs.engine import Engine
from item_visibility.model.job import (
    BulkItem,
    ItemPreview,
    Job,
    JobItem,
    JobOrigin,
    JobState,
)
from item_visibility.model.outcome import Outcome, StepResult
from item_visibility.saving.save import Saver
from item_visibility.storage.database import Database
from item_visibility.storage.jobs import Jobs
from item_visibility.storage.open_records import open_records
from tests.saving.saving import MemoryHistory
from tests.storage.entries import a_job
from tests.support.databases import sqlite_records
from tests.support.desk import run_job
from tests.support.fake_visibilities import FakeVisibilities
from tests.support.waiting import HeldItems

JOB = "job-1"
SUPPLIER = "4000001000005"


def item_number(number: int) -> ItemKey:
    return ItemKey(SUPPLIER, f"item-{number}")


def asks(
    number: int = 0, *, add: Iterable[str] = (), remove: Iterable[str] = ()
) -> BulkItem:
    return BulkItem(
        item=item_number(number), add=frozenset(add), remove=frozenset(remove)
    )


def sets(number: int = 0, *, exactly: Iterable[str] = ()) -> BulkItem:
    return BulkItem(item=item_number(number), exactly=frozenset(exactly))


@cache
def records() -> Database:
    """Return a database for all jobs of these tests.

    Each job has its own service there.
    """
    return open_records(sqlite_records(Path(mkdtemp()) / "records.sqlite"))


SERVICES = count()


class JobBench:
    """A job that was previewed with the fake's current lists, and then queued."""

    def __init__(
        self,
        fake: FakeVisibilities,
        *intents: BulkItem,
        confirmed_count: int | None = None,
        refusal: str = "",
        is_read: bool = True,
        origin: JobOrigin = JobOrigin.BULK_PAGE,
    ) -> None:
        self.fake = fake
        self.history = MemoryHistory()
        self.items = HeldItems()
        self.saver = Saver(
            fake,
            self.history,
            clock=fake.time.now,
            sleep=fake.time.sleep,
            calls_at_once=1,
        )
        self.on_pause: Callable[[float], None] = fake.time.sleep
        self.store = Jobs(records(), service=f"{next(SERVICES)}", environment="default")
        now = fake.time.now()
        job = a_job(
            JOB,
            reason="a reason",
            state=JobState.READING,
            confirmed_count=confirmed_count,
        )
        self.store.create(
            replace(job, applied_role=Role.EDITOR, origin=origin), intents
        )
        if is_read:
            previews = [
                ItemPreview.of(
                    intent,
                    fake.recipients_of(intent.item) or None,
                    read_at=now,
                    refusal=refusal,
                )
                for intent in intents
            ]
            self.store.put_previews(JOB, dict(enumerate(previews)))
        self.move(JobState.QUEUED)
        self.runner = self.new_runner()

    def new_runner(self) -> JobRunner:
        engine = Engine(
            self.fake,
            1,
            clock=self.fake.time.now,
            pause=lambda _event, delay_s: self.on_pause(delay_s),
        )
        return JobRunner(
            engine=engine, store=self.store, saver=self.saver, hold=self.items.hold
        )

    def move(self, state: JobState) -> None:
        self.store.move(JOB, state, expected=set(JobState), at=self.fake.time.now())

    def run(self) -> bool:
        """Work on the job until it has ended or must stop.

        Return True if it has ended.
        """
        run_job(self.runner, JOB)
        return self.job.state is JobState.ENDED

    @property
    def job(self) -> Job:
        job = self.store.job(JOB)
        assert job is not None
        return job

    @property
    def rows(self) -> list[tuple[JobItem, StepResult]]:
        return list(self.store.results(JOB))

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """The outcome of each recipient.

        Tests that use this have different recipients in each item.
        """
        return {result.step.recipient_id: result.outcome for _, result in self.rows}

    @property
    def messages(self) -> dict[str, str]:
        return {result.step.recipient_id: result.message for _, result in self.rows}

    def truth(self, number: int = 0) -> frozenset[str]:
        return self.fake.recipients_of(item_number(number))


def service(*recipients: str, items: int = 1) -> FakeVisibilities:
    return FakeVisibilities(
        {item_number(number): recipients for number in range(items)}
    )
