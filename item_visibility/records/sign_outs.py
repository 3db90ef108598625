"""Sign-ins that were ended by a sign-out: a window that still holds one signs nobody in."""

from datetime import datetime

from sqlalchemy import select

from item_visibility.people.person import Person
from item_visibility.records.database.connecting import Database
from item_visibility.records.database.tables import sign_out as table


class SignOuts:
    """The sign-outs of all processes on these records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def end(self, person: Person, *, at: datetime) -> None:
        """Record that this person's session ended, with every sign-in of it until now. RecordsError."""
        self._database.put(
            table,
            {
                "person": person.key,
                "session": person.session,
                "began_at": person.began_at,
                "ended_at": at,
            },
        )

    def is_ended(self, person: Person) -> bool:
        """True when this sign-in was ended, in this window or in another. RecordsError.

        A sign-in that came later in the same session is another one: only the times of the provider are
        compared, never with our own clock.
        """
        if person.began_at is None:
            return False
        row = self._database.row(
            select(table.c.began_at).where(table.c.person == person.key, table.c.session == person.session)
        )
        return row is not None and person.began_at <= row.began_at
