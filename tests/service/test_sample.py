"""Sample data that a person can believe in."""

import pytest

from item_visibility_service.requests import check_identifier
from item_visibility_service.sample import (
    AWKWARD_ITEM,
    EMPTY_ITEM,
    LARGE_ITEM,
    SHOWCASE,
    invented_names,
    sample_visibilities,
)
from item_visibility_service.store import Item, Store

NAMES = invented_names()
VISIBILITIES = sample_visibilities()


def is_valid(number: str) -> bool:
    """True when the check digit is right: weights 3 and 1 from the right add up to a multiple of ten."""
    digits = [int(digit) for digit in reversed(number)]
    return (sum(digits[::2]) + 3 * sum(digits[1::2])) % 10 == 0


def test_every_number_has_a_valid_check_digit() -> None:
    glns = [supplier for supplier, _ in NAMES.suppliers]
    glns += [recipient for recipient, _ in NAMES.recipients[:-7]]
    gtins = [item.partition(":")[0] for _, item, _, _ in NAMES.items]
    assert {(len(gln), gln[:3], is_valid(gln)) for gln in glns} == {(13, "952", True)}
    assert {(len(gtin), gtin[:4], is_valid(gtin)) for gtin in gtins} == {(14, "0952", True)}
    assert sorted(NAMES.recipients)[-7:] == sorted(NAMES.recipients[-7:])


@pytest.mark.parametrize(
    ("item", "count"), [(SHOWCASE, 12), (LARGE_ITEM, 5000), (EMPTY_ITEM, 0), (AWKWARD_ITEM, 10)]
)
def test_the_named_items_hold_what_they_promise(item: tuple[str, str], count: int) -> None:
    assert len(VISIBILITIES[Item(*item)]) == count
    assert item in {(supplier, item_id) for supplier, item_id, _, _ in NAMES.items}


def test_the_service_takes_every_id_of_the_sample() -> None:
    ids = {
        text
        for item, recipients in VISIBILITIES.items()
        for text in (item.supplier, item.supplier_item_id, *recipients)
    }
    assert {check_identifier("id", text) for text in ids} == ids


def test_the_sample_is_loaded_once(sqlite_store: Store) -> None:
    sqlite_store.load(sample_visibilities())
    sqlite_store.remove_all(Item(*SHOWCASE))
    sqlite_store.load(sample_visibilities())
    assert sqlite_store.recipients(Item(*SHOWCASE)) == ()
    assert len(sqlite_store.recipients(Item(*LARGE_ITEM))) == 5000
