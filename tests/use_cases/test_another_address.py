"""An environment whose address changed: what was recorded at the one service is nothing of the other's."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.client.token import ClientCredentials
from item_visibility.saving.job import JobState
from item_visibility.saving.plan import plan_changes
from item_visibility.settings import Environment, Settings
from item_visibility.storage.directory import Kind
from item_visibility.storage.history import HistoryFilter
from item_visibility.use_cases.connection import examine
from item_visibility.use_cases.desk import Desk
from item_visibility_service.server import EmbeddedService
from tests.storage.jobs import a_job
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET, OperationLog, run_bundled, sqlite_url
from tests.support.desk import ITEM, OTHER_ITEM, a_request, saved_on, wait_until
from tests.support.fake_visibilities import START

pytestmark = pytest.mark.contract

READS = {"getVisibilities"}
STAYING = ("sets", "recents", "suppliers")


@pytest.fixture
def other_log() -> OperationLog:
    return OperationLog()


@pytest.fixture
def other_service(tmp_path: Path, other_log: OperationLog) -> Iterator[EmbeddedService]:
    (tmp_path / "other").mkdir()
    with run_bundled(sqlite_url(tmp_path / "other"), other_log) as running:
        yield running


def settings_of(service: EmbeddedService, tmp_path: Path) -> Settings:
    """The environment `default`, at this service."""
    environment = Environment(
        name="default",
        base_url=service.base_url,
        auth_url=service.auth_url,
        credentials=ClientCredentials(CLIENT_ID, CLIENT_SECRET),
    )
    return Settings(
        environments=(environment,),
        database_url=f"sqlite:///{tmp_path / 'records.sqlite'}",
        data_folder=tmp_path,
    )


def work_at(desk: Desk) -> None:
    """Save and name: leave something in every record, and a save open as a kill leaves it."""
    saved_on(desk, a_request(ITEM, key="saved", add={"A", "B"}))
    saved_on(desk, a_request(OTHER_ITEM, key="before", add={"C"}))
    saved_on(desk, a_request(OTHER_ITEM, key="removed", base={"C"}, remove={"C"}))
    desk.remember_use(ITEM)
    desk.sets.make("Retailers", {"A"})
    plan = plan_changes(ITEM, current=frozenset({"A", "B"}), add=frozenset({"E"}), remove=frozenset())
    desk.records.history.begin(a_request(ITEM, key="open", add={"E"}), plan, started_at=START)


def seen_at(desk: Desk) -> dict[str, object]:
    return {
        "history": list(desk.records.search.all(HistoryFilter())),
        "recents": desk.recent_items(),
        "suppliers": desk.names.first(Kind.SUPPLIER).choices,
        "recipients": list(desk.records.directory[Kind.RECIPIENT].all()),
        "sets": desk.records.sets.all(),
        "jobs": desk.bulk.store.jobs(),
    }


NOTHING = {
    "history": [],
    "recents": (),
    "suppliers": (),
    "recipients": [],
    "sets": (),
    "jobs": (),
}


def test_nothing_of_one_address_is_seen_or_written_at_another(
    service: EmbeddedService, other_service: EmbeddedService, other_log: OperationLog, tmp_path: Path
) -> None:
    at_a, at_b = settings_of(service, tmp_path), settings_of(other_service, tmp_path)
    with closing(open_desk(at_a)) as desk:
        work_at(desk)
        before = seen_at(desk)
    with closing(open_desk(at_b)) as desk:
        desk.read(ITEM)
        found = seen_at(desk)
    with closing(open_desk(at_a)) as desk:
        wait_until(lambda: "no save is open" in str(examine(desk, None).steps))
        again = seen_at(desk)
    assert found == NOTHING
    assert {run.operation_id for run in other_log.operations} <= READS
    assert [again[kept] for kept in STAYING] == [before[kept] for kept in STAYING]


def test_two_environments_at_one_address_share_what_happened_there(
    service: EmbeddedService, tmp_path: Path
) -> None:
    settings = settings_of(service, tmp_path)
    twin = replace(settings, environments=(replace(settings.environment(), name="twin"),))
    with closing(open_desk(settings)) as desk:
        saved_on(desk, a_request(ITEM, key="saved", add={"A"}))
        desk.bulk.store.create(a_job("job", state=JobState.PAUSED), ())  # no service is asked
    with closing(open_desk(twin)) as desk:
        status = desk.save_status("saved")
        jobs = desk.bulk.store.jobs()
    assert status is not None
    assert jobs == ()
