"""The key of this installation: with it evidence is sealed, and recognised as made here."""

import secrets

from sqlalchemy import select

from item_visibility.api.http.masking import SecretBytes, SecretText
from item_visibility.records.database.connecting import Database
from item_visibility.records.database.tables import installation_key
from item_visibility.records.database.upsert import insert_new

_EVIDENCE = "evidence"
_BYTES = 32


class SealKey:
    """The key of all processes on these records. It is made when it is needed first."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def known(self) -> bytes | None:
        """Return the key; None when nothing was sealed yet. Raises RecordsError."""
        query = select(installation_key.c.value).where(installation_key.c.name == _EVIDENCE)
        row = self._database.row(query)
        return None if row is None else SecretBytes.fromhex(row.value)

    def made(self) -> bytes:
        """Return the key, made now if there is none. Two that make it together get the same. RecordsError."""
        if (key := self.known()) is not None:
            return key
        new = {"name": _EVIDENCE, "value": SecretText(secrets.token_hex(_BYTES))}
        with self._database.write() as connection:
            connection.execute(insert_new(connection, installation_key).values(new))
            query = select(installation_key.c.value).where(installation_key.c.name == _EVIDENCE)
            return SecretBytes.fromhex(connection.scalar(query) or "")
