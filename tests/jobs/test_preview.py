"""Reading all items of a job: what is kept, what is tried again, and when it ends."""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError, RecordsError
from item_visibility.jobs import preview, preview_runs
from item_visibility.jobs.preview import PreviewReader, ReadItem, refusal_words
from item_visibility.jobs.preview_runs import PreviewRuns
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import ItemPreview, Job, JobItem, JobState
from item_visibility.storage.jobs.preview_rows import ItemsShown
from item_visibility.timeouts import PREVIEW_SAVED_WITHIN_S
from tests.support.desk import wait_until
from tests.support.fake_visibilities import (
    START,
    FakeCall,
    FakeVisibilities,
    Fault,
    no_token,
    not_sent,
    refused,
    unknown_outcome,
)

WITHIN_S = 60.0
READ = "getVisibilities"


def key_of(number: int) -> ItemKey:
    """One of the items."""
    return ItemKey("S", str(number))


class FakePreviewStore:
    """One job in memory. `before_put` is told before previews are kept."""

    def __init__(self, intents: Sequence[BulkItem]) -> None:
        self.kept: dict[int, ItemPreview] = {}
        self.batches: list[int] = []
        self.before_put: Callable[[], None] = lambda: None
        self.is_job_there = True
        self._items = [JobItem(position=position, intent=intent) for position, intent in enumerate(intents)]
        self._job = Job(
            key="job-1",
            title="",
            person="ann",
            reason="",
            state=JobState.READING,
            created_at=START,
            item_count=len(intents),
        )

    def job(self, key: str) -> Job | None:
        """The job."""
        return replace(self._job, key=key, read_items=len(self.kept)) if self.is_job_there else None

    def items(self, key: str, *, after: int, limit: int, shown: ItemsShown) -> Sequence[JobItem]:
        """Its items without a preview."""
        assert (key, shown) == ("job-1", ItemsShown.UNREAD)
        left = [one for one in self._items if one.position > after and one.position not in self.kept]
        return left[:limit]

    def put_previews(self, key: str, previews: Mapping[int, ItemPreview]) -> None:
        """Keep them."""
        assert key == "job-1"
        self.before_put()
        self.kept |= previews
        self.batches.append(len(previews))

    def move(
        self, key: str, state: JobState, *, expected: Collection[JobState], at: datetime, message: str
    ) -> bool:
        """Put the job into the state."""
        assert (key, at) == ("job-1", START)
        is_expected = self._job.state in expected
        self._job = replace(self._job, state=state, message=message) if is_expected else self._job
        return is_expected


class Bench:
    """A reader on a fake service; `items` items which A can see, all to be changed alike."""

    def __init__(self, items: int, *, concurrency: int = 1, exactly: str | None = None) -> None:
        self.fake = FakeVisibilities({key_of(number): "A" for number in range(items)})
        self.store = FakePreviewStore([self.intent(number, exactly=exactly) for number in range(items)])
        self.remembered: list[ReadItem] = []
        self.waits: list[float] = []
        self.is_stopped = threading.Event()
        self.seconds = 0.0
        self.reader = PreviewReader(
            self.store,
            self.fake,
            remember=self.remembered.extend,
            clock=self.fake.time.now,
            timer=lambda: self.seconds,
            wait=lambda _event, delay_s: self.waits.append(delay_s),
            concurrency=concurrency,
        )
        self.runs = PreviewRuns(self.store, self.reader, clock=self.fake.time.now)

    @staticmethod
    def intent(number: int, *, exactly: str | None = None) -> BulkItem:
        """The changes asked of one item."""
        if exactly is not None:
            return BulkItem(item=key_of(number), exactly=frozenset(exactly))
        return BulkItem(item=key_of(number), add=frozenset("AB"))

    def fail(self, *errors: ItemVisibilityError) -> None:
        """Let the next reads fail."""
        self.fake.faults += [Fault(READ, error) for error in errors]

    def read(self) -> str:
        """Read to the end; what could not be read, in words."""
        return self.reader.read("job-1", self.is_stopped)

    def run(self) -> Job:
        """Read in the background, to the end; the job afterwards."""
        self.runs.start("job-1")
        wait_until(lambda: not self.runs.is_running("job-1"))
        job = self.store.job("job-1")
        assert job is not None
        return job

    @contextmanager
    def held(self) -> Iterator[None]:
        """The preview runs, and stands in its first read until the block ends."""
        may_go_on, is_there = threading.Event(), threading.Event()

        def hold(_call: FakeCall) -> None:
            is_there.set()
            assert may_go_on.wait(WITHIN_S)

        self.fake.before_call = hold
        self.runs.start("job-1")
        assert is_there.wait(WITHIN_S)
        yield
        may_go_on.set()
        wait_until(lambda: not self.runs.is_running("job-1"))


