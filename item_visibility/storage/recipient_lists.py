"""Lists of recipients, each distinct one stored once: a save leaves the list that the next one finds."""

from collections.abc import Iterable

from sqlalchemy import Connection, Table, select

from item_visibility.storage.columns import (
    DIGEST,
    RecipientSet,
    filled,
    insert_new,
    keys,
    list_digest,
    metadata,
    pieces,
)

recipient_list = Table(
    "recipient_list",
    metadata,
    *keys(DIGEST, "digest"),
    *filled(RecipientSet, "recipients"),
    comment="The lists that the history, the lists last seen and the jobs refer to.",
)


def put_lists(connection: Connection, lists: Iterable[frozenset[str] | None]) -> None:
    """Save the lists that are not stored yet under their digests.

    In one order: of two who wait for each other, one would fail.
    """
    by_digest = {list_digest(one): one for one in lists if one is not None}
    for some in pieces(sorted(by_digest)):
        stored = select(recipient_list.c.digest).where(recipient_list.c.digest.in_(some))
        new = sorted(frozenset(some) - frozenset(connection.scalars(stored)))
        if new:
            rows = [{"digest": key, "recipients": by_digest[key]} for key in new]
            connection.execute(insert_new(connection, recipient_list), rows)


def put_list(connection: Connection, recipients: frozenset[str]) -> str:
    """Save a list and return its digest."""
    put_lists(connection, [recipients])
    return list_digest(recipients)


def read_lists(connection: Connection, digests: Iterable[str | None]) -> dict[str, frozenset[str]]:
    """Return the lists with these digests."""
    lists: dict[str, frozenset[str]] = {}
    for some in pieces(sorted({one for one in digests if one is not None})):
        found = connection.execute(select(recipient_list).where(recipient_list.c.digest.in_(some)))
        lists.update((row.digest, row.recipients) for row in found)
    return lists
