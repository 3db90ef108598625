"""Realistic sample data with invented companies. It is the same at every start.

A supplierItemId in the sample consists of a GTIN with 14 digits, a colon and the ISO
3166 number of the target market: `09521234500014:276`. The specification does not
define its form (Note N2). All numbers have valid check digits and begin with 952, which
GS1 reserves for examples.
"""

import itertools
from dataclasses import dataclass

from item_visibility_service.store import Item

SUPPLIERS = (
    (
        "Harbour Mill Foods",
        ("Oat biscuits", "Rye crackers", "Wholemeal flour", "Rolled oats"),
    ),
    (
        "Nordlicht Molkerei",
        ("Farm butter", "Mild yoghurt", "Young gouda", "Buttermilk"),
    ),
    ("Casa Oliveto", ("Green olives", "Olive oil", "Tomato passata", "Dried basil")),
    (
        "Brightwater Home Care",
        ("Washing powder", "Dish soap", "Window cleaner", "Citrus polish"),
    ),
    (
        "Ferme des Tilleuls",
        ("Goat cheese", "Chestnut cream", "Fig jam", "Cider vinegar"),
    ),
    (
        "Alpenrand Getränke",
        ("Elderflower soda", "Apple juice", "Spring water", "Herbal tea"),
    ),
    (
        "Lantern Street Bakery",
        ("Sourdough loaf", "Cinnamon rolls", "Baguettes to bake", "Rusks"),
    ),
    ("Polder & Daughters", ("Leek soup", "Pea soup", "Baby potatoes", "Red cabbage")),
    (
        "Kestrel Pet Supplies",
        ("Cat litter", "Dog biscuits", "Bird seed", "Hay for rabbits"),
    ),
    (
        "Zielona Dolina",
        ("Pickled gherkins", "Beetroot salad", "Horseradish", "Plum spread"),
    ),
)
"""Invented companies and their products. Each product has four sizes."""

SIZES = ("250 g", "500 g", "1 kg", "family pack")

RECIPIENT_NAMES = (
    "Marktplatz",
    "Blue Door",
    "Tramway",
    "Kornblume",
    "Le Panier",
    "Old Quay",
    "Sonnenhof",
    "Three Rivers",
    "Villa Verde",
    "Westend",
    "Bramble Lane",
    "Lindenallee",
    "Silver Birch",
    "Orangerie",
    "Northgate",
)

RECIPIENT_KINDS = (
    "Supermarkets",
    "Online Shop",
    "Wholesale",
    "Corner Stores",
    "Drugstores",
    "Catering",
    "Discount",
    "Pharmacy Supply",
    "Convenience",
    "Cash & Carry",
)

AWKWARD_RECIPIENTS = (
    ("branch 17 north", "Branch North"),
    ("AT/4020/02", "Depot Linz"),
    ("club-50%", "Half Price Club"),
    ("Müller-Köln", "Müller Köln"),
    ("outlet-\N{SHOPPING BAGS}", "Riverside Outlet"),
    ("kiosk-000815", "Harbour Kiosk"),
    ("shop *bold*", "Bold Fashion"),
)
"""Recipients whose ids need escaping.

They come last, so that the first page shows ordinary ids.
"""

SHOWCASE: tuple[str, str] = ("9521000010000", "09521000010017:276")
"""The item to open first: it has twelve recipients."""

LARGE_ITEM: tuple[str, str] = ("9521000010000", "09521000010017:040")
"""The item with 5,000 recipients."""

EMPTY_ITEM: tuple[str, str] = ("9521000010000", "09521000010024:276")
"""The item without recipients."""

AWKWARD_ITEM: tuple[str, str] = ("9521000010000", "09521000010024:040")
"""The item with recipients whose ids need escaping."""

LARGE_COUNT = 5000
SHOWCASE_COUNT = 12

_MARKETS = ("276", "040", "756", "528", "056", "250", "826", "616")
_MARKETS_A_PRODUCT = (2, 3)
_SUPPLIER_BLOCK = "9521"
_RECIPIENT_BLOCK = "9522"
_BRANCH_BLOCK = "9523"