def shown(*, add: str = "", remove: str = "", in_place: str = "", is_large: bool = False) -> ItemPreview:
    """The preview of an item that A can see."""
    return ItemPreview(
        current=frozenset("A"),
        read_at=START,
        add=frozenset(add),
        remove=frozenset(remove),
        in_place=frozenset(in_place),
        is_large_removal=is_large,
    )


def test_every_item_is_read_and_shows_what_it_needs() -> None:
    """Each once, several at a time."""
    bench = Bench(40, concurrency=8)
    assert bench.read() == ""
    assert bench.store.kept == dict.fromkeys(range(40), shown(add="B", in_place="A"))
    assert sorted(call.item.supplier_item_id for call in bench.fake.calls) == sorted(map(str, range(40)))


@pytest.mark.parametrize(
    ("exactly", "expected"),
    [
        ("", shown(remove="A", is_large=True)),
        ("AB", shown(add="B", in_place="A")),
        ("B", shown(add="B", remove="A", is_large=True)),
        ("A", shown(in_place="A")),
    ],
)
def test_a_large_removal_is_marked(exactly: str, expected: ItemPreview) -> None:
    """As the save will see it."""
    bench = Bench(1, exactly=exactly)
    bench.read()
    assert bench.store.kept == {0: expected}


def test_nothing_recorded_is_kept_as_such() -> None:
    """Note N4: it is no empty list, but everything can be added."""
    bench = Bench(1)
    bench.fake.put(key_of(0), "")
    bench.read()
    kept = bench.store.kept[0]
    assert (kept.current, kept.add, kept.refusal) == (None, frozenset("AB"), "")


def test_what_was_read_is_remembered() -> None:
    """With the time before and after the read; what was refused is not."""
    bench = Bench(2)
    bench.fail(refused(READ))
    bench.read()
    read = ReadItem(item=key_of(1), recipients=frozenset("A"), asked_at=START, read_at=START)
    assert bench.remembered == [read]


def test_results_are_kept_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory does not grow with the job, and items are looked up page by page."""
    monkeypatch.setattr(preview, "BATCH", 2)
    monkeypatch.setattr(preview, "PAGE", 2)
    bench = Bench(5)
    bench.read()
    assert bench.store.batches == [2, 2, 1]


def test_long_lists_are_kept_in_smaller_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory does not grow with the lists either."""
    monkeypatch.setattr(preview, "BATCH_RECIPIENTS", 2)
    bench = Bench(4)
    bench.read()
    assert bench.store.batches == [2, 2]


def test_a_slow_service_is_shown_read_by_read() -> None:
    """Reads that are old enough are kept, however few."""
    bench = Bench(3)

    def pass_time(_call: FakeCall) -> None:
        bench.seconds += PREVIEW_SAVED_WITHIN_S

    bench.fake.before_call = pass_time
    bench.read()
    assert bench.store.batches == [1, 1, 1]


def test_what_has_a_preview_is_not_read_again() -> None:
    """A preview that was cut short goes on where it stood."""
    bench = Bench(3)
    bench.store.kept[1] = shown()
    bench.read()
    assert [call.item for call in bench.fake.calls] == [key_of(0), key_of(2)]


