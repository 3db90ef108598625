"""The service that an environment named last: a change of its address is noticed, and told."""

from datetime import timedelta

from item_visibility.storage.addresses import AddressChange, Addresses
from item_visibility.storage.database import Database
from tests.support.fake_visibilities import START

HERE, THERE = "https://here.example.com/v1", "https://there.example.com/v1"
LATER, LATEST = START + timedelta(days=1), START + timedelta(days=2)


def test_an_environment_that_never_moved_has_nothing_to_tell(records: Database) -> None:
    """Neither at its first start, nor at the next one."""
    addresses = Addresses(records)
    assert addresses.arrive("default", HERE, at=START) is None
    assert addresses.arrive("default", HERE, at=LATER) is None


def test_another_address_is_noticed_once(records: Database) -> None:
    """Later it is known since when; another environment has nothing to do with it."""
    addresses = Addresses(records)
    addresses.arrive("default", HERE, at=START)
    assert addresses.arrive("default", THERE, at=LATER) == AddressChange(HERE, LATER, is_new=True)
    assert addresses.arrive("default", THERE, at=LATER) == AddressChange(HERE, LATER)
    assert addresses.arrive("test", THERE, at=LATER) is None


def test_a_look_keeps_nothing(records: Database) -> None:
    """The next caller notices it, too."""
    addresses = Addresses(records)
    addresses.arrive("default", HERE, at=START)
    assert addresses.look("default", THERE, at=LATER) == AddressChange(HERE, LATER, is_new=True)
    assert addresses.arrive("default", THERE, at=LATER) == AddressChange(HERE, LATER, is_new=True)


def test_what_was_told_stays_told_until_the_next_change(records: Database) -> None:
    """The way back is a change as well."""
    addresses = Addresses(records)
    addresses.arrive("default", HERE, at=START)
    addresses.arrive("default", THERE, at=LATER)
    addresses.mark_read("default")
    assert addresses.arrive("default", THERE, at=LATEST) == AddressChange(HERE, LATER, is_read=True)
    assert addresses.arrive("default", HERE, at=LATEST) == AddressChange(THERE, LATEST, is_new=True)
    assert addresses.arrive("default", HERE, at=LATEST) == AddressChange(THERE, LATEST)
