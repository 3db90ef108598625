"""Sign-ins that were ended. A browser window that uses one is signed out."""

from datetime import datetime

import sqlalchemy as sa

from item_visibility.access.people import Person
from item_visibility.model.folding import comparable
from item_visibility.storage.database import Database
from item_visibility.storage.schema import sign_out

_EVERY_SESSION = ""
_EVERYBODY = ""


class SignOuts:
    """The sign-outs of all processes that share this database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def end(self, person: Person, *, at: datetime) -> None:
        """End this sign-in and the person's earlier sign-ins in the same session.

        Raises RecordsError.
        """
        values = {
            "person": person.key,
            "session": person.session,
            "began_at": person.began_at,
            "ended_at": at,
        }
        self._database.put(sign_out, values)

    def end_every(self, name: str | None) -> datetime:
        """End all earlier sign-ins with this name, e-mail address or subject.

        None means everybody. An unknown name is accepted. Return the time of the
        sign-out by the database's clock, because the clock of this process can be
        wrong. Raises RecordsError.
        """
        now = self._database.now()
        until = now.replace(microsecond=0)
        person = _EVERYBODY if name is None else comparable(name.strip() or name)

        values = {
            "person": person,
            "session": _EVERY_SESSION,
            "began_at": until,
            "ended_at": now,
        }
        self._database.put(sign_out, values)
        return until

    def is_ended(self, person: Person) -> bool:
        """True when this sign-in was ended. Raises RecordsError."""
        if person.began_at is None:
            return False

        is_own = sa.and_(
            sign_out.c.person == person.key,
            sign_out.c.session == person.session,
        )
        names = {comparable(name.strip() or name) for name in person.names}
        is_of_all_sessions = sa.and_(
            sign_out.c.person.in_({_EVERYBODY, *names}),
            sign_out.c.session == _EVERY_SESSION,
        )
        query = sa.select(sign_out.c.began_at).where(
            sa.or_(is_own, is_of_all_sessions),
            sign_out.c.began_at >= person.began_at,
        )
        return self._database.row(query.limit(1)) is not None
