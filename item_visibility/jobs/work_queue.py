"""The work queue. Its jobs survive when a process dies. Only this module uses DBOS.

A job is a DBOS workflow, and a chunk of its items is a step. docs/decisions/dbos.md
describes the division of work. Importing this module takes half a second, so import it
late and in a thread.
"""

import logging
import threading
import time
from dataclasses import dataclass
from uuid import uuid4

from dbos import (
    DBOS,
    DBOSConfig,
    DBOSPortableJSONSerializer,
    SetEnqueueOptions,
    SetWorkflowID,
)

from item_visibility.errors import RecordsError
from item_visibility.jobs.apply import JobRunner
from item_visibility.storage.database import JOBS_SCHEMA
from item_visibility.storage.private_files import make_private_database
from item_visibility.timeouts import QUEUE_CLOSING_POLL_S, QUEUE_POLL_S

logger = logging.getLogger(__name__)

VERSION = "1"
"""The version of the workflow below.

It never changes, so that jobs continue after an upgrade.
"""

_SEPARATOR = "/"

_OPEN: "dict[str, WorkQueue]" = {}
"""The queues of this process, by name. A workflow finds its runner here."""
_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job in the queue. `is_here` is true if this process works on the job.

    `beat` changes with each heartbeat, and is None while the job waits.
    """

    workflow_id: str
    job_key: str
    beat: int | None
    is_here: bool


class WorkQueue:
    """The job queue of one environment, for all processes.

    One job is worked on at a time.

    A process keeps the queues of all its environments in one database.
    """

    def __init__(self, name: str, runner: JobRunner, *, url: str) -> None:
        self.runner = runner
        self._name = name
        with _LOCK:
            _OPEN[name] = self
            try:
                self._listen(url)
            except BaseException:
                self._remove()
                raise

    def jobs(self) -> tuple[QueuedJob, ...]:
        """Return the jobs in the queue, also those of other processes."""
        workflows = DBOS.list_workflows(
            queue_name=self._name,
            status=["ENQUEUED", "PENDING"],
            load_input=False,
            load_output=False,
        )
        jobs = []
        for workflow in workflows:
            is_begun = workflow.status == "PENDING"
            job = QueuedJob(
                workflow_id=workflow.workflow_id,
                job_key=workflow.workflow_id.partition(_SEPARATOR)[0],
                beat=workflow.updated_at if is_begun else None,
                is_here=is_begun and workflow.executor_id == DBOS.executor_id,
            )
            jobs.append(job)
        return tuple(jobs)

    def put(self, job_key: str) -> None:
        """Add a job at the end of the queue, unless the queue already contains it."""
        once = SetEnqueueOptions(
            deduplication_id=job_key, duplication_policy="return-existing"
        )
        with SetWorkflowID(f"{job_key}{_SEPARATOR}{uuid4().hex}"), once:
            DBOS.enqueue_workflow(self._name, work_on_job, self._name, job_key)

    def beat(self, job: QueuedJob) -> None:
        """Send a heartbeat for a job."""
        DBOS.update_workflow_attributes(job.workflow_id, {})

    def take_over(self, job: QueuedJob) -> None:
        """Continue a job after its last finished step.

        DBOS stops other processes from working on it.
        """
        logger.warning(
            "Job %s continues, because the process that worked on it has ended",
            job.job_key,
        )
        DBOS.resume_workflow(job.workflow_id, queue_name=self._name)

    def close(self, *, within_s: float) -> None:
        """Wait until this process works on no job, and then close the queue.

        Wait at most `within_s`. Unfinished jobs continue at the next start. Closing the
        last queue also closes its database.
        """
        ends_at = time.monotonic() + within_s
        try:
            while (
                any(job.is_here for job in self.jobs()) and time.monotonic() < ends_at
            ):
                time.sleep(QUEUE_CLOSING_POLL_S)
        finally:
            with _LOCK:
                self._remove()

    def _listen(self, url: str) -> None:
        make_private_database(url)
        # Every call returns the one instance of this process.
        dbos = DBOS(config=_config(url))
        if len(_OPEN) == 1:
            DBOS.listen_queues([self._name])
            DBOS.launch()
        else:
            # DBOS 3.4 accepts no queue after its start. This is the list that it reads.
            queues = dbos._listening_queues or []  # noqa: SLF001
            queues.append(self._name)
        DBOS.register_queue(
            self._name,
            global_concurrency=1,
            polling_interval_sec=QUEUE_POLL_S,
            on_conflict="always_update",
        )

    def _remove(self) -> None:
        del _OPEN[self._name]
        if not _OPEN:
            DBOS.destroy(workflow_completion_timeout_sec=0)


@DBOS.workflow(name="bulk job")
def work_on_job(queue: str, job_key: str) -> None:
    """Work on a job until it has ended or is stopped."""
    while work_on_chunk(queue, job_key):
        pass


@DBOS.step(name="chunk")
def work_on_chunk(queue: str, job_key: str) -> bool:
    """Work on the next open items of a job. Return True when there are more."""
    work_queue = _OPEN.get(queue)
    if work_queue is None:
        return False
    try:
        return work_queue.runner.run_chunk(job_key)
    except RecordsError as error:
        logger.warning("Work on a job stops for now: %s", error.message)
        return False


def _config(url: str) -> DBOSConfig:
    return {
        "name": "item-visibility",
        "system_database_url": url,
        "dbos_system_schema": JOBS_SCHEMA,
        "application_version": VERSION,
        "executor_id": uuid4().hex,
        "log_level": "CRITICAL",
        "enable_otlp": False,
        "use_listen_notify": False,
        "sys_db_pool_size": 4,
        "serializer": DBOSPortableJSONSerializer(),
    }
