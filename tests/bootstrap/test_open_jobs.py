"""The dispatcher of jobs on the wired desk."""

import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.bootstrap.demo import SHOWN_FIRST
from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.jobs import work_queue
from item_visibility.jobs.apply import ApplyTask, ItemRows
from item_visibility.jobs.engine import Trouble
from item_visibility.saving.job import BulkItem, Job, JobItem, JobState
from item_visibility.saving.outcome import Outcome
from item_visibility.settings.settings import Settings, read_settings
from item_visibility.use_cases.desk import Desk
from tests.support.desk import ITEM, OTHER_ITEM, a_request, saved_on, wait_until
from tests.support.quick_queue import quick_queue

__all__ = ["quick_queue"]

pytestmark = pytest.mark.contract


def previewed(desk: Desk) -> str:
    """A job whose preview is there."""
    intent = BulkItem(item=ITEM, add=frozenset({"new"}))
    key = desk.bulk.start_preview([intent], title="a list")
    wait_until(lambda: job_of(desk, key).state is JobState.PREVIEWED)
    return key


def job_of(desk: Desk, key: str) -> Job:
    job = desk.bulk.store.job(key)
    assert job is not None
    return job


def test_a_job_is_done_and_its_save_is_in_the_history(settings: Settings) -> None:
    desk = open_desk(settings)
    key = previewed(desk)
    desk.bulk.apply(key)
    wait_until(lambda: job_of(desk, key).state is JobState.ENDED)
    outcomes, recipients = job_of(desk, key).outcomes, desk.read(ITEM).recipients
    desk.close()
    assert outcomes[Outcome.DONE] == 1
    assert recipients == {"new"}


def test_a_job_waits_where_writing_is_refused(settings: Settings) -> None:
    desk = open_desk(settings)
    key = previewed(desk)
    desk.close()
    others = set(threading.enumerate())
    read_only = replace(settings, environments=(replace(settings.environment(), is_read_only=True),))
    desk = open_desk(read_only)
    desk.bulk.store.move(
        key, JobState.QUEUED, expected=set(JobState), at=job_of(desk, key).created_at
    )  # no screen can
    state, recipients = job_of(desk, key).state, desk.read(ITEM).recipients
    threads = {thread.name for thread in threading.enumerate() if thread not in others}
    desk.close()
    assert (state, recipients) == (JobState.QUEUED, None)
    assert "jobs" not in threads


def settings_at(address: str, folder: Path) -> Settings:
    """An environment whose service is at this address."""
    variables = {
        "ITEM_VISIBILITY_BASE_URL": f"https://{address}.example.com/v1",
        "ITEM_VISIBILITY_AUTH_URL": "https://login.example.com",
        "ITEM_VISIBILITY_CLIENT_ID": "us",
        "ITEM_VISIBILITY_CLIENT_SECRET": "never-shown",
    }
    return read_settings(variables, data_folder=folder, may_be_demo=True)


def test_a_queue_is_of_one_environment_at_one_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test, production = settings_at("test", tmp_path), settings_at("production", tmp_path)
    twin = replace(test, environments=(replace(test.environment(), name="twin"),))
    desks = [open_desk(one) for one in (test, production, twin)]
    monkeypatch.setattr(work_queue, "WorkQueue", lambda name, _runner, *, url: (name, url))
    names = {desk.bulk.dispatcher._open_queue() for desk in desks}  # noqa: SLF001  (no job is there to open it)
    desks[0].close()
    desks[1].close()
    desks[2].close()
    assert len(names) == 3


def test_a_preview_is_read_and_another_item_saved_while_a_job_is_under_way(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on, work = threading.Event(), ApplyTask.work

    def work_later(task: ApplyTask, item: JobItem) -> ItemRows | Trouble:
        may_go_on.wait(60)
        return work(task, item)

    monkeypatch.setattr(ApplyTask, "work", work_later)
    may_go_on.set()
    with closing(open_desk(settings)) as desk:
        first = previewed(desk)
        may_go_on.clear()
        desk.bulk.apply(first)
        wait_until(lambda: job_of(desk, first).state is JobState.RUNNING)
        second = previewed(desk)
        saved = saved_on(desk, a_request(OTHER_ITEM, add={"r"}))
        states = job_of(desk, first).state, job_of(desk, second).state
        may_go_on.set()
        wait_until(lambda: job_of(desk, first).state is JobState.ENDED)
    assert states == (JobState.RUNNING, JobState.PREVIEWED)
    assert saved.result is not None
    assert saved.result.is_saved


def test_a_scan_reads_every_known_item_of_the_service(settings: Settings) -> None:
    desk = open_desk(settings)
    desk.scans.start(SHOWN_FIRST.supplier)
    scan = wait_until(
        lambda: (
            (found := desk.scans.progress(SHOWN_FIRST.supplier))
            and found.state is not JobState.READING
            and found
        )
    )
    seen = desk.records.seen.all(SHOWN_FIRST.supplier)
    desk.close()
    assert scan.state is JobState.ENDED
    assert scan.read_items == scan.item_count == len([one for one in seen if one.recipients is not None]) > 0
