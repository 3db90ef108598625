"""The durable queue of jobs: the only module that knows DBOS. Why it is used: docs/decisions/dbos.md.

A job is a workflow, a chunk of its items a step. There is one DBOS in a process. Importing this takes
half a second, so only who works on jobs does it, in a thread.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar
from uuid import uuid4

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetEnqueueOptions, SetWorkflowID

from item_visibility.errors import RecordsError
from item_visibility.jobs.runner import CHUNK_ITEMS, JobRunner
from item_visibility.records.database import JOBS_SCHEMA
from item_visibility.records.private_files import make_private_database

logger = logging.getLogger(__name__)
_T = TypeVar("_T")

VERSION = "1"
"""Of the workflow below, not of this program: after an upgrade the jobs that were begun go on."""

POLL_S = 0.25
ENDED, LEFT = "ended", "left"
_ACTIVE = ["ENQUEUED", "PENDING"]
_SEPARATOR = "/"


class Place:
    """A runner in this process, and how many workflows use it; `on_left` is told when one does no more."""

    def __init__(self, runner: JobRunner, *, on_left: Callable[[], None]) -> None:
        self.runner = runner
        self._on_left = on_left
        self._users = 0
        self._changed = threading.Condition()

    @contextmanager
    def in_use(self) -> Iterator[JobRunner]:
        """The runner, for one workflow."""
        with self._changed:
            self._users += 1
        try:
            yield self.runner
        finally:
            with self._changed:
                self._users -= 1
                self._changed.notify_all()
            self._on_left()

    def wait_until_idle(self, timeout_s: float) -> None:
        """Return when no workflow uses it, or when the time is over."""
        with self._changed:
            self._changed.wait_for(lambda: not self._users, timeout_s)


_PLACES: dict[str, Place] = {}
"""Of this process, by the queue of their environment: a workflow finds its runner here."""


@dataclass(frozen=True, slots=True)
class ActiveJob:
    """A job that stands in a queue; `worker` is the process that works on it, None while nobody does."""

    workflow_id: str
    queue: str
    job_key: str
    worker: str | None


class Queues:
    """The queues that this process works on, one an environment, all kept in the same database.

    `worker` is a name that no other process has, nor this one after a restart.
    """

    def __init__(self, *, worker: str, url: str) -> None:
        self.url = url
        self._worker = worker
        self._dbos: DBOS | None = None

    @property
    def is_open(self) -> bool:
        """True while it works on any."""
        return self._dbos is not None

    def add(self, queue: str, runner: JobRunner, *, on_left: Callable[[], None]) -> Place:
        """Work on the jobs of one more queue; the first one opens the database."""
        place = _PLACES[queue] = Place(runner, on_left=on_left)
        try:
            self._listen(queue)
        except BaseException:
            self.remove(queue)
            raise
        return place

    def remove(self, queue: str) -> None:
        """Work on this queue no more; what has not ended is found again at the next start.

        The last one closes the database.
        """
        del _PLACES[queue]
        if not _PLACES:
            self._dbos = None
            DBOS.destroy(workflow_completion_timeout_sec=0)

    def _listen(self, queue: str) -> None:
        if self._dbos is None:
            make_private_database(self.url)
            self._dbos = DBOS(config=_config(self._worker, self.url))
            DBOS.listen_queues([queue])
            DBOS.launch()
        else:  # dbos 3.4 takes no queue after its start
            (self._dbos._listening_queues or []).append(queue)  # noqa: SLF001  (it is the list that it looks into)
        DBOS.register_queue(
            queue, global_concurrency=1, polling_interval_sec=POLL_S, on_conflict="always_update"
        )

    def active(self, queue: str) -> tuple[ActiveJob, ...]:
        """The jobs that stand in a queue, whoever put them there."""
        found = DBOS.list_workflows(queue_name=queue, status=_ACTIVE, load_input=False, load_output=False)
        return tuple(
            ActiveJob(
                one.workflow_id,
                queue,
                one.workflow_id.partition(_SEPARATOR)[0],
                one.executor_id if one.status == "PENDING" else None,
            )
            for one in found
        )

    def put(self, queue: str, job_key: str) -> None:
        """Put a job at the end of its queue; nothing happens when another process did so just now."""
        workflow_id = f"{job_key}{_SEPARATOR}{uuid4().hex}"
        once = SetEnqueueOptions(deduplication_id=job_key, duplication_policy="return-existing")
        with SetWorkflowID(workflow_id), once:
            DBOS.enqueue_workflow(queue, work_on_job, queue, job_key)

    def take_over(self, jobs: Iterable[ActiveJob]) -> None:
        """Have jobs go on that a dead process worked on, after the last step that it finished."""
        for job in jobs:
            logger.warning("Job %s goes on: the process that worked on it is gone", job.job_key)
            DBOS.resume_workflow(job.workflow_id, queue_name=job.queue)


@DBOS.workflow(name="bulk job")
def work_on_job(queue: str, job_key: str) -> str:
    """Work on a job, chunk by chunk; says whether it ended, or is left to whoever finds it under way."""
    place = _PLACES.get(queue)
    if place is None:
        return LEFT
    with place.in_use():
        return ENDED if _is_worked_through(queue, job_key) else LEFT


def _is_worked_through(queue: str, job_key: str) -> bool:
    begun = begin(queue, job_key)
    if begun is None:
        return False
    first, count = begun
    chunks = range(first, count, CHUNK_ITEMS)
    return all(work_on_items(queue, job_key, at) for at in chunks) and finish(queue, job_key)


@DBOS.step(name="begin")
def begin(queue: str, job_key: str) -> list[int] | None:
    """The position of the first item that has not ended, and how many items there are; None to leave it."""
    return _with_runner(queue, lambda runner: _begun(runner, job_key), otherwise=None)


@DBOS.step(name="items")
def work_on_items(queue: str, job_key: str, first: int) -> bool:
    """Work on one chunk of items; True when all of them have ended."""
    last = first + CHUNK_ITEMS - 1
    return _with_runner(queue, lambda runner: runner.run_chunk(job_key, first, last), otherwise=False)


@DBOS.step(name="finish")
def finish(queue: str, job_key: str) -> bool:
    """End the job."""
    return _with_runner(queue, lambda runner: runner.finish(job_key), otherwise=False)


def _begun(runner: JobRunner, job_key: str) -> list[int] | None:
    job = runner.begin(job_key)
    return None if job is None else [runner.first_open(job), job.item_count]


def _with_runner(queue: str, act: Callable[[JobRunner], _T], *, otherwise: _T) -> _T:
    """What the runner makes of it; the other when it, or our own database, is away."""
    place = _PLACES.get(queue)
    if place is None:
        return otherwise
    try:
        return act(place.runner)
    except RecordsError as error:
        logger.warning("A job is left for now: %s", error.message)
        return otherwise


def _config(worker: str, url: str) -> DBOSConfig:
    """Nothing is told to anybody outside: no telemetry, no console, and no log but ours."""
    return {
        "name": "item-visibility",
        "system_database_url": url,
        "dbos_system_schema": JOBS_SCHEMA,
        "application_version": VERSION,
        "executor_id": worker,
        "log_level": "CRITICAL",
        "enable_otlp": False,
        "use_listen_notify": False,
        "sys_db_pool_size": 4,
        "serializer": DBOSPortableJSONSerializer(),
    }
