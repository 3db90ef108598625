"""The meaning of each column."""

import pytest

from item_visibility.lists.layout import Layout, LayoutKind, guess_layout, with_header_found
from item_visibility.lists.reader import read_paste
from item_visibility.lists.table import Table

ROWS, WIDE, CELL, MATRIX = LayoutKind.ROWS, LayoutKind.WIDE, LayoutKind.CELL, LayoutKind.MATRIX


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("supplier,item,recipient\na,b,c", Layout(kind=ROWS, supplier=0, item=1, recipients=(2,))),
        (
            "Recipient;Supplier;Name;Action;Item\na;b;c;add;d",
            Layout(kind=ROWS, supplier=1, item=4, action=3, recipients=(0,)),
        ),
        (
            "GLN,GTIN,Market,Retailer\na,b,c,d",
            Layout(kind=ROWS, supplier=0, item=1, market=2, recipients=(3,)),
        ),
        ("Supplier,Item,GLN\na,b,c", Layout(kind=ROWS, supplier=0, item=1, recipients=(2,))),
        ("Supplier,Item,GLN,Buyer\na,b,c,d", Layout(kind=ROWS, supplier=0, item=1, recipients=(3,))),
        ("GLN,GTIN\na,b", Layout(kind=ROWS, supplier=0, item=1)),
        ("GLN,GLN,GTIN\na,b,c", Layout(kind=ROWS, item=2)),
        ("Supplier,Item,Market\na,b:276,276", Layout(kind=ROWS, supplier=0, item=1)),
        ("Supplier,Vendor,Item\na,b,c", Layout(kind=ROWS, item=2)),
        ("Supplier,Supplier GLN,Item\na,b,c", Layout(kind=ROWS, supplier=1, item=2)),
        ("Recipient,Recipient GLN,Item\na,b,c", Layout(kind=ROWS, item=2, recipients=(1,))),
        ("Recipient GLN,Customer GLN,Item ID\na,b,c", Layout(kind=ROWS, item=2)),
        ("Recipient,Customers,Item\na,b,c", Layout(kind=ROWS, item=2)),
        ("Item,Recipient 1,Recipient 2\na,b,c", Layout(kind=WIDE, item=0, recipients=(1, 2))),
        ("Item,Retailer,Retailer\na,b,c", Layout(kind=WIDE, item=0, recipients=(1, 2))),
        ("Item,Recipients,,\na,b,R2,R3", Layout(kind=WIDE, item=0, recipients=(1, 2, 3))),
        ("Item,Recipients,,\na,b,c,d", Layout(kind=ROWS, item=0, recipients=(1,))),
        ("Item,Recipient,\na,R1,remove", Layout(kind=ROWS, item=0, recipients=(1,))),
        ("Item,Recipient,\na,R1,call R2", Layout(kind=ROWS, item=0, recipients=(1,))),
        ("Item,Well\na,x", Layout(kind=ROWS, item=0)),
        ("Item,Zielmarkt\n04006381333931,276", Layout(kind=ROWS, item=0, market=1)),
        ("Item,Recipient,,\na,b,,", Layout(kind=ROWS, item=0, recipients=(1,))),
        ("Item,,Recipients\na,x,b", Layout(kind=ROWS, item=0, recipients=(2,))),
        ('Item,Recipients\na,b\nc,"d,e"', Layout(kind=CELL, item=0, recipients=(1,))),
        ('Item,Recipients\na,"b\nc"', Layout(kind=CELL, item=0, recipients=(1,))),
        ("Item,Recipients\na,b c", Layout(kind=ROWS, item=0, recipients=(1,))),
        ('Item,Recipient\na,"b,c"', Layout(kind=ROWS, item=0, recipients=(1,))),
        ('Item,Recipient\na,"4000001000005, 4000002000004"', Layout(kind=CELL, item=0, recipients=(1,))),
        (
            "Supplier,Item,R1,R2,Name,Price,R3\na,b,x,,n,1,\nc,d,,JA,n,2,",
            Layout(kind=MATRIX, supplier=0, item=1, recipients=(2, 3)),
        ),
        ("Item,R1,R2\na,x,x\nb,,maybe", Layout(kind=MATRIX, item=0, recipients=(1, 2))),
        ("Item,R1,Stk\na,x,1\nb,x,5\nc,,7", Layout(kind=MATRIX, item=0, recipients=(1,))),
        ("Item,Note\na,\nb,", Layout(kind=ROWS, item=0)),
        ("Ware,Laden\na,b", Layout(kind=ROWS)),
    ],
)
def test_the_layout_is_found_by_headings_and_cells(text: str, layout: Layout) -> None:
    """A column that could be two things is left to the person."""
    assert guess_layout(read_paste(text)) == layout


@pytest.mark.parametrize(
    ("rest", "layout"),
    [
        ("", Layout(kind=ROWS, item=0)),
        ("\tI", Layout(kind=ROWS, supplier=0, item=1)),
        ("\tI\tR", Layout(kind=ROWS, supplier=0, item=1, recipients=(2,))),
        ("\tI\tR\tadd", Layout(kind=ROWS, supplier=0, item=1, recipients=(2,), action=3)),
        ("\tI\tR\tR\tR", Layout(kind=ROWS, supplier=0, item=1)),
    ],
)
def test_columns_without_headings_stand_in_the_usual_order(rest: str, layout: Layout) -> None:
    """Supplier, item, recipient, action; one column alone holds items."""
    assert guess_layout(with_header_found(read_paste(f"4000001000005{rest}"))) == layout


def test_a_table_without_rows_has_a_layout() -> None:
    """As far as the headings say it."""
    assert guess_layout(Table(("Item", "R1"), ())) == Layout(kind=ROWS, item=0)
