"""A market in a column of its own is found under its English and German names, and joined to the number."""

from functools import partial

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.bulk_list import BulkList, Decisions
from item_visibility.lists.damage import find_damage
from item_visibility.lists.layout import with_header_found
from item_visibility.lists.text_files import read_paste
from tests.lists.known import NOTHING_KNOWN

SUPPLIER, GTIN, GLN = "9521000010000", "09521000010017", "9522000010009"


def items_of(text: str) -> list[tuple[ItemKey, frozenset[str]]]:
    """The list's additions, once its suggestions are accepted; no row of it is skipped."""
    brought = BulkList.of(with_header_found(read_paste(text)))

    checked = brought.checked(partial(find_damage, known=NOTHING_KNOWN))
    decided = checked.with_decisions(
        Decisions().with_findings(accepted=checked.suggested(checked.open_findings))
    )
    understood = decided.understood()
    assert understood.skipped == ()
    return [(one.item, one.add) for one in understood.items]


@pytest.mark.parametrize(
    "heading",
    [
        *[
            "Zielmarkt",
            "Zielland",
            "Markt",
            "Land",
            "Vertriebsland",
            "Verkaufsland",
            "Absatzmarkt",
            "Ländercode",
        ],
        *[
            "market",
            "Target market",
            "Country of sale",
            "country",
            "Sales market",
            "Target Market Country Code",
        ],
    ],
)
@pytest.mark.parametrize("market", ["276", "DE", "DEU", "Deutschland", "Germany"])
def test_the_market_beside_a_number_is_joined_to_it(heading: str, market: str) -> None:
    """Under any name and in any writing: it is the item of that market, and no other is written."""
    english = f"Supplier\tGTIN\t{heading}\tRecipient\n{SUPPLIER}\t{GTIN}\t{market}\t{GLN}"
    german = f"Lieferant\tArtikelnummer\t{heading}\tEmpfänger\n{SUPPLIER}\t{GTIN}\t{market}\t{GLN}"
    expected = [(ItemKey(SUPPLIER, f"{GTIN}:276"), frozenset({GLN}))]
    assert items_of(english) == expected
    assert items_of(german) == expected
