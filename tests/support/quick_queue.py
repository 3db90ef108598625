"""A work queue without pauses.

DBOS 3.4 looks for new queues, and for the signal to stop, once a second. A module
whose tests run jobs in this process imports `quick_queue`. A program started by tests
calls `hurry`.
"""

import threading
from collections.abc import Iterator
from typing import Any

import dbos._dbos
import pytest

from item_visibility.jobs import work_queue
from item_visibility.jobs.dispatcher import JobDispatcher

PAUSE_S = 0.03


@pytest.fixture(scope="module", autouse=True)
def quick_queue() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        hurry(patch)
        yield


def hurry(patch: pytest.MonkeyPatch) -> None:
    # There is no setting for these pauses.
    work_on_queues = dbos._dbos.queue_thread  # noqa: SLF001
    configure = work_queue._config  # noqa: SLF001

    def work_quickly(stopping: threading.Event, of: dbos.DBOS) -> None:
        work_on_queues(_Impatient(stopping), of)  # type: ignore[arg-type]  (has what DBOS uses of an event)

    def configure_quickly(url: str) -> dict[str, Any]:
        return {**configure(url), "notification_listener_polling_interval_sec": PAUSE_S}

    patch.setattr(dbos._dbos, "queue_thread", work_quickly)  # noqa: SLF001
    patch.setattr(work_queue, "_config", configure_quickly)
    patch.setitem(JobDispatcher.__init__.__kwdefaults__, "look_every_s", PAUSE_S)


class _Impatient:
    """An event whose waits are short."""

    def __init__(self, event: threading.Event) -> None:
        self._event = event

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, timeout: float) -> bool:
        return self._event.wait(min(timeout, PAUSE_S))
