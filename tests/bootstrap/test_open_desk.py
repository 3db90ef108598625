"""The desk as `bootstrap` builds it, on the bundled service over HTTP.

It never shows a secret.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from item_visibility.bootstrap.demo import SHOWN_FIRST
from item_visibility.bootstrap.open_desk import Use, open_desk
from item_visibility.errors import RecordsError, SettingsError
from item_visibility.jobs import work_queue
from item_visibility.jobs.apply import ApplyTask
from item_visibility.jobs.engine import Trouble
from item_visibility.lists.reader import read_table
from item_visibility.model.change import ChangeKind, ChangeRequest
from item_visibility.model.job import BulkItem, JobItem, JobState
from item_visibility.model.outcome import StepResult, Verdict
from item_visibility.saving import save_worker
from item_visibility.settings import Settings, read_settings
from item_visibility.storage.database import Database
from item_visibility.storage.history import History, HistoryFilter, HistoryLine
from item_visibility.storage.open_records import open_records
from item_visibility.use_cases.connection_check import examine, report_ticket
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import write_history
from item_visibility.use_cases.ticket import ticket_of_item, ticket_of_save
from item_visibility_service.server import EmbeddedService
from item_visibility_service.switches import Switches
from tests.settings.test_settings import ENVIRON, SECRETS, TOML, read
from tests.storage.entries import begin
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET
from tests.support.desk import ITEM, OTHER_ITEM, a_request, saved_on, wait_until
from tests.support.quick_queue import quick_queue
from tests.support.slow_server import DRIPPING_BODY, SlowServer

__all__ = ["quick_queue"]

pytestmark = pytest.mark.contract


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings without configuration, with a data folder for the test."""
    return read_settings({}, data_folder=tmp_path / "data", may_be_demo=True)


def configured(base_url: str, auth_url: str, folder: Path) -> Settings:
    variables = {
        "ITEM_VISIBILITY_BASE_URL": base_url,
        "ITEM_VISIBILITY_AUTH_URL": auth_url,
        "ITEM_VISIBILITY_CLIENT_ID": CLIENT_ID,
        "ITEM_VISIBILITY_CLIENT_SECRET": CLIENT_SECRET,
    }
    return read_settings(variables, data_folder=folder / "data")


def history_of(desk: Desk) -> tuple[HistoryLine, ...]:
    return desk.records.history.lines(HistoryFilter(), limit=100)


def test_a_new_demo_gets_its_sample_history_once(settings: Settings) -> None:
    with closing(open_desk(settings)) as desk:
        lines = history_of(desk)
        seen = desk.records.seen.all(SHOWN_FIRST.supplier)
        sets = [stored_set.name for stored_set in desk.records.sets.all()]
        (withdrawn,) = (
            line for line in lines if line.reason == "QA-311: recall of one batch"
        )
        assert desk.read(withdrawn.item).recipients is None
    with closing(open_desk(settings)) as again:
        assert history_of(again) == lines
    saved = [line for line in lines if line.kind is not ChangeKind.OBSERVED]
    now = datetime.now(UTC)
    assert len(saved) == 9
    assert all(line.reason and line.added + line.removed for line in saved)
    assert all(now - timedelta(days=40) < line.started_at < now for line in saved)
    assert {line.verdict for line in saved} == {Verdict.VERIFIED}
    assert {line.person for line in saved} == {
        "Jana Peters",
        "Marie Blanc",
        "Tomasz Lis",
    }
    assert {line.kind for line in saved} == {ChangeKind.EDIT, ChangeKind.UNDO}
    assert (
        20 < len([item for item in seen if item.seen_at is not None]) < 30 < len(seen)
    )
    assert sets == ["Online shops", "Supermarkets"]


def test_a_check_of_the_connection_and_a_read_only_demo_get_no_sample_history(
    settings: Settings, tmp_path: Path
) -> None:
    read_only = read_settings(
        {"ITEM_VISIBILITY_READ_ONLY": "true"},
        data_folder=tmp_path / "read only",
        may_be_demo=True,
    )
    with (
        closing(open_desk(settings, use=Use.LOOK)) as looking,
        closing(open_desk(read_only)) as reading,
    ):
        assert history_of(looking) == ()
        assert history_of(reading) == ()
        assert reading.demo is None


def test_history_and_service_of_a_demo_agree_after_a_restart(
    settings: Settings,
) -> None:
    with closing(open_desk(settings)) as first:
        base = first.read(SHOWN_FIRST).recipients
        before = saved_on(
            first, a_request(SHOWN_FIRST, base=base, add={"4000001000005"})
        )
    with closing(open_desk(settings)) as second:
        assert second.showcase == SHOWN_FIRST
        assert second.read(SHOWN_FIRST).recipients == base | {"4000001000005"}
        assert second.save_status(before.request.key).result == before.result


