"""The notice that an environment has a new address."""

from collections.abc import Callable

import pytest

from item_visibility.errors import RecordsError
from item_visibility.use_cases.address_change import AddressChange, AddressDesk
from tests.support.fake_visibilities import START

BEFORE = "https://old.example.com/v1"


def cannot() -> None:
    """A database that cannot be used."""
    raise RecordsError("It cannot be written.", advice="Look at it.")


def nothing() -> None:
    """A database that keeps it."""


def test_an_address_that_never_changed_has_no_notice() -> None:
    """Nor has one whose notice was read."""
    read = AddressChange(BEFORE, START, is_read=True)
    assert AddressDesk(None, mark_read=nothing).unread is None
    assert AddressDesk(read, mark_read=nothing).unread is None


@pytest.mark.parametrize("mark_read", [nothing, cannot])
def test_the_notice_is_shown_until_it_was_read(mark_read: Callable[[], None]) -> None:
    """For this run also when the database cannot keep that."""
    change = AddressChange(BEFORE, START)
    desk = AddressDesk(change, mark_read=mark_read)
    before = desk.unread
    desk.mark_read()
    assert (before, desk.unread, desk.change) == (change, None, change)