def test_an_item_that_the_service_refuses_says_why() -> None:
    """In the service's own words, too; the others are read."""
    bench = Bench(2)
    bench.fail(refused(READ, 403))
    assert bench.read() == ""
    assert bench.store.kept[0] == ItemPreview(
        current=None, read_at=START, refusal="The service refused it (403). A title"
    )
    assert bench.store.kept[1].refusal == ""


def test_an_item_that_no_address_can_name_is_refused_before_anything_is_sent() -> None:
    """The reason is that of the id."""
    bench = Bench(0)
    bench.store = FakePreviewStore([BulkItem(item=ItemKey("S", ".."), add=frozenset("A"))])
    bench.reader._store = bench.store  # noqa: SLF001  (the same reader on another list)
    bench.read()
    assert "item" in bench.store.kept[0].refusal
    assert bench.fake.calls == []


def test_words_of_the_service_are_not_said_twice() -> None:
    """An error may hold them already."""
    error = refused(READ)
    error.message = "It said: A title."
    assert refusal_words(error) == "It said: A title."


@pytest.mark.parametrize("error", [not_sent(READ), unknown_outcome(READ), no_token(), refused(READ, 429)])
@pytest.mark.parametrize("waits", [[1.0], [1.0, 2.0, 5.0]])
def test_a_read_that_may_succeed_later_is_tried_again(error: ItemVisibilityError, waits: list[float]) -> None:
    """After a while, which grows."""
    bench = Bench(1)
    bench.fail(*[error] * len(waits))
    assert bench.read() == ""
    assert bench.waits == waits
    assert bench.store.kept[0] == shown(add="B", in_place="A")


def test_an_item_that_cannot_be_read_is_left_unread_and_the_others_are_read() -> None:
    """It says why."""
    bench = Bench(4, concurrency=2)

    def fail_first(call: FakeCall) -> None:
        bench.fake.faults[:] = [Fault(READ, unknown_outcome(READ))] if call.item == key_of(0) else []

    bench.fake.before_call = fail_first
    assert bench.read() == "The service did not answer."
    assert sorted(bench.store.kept) == [1, 2, 3]


def test_a_service_that_is_down_is_not_asked_about_every_item() -> None:
    """When as many fail in a row as are read at once, the rest is left unread."""
    bench = Bench(50, concurrency=2)
    bench.fail(*[not_sent(READ)] * 200)
    assert bench.read() == "The service cannot be reached."
    assert bench.store.kept == {}
    assert len(bench.fake.calls) <= 12


def test_nothing_more_is_read_once_it_is_to_stop() -> None:
    """Reads until then are kept."""
    bench = Bench(9)
    bench.fake.before_call = lambda call: bench.is_stopped.set() if call.item == key_of(2) else None
    bench.read()
    assert sorted(bench.store.kept) == [0, 1, 2]


def test_nobody_waits_for_a_service_that_is_down_once_it_is_to_stop() -> None:
    """The item is left unread."""
    bench = Bench(9)
    bench.fail(*[not_sent(READ)] * 9)
    bench.fake.before_call = lambda _call: bench.is_stopped.set()
    bench.read()
    assert (len(bench.fake.calls), bench.store.kept) == (1, {})


@pytest.mark.parametrize("is_job_there", [True, False])
def test_a_job_that_is_not_to_be_read_any_more_is_left(
    monkeypatch: pytest.MonkeyPatch, *, is_job_there: bool
) -> None:
    """Another process may have cancelled it, or removed it."""
    monkeypatch.setattr(preview, "BATCH", 1)
    bench = Bench(9)
    bench.store.is_job_there = is_job_there
    bench.store.move("job-1", JobState.CANCELLED, expected=frozenset(JobState), at=START, message="")
    bench.read()
    assert bench.is_stopped.is_set()
    assert len(bench.fake.calls) == 1