def test_a_demo_has_switches_and_can_be_reset(settings: Settings) -> None:
    with closing(open_desk(settings)) as desk:
        demo = desk.demo
        before = desk.read(SHOWN_FIRST).recipients
        assert desk.read(ITEM).recipients is None
        demo.someone_else_edits(SHOWN_FIRST)
        demo.set_switches(Switches(empty_is_not_found=False))
        after = desk.read(SHOWN_FIRST).recipients
        empty = desk.read(ITEM).recipients
        demo.reset()
        assert len(after - before) == 1
        assert len(before - after) == 1
        assert empty == frozenset()
        assert demo.read_switches() == Switches()
        assert desk.read(SHOWN_FIRST).recipients == before


def leave_open(settings: Settings) -> None:
    settings.data_folder.mkdir(parents=True, exist_ok=True)
    with closing(open_records(settings.database_url)) as records:
        begin(History(records, service=settings.environment().service), "open", add="A")


def test_interrupted_saves_are_settled_at_the_start_unless_only_checking_the_connection(
    service: EmbeddedService, tmp_path: Path
) -> None:
    settings = configured(service.base_url, service.auth_url, tmp_path)
    leave_open(settings)
    with closing(open_desk(settings, use=Use.LOOK)) as desk:
        assert "Unfinished saves: 1" in str(examine(desk, None).steps)
    with closing(open_desk(settings)) as desk:
        wait_until(lambda: "Unfinished saves: 0" in str(examine(desk, None).steps))
        assert desk.save_status("open").result.after == frozenset()


