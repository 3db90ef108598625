"""Which processes work on jobs now: each one shows, again and again, that it is alive."""

from sqlalchemy import delete, select

from item_visibility.records.database import Database
from item_visibility.records.job_schema import job_worker
from item_visibility.records.upsert import insert_or_update


class Presence:
    """The processes of all environments that share this database, by names of their own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def show(self, worker: str, *, beat: int) -> None:
        """Keep that this process is alive: a number that is another one each time."""
        with self._database.write() as connection:
            connection.execute(insert_or_update(connection, job_worker), {"worker": worker, "beat": beat})

    def beats(self) -> dict[str, int]:
        """The number that each process showed last."""
        with self._database.read() as connection:
            rows = connection.execute(select(job_worker.c.worker, job_worker.c.beat)).all()
        return {row.worker: row.beat for row in rows}

    def leave(self, worker: str) -> None:
        """Forget a process that has ended."""
        with self._database.write() as connection:
            connection.execute(delete(job_worker).where(job_worker.c.worker == worker))
