"""Removing what is old, on either database."""

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.job import ItemPreview, JobItem, JobRow, JobState, RowOutcome
from item_visibility.changes.plan import Goal
from item_visibility.records.database.connecting import Database
from item_visibility.records.history import upkeep
from item_visibility.records.history.recorded_saves import History
from item_visibility.records.history.search import HistoryFilter, HistorySearch
from item_visibility.records.history.sightings import Sighting
from item_visibility.records.history.upkeep import HistoryUpkeep, recorded_services
from item_visibility.records.jobs.job_store import Jobs
from tests.records.entries import begin, minute, save
from tests.records.jobs import BrokenError, a_job, broken_off


def test_what_is_old_and_over_is_removed_piece_by_piece(
    records: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one service; open saves stay, and everything else reads as before."""
    monkeypatch.setattr(upkeep, "PIECE", 2)
    history = History(records, service="default")
    elsewhere = History(records, service="test")
    for number in range(5):
        save(history, f"old-{number}", at=number, item=ItemKey("S", str(number)), before="A", add="B")
    begin(history, "open", at=1, item=ItemKey("S", "open"), before="A", add="B")
    save(history, "new", at=60, item=ItemKey("S", "0"), before="AB", add="C")
    save(elsewhere, "elsewhere", at=1, before="AE", add="B")
    keeper = HistoryUpkeep(records, service="default")
    assert keeper.count_before(minute(30)) == 5
    assert keeper.remove_before(minute(30)) == 5
    left = list(HistorySearch(records, service="default").all(HistoryFilter()))
    assert [(entry.request.key, entry.request.base) for entry in left] == [
        ("new", frozenset("AB")),
        ("open", frozenset("A")),
    ]
    assert elsewhere.entry("elsewhere") is not None


def test_a_list_as_seen_last_outlives_its_entry(records: Database) -> None:
    """A later read is still compared with it."""
    history = History(records, service="default")
    item = ItemKey("S", "I")
    save(history, "old", at=0, item=item, before="A", add="B")
    HistoryUpkeep(records, service="default").remove_before(minute(30))
    later = Sighting(item=item, recipients=frozenset("AX"), asked_at=minute(40), seen_at=minute(40))
    history.note_reads([later])
    (entry,) = HistorySearch(records, service="default").all(HistoryFilter())
    assert (entry.request.base, entry.result.after) == (frozenset("AB"), frozenset("AX"))


def test_the_services_on_record_are_those_of_saves_and_of_jobs(records: Database) -> None:
    """Each once, whatever environment names it now."""
    save(History(records, service="saved"), "one", at=0, add="B")
    Jobs(records, service="previewed", environment="default").create(a_job("job", created_at=minute(0)), ())
    assert recorded_services(records) == {"saved", "previewed"}


def test_old_jobs_go_with_their_items_and_rows(
    shared_records: Database, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Piece by piece; those of another service stay."""
    monkeypatch.setattr(upkeep, "PIECE", 2)
    jobs, elsewhere = (
        Jobs(shared_records, service=service, environment="default"),
        Jobs(shared_records, service="elsewhere", environment="default"),
    )
    intents = [BulkItem(item=ItemKey("S", str(number)), add=frozenset("AB")) for number in range(5)]
    jobs.create(a_job("old", created_at=minute(0)), intents)
    elsewhere.create(a_job("old", created_at=minute(0)), intents)
    jobs.settle_item("old", 3, [a_row(3, recipient_id) for recipient_id in "ABCDE"])
    jobs.move("old", JobState.ENDED, expected={JobState.PREVIEWED}, at=minute(1))
    keeper = HistoryUpkeep(shared_records, service=service)
    assert keeper.count_jobs_before(minute(30)) == 1
    assert keeper.remove_jobs_before(minute(30)) == 1
    assert jobs.jobs(limit=9) == ()
    assert jobs.items("old", limit=9) == ()
    assert len(elsewhere.items("old", limit=9)) == 5


@pytest.mark.parametrize(
    ("state", "is_removed"),
    [
        (JobState.READING, True),
        (JobState.PREVIEWED, True),
        (JobState.QUEUED, False),
        (JobState.RUNNING, False),
        (JobState.WAITING, False),
        (JobState.PAUSED, False),
        (JobState.CANCELLED, True),
        (JobState.ENDED, True),
    ],
)
def test_a_job_that_may_still_do_something_stays(
    shared_records: Database, service: str, state: JobState, *, is_removed: bool
) -> None:
    """Its age does not matter; a preview that was never applied is forgotten."""
    jobs = Jobs(shared_records, service=service, environment="default")
    jobs.create(a_job("old", created_at=minute(0), state=state), ())
    assert HistoryUpkeep(shared_records, service=service).remove_jobs_before(minute(30)) == is_removed


def test_a_job_that_was_never_kept_as_a_whole_goes(shared_records: Database, service: str) -> None:
    """The program was ended while it was kept; nobody has seen it."""
    jobs = Jobs(shared_records, service=service, environment="default")
    with pytest.raises(BrokenError):
        jobs.create(a_job("old", created_at=minute(0)), broken_off())
    assert HistoryUpkeep(shared_records, service=service).remove_jobs_before(minute(30)) == 1


def test_a_job_is_as_old_as_its_end(shared_records: Database, service: str) -> None:
    """It may have been resumed after a long time."""
    jobs = Jobs(shared_records, service=service, environment="default")
    jobs.create(a_job("job", created_at=minute(0)), ())
    jobs.move("job", JobState.ENDED, expected={JobState.PREVIEWED}, at=minute(60))
    assert HistoryUpkeep(shared_records, service=service).remove_jobs_before(minute(30)) == 0


def test_lists_that_a_job_names_stay(shared_records: Database, service: str) -> None:
    """The job's requests and reads stay known, whatever goes from the history."""
    history, jobs = (
        History(shared_records, service=service),
        Jobs(shared_records, service=service, environment="default"),
    )
    save(history, "old", at=0, item=ItemKey("S", "0"), before="A", add="B")
    asked = BulkItem(item=ItemKey("S", "0"), exactly=frozenset("AB"))
    shown = ItemPreview(
        current=frozenset("AC"), read_at=minute(40), add=frozenset("B"), remove=frozenset("C")
    )
    jobs.create(a_job("job", created_at=minute(40), state=JobState.READING), [asked])
    jobs.put_previews("job", {0: shown})
    HistoryUpkeep(shared_records, service=service).remove_before(minute(30))
    assert jobs.items("job", limit=9) == (JobItem(position=0, intent=asked, preview=shown),)


def a_row(position: int, recipient_id: str) -> JobRow:
    """The row of one recipient."""
    goal, outcome = Goal.VISIBLE, RowOutcome.VERIFIED
    return JobRow(position=position, recipient_id=recipient_id, goal=goal, outcome=outcome)
