"""The key that seals evidence is one for all who use these records."""

from item_visibility.records.database.connecting import Database
from item_visibility.records.seal_key import SealKey


def test_the_key_is_made_once_and_is_the_same_for_all(records: Database) -> None:
    """It is not made by a look."""
    first, second = SealKey(records), SealKey(records)
    assert first.known() is None
    key = first.made()
    assert (len(key), second.made(), second.known()) == (32, key, key)


def test_the_key_shows_itself_to_nobody(records: Database) -> None:
    """A traceback with local variables prints it."""
    seal_key = SealKey(records)
    assert (repr(seal_key.made()), repr(seal_key.known())) == ("[hidden]", "[hidden]")