@dataclass(frozen=True, slots=True)
class SampleNames:
    """The names that belong to the ids of the sample.

    The service itself stores no names. Note N15.

    Attributes:
        suppliers: (supplier, name)
        items: (supplier, supplierItemId, name, number of the target market)
        recipients: (recipientId, name)
    """

    suppliers: tuple[tuple[str, str], ...]
    items: tuple[tuple[str, str, str, str], ...]
    recipients: tuple[tuple[str, str], ...]


def with_check_digit(digits: str) -> str:
    """Return the digits with GS1's check digit appended."""
    # From the right, the digits count three times and once in turn.
    total = sum(
        int(digit) * (3 if index % 2 == 0 else 1)
        for index, digit in enumerate(reversed(digits))
    )
    return f"{digits}{-total % 10}"


def invented_names() -> SampleNames:
    """Return the names of ten suppliers, 400 items and 150 recipients."""
    return SampleNames(
        suppliers=tuple(
            (_supplier(index), name) for index, (name, _) in enumerate(SUPPLIERS)
        ),
        items=tuple(_items()),
        recipients=(*_companies(), *AWKWARD_RECIPIENTS),
    )


def sample_visibilities() -> dict[Item, frozenset[str]]:
    """Map each item of the sample to its recipients."""
    companies = tuple(recipient_id for recipient_id, _name in _companies())
    # The sample has no names for the branches.
    branches = (
        with_check_digit(f"{_BRANCH_BLOCK}{index + 1:08}")
        for index in range(LARGE_COUNT - len(companies))
    )
    awkward = (recipient_id for recipient_id, _name in AWKWARD_RECIPIENTS)
    special = {
        SHOWCASE: companies[:SHOWCASE_COUNT],
        LARGE_ITEM: (*companies, *branches),
        EMPTY_ITEM: (),
        AWKWARD_ITEM: (*companies[:3], *awkward),
    }

    return {
        Item(supplier, item_id): frozenset(
            special.get((supplier, item_id), _some_of(companies, index))
        )
        for index, (supplier, item_id, _name, _market) in enumerate(_items())
    }


def _some_of(companies: tuple[str, ...], index: int) -> tuple[str, ...]:
    """Return between 3 and 30 companies, different ones for each item."""
    count = 3 + (index * 11) % 28
    return tuple(
        companies[(index * 17 + step * 7) % len(companies)] for step in range(count)
    )


def _supplier(index: int) -> str:
    return with_check_digit(f"{_SUPPLIER_BLOCK}{index + 1:05}000")


def _items() -> list[tuple[str, str, str, str]]:
    """Return forty items per supplier: 16 products, each in two or three markets."""
    items = []
    for supplier, (_, products) in enumerate(SUPPLIERS):
        for number, (product, size) in enumerate(itertools.product(products, SIZES)):
            digits = f"0{_SUPPLIER_BLOCK}{supplier + 1:05}{number + 1:03}"
            gtin = with_check_digit(digits)
            items += [
                (_supplier(supplier), f"{gtin}:{market}", f"{product} {size}", market)
                for market in _markets(supplier, number)
            ]
    return items


def _markets(supplier: int, product: int) -> tuple[str, ...]:
    count = _MARKETS_A_PRODUCT[product % len(_MARKETS_A_PRODUCT)]
    return tuple(_MARKETS[(supplier + step) % len(_MARKETS)] for step in range(count))


def _companies() -> list[tuple[str, str]]:
    """Return the recipients that have a GLN.

    Together with AWKWARD_RECIPIENTS, they are 150.
    """
    names = [
        f"{name} {kind}"
        for kind, name in itertools.product(RECIPIENT_KINDS, RECIPIENT_NAMES)
    ]
    count = len(names) - len(AWKWARD_RECIPIENTS)
    return [
        (with_check_digit(f"{_RECIPIENT_BLOCK}{index + 1:05}000"), name)
        for index, name in enumerate(names[:count])
    ]
