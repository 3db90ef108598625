"""From a list to a preview, then to a job and its results."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import NotPossibleError, ReadOnlyError, RecordsError
from item_visibility.lists.bulk_list import BulkList
from item_visibility.lists.reader import read_table
from item_visibility.lists.writer import FileKind
from item_visibility.model.change import ChangeStep, Goal
from item_visibility.model.job import (
    FAILED,
    STOPPED,
    BulkAction,
    BulkItem,
    ItemsShown,
    Job,
    JobOrigin,
    JobState,
    SkippedRow,
)
from item_visibility.model.known_ids import Kind
from item_visibility.model.outcome import Outcome, StepResult, Verdict
from item_visibility.storage.history import HistoryFilter
from item_visibility.use_cases.bulk import COLUMNS, BulkDesk, ResultRow
from item_visibility.use_cases.undo import undo_items
from tests.storage.entries import a_job
from tests.support.desk import (
    ITEM,
    OTHER_ITEM,
    PERSON,
    TEST_ENVIRONMENT,
    DeskKit,
    FakeDispatcher,
    ThreadDispatcher,
    a_request,
    open_kit,
    put_names,
    wait_until,
)
from tests.support.fake_visibilities import START, Fault, not_sent, refused

UNKNOWN = Outcome.UNKNOWN
IN_PLACE = Outcome.IN_PLACE
READ = "getVisibilities"
ADD = "addVisibility"
ADDED = BulkItem(item=ITEM, add=frozenset({"C", "A"}), rows=((2,), (3,)))
SET_TO_A = BulkItem(item=ITEM, exactly=frozenset("A"), rows=((2,),))
EMPTIED = BulkItem(item=OTHER_ITEM, exactly=frozenset(), rows=((4,),))


@pytest.fixture
def dispatcher() -> FakeDispatcher:
    return FakeDispatcher()


@pytest.fixture
def kit(tmp_path: Path, dispatcher: FakeDispatcher) -> Iterator[DeskKit]:
    """A desk with two items. Jobs are queued, but nothing runs them."""
    with open_kit(
        tmp_path, {ITEM: "AB", OTHER_ITEM: "XY"}, dispatcher=dispatcher
    ) as opened:
        yield opened


@pytest.fixture
def bulk(kit: DeskKit) -> BulkDesk:
    return kit.desk.bulk


@pytest.fixture
def working(tmp_path: Path) -> Iterator[DeskKit]:
    dispatcher = ThreadDispatcher()
    with open_kit(
        tmp_path, {ITEM: "AB", OTHER_ITEM: "XY"}, dispatcher=dispatcher
    ) as opened:
        yield opened
        dispatcher.close()


def wait_for(bulk: BulkDesk, key: str, state: JobState) -> Job:
    wait_until(lambda: bulk.job(key).state is state)
    return bulk.job(key)


def previewed(bulk: BulkDesk, *items: BulkItem, title: str = "List.xlsx") -> str:
    key = bulk.start_preview(items, title=title)
    wait_for(bulk, key, JobState.PREVIEWED)
    return key


def ended(bulk: BulkDesk, key: str, *, count: int | None = None) -> str:
    bulk.apply(key, confirmed_count=count)
    wait_for(bulk, key, JobState.ENDED)
    return key


def row(recipient_id: str, outcome: Outcome, goal: Goal = Goal.VISIBLE) -> StepResult:
    return StepResult(ChangeStep(recipient_id, goal), outcome, message=f"{outcome}!")


def test_a_preview_shows_what_would_be_done(kit: DeskKit, bulk: BulkDesk) -> None:
    key = bulk.start_preview([ADDED, EMPTIED], title="List.xlsx", reason="Season")
    job = wait_for(bulk, key, JobState.PREVIEWED)
    first, second = bulk.store.items(key)
    assert job.title == "List.xlsx"
    assert job.person == PERSON
    assert job.reason == "Season"
    assert job.read_items == 2
    assert first.preview.add == frozenset("C")
    assert first.preview.in_place == frozenset("A")
    assert second.preview.remove == frozenset("XY")
    assert second.preview.is_large_removal
    assert job.to_add == 1
    assert job.to_remove == 2
    assert job.in_place == 1
    assert job.item_count == 2
    assert job.changing == 2
    assert job.unread == 0
    assert job.refused == 0
    assert job.nothing_to_do == 0
    assert job.large_removals == 1
    assert job.removals_to_confirm == 2
    assert not job.is_nothing_to_do
    assert bulk.store.items(key, shown=ItemsShown.LARGE_REMOVALS) == (second,)
    assert kit.fake.writes == []


def test_recipients_that_a_preview_read_become_known(
    kit: DeskKit, bulk: BulkDesk
) -> None:
    kit.desk.read(ITEM)
    kit.fake.time.sleep(600)
    kit.fake.put(ITEM, "ABZ")
    key = previewed(bulk, ADDED)
    wait_until(lambda: not bulk.engine.is_at_work(key))
    (observed,) = kit.records.history.all(HistoryFilter(supplier=ITEM.supplier))
    assert observed.request.base == frozenset("AB")
    assert observed.result.after == frozenset("ABZ")
    assert ("Z",) in kit.records.directory[Kind.RECIPIENT].current().by_ids


def test_an_empty_list_is_refused(bulk: BulkDesk) -> None:
    with pytest.raises(NotPossibleError, match="no changes to make"):
        bulk.start_preview([], title="Empty")
    assert bulk.store.jobs() == ()


def test_apply_queues_the_job(
    kit: DeskKit, bulk: BulkDesk, dispatcher: FakeDispatcher
) -> None:
    key = previewed(bulk, ADDED)
    bulk.apply(key, reason="Ticket 7")
    bulk.apply(key)
    job = bulk.job(key)
    assert job.state is JobState.QUEUED
    assert job.reason == "Ticket 7"
    assert job.confirmed_count is None
    assert dispatcher.notified == [key]
    assert kit.fake.writes == []


@pytest.mark.parametrize("typed", [None, 1, 3])
def test_large_removals_need_the_number(
    bulk: BulkDesk, dispatcher: FakeDispatcher, typed: int | None
) -> None:
    key = previewed(bulk, ADDED, EMPTIED)
    with pytest.raises(NotPossibleError, match="would remove 2 recipients") as refusal:
        bulk.apply(key, confirmed_count=typed)
    assert "type 2" in refusal.value.advice
    assert bulk.job(key).state is JobState.PREVIEWED
    assert dispatcher.notified == []
    bulk.apply(key, confirmed_count=2)
    assert bulk.job(key).confirmed_count == 2


def test_a_preview_that_is_not_complete_cannot_be_applied_before_it_is_read_again(
    kit: DeskKit, bulk: BulkDesk
) -> None:
    kit.fake.faults += [Fault(READ, not_sent())] * 99
    key = previewed(bulk, ADDED)
    with pytest.raises(NotPossibleError, match="1 item could not be read"):
        bulk.apply(key)
    unread = bulk.job(key)
    kit.fake.faults.clear()
    bulk.resume(key)
    complete = wait_for(bulk, key, JobState.PREVIEWED)
    bulk.apply(key)
    assert (
        unread.message
        == "1 of 1 item could not be read. The service cannot be reached."
    )
    assert complete.message == ""
    assert complete.read_items == 1


def test_a_read_only_environment_previews_but_does_not_apply(tmp_path: Path) -> None:
    environment = replace(TEST_ENVIRONMENT, is_read_only=True)
    with open_kit(tmp_path, {ITEM: "AB"}, environment=environment) as kit:
        key = previewed(kit.desk.bulk, ADDED)
        with pytest.raises(ReadOnlyError):
            kit.desk.bulk.apply(key)
        kit.records.jobs.move(
            key, JobState.PAUSED, expected={JobState.PREVIEWED}, at=START
        )
        with pytest.raises(ReadOnlyError):
            kit.desk.bulk.resume(key)
        assert kit.desk.bulk.job(key).state is JobState.PAUSED


def test_a_job_can_be_paused_and_resumed(
    bulk: BulkDesk, dispatcher: FakeDispatcher
) -> None:
    key = previewed(bulk, ADDED)
    bulk.apply(key)
    bulk.pause(key)
    paused = bulk.job(key).state
    bulk.resume(key)
    assert paused is JobState.PAUSED
    assert bulk.job(key).state is JobState.QUEUED
    assert dispatcher.notified == [key, key, key]


@pytest.mark.parametrize(
    ("before", "after"),
    [(JobState.RUNNING, JobState.QUEUED), (JobState.PREVIEWED, JobState.PREVIEWED)],
)
def test_a_cancelled_job_is_resumed(
    bulk: BulkDesk, before: JobState, after: JobState
) -> None:
    key = previewed(bulk, ADDED)
    bulk.store.move(key, before, expected={JobState.PREVIEWED}, at=START)
    bulk.cancel(key)
    cancelled = bulk.job(key).state
    bulk.resume(key)
    assert cancelled is JobState.CANCELLED
    assert bulk.job(key).state == after


def test_the_preview_of_a_killed_process_can_be_continued(
    kit: DeskKit, bulk: BulkDesk
) -> None:
    job = a_job(
        "left",
        state=JobState.READING,
        item_count=2,
        message="1 recipient is left alone.",
    )
    kit.records.jobs.create(job, [ADDED, EMPTIED])
    is_read = bulk.engine.is_at_work("left")
    bulk.resume("left")
    complete = wait_for(bulk, "left", JobState.PREVIEWED)
    assert not is_read
    assert complete.read_items == 2
    assert complete.message == "1 recipient is left alone."


@pytest.mark.parametrize("action", ["pause", "resume"])
def test_actions_that_do_not_fit_the_state_are_refused(
    bulk: BulkDesk, action: str
) -> None:
    key = previewed(bulk, ADDED)
    bulk.apply(key)
    bulk.cancel(key)
    # No engine does this here.
    bulk.store.move(key, JobState.ENDED, expected={JobState.CANCELLED}, at=START)
    with pytest.raises(NotPossibleError, match="the job is ended"):
        getattr(bulk, action)(key)
    assert bulk.job(key).state is JobState.ENDED


@pytest.mark.parametrize(
    "action", ["job", "apply", "pause", "cancel", "resume", "retry_failed", "undo"]
)
def test_a_deleted_job_is_reported(bulk: BulkDesk, action: str) -> None:
    with pytest.raises(NotPossibleError, match="no longer exists"):
        getattr(bulk, action)("gone")


@pytest.mark.parametrize("action", ["retry_failed", "undo"])
def test_only_a_job_that_did_something_and_has_ended_is_retried_or_undone(
    bulk: BulkDesk, dispatcher: FakeDispatcher, action: str
) -> None:
    key = previewed(bulk, ADDED)
    take_up = getattr(bulk, action)
    with pytest.raises(NotPossibleError, match="no changes to make"):
        take_up(key)
    bulk.apply(key)
    with pytest.raises(NotPossibleError, match="still being processed"):
        take_up(key)
    bulk.cancel(key)
    dispatcher.working_on = key
    with pytest.raises(NotPossibleError, match="still being processed"):
        take_up(key)
    assert len(bulk.store.jobs()) == 1


def test_the_failed_rows_make_a_new_job(
    kit: DeskKit, bulk: BulkDesk, dispatcher: FakeDispatcher
) -> None:
    key = previewed(
        bulk,
        BulkItem(item=ITEM, exactly=frozenset("CD"), rows=((2,), (3,))),
        ADDED,
        title="List.xlsx",
    )
    rows = [row("C", Outcome.DONE), row("D", Outcome.REFUSED)]
    rows += [row("B", UNKNOWN, Goal.NOT_VISIBLE), row("A", IN_PLACE, Goal.NOT_VISIBLE)]
    kit.records.jobs.end_item(key, 0, rows)
    kit.records.jobs.end_item(key, 1, [row("C", Outcome.DONE)])
    bulk.store.move(key, JobState.ENDED, expected={JobState.PREVIEWED}, at=START)
    # So it is just after the end of a job was stored.
    dispatcher.working_on = key
    new = bulk.retry_failed(key)
    wait_for(bulk, new, JobState.PREVIEWED)
    (item,) = bulk.store.items(new)
    assert item.intent == BulkItem(
        item=ITEM, add=frozenset("D"), remove=frozenset("B"), rows=((2, 3), (3,))
    )
    assert bulk.job(new).retry_of == key
    assert bulk.job(new).title == "List.xlsx"


@pytest.mark.parametrize(
    ("asked", "failed", "result"),
    [
        (
            SET_TO_A,
            row("A", Outcome.REFUSED),
            ResultRow(SET_TO_A, "A", BulkAction.SET, Outcome.REFUSED, "refused!", (2,)),
        ),
        (
            EMPTIED,
            row("", Outcome.REFUSED, Goal.NOT_VISIBLE),
            ResultRow(
                EMPTIED, None, BulkAction.WITHDRAW, Outcome.REFUSED, "refused!", (4,)
            ),
        ),
    ],
    ids=["set", "withdrawn"],
)
def test_an_item_that_could_not_be_set_or_withdrawn_is_tried_again_as_a_whole(
    kit: DeskKit, bulk: BulkDesk, asked: BulkItem, failed: StepResult, result: ResultRow
) -> None:
    kit.fake.faults.append(Fault(READ, refused(403)))
    key = previewed(bulk, asked)
    kit.records.jobs.end_item(key, 0, [failed])
    bulk.cancel(key)
    assert bulk.store.items(bulk.retry_failed(key))[0].intent == asked
    assert tuple(bulk.results(key)) == (result,)


def test_undo_leaves_alone_what_was_changed_after_the_job(working: DeskKit) -> None:
    bulk = working.desk.bulk
    fake = working.fake
    key = ended(bulk, previewed(bulk, BulkItem(item=ITEM, add=frozenset("CDE"))))
    fake.time.sleep(600)
    fake.put(ITEM, "ABDE")
    working.desk.read(ITEM)
    fake.time.sleep(600)
    fake.put(ITEM, "ABCDE")
    working.desk.read(ITEM)
    undo = bulk.undo(key)
    job = wait_for(bulk, undo, JobState.PREVIEWED)
    assert bulk.store.items(undo)[0].intent.remove == frozenset("DE")
    assert (
        job.message
        == "Not undone: 1 recipient of 1 item, because they were changed again after "
        "the job."
    )


@pytest.mark.parametrize("is_of_retry", [False, True])
def test_undo_covers_a_job_and_its_retries(
    working: DeskKit, *, is_of_retry: bool
) -> None:
    bulk = working.desk.bulk
    fake = working.fake
    fake.faults.append(Fault(ADD, refused(), recipient_id="D"))
    first = ended(
        bulk,
        previewed(bulk, BulkItem(item=ITEM, add=frozenset("CD")), EMPTIED),
        count=2,
    )
    fake.time.sleep(600)
    retry = bulk.retry_failed(first)
    wait_for(bulk, retry, JobState.PREVIEWED)
    ended(bulk, retry)
    assert fake.recipients_of(ITEM) == frozenset("ABCD")
    assert fake.recipients_of(OTHER_ITEM) == frozenset()
    undo = bulk.undo(retry if is_of_retry else first)
    assert wait_for(bulk, undo, JobState.PREVIEWED).message == ""
    ended(bulk, undo)
    assert bulk.job(undo).is_verified
    assert fake.recipients_of(ITEM) == frozenset("AB")
    assert fake.recipients_of(OTHER_ITEM) == frozenset("XY")
    with pytest.raises(NotPossibleError, match="Not undone: 4 recipients of 2 items"):
        bulk.undo(first)


Attempt = tuple[Verdict | None, dict[str, Outcome]]


@pytest.mark.parametrize(
    ("attempts", "removed"),
    [
        (
            [
                (
                    Verdict.NOT_CONFIRMED,
                    {"x": UNKNOWN, "y": UNKNOWN, "z": Outcome.DONE},
                ),
                (
                    Verdict.NOT_CONFIRMED,
                    {"x": IN_PLACE, "y": UNKNOWN, "other": IN_PLACE},
                ),
            ],
            "xz",
        ),
        ([(None, {"x": UNKNOWN, "a": IN_PLACE})], "x"),
    ],
    ids=[
        "what was made, or found later",
        "what an attempt without an end may have made",
    ],
)
def test_undo_covers_several_attempts(attempts: list[Attempt], removed: str) -> None:
    saves = (
        SimpleNamespace(
            request=a_request(ITEM),
            verdict=verdict,
            steps=[
                StepResult(ChangeStep(recipient_id, Goal.VISIBLE), outcome)
                for recipient_id, outcome in steps.items()
            ],
        )
        for verdict, steps in attempts
    )
    undo, _ = undo_items((save, frozenset()) for save in saves)
    assert undo == (BulkItem(item=ITEM, remove=frozenset(removed)),)


@pytest.mark.parametrize("file_kind", FileKind)
def test_the_failed_rows_are_a_file_that_uploads_again_as_it_is(
    kit: DeskKit, bulk: BulkDesk, file_kind: FileKind
) -> None:
    odd = ItemKey(" S\u00a0", '=1+1 "quoted"; ,0123')
    asked = BulkItem(
        item=odd, add=frozenset({"0001", "ok"}), remove=frozenset({"\u0661", " B "})
    )
    key = previewed(bulk, asked, EMPTIED)
    rows = [row("ok", Outcome.DONE), row("0001", Outcome.REFUSED)]
    rows += [
        row("\u0661", Outcome.NOT_SENT, Goal.NOT_VISIBLE),
        row(" B ", UNKNOWN, Goal.NOT_VISIBLE),
    ]
    kit.records.jobs.end_item(key, 0, rows)
    kit.records.jobs.end_item(key, 1, [row("", Outcome.NOT_SENT, Goal.NOT_VISIBLE)])
    brought = BulkList.read(bulk.write_results(key, file_kind, outcomes=FAILED))
    understood = brought.understood()
    assert brought.table.header == COLUMNS
    assert understood.skipped == ()
    assert understood.items == (
        BulkItem(
            item=odd,
            add=frozenset({"0001"}),
            remove=frozenset({"\u0661", " B "}),
            rows=((2,), (3,), (4,)),
        ),
        BulkItem(item=OTHER_ITEM, exactly=frozenset(), rows=((5,),)),
    )


def test_a_file_has_all_results_by_default(kit: DeskKit, bulk: BulkDesk) -> None:
    many = frozenset(f"{number:04}" for number in range(1_200))
    put_names(
        kit.records.directory,
        items=[(ITEM, "", "Butter")],
        recipients=[("0000", "Shop")],
    )
    key = previewed(bulk, BulkItem(item=ITEM, add=many, rows=((2, 3, 4, 9),)))
    kit.records.jobs.end_item(
        key, 0, [row(recipient_id, Outcome.DONE) for recipient_id in sorted(many)]
    )
    table = BulkList.read(bulk.write_results(key, FileKind.CSV)).table
    assert [table_row.cells[2] for table_row in table.rows] == sorted(many)
    outcome = ("add", "verified", "done!")
    assert table.rows[0].cells == (
        ITEM.supplier,
        ITEM.supplier_item_id,
        "0000",
        *outcome,
        "2-4, 9",
        "Butter · Germany",
        "Shop",
    )


def test_a_result_has_the_row_of_its_recipient(kit: DeskKit, bulk: BulkDesk) -> None:
    text = "Supplier,Item,Recipient,Action\nS,1,A,set\nS,1,B,set\nS,1,A,set\n"
    key = previewed(bulk, *BulkList.read(text).understood().items)
    ended = [row(recipient_id, Outcome.DONE) for recipient_id in "ABX"]
    kit.records.jobs.end_item(key, 0, ended)
    rows = {result.recipient_id: result.rows for result in bulk.results(key)}
    assert rows == {"A": (2, 4), "B": (3,), "X": (2, 3, 4)}


def test_a_job_that_could_never_start_is_not_applied(
    kit: DeskKit, bulk: BulkDesk, dispatcher: FakeDispatcher
) -> None:
    key = previewed(bulk, ADDED)
    stopped = previewed(bulk, ADDED)
    kit.records.jobs.move(stopped, JobState.PAUSED, expected=set(JobState), at=START)
    dispatcher.refusal = RecordsError("No right.", advice="Let it.")
    with pytest.raises(RecordsError, match="No right"):
        bulk.apply(key)
    with pytest.raises(RecordsError, match="No right"):
        bulk.resume(stopped)
    states = [
        job.state for job in (bulk.store.job(key), bulk.store.job(stopped)) if job
    ]
    assert states == [JobState.PREVIEWED, JobState.PAUSED]
    assert dispatcher.notified == []


def begun_by_a_command(kit: DeskKit, dispatcher: FakeDispatcher) -> str:
    """Return the key of a job that a command began, and that a dashboard finds."""
    bulk = kit.desk.bulk
    dispatcher.origin = JobOrigin.COMMAND
    key = previewed(bulk, ADDED)
    bulk.apply(key)
    dispatcher.origin = JobOrigin.BULK_PAGE
    dispatcher.notified.clear()
    return key


@pytest.mark.parametrize(
    "state", [JobState.PREVIEWED, JobState.PAUSED, JobState.CANCELLED]
)
@pytest.mark.parametrize(
    "action", ["apply", "resume", "continue_interrupted", "drop_interrupted"]
)
def test_a_dashboard_does_not_continue_the_job_of_a_command(
    kit: DeskKit,
    bulk: BulkDesk,
    dispatcher: FakeDispatcher,
    action: str,
    state: JobState,
) -> None:
    key = begun_by_a_command(kit, dispatcher)
    bulk.store.move(key, state, expected=set(JobState), at=START)
    with pytest.raises(NotPossibleError, match="was started by a command"):
        getattr(bulk, action)(key)
    assert bulk.job(key).state is state
    assert dispatcher.notified == []


def test_a_command_does_not_apply_a_job_of_the_bulk_page(
    bulk: BulkDesk, dispatcher: FakeDispatcher
) -> None:
    key = previewed(bulk, ADDED)
    dispatcher.origin = JobOrigin.COMMAND
    with pytest.raises(NotPossibleError, match="was started on the Bulk page"):
        bulk.apply(key)
    assert bulk.job(key).state is JobState.PREVIEWED


@pytest.mark.parametrize("action", ["pause", "cancel"])
def test_a_dashboard_can_stop_the_job_of_a_command(
    kit: DeskKit, bulk: BulkDesk, dispatcher: FakeDispatcher, action: str
) -> None:
    key = begun_by_a_command(kit, dispatcher)
    getattr(bulk, action)(key)
    assert bulk.job(key).state in STOPPED


def test_a_cancelled_job_of_a_command_is_undone_only_after_the_command_has_stopped(
    kit: DeskKit, bulk: BulkDesk, dispatcher: FakeDispatcher
) -> None:
    key = begun_by_a_command(kit, dispatcher)
    bulk.store.end_item(key, 0, [row("C", Outcome.REFUSED)])
    bulk.cancel(key)
    with (
        bulk.store.claim(key, sleep=Mock()),
        pytest.raises(NotPossibleError, match="still being processed"),
    ):
        bulk.retry_failed(key)
    retry = bulk.job(bulk.retry_failed(key))
    assert retry.retry_of == key
    assert retry.origin is JobOrigin.BULK_PAGE


def test_a_job_is_interrupted_when_its_command_has_ended_before_the_job(
    kit: DeskKit, bulk: BulkDesk, dispatcher: FakeDispatcher
) -> None:
    key = begun_by_a_command(kit, dispatcher)
    of_page = previewed(bulk, ADDED)
    bulk.apply(of_page)
    job = bulk.job(key)
    with bulk.store.claim(key, sleep=Mock()):
        is_interrupted_meanwhile = bulk.is_interrupted(job)
    assert not is_interrupted_meanwhile
    assert bulk.is_interrupted(job)
    assert not bulk.is_interrupted(bulk.job(of_page))
    assert [job.key for job in bulk.interrupted()] == [key]
    bulk.store.move(key, JobState.ENDED, expected=set(JobState), at=START)
    assert not bulk.is_interrupted(job)


@pytest.mark.parametrize("file_kind", FileKind)
def test_rows_that_are_skipped_are_in_the_file_of_all_results_and_in_one_of_their_own(
    kit: DeskKit, bulk: BulkDesk, file_kind: FileKind
) -> None:
    skipped = SkippedRow(
        number=7,
        supplier="S",
        supplier_item_id="",
        recipients="R",
        action="add",
        reason="The item is empty.",
    )
    key = bulk.start_preview(
        [BulkItem(item=ITEM, add=frozenset({"X"}))], title="List", skipped=[skipped]
    )
    wait_for(bulk, key, JobState.PREVIEWED)
    kit.records.jobs.end_item(key, 0, [row("X", Outcome.REFUSED)])
    cells = (
        "S",
        "",
        "R",
        "add",
        "skipped",
        "Row 7 of the list: The item is empty.",
        "7",
        "",
        "",
    )
    everything = read_table(bulk.write_results(key, file_kind))
    alone = read_table(bulk.write_skipped(key, file_kind))
    failed = read_table(bulk.write_results(key, file_kind, outcomes=FAILED))
    assert [table_row.cells for table_row in everything.rows][1:] == [cells]
    assert [table_row.cells for table_row in alone.rows] == [cells]
    assert [table_row.cells[2] for table_row in failed.rows] == ["X"]
    assert bulk.job(key).skipped == 1
    assert bulk.store.skipped_rows(key) == (skipped,)


def test_items_and_recipients_that_the_directory_does_not_know_are_named(
    kit: DeskKit, bulk: BulkDesk
) -> None:
    kit.records.directory.remember([ITEM], ["A", "C"])
    key = previewed(bulk, replace(EMPTIED, exactly=frozenset("AQR")), ADDED)
    kit.records.directory[Kind.ITEM].forget(
        [(OTHER_ITEM.supplier, OTHER_ITEM.supplier_item_id)]
    )
    item = ("Item", OTHER_ITEM.supplier_item_id, OTHER_ITEM.supplier)
    assert bulk.not_in_directory(key) == [
        item,
        ("Recipient", "Q", ""),
        ("Recipient", "R", ""),
    ]
