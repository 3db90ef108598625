"""Desired lists, from the command line, with the real service and the real queue of jobs."""

import signal
import threading
from pathlib import Path

import pytest

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.lists.writer import write_csv
from item_visibility.saving.job import JobState
from item_visibility.saving.outcome import Outcome
from tests.cli.programs import run_program
from tests.contract.processes import settings_for
from tests.contract.wiring import open_fault_service
from tests.support.desk import wait_until
from tests.support.fault_service import CLIENT_ID, CLIENT_SECRET, Call, FaultKind
from tests.support.quick_queue import quick_queue

__all__ = ["quick_queue"]

pytestmark = pytest.mark.contract

HEADER = ("supplier", "item", "recipient")
SUPPLIER, NEW = "9521000010000", "9529999000007"
ITEMS = [f"item-{number}" for number in range(12)]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 1)])
def test_what_was_stopped_in_the_middle_is_ended_by_the_dashboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, status: int
) -> None:
    monkeypatch.setitem(JobDispatcher.__init__.__kwdefaults__, "dead_after_s", 1.0)
    writes, may_write = threading.Semaphore(0), threading.Event()

    def hold(call: Call) -> FaultKind | None:
        if call.operation != "getVisibilities":
            writes.release()
            may_write.wait(60)
        return None

    (tmp_path / "list.csv").write_bytes(write_csv(HEADER, [("S", item, "R") for item in ITEMS]))
    with open_fault_service() as service:
        service.choose_fault = hold
        line = (service.base_url, service.auth_url, str(tmp_path), f"sqlite:///{tmp_path / 'ours.sqlite'}")
        variables = {
            "ITEM_VISIBILITY_BASE_URL": line[0],
            "ITEM_VISIBILITY_AUTH_URL": line[1],
            "ITEM_VISIBILITY_CLIENT_ID": CLIENT_ID,
            "ITEM_VISIBILITY_CLIENT_SECRET": CLIENT_SECRET,
            "ITEM_VISIBILITY_DATABASE_URL": line[3],
        }
        command = ("apply", str(tmp_path / "list.csv"), "--yes")
        with run_program(*command, data_home=tmp_path, **variables) as program:
            assert writes.acquire(timeout=60)
            ended = program.end_with(number)
        may_write.set()
        desk = open_desk(settings_for(*line))
        (job,) = desk.bulk.store.jobs()
        resume = {JobState.PAUSED: desk.bulk.resume}.get(job.state, desk.bulk.store.job)
        resume(job.key)
        wait_until(lambda: desk.bulk.store.job(job.key).state is JobState.ENDED)  # type: ignore[union-attr]  (it is there)
        found = [(row.position, row.outcome) for row in desk.bulk.store.rows(job.key)]
        desk.close()
        recipients = [service.recipients_of("S", item) for item in ITEMS]

    assert (ended.status, ended.has_orphan) == (status, False)
    assert "Traceback" not in ended.output
    assert found == [(position, Outcome.DONE) for position in range(len(ITEMS))]
    assert recipients == [{"R"}] * len(ITEMS)
