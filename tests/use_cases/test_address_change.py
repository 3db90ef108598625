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
    read = AddressChange(BEFORE, START, is_told=True)
    assert AddressDesk(None, note_told=nothing).untold is None
    assert AddressDesk(read, note_told=nothing).untold is None


@pytest.mark.parametrize("note_told", [nothing, cannot])
def test_the_notice_is_shown_until_it_was_read(note_told: Callable[[], None]) -> None:
    """For this run also when the database cannot keep that."""
    change = AddressChange(BEFORE, START)
    desk = AddressDesk(change, note_told=note_told)
    before = desk.untold
    desk.told()
    assert (before, desk.untold, desk.change) == (change, None, change)
