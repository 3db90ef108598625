"""The wired desk, on the bundled service over real HTTP."""

import threading
from contextlib import closing
from pathlib import Path

import pytest

from item_visibility.bootstrap.open_desk import Use, open_desk
from item_visibility.errors import RecordsError, SettingsError
from item_visibility.saving import save_worker
from item_visibility.saving.outcome import Verdict
from item_visibility.saving.save_worker import SaveStatus
from item_visibility.settings.settings import Settings, read_settings
from item_visibility.storage.database import Database, open_records
from item_visibility.storage.saves import History
from item_visibility.use_cases.connection import examine
from item_visibility.use_cases.demo import DemoControls, DemoSwitches
from item_visibility.use_cases.desk import Desk
from item_visibility_service.server import EmbeddedService
from tests.bootstrap.conftest import configured
from tests.bootstrap.test_settle_interrupted import begin
from tests.support.desk import ITEM, a_request, saved_on, wait_until
from tests.support.slow_server import DRIPPING_BODY, SlowServer

pytestmark = pytest.mark.contract


def demo_of(desk: Desk) -> DemoControls:
    assert desk.demo is not None
    return desk.demo


def save_in_showcase(desk: Desk, *, add: set[str]) -> SaveStatus:
    """The item that the demo opens with, after these were added."""
    assert desk.showcase is not None
    base = desk.read(desk.showcase).recipients or ()
    return saved_on(desk, a_request(desk.showcase, base=base, add=add))


def test_a_demo_opens_on_a_filled_item(desk: Desk) -> None:
    assert desk.showcase is not None
    recipients = desk.read(desk.showcase).recipients
    assert recipients is not None
    assert len(recipients) == 12
    assert desk.environment.base_url.startswith("http://127.0.0.1:")
    assert desk.names.supplier_name(desk.showcase.supplier) != ""
    assert desk.names.item_name(desk.showcase) != ""
    assert len(desk.names.recipient_names(recipients)) == 12


def test_history_and_service_of_a_demo_agree_after_a_restart(settings: Settings) -> None:
    first = open_desk(settings)
    before = save_in_showcase(first, add={"4000001000005"})
    first.close()

    second = open_desk(settings)
    assert second.showcase is not None
    recipients = second.read(second.showcase).recipients
    after = second.save_status(before.request.key)
    second.close()

    assert recipients is not None
    assert "4000001000005" in recipients
    assert after is not None
    assert after.result == before.result


def test_a_demo_has_switches_and_begins_afresh_after_a_reset(desk: Desk) -> None:
    assert desk.showcase is not None
    demo = demo_of(desk)
    before = desk.read(desk.showcase).recipients or frozenset()
    assert desk.read(ITEM).recipients is None

    demo.someone_else_edits(desk.showcase)
    demo.set_switches(DemoSwitches(empty_is_not_found=False))
    after, empty = desk.read(desk.showcase).recipients or frozenset(), desk.read(ITEM).recipients
    demo.reset()

    assert (len(after - before), len(before - after), empty) == (1, 1, frozenset())
    assert demo.read_switches() == DemoSwitches()
    assert desk.read(desk.showcase).recipients == before


def test_a_configured_service_is_worked_with(service: EmbeddedService, tmp_path: Path) -> None:
    desk = open_desk(configured(service, tmp_path))
    status = saved_on(desk, a_request(ITEM, add={"A"}))
    report = examine(desk, ITEM)
    desk.close()

    assert (desk.environment.name, desk.demo, desk.showcase) == ("default", None, None)
    assert status.result is not None
    assert status.result.verdict is Verdict.VERIFIED
    assert report.is_ok


def test_open_saves_of_an_earlier_run_are_settled(service: EmbeddedService, tmp_path: Path) -> None:
    settings = configured(service, tmp_path)
    leave_open(settings)

    desk = open_desk(settings)
    wait_until(lambda: "no save is open" in str(examine(desk, None).steps))
    status = desk.save_status("open")
    desk.close()

    assert status is not None
    assert status.result is not None
    assert status.result.after == frozenset()


def test_a_look_settles_nothing(service: EmbeddedService, tmp_path: Path) -> None:
    settings = configured(service, tmp_path)
    leave_open(settings)
    desk = open_desk(settings, use=Use.LOOK)
    report = examine(desk, None)
    desk.close()
    assert "open saves: 1" in str(report.steps)


def test_jobs_that_cannot_be_done_are_logged_at_the_start(
    service: EmbeddedService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(_records: Database) -> None:
        raise RecordsError("Bulk jobs cannot be applied here: no right.", advice="Let it.")

    monkeypatch.setattr(Database, "check_queue", refuse)
    with closing(open_desk(configured(service, tmp_path))) as desk:
        report = examine(desk, ITEM)
    assert "Bulk jobs cannot be applied here: no right. Let it." in caplog.text
    assert [step.summary for step in report.steps if not step.is_ok] == [
        "Bulk jobs cannot be applied here: no right. Let it."
    ]


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file is in the way", "utf-8")
    with pytest.raises(SettingsError, match="cannot be written") as caught:
        open_desk(read_settings({}, data_folder=tmp_path / "data", may_be_demo=True))
    assert str(tmp_path / "data") in caught.value.message
    assert "ITEM_VISIBILITY_DATABASE_URL" in caught.value.advice


@pytest.mark.parametrize(
    ("file", "error"), [("demo-service.sqlite", SettingsError), ("records.sqlite", RecordsError)]
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


def leave_open(settings: Settings) -> None:
    settings.data_folder.mkdir(parents=True, exist_ok=True)
    records = open_records(settings.database_url)
    begin(History(records, service=settings.environment().service), ITEM, key="open")
    records.close()


def test_a_desk_is_closed_while_a_save_waits_for_a_service_that_drips(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(save_worker, "SAVES_END_WITHIN_S", 0.02)
    with closing(SlowServer(DRIPPING_BODY)) as server:
        desk = open_desk(configured(server, tmp_path), use=Use.LOOK)
        desk.save(a_request(ITEM, add={"r"}))
        assert server.has_begun.wait(60)
        desk.close()
        status = desk.save_status("key-1")
    assert status is not None
    assert status.result is not None
    assert not status.result.is_saved
