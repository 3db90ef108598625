"""Sign-ins that were ended. A browser window that still has one of them is not signed in."""

from datetime import datetime

from sqlalchemy import Table, and_, or_, select

from item_visibility.access.access import Person
from item_visibility.storage.column_types import ExactText, UtcTime, filled, keys, metadata
from item_visibility.storage.database import Database
from item_visibility.storage.name_index import folded

table = Table(
    "sign_out",
    metadata,
    *keys(ExactText, "person", "session"),
    *filled(UtcTime, "began_at", "ended_at"),
    comment="Sign-ins that were ended: those until `began_at` of a session, or of a name in any session.",
)
_EVERY_SESSION = ""
_EVERYBODY = ""


class SignOuts:
    """The sign-outs of all processes that share this database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def end(self, person: Person, *, at: datetime) -> None:
        """End this person's session, and every sign-in in it until now. Raises RecordsError.

        `at` is stored but not compared. Only the sign-in times of the provider are compared.
        """
        self._database.put(
            table,
            {
                "person": person.key,
                "session": person.session,
                "began_at": person.began_at,
                "ended_at": at,
            },
        )

    def end_every(self, name: str | None) -> datetime:
        """End all sign-ins until now of all people with this name, e-mail address or subject.

        None means everybody. An unknown name is accepted without an error. Return the second until which
        sign-ins were ended. It is the database's time, because the clock of this process may be slow. Raises
        RecordsError.
        """
        at = self._database.now()
        until = at.replace(microsecond=0)
        person = _EVERYBODY if name is None else _comparable(name)
        values = {"person": person, "session": _EVERY_SESSION, "began_at": until, "ended_at": at}
        self._database.put(table, values)
        return until

    def is_ended(self, person: Person) -> bool:
        """True when this sign-in was ended, in any window or by the command. Raises RecordsError."""
        if person.began_at is None:
            return False
        names = {_EVERYBODY, *map(_comparable, person.names)}
        row = self._database.row(
            select(table.c.began_at)
            .where(
                or_(
                    and_(table.c.person == person.key, table.c.session == person.session),
                    and_(table.c.person.in_(names), table.c.session == _EVERY_SESSION),
                ),
                table.c.began_at >= person.began_at,
            )
            .limit(1)
        )
        return row is not None


def _comparable(name: str) -> str:
    """Return the form of the name that is used in comparisons. It never equals `_EVERYBODY`."""
    return folded(name.strip()) or name
