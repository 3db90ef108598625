"""Lists of recipients. Each is stored once, however many rows refer to it."""

from collections.abc import Iterable

import sqlalchemy as sa

from item_visibility.storage.rows import batches, insert_new, list_digest
from item_visibility.storage.schema import recipient_list


def put_lists(
    connection: sa.Connection, lists: Iterable[frozenset[str] | None]
) -> dict[frozenset[str] | None, str | None]:
    """Save the lists that are not stored yet. Map each list to its digest.

    None is mapped to None.
    """
    by_digest = {
        list_digest(recipients): recipients
        for recipients in lists
        if recipients is not None
    }

    # Two transactions that insert in the same order cannot block each other.
    for batch in batches(sorted(by_digest)):
        stored = sa.select(recipient_list.c.digest).where(
            recipient_list.c.digest.in_(batch)
        )
        new = sorted(frozenset(batch) - frozenset(connection.scalars(stored)))
        if new:
            rows = [{"digest": key, "recipients": by_digest[key]} for key in new]
            connection.execute(insert_new(connection, recipient_list), rows)

    return {None: None} | {recipients: key for key, recipients in by_digest.items()}


def read_lists(
    connection: sa.Connection, digests: Iterable[str | None]
) -> dict[str, frozenset[str]]:
    """Map each of these digests to its list."""
    wanted = {key for key in digests if key is not None}
    lists: dict[str, frozenset[str]] = {}
    for batch in batches(sorted(wanted)):
        query = sa.select(recipient_list).where(recipient_list.c.digest.in_(batch))
        for row in connection.execute(query):
            lists[row.digest] = row.recipients
    return lists
