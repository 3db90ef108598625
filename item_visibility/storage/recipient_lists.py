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
    """Save these lists under their digests, in one order: of two who wait for each other, one would fail."""
    by_digest = {list_digest(one): one for one in lists if one is not None}
    if by_digest:
        rows = [{"digest": key, "recipients": recipients} for key, recipients in sorted(by_digest.items())]
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