def test_an_unusable_queue_is_logged_at_the_start(
    service: EmbeddedService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(_records: Database) -> None:
        raise RecordsError(
            "Bulk jobs cannot be applied here: no right.", advice="Let it."
        )

    monkeypatch.setattr(Database, "check_queue", refuse)
    with closing(
        open_desk(configured(service.base_url, service.auth_url, tmp_path))
    ) as desk:
        report = examine(desk, ITEM)
    assert "Bulk jobs cannot be applied here: no right. Let it." in caplog.text
    assert [step.summary for step in report.steps if not step.is_ok] == [
        "Bulk jobs cannot be applied here: no right. Let it."
    ]


def test_a_folder_that_cannot_be_written_is_an_error(settings: Settings) -> None:
    settings.data_folder.write_text("a file is in the way", "utf-8")
    with pytest.raises(SettingsError, match="cannot be written") as caught:
        open_desk(settings)
    assert str(settings.data_folder) in caught.value.message
    assert "ITEM_VISIBILITY_DATABASE_URL" in caught.value.advice


@pytest.mark.parametrize(
    ("file", "error"),
    [("demo-service.sqlite", SettingsError), ("records.sqlite", RecordsError)],
)
def test_an_invalid_database_is_an_error_and_leaves_nothing_running(
    settings: Settings, file: str, error: type[Exception]
) -> None:
    settings.data_folder.mkdir()
    (settings.data_folder / file).write_bytes(b"this is no database" * 1000)
    before = set(threading.enumerate())
    with pytest.raises(error):
        open_desk(settings)
    left = {thread.name for thread in set(threading.enumerate()) - before}
    assert "item-visibility-service" not in left


def test_a_desk_can_be_closed_while_a_slow_answer_arrives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(save_worker, "SAVES_END_WITHIN_S", 0.02)
    with closing(SlowServer(DRIPPING_BODY)) as server:
        desk = open_desk(
            configured(server.base_url, server.auth_url, tmp_path), use=Use.LOOK
        )
        desk.save(a_request(ITEM, add={"r"}, environment=desk.environment.name))
        assert server.has_begun.wait(60)
        desk.close()
        assert desk.save_status("key-1").result.verdict is not Verdict.VERIFIED


def state_of(desk: Desk, key: str) -> JobState:
    return desk.bulk.job(key).state


def previewed(desk: Desk) -> str:
    key = desk.bulk.start_preview(
        [BulkItem(item=ITEM, add=frozenset({"new"}))], title="a list"
    )
    wait_until(lambda: state_of(desk, key) is JobState.PREVIEWED)
    return key


def test_a_job_waits_while_the_environment_is_read_only(settings: Settings) -> None:
    with closing(open_desk(settings)) as desk:
        key = previewed(desk)
    others = set(threading.enumerate())
    read_only = replace(
        settings, environments=(replace(settings.environment(), is_read_only=True),)
    )
    with closing(open_desk(read_only)) as desk:
        # A screen cannot do this.
        desk.bulk.store.move(
            key,
            JobState.QUEUED,
            expected=set(JobState),
            at=desk.bulk.job(key).created_at,
        )
        assert state_of(desk, key) is JobState.QUEUED
        assert desk.read(ITEM).recipients is None
        assert "jobs" not in {
            thread.name for thread in set(threading.enumerate()) - others
        }


@pytest.mark.parametrize("use", [Use.COMMAND, Use.LOOK])
def test_a_command_leaves_other_jobs_alone_and_opens_no_queue(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, use: Use
) -> None:
    with closing(open_desk(settings)) as desk:
        key = previewed(desk)
    monkeypatch.setattr(work_queue, "WorkQueue", None)
    others = set(threading.enumerate())
    with closing(open_desk(settings, use=use)) as desk:
        desk.bulk.store.move(
            key,
            JobState.QUEUED,
            expected=set(JobState),
            at=desk.bulk.job(key).created_at,
        )
        desk.bulk.dispatcher.notify(key)
        started = {thread.name for thread in set(threading.enumerate()) - others}
        assert state_of(desk, key) is JobState.QUEUED
        assert started.isdisjoint({"jobs", "job"})


def test_each_environment_and_service_has_its_own_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test, production = (
        configured(
            f"https://{name}.example.com/v1", "https://login.example.com", tmp_path
        )
        for name in ("test", "production")
    )
    twin = replace(test, environments=(replace(test.environment(), name="twin"),))
    monkeypatch.setattr(
        work_queue, "WorkQueue", lambda name, _runner, *, url: (name, url)
    )
    names = set()
    for each_settings in (test, production, twin):
        with closing(open_desk(each_settings)) as desk:
            names.add(desk.bulk.dispatcher.open_queue())
    assert len(names) == 3


def test_a_preview_and_a_save_work_while_a_job_runs(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()
    work = ApplyTask.work

    def work_later(task: ApplyTask, item: JobItem) -> tuple[StepResult, ...] | Trouble:
        may_go_on.wait(60)
        return work(task, item)

    monkeypatch.setattr(ApplyTask, "work", work_later)
    with closing(open_desk(settings)) as desk:
        first = previewed(desk)
        desk.bulk.apply(first)
        wait_until(lambda: state_of(desk, first) is JobState.RUNNING)
        second = previewed(desk)
        saved = saved_on(desk, a_request(OTHER_ITEM, add={"r"}))
        assert state_of(desk, first) is JobState.RUNNING
        assert state_of(desk, second) is JobState.PREVIEWED
        assert saved.result.verdict is Verdict.VERIFIED
        may_go_on.set()
        wait_until(lambda: state_of(desk, first) is JobState.ENDED)
        assert desk.read(ITEM).recipients == {"new"}


def settings_of(service: EmbeddedService, folder: Path) -> Settings:
    """Return settings with every kind of secret.

    They have no sign-in, so that the local user may work.
    """
    variables = {
        "BASE_URL": service.base_url,
        "AUTH_URL": service.auth_url,
        "CLIENT_ID": CLIENT_ID,
    }
    variables |= {
        "CLIENT_SECRET": CLIENT_SECRET,
        "DATABASE_URL": f"sqlite:///{folder}/records.sqlite",
    }
    environ = ENVIRON | {
        f"ITEM_VISIBILITY_{name}": value for name, value in variables.items()
    }
    return replace(read(folder, environ, TOML), sign_in=None)


def work(desk: Desk, request: ChangeRequest) -> Iterator[str]:
    saved_on(desk, request)
    tickets = (
        ticket_of_item(desk, ITEM),
        ticket_of_save(desk, request.key),
        report_ticket(examine(desk, ITEM), base_url=desk.environment.base_url),
    )
    for a_ticket in tickets:
        yield a_ticket.text + a_ticket.curl + a_ticket.json.decode()
    yield str(read_table(write_history(desk.records.history.all(HistoryFilter()))))
    yield repr((desk.environment, desk.save_status(request.key), vars(desk)))


def test_no_secret_is_shown_while_the_program_works(
    service: EmbeddedService, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    settings = settings_of(service, tmp_path)
    with closing(open_desk(settings)) as desk:
        ticket_of_item(desk, ITEM)
        own = [CLIENT_SECRET, *desk.environment.credentials.tokens]
        request = replace(a_request(ITEM, add={"A"}), reason=" and ".join(own))
        handed_out = "".join(work(desk, request))
        secrets = [*SECRETS, *own, *desk.environment.credentials.tokens]
    assert len(own) == 2
    assert [secret for secret in secrets if secret in handed_out + caplog.text] == []
    assert "[hidden]" in handed_out
