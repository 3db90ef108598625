"""Sign-ins that were ended: a window that still holds one signs nobody in."""

from datetime import datetime

from sqlalchemy import Table, and_, or_, select

from item_visibility.access.access import Person
from item_visibility.storage.columns import ExactText, UtcTime, filled, keys, metadata
from item_visibility.storage.database import Database
from item_visibility.storage.names import folded

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
    """The sign-outs of all processes on these records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def end(self, person: Person, *, at: datetime) -> None:
        """Record that this person's session ended, with every sign-in of it until now. RecordsError.

        Only the provider's times are compared: `at` is when it was recorded.
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

    def end_every(self, name: str | None, *, at: datetime) -> None:
        """End every sign-in before this second of whoever has this name, e-mail address or subject.

        None is everybody. An unknown name is not reported. Raises RecordsError.
        """
        until = at.replace(microsecond=0)
        person = _EVERYBODY if name is None else _comparable(name)
        values = {"person": person, "session": _EVERY_SESSION, "began_at": until, "ended_at": at}
        self._database.put(table, values)

    def is_ended(self, person: Person) -> bool:
        """True when this sign-in was ended, in this window, in another, or by the command. RecordsError."""
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
    """Return the form in which names are compared; never the one that means everybody."""
    return folded(name.strip()) or name
