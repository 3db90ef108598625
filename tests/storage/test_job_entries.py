"""The saves that one bulk job made, on either database."""

import pytest

from item_visibility.storage.database import Database
from item_visibility.storage.history import search as history_search
from item_visibility.storage.history.saves import History
from item_visibility.storage.history.search import HistorySearch
from item_visibility.storage.seen_lists import ReadItem
from tests.storage.entries import ITEM, OTHER_ITEM, begin, minute, save


@pytest.fixture
def history(shared_records: Database, service: str) -> History:
    """The history of one service."""
    return History(shared_records, service=service)


@pytest.fixture
def search(shared_records: Database, service: str) -> HistorySearch:
    """A look into it."""
    return HistorySearch(shared_records, service=service)


def saves_of(search: HistorySearch, job_key: str = "job") -> list[tuple[str, set[str]]]:
    """The keys of its saves, each with what others changed after it."""
    return [(entry.request.key, set(changed)) for entry, changed in search.of_jobs([job_key])]


def test_only_the_saves_of_the_job_are_its_own(
    shared_records: Database, history: History, search: HistorySearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither those of jobs with similar keys, nor those of the same key elsewhere; the attempts in order."""
    monkeypatch.setattr(history_search, "PIECE", 2)
    elsewhere = History(shared_records, service="elsewhere")
    save(elsewhere, "job:0:1", add="X")
    for key in ("job:1:1", "job:0:2", "job:0:1", "job", "jo", "job-2:0:1", "job;0:1", "job2:0:1"):
        save(history, key, add="A")
    assert [key for key, _ in saves_of(search)] == ["job:0:1", "job:0:2", "job:1:1"]


def test_the_saves_tell_what_was_done(history: History, search: HistorySearch) -> None:
    """With steps and lists, also of one that is open."""
    save(history, "job:0:1", before="A", add="B")
    begin(history, "job:1:1", item=OTHER_ITEM, before="X", remove="X")
    (done, _), (open_, _) = search.of_jobs(["job"])
    assert (done.request.base, done.result.after, len(done.steps)) == (frozenset("A"), frozenset("AB"), 1)
    assert (open_.request.base, open_.result) == (frozenset("X"), None)


def test_what_others_changed_after_a_save_is_told(history: History, search: HistorySearch) -> None:
    """By a save here, or elsewhere; not what came before, nor at another item, nor by the job itself."""
    save(history, "before", at=0, before="", add="A")
    save(history, "job:0:1", at=1, before="A", add="BCD")
    save(history, "job:0:2", at=2, before="ABCD", add="E")
    save(history, "other-item", at=3, item=OTHER_ITEM, before="", add="B")
    save(history, "edit", at=4, before="ABCDE", remove="C")
    seen = ReadItem(item=ITEM, recipients=frozenset("ABE"), asked_at=minute(9), read_at=minute(9))
    history.seen.note_reads([seen])
    assert saves_of(search) == [("job:0:1", {"C", "D"}), ("job:0:2", {"C", "D"})]


def test_the_saves_of_a_job_and_its_retries_are_their_own(history: History, search: HistorySearch) -> None:
    """What a retry changed was not changed by others. The saves come job by job."""
    save(history, "job:0:1", at=1, before="A", add="BC")
    save(history, "retry:0:1", at=2, before="ABC", remove="B")
    save(history, "edit", at=3, before="AC", remove="C")
    saves = [(entry.request.key, set(changed)) for entry, changed in search.of_jobs(["job", "retry"])]
    assert saves == [("job:0:1", {"C"}), ("retry:0:1", {"C"})]


def test_a_job_that_saved_nothing_has_no_saves(search: HistorySearch) -> None:
    """The same as one that is not known."""
    assert saves_of(search) == []