def test_a_database_that_fails_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each worker fills one batch at most of what cannot be kept, beside the read that is under way."""
    monkeypatch.setattr(preview, "BATCH", 10)
    bench = Bench(500, concurrency=2)
    bench.store.before_put = broken
    with pytest.raises(RecordsError):
        bench.read()
    assert len(bench.fake.calls) <= 2 * preview.BATCH + 2


def broken() -> None:
    """The database cannot be used."""
    raise RecordsError("The disk is full.", advice="Ask somebody.")


def test_a_preview_that_is_complete_waits_to_be_applied() -> None:
    """Nothing is said of it."""
    job = Bench(3).run()
    assert (job.state, job.read_items, job.message) == (JobState.PREVIEWED, 3, "")


def test_a_preview_that_is_not_complete_says_why() -> None:
    """It gives the number of items, and the reason."""
    bench = Bench(3)
    bench.fail(*[not_sent(READ)] * 9)
    job = bench.run()
    assert job.state is JobState.PREVIEWED
    assert job.message == "3 of 3 items could not be read. The service cannot be reached."


def test_what_was_said_of_a_job_stays() -> None:
    """A complete preview takes nothing away."""
    bench = Bench(1)
    reading = JobState.READING
    bench.store.move("job-1", reading, expected={reading}, at=START, message="2 recipients are left alone.")
    assert bench.run().message == "2 recipients are left alone."


def test_a_preview_is_read_once_however_often_it_is_started() -> None:
    """It runs until it has ended."""
    bench = Bench(3)
    with bench.held():
        bench.runs.start("job-1")
        assert bench.runs.is_running("job-1")
    assert not bench.runs.is_running("job-1")
    assert len(bench.fake.calls) == 3


def test_a_preview_that_is_stopped_stays_to_be_gone_on_with() -> None:
    """Its state is left as it is."""
    bench = Bench(3)
    with bench.held():
        bench.runs.stop("job-1")
    job = bench.store.job("job-1")
    assert job is not None
    assert (job.state, job.read_items) == (JobState.READING, 1)


def test_a_preview_that_is_started_while_it_stops_is_read_on() -> None:
    """As soon as it has stopped."""
    bench = Bench(3)
    with bench.held():
        bench.runs.stop("job-1")
        bench.runs.start("job-1")
    assert bench.run().read_items == 3


def test_what_does_not_run_can_be_stopped() -> None:
    """Nothing happens."""
    bench = Bench(1)
    bench.runs.stop("job-1")
    assert bench.run().state is JobState.PREVIEWED


def test_closing_ends_what_runs_and_starts_nothing_more() -> None:
    """Unread items stay unread."""
    bench = Bench(3)
    bench.fake.before_call = lambda _call: threading.Thread(target=bench.runs.close).start()
    bench.runs.start("job-1")
    wait_until(lambda: not bench.runs.is_running("job-1"))
    bench.runs.close()
    bench.runs.start("job-1")
    assert not bench.runs.is_running("job-1")


def test_a_preview_waits_for_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """And is left when it is stopped meanwhile."""
    monkeypatch.setattr(preview_runs, "AT_ONCE", 1)
    bench = Bench(3)
    with bench.held():
        bench.runs.start("job-2")
        assert bench.runs.is_running("job-2")
        bench.runs.stop("job-2")
        assert not bench.runs.is_running("job-2")
    assert len(bench.fake.calls) == 3


@pytest.mark.parametrize("error", [RecordsError("The disk is full.", advice="Ask."), ValueError("s3cret")])
def test_a_preview_that_breaks_off_is_logged_without_what_it_held(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """It stays to be gone on with."""
    bench = Bench(1)

    def fail() -> None:
        raise error

    bench.store.before_put = fail
    assert bench.run().state is JobState.READING
    assert len(caplog.messages) == 1
    assert "s3cret" not in caplog.text


def test_a_job_that_is_gone_at_the_end_is_left(caplog: pytest.LogCaptureFixture) -> None:
    """Somebody pruned it."""
    bench = Bench(1)
    bench.store.before_put = lambda: setattr(bench.store, "is_job_there", False)
    bench.runs.start("job-1")
    wait_until(lambda: not bench.runs.is_running("job-1"))
    assert caplog.messages == []
