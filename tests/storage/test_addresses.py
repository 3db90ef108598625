"""The service that an environment named last: a change of its address is noticed."""

from datetime import timedelta

from item_visibility.storage.addresses import AddressChange, Addresses
from item_visibility.storage.database import Database
from tests.support.fake_visibilities import START

HERE, THERE = "https://here.example.com/v1", "https://there.example.com/v1"
LATER, LATEST = START + timedelta(days=1), START + timedelta(days=2)


def test_another_address_is_new_once(records: Database) -> None:
    """A look records nothing. Later it is known since when; other environments have nothing to do with it."""
    addresses = Addresses(records)
    new = AddressChange(HERE, LATER, is_new=True)
    assert [addresses.arrive("default", HERE, at=at) for at in (START, LATER)] == [None, None]
    assert addresses.look("default", THERE, at=LATER) == new
    assert addresses.arrive("default", THERE, at=LATER) == new
    assert addresses.arrive("default", THERE, at=LATEST) == AddressChange(HERE, LATER)
    assert addresses.arrive("test", THERE, at=LATEST) is None


def test_a_change_that_was_read_about_stays_read_until_the_next_one(records: Database) -> None:
    """The way back is a change as well."""
    addresses = Addresses(records)
    addresses.arrive("default", HERE, at=START)
    addresses.arrive("default", THERE, at=LATER)
    addresses.mark_read("default")
    assert addresses.arrive("default", THERE, at=LATEST) == AddressChange(HERE, LATER, is_read=True)
    assert addresses.arrive("default", HERE, at=LATEST) == AddressChange(THERE, LATEST, is_new=True)
    assert addresses.arrive("default", HERE, at=LATEST) == AddressChange(THERE, LATEST)
